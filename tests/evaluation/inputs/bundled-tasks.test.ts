import { afterEach, describe, expect, it, vi } from 'vitest'
import { fetchBundledTasks } from '../../../src/evaluation/inputs/bundled-tasks.ts'
import { makeTaskPack } from '../../../tools/build/task-pack.ts'

const answer = (body: string, status = 200) => vi.stubGlobal('fetch', async () => new Response(body, { status }))

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('fetchBundledTasks', () => {
  it('asks once, below the page, and gives the files with what they define', async () => {
    const pack = { files: { 'a/b.yaml': 'task: b\n' }, listing: [] }
    const fetched = vi.fn(async (_address: string) => new Response(JSON.stringify(pack)))
    vi.stubGlobal('fetch', fetched)
    expect(await fetchBundledTasks('https://host/sub/')).toEqual({
      name: 'bundled',
      files: [{ path: 'a/b.yaml', text: 'task: b\n' }],
      listing: [],
    })
    expect(fetched.mock.calls).toEqual([['https://host/sub/tasks/pack.json']])
  })

  it.each([
    ['nothing answers', () => vi.stubGlobal('fetch', () => Promise.reject(new TypeError('network'))), 'hub/unreachable'],
    ['the file is missing', () => answer('', 404), 'hub/not-found'],
    ['a web page comes', () => answer('<!doctype html>'), 'hub/corrupt'],
    ['other JSON comes', () => answer('{"files": {"a.yaml": 1}, "listing": []}'), 'hub/corrupt'],
  ])('says when %s', async (_what, arrange, code) => {
    arrange()
    await expect(fetchBundledTasks('https://host/')).rejects.toMatchObject({ code })
  })
})

describe('makeTaskPack', () => {
  it('holds every file of public/tasks, and lists the embedded benchmark as a group', () => {
    const { files, listing } = makeTaskPack('public/tasks')
    expect(Object.keys(files)).toContain('yardstick/yardstick.yaml')
    expect(listing.find(({ name }) => name === 'yardstick')).toMatchObject({
      root: 'bundled',
      kind: 'group',
      file: 'yardstick/yardstick.yaml',
    })
    expect(listing.filter(({ kind }) => kind !== 'tag').every(({ file }) => file in files)).toBe(true)
  })
})
