import 'fake-indexeddb/auto'
import { deleteDB, openDB } from 'idb'
import { afterEach, describe, expect, it } from 'vitest'
import type { Draft } from '../../src/contracts/items.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openStore } from '../../src/storage/open-store.ts'
import type { DraftPart, Store } from '../../src/storage/store.ts'
import { makeAnswer, makeRun } from './builders.ts'

const part = (key: string, from: number, tokens: readonly number[], end: Draft['end'] = null): DraftPart => ({
  key,
  from,
  tokens: Int32Array.from(tokens),
  end,
})
const draft = (tokens: readonly number[], end: Draft['end'] = null): Draft => ({ tokens: Int32Array.from(tokens), end })
const text = { tokens: Int32Array.of(1, 2, 3), end: 'stop' as const }

let databases = 0
const names: string[] = []
async function openIndexed(): Promise<Store> {
  databases += 1
  names.push(`drafts-${databases}`)
  return openStore({ name: `drafts-${databases}` })
}
const kinds: readonly (readonly [string, () => Promise<Store>])[] = [
  ['IndexedDB', openIndexed],
  ['memory', async () => memoryStore()],
]

const opened: Store[] = []
async function begin(open: () => Promise<Store>, ...runIds: string[]): Promise<Store> {
  const store = await open()
  opened.push(store)
  for (const runId of runIds) {
    await store.createRun(makeRun(runId))
    await store.takeRun(runId)
  }
  return store
}
afterEach(async () => {
  for (const store of opened.splice(0)) store.close()
  for (const name of names.splice(0)) await deleteDB(name)
})

describe.each(kinds)('texts being written, in %s', (_, open) => {
  it('are what they have grown by, put together, each under the key of its answer', async () => {
    const store = await begin(open, 'r')
    const large = new Int32Array(1000).fill(9)
    await store.keepDrafts({ runId: 'r', epoch: 1, planIndex: 0, parts: [part('a', 0, [5, 6]), part('b', 0, [7])] })
    await store.keepDrafts({ runId: 'r', epoch: 1, planIndex: 0, parts: [part('b', 1, [8, 2], 'end-token')] })
    await store.keepDrafts({ runId: 'r', epoch: 1, planIndex: 1, parts: [{ ...part('c', 0, []), tokens: large.subarray(3, 5) }] })
    expect(await store.draftsOf('r')).toEqual(
      new Map([
        ['a', draft([5, 6])],
        ['b', draft([7, 8, 2], 'end-token')],
        ['c', draft([9, 9])],
      ]),
    )
  })

  it('belong to their run, and to its writer of now', async () => {
    const store = await begin(open, 'r', 'r1')
    await store.keepDrafts({ runId: 'r', epoch: 1, planIndex: 0, parts: [part('a', 0, [5])] })
    expect(await store.draftsOf('r1')).toEqual(new Map())
    await store.takeRun('r')
    const late = store.keepDrafts({ runId: 'r', epoch: 1, planIndex: 0, parts: [part('a', 1, [6])] })
    await expect(late).rejects.toMatchObject({ code: 'storage/fenced' })
    expect(await store.draftsOf('r')).toEqual(new Map([['a', draft([5])]]))
  })

  it('go with the commit of their batch, and those of others stay', async () => {
    const store = await begin(open, 'r')
    for (const planIndex of [0, 1, 10]) await store.keepDrafts({ runId: 'r', epoch: 1, planIndex, parts: [part(`k${planIndex}`, 0, [1])] })
    await store.commitBatch({ runId: 'r', epoch: 1, planIndex: 1, entries: [{ key: 'k1', answer: text }] })
    expect([...(await store.draftsOf('r')).keys()]).toEqual(['k0', 'k10'])
    const refused = store.commitBatch({ runId: 'r', epoch: 0, planIndex: 0, entries: [{ key: 'k0', answer: text }] })
    await expect(refused).rejects.toMatchObject({ code: 'storage/fenced' })
    expect([...(await store.draftsOf('r')).keys()]).toEqual(['k0', 'k10'])
  })

  it('stay with a run that can go on, and go with one that can’t, that is complete, or that is deleted', async () => {
    const store = await begin(open, 'r', 'r1', 'done', 'failed', 'gone')
    const all = ['r', 'r1', 'done', 'failed', 'gone']
    for (const runId of all) await store.keepDrafts({ runId, epoch: 1, planIndex: 0, parts: [part('a', 0, [1])] })
    await store.finishRun('r1', 1, { status: 'interrupted', error: null })
    await store.finishRun('done', 1, { status: 'complete', error: null })
    await store.finishRun('failed', 1, { status: 'failed', error: null })
    await store.deleteRun('gone')
    expect(await Promise.all(all.map(async (runId) => (await store.draftsOf(runId)).size))).toEqual([1, 1, 0, 0, 0])
    await store.eraseAll()
    expect((await store.draftsOf('r')).size).toBe(0)
  })
})

describe('texts being written, whose rows are damaged', () => {
  it('are as they were before the first row that is, and go on from there', async () => {
    const store = await begin(openIndexed, 'r')
    for (const [from, tokens] of [
      [0, [1, 2]],
      [2, [3, 4]],
      [4, [5]],
    ] as const)
      await store.keepDrafts({ runId: 'r', epoch: 1, planIndex: 0, parts: [part('a', from, tokens), part('b', from, tokens)] })
    const db = await openDB(names.at(-1) ?? '')
    const row: unknown = await db.get('drafts', ['r', 0, 1])
    const { parts } = row as { parts: { tokens: Int32Array }[] } // As `keepDrafts` put it in.
    parts[0]?.tokens.fill(7)
    await db.put('drafts', row)
    db.close()
    expect(await store.draftsOf('r')).toEqual(
      new Map([
        ['a', draft([1, 2])],
        ['b', draft([1, 2])],
      ]),
    )
    await store.keepDrafts({ runId: 'r', epoch: 1, planIndex: 0, parts: [part('a', 2, [8], 'length')] })
    expect((await store.draftsOf('r')).get('a')).toEqual(draft([1, 2, 8], 'length'))
  })
})

describe('a database of version 4, which kept no texts that were being written', () => {
  it('opens with all that it had, and keeps them', async () => {
    const old = await begin(openIndexed, 'r')
    await old.commitBatch({ runId: 'r', epoch: 1, planIndex: 0, entries: [{ key: 'k', answer: makeAnswer(-1) }] })
    const name = names.at(-1) ?? ''
    old.close()
    await downgrade(name)
    const store = await openStore({ name })
    opened.push(store)
    expect([...(await store.recall(['k'])).keys()]).toEqual(['k'])
    expect((await store.draftsOf('r')).size).toBe(0)
    await store.keepDrafts({ runId: 'r', epoch: 1, planIndex: 1, parts: [part('a', 0, [1])] })
    expect((await store.draftsOf('r')).size).toBe(1)
  })
})

/** The database again as version 4 made it: the same rows in all stores but the new one. */
async function downgrade(name: string): Promise<void> {
  const db = await openDB(name)
  const stores = [...db.objectStoreNames].filter((store) => store !== 'drafts')
  const kept = await Promise.all(
    stores.map(async (store) => {
      const { keyPath, autoIncrement, indexNames } = db.transaction(store).store
      const indexes = [...indexNames].map((index) => {
        const { keyPath: path, unique, multiEntry } = db.transaction(store).store.index(index)
        return { name: index, path, unique, multiEntry }
      })
      return { store, keyPath, autoIncrement, indexes, keys: await db.getAllKeys(store), rows: (await db.getAll(store)) as unknown[] }
    }),
  )
  db.close()
  await deleteDB(name)
  const old = await openDB(name, 4, {
    upgrade: (made) => {
      for (const { store, keyPath, autoIncrement, indexes } of kept) {
        const one = made.createObjectStore(store, { keyPath, autoIncrement })
        for (const { name: index, path, unique, multiEntry } of indexes) one.createIndex(index, path, { unique, multiEntry })
      }
    },
  })
  for (const { store, keyPath, keys, rows } of kept)
    for (const [at, row] of rows.entries()) await old.put(store, row, keyPath === null ? keys[at] : undefined)
  old.close()
}
