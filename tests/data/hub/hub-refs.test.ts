/** Branches and tags of a model, asked of a local Hub. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHubServer, type RunningHub } from '../../../src/cli/browser/hub-server.ts'
import { listRefs } from '../../../src/data/hub/hub-refs.ts'
import { hubClient } from '../../../src/data/hub/hub.ts'

describe('the branches and tags of a model', () => {
  let folder: string
  let hub: RunningHub
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'refs-'))
    for (const name of ['many', 'one']) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'config.json'), '{}')
    }
    hub = await createHubServer({
      models: { 'acme/many': join(folder, 'many'), 'acme/one': join(folder, 'one') },
      refs: { 'acme/many': { branches: ['step-1000', 'a/b'], tags: ['v1'] } },
    })
  })
  afterAll(async () => {
    await hub.close()
    rmSync(folder, { recursive: true })
  })
  const client = () => hubClient({ base: hub.address, fetch })

  it('are those that the Hub names, and each can be asked for', async () => {
    expect(await listRefs(client(), 'acme/many')).toEqual({ branches: ['main', 'step-1000', 'a/b'], tags: ['v1'] })
    expect(await listRefs(client(), 'acme/one')).toEqual({ branches: ['main'], tags: [] })
    const main = await client().snapshot('model', 'acme/many', 'main')
    expect((await client().snapshot('model', 'acme/many', 'step-1000')).commit).toBe(main.commit)
    await expect(client().snapshot('model', 'acme/one', 'step-1000')).rejects.toMatchObject({ code: 'hub/not-found' })
  })

  it('are not found for a model that isn’t there, nor for what is no id', async () => {
    await expect(listRefs(client(), 'acme/other')).rejects.toMatchObject({
      code: 'hub/not-found',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ doesn't list the branches and tags of model 'acme\/other'\.$/) as string,
    })
    await expect(listRefs(client(), 'acme/one/../many')).rejects.toMatchObject({ code: 'hub/not-found' })
  })

  it('are refused in another form than a list of names', async () => {
    for (const json of [null, [], { branches: [] }, { branches: [{ name: 1 }], tags: [] }, { branches: 'main', tags: [] }])
      await expect(listRefs({ readApi: async () => json }, 'acme/one')).rejects.toMatchObject({ code: 'hub/corrupt' })
  })
})
