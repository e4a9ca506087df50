import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { playwrightOptions } from '../../../src/cli/browser/browser.ts'
import { build } from '../../../src/cli/browser/build.ts'
import { childEnvironment } from '../../../src/cli/browser/child-environment.ts'

vi.mock('node:child_process', async (original) => ({
  ...(await original<object>()),
  spawnSync: vi.fn((): Partial<SpawnSyncReturns<string>> => ({ status: 0, stdout: '', stderr: '' })),
}))

const names = ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN', 'HUGGINGFACE_HUB_TOKEN', 'HUGGINGFACE_TOKEN', 'HF_API_TOKEN', 'YARDSTICK_JUDGE_KEY']
afterEach(() => vi.unstubAllEnvs())

describe('programs that the command line starts', () => {
  it('get its environment without tokens and keys', () => {
    for (const name of names) vi.stubEnv(name, 'hf_secret')
    vi.stubEnv('HF_HOME', '/cache')
    expect(childEnvironment({ MORE: '1' })).toMatchObject({ PATH: process.env['PATH'], HF_HOME: '/cache', MORE: '1' })
    expect(JSON.stringify(childEnvironment())).not.toContain('hf_secret')
  })

  it('are the browser and the build among them', () => {
    for (const name of names) vi.stubEnv(name, 'hf_secret')
    const { env } = playwrightOptions('/x', 'hardware')
    expect(env['PATH']).toBe(process.env['PATH'])
    expect(JSON.stringify(env)).not.toContain('hf_secret')
    build()
    const options = vi.mocked(spawnSync).mock.lastCall?.[2]
    expect(options?.env?.['PATH']).toBe(process.env['PATH'])
    expect(JSON.stringify(options?.env)).not.toContain('hf_secret')
  })
})
