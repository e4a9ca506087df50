import 'fake-indexeddb/auto'
import { openDB } from 'idb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { toAnswerRow } from '../../src/storage/answer-rows.ts'
import { openStore } from '../../src/storage/open-store.ts'
import { schemaVersion } from '../../src/storage/schema.ts'
import type { Store } from '../../src/storage/store.ts'
import { makeAnswer, makeResults, makeRun, makeSample } from './builders.ts'

let databases = 0
const opened: Store[] = []

async function openNew(): Promise<{ store: Store; name: string }> {
  const name = `faults-${(databases += 1)}`
  const store = await openStore({ name })
  opened.push(store)
  return { store, name }
}

/** Changes a stored row behind the store's back. */
async function tamper(name: string, storeName: string, key: IDBValidKey, change: (row: Record<string, unknown>) => unknown): Promise<void> {
  const db = await openDB(name)
  const tx = db.transaction(storeName, 'readwrite')
  const row = (await tx.store.get(key)) as Record<string, unknown>
  await (tx.store.keyPath === null ? tx.store.put(change(row), key) : tx.store.put(change(row)))
  await tx.done
  db.close()
}

/** Flips a bit of the packed answers. */
const flip = (at: number) => (row: Record<string, unknown>) => {
  const packed = (row['packed'] as Uint8Array).slice()
  packed[at] = (packed[at] ?? 0) ^ 4
  return { ...row, packed }
}

afterEach(() => {
  for (const store of opened.splice(0)) store.close()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('damage', () => {
  it('sets an answer aside whose numbers changed, and lets it be computed anew', async () => {
    const { store, name } = await openNew()
    await store.createRun(makeRun('r1'))
    const entries = ['good', 'bad'].map((key) => ({ key, answer: makeAnswer(-1) }))
    await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 0, entries })
    await tamper(name, 'answers', 'good', flip(20))
    expect((await store.recall(['good', 'bad'])).size).toBe(0)
    expect(await store.usage()).toMatchObject({ responses: 0, quarantined: 1 })
    expect(await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 1, entries })).toEqual({ added: 2, already: 0, conflicts: [] })
    expect((await store.recall(['bad'])).get('bad')).toEqual(makeAnswer(-1))
  })

  const size = toAnswerRow([{ key: 'k', answer: makeAnswer(-1) }]).packed.length
  it.each([
    ...Array.from({ length: size }, (_, at) => [`a flipped bit in byte ${at}`, flip(at)] as const),
    ['another key', (row: Record<string, unknown>) => ({ ...row, keys: ['other'] })] as const,
    ['missing bytes', (row: Record<string, unknown>) => ({ ...row, packed: new Uint8Array(3) })] as const,
    ['a wrong type', (row: Record<string, unknown>) => ({ ...row, packed: [1, 2] })] as const,
    ['no row at all', () => 7] as const,
  ])('notices %s in an answer, and takes it anew', async (_, change) => {
    const { store, name } = await openNew()
    await store.createRun(makeRun('r1'))
    const entries = [{ key: 'k', answer: makeAnswer(-1) }]
    await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 0, entries })
    await tamper(name, 'answers', 'k', change)
    expect((await store.recall(['k'])).size).toBe(0)
    expect(await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 1, entries })).toMatchObject({ added: 1 })
    expect((await store.recall(['k'])).get('k')).toEqual(makeAnswer(-1))
  })

  it('replaces a damaged answer that a batch meets', async () => {
    const { store, name } = await openNew()
    await store.createRun(makeRun('r1'))
    const entries = [{ key: 'k', answer: makeAnswer(-1) }]
    await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 0, entries })
    await tamper(name, 'answers', 'k', flip(0))
    expect(await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 1, entries })).toEqual({ added: 1, already: 0, conflicts: [] })
  })

  it('counts a batch as not done whose journal entry is damaged, and takes it again', async () => {
    const { store, name } = await openNew()
    await store.createRun(makeRun('r1'))
    for (const planIndex of [0, 1, 2]) await store.commitBatch({ runId: 'r1', epoch: 0, planIndex, entries: [] })
    await tamper(name, 'journal', ['r1', 1], (row) => ({ ...row, keys: ['foreign'] }))
    expect((await store.journalOf('r1')).map(({ planIndex }) => planIndex)).toEqual([0, 2])
    await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 1, entries: [] })
    expect((await store.journalOf('r1')).map(({ planIndex }) => planIndex)).toEqual([0, 2, 1])
  })

  it('names a run whose manifest was changed, and still lists the others', async () => {
    const { store, name } = await openNew()
    await store.createRun(makeRun('good'))
    await store.createRun(makeRun('bad'))
    await tamper(name, 'manifests', 'bad', (row) => ({ ...row, manifest: makeRun('bad', { createdAt: 'never' }).manifest }))
    await expect(store.readRun('bad')).rejects.toMatchObject({ code: 'storage/corrupt', details: { runId: 'bad', what: 'manifest' } })
    expect((await store.listRuns()).map(({ runId }) => runId)).toEqual(['good'])
    await store.deleteRun('bad')
    expect(await store.readRun('bad')).toBeNull()
  })

  it('names a run whose state is no state', async () => {
    const { store, name } = await openNew()
    await store.createRun(makeRun('r1'))
    await tamper(name, 'runs', 'r1', (row) => ({ ...row, status: 'odd' }))
    await expect(store.readRun('r1')).rejects.toMatchObject({ code: 'storage/corrupt' })
    await expect(store.takeRun('r1')).rejects.toMatchObject({ code: 'storage/corrupt' })
  })

  it('refuses a sample that lost what the list shows', async () => {
    const { store, name } = await openNew()
    await store.createRun(makeRun('r1'))
    await store.saveResults(0, makeResults('r1', { t: [makeSample('t', 0)] }))
    await tamper(name, 'samples', ['r1', 't', 0], (row) => ({ ...row, sample: { docId: 0 } }))
    await expect(store.samplesOf('r1', 't', { offset: 0, count: 1 })).rejects.toMatchObject({ code: 'storage/corrupt' })
  })
})

describe('a browser that refuses', () => {
  const quota = (): DOMException => new DOMException('', 'QuotaExceededError')

  it('is out of room: the batch leaves nothing behind, and the same batch succeeds later', async () => {
    const { store } = await openNew()
    await store.createRun(makeRun('r1'))
    const batch = { runId: 'r1', epoch: 0, planIndex: 0, entries: ['a', 'b'].map((key) => ({ key, answer: makeAnswer(-1) })) }
    let calls = 0
    const add = vi.spyOn(IDBObjectStore.prototype, 'add')
    add.mockImplementation(() => {
      calls += 1
      throw quota()
    })
    await expect(store.commitBatch(batch)).rejects.toMatchObject({ code: 'storage/quota' })
    expect(calls).toBeGreaterThan(0)
    add.mockRestore()
    expect((await store.recall(['a', 'b'])).size).toBe(0)
    expect(await store.journalOf('r1')).toEqual([])
    expect(await store.commitBatch(batch)).toMatchObject({ added: 2 })
  })

  it('has no database', async () => {
    vi.stubGlobal('indexedDB', undefined)
    await expect(openStore({ name: 'none' })).rejects.toMatchObject({ code: 'storage/unavailable' })
  })

  it('denies its database', async () => {
    vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      throw new DOMException('denied', 'SecurityError')
    })
    await expect(openStore({ name: 'denied' })).rejects.toMatchObject({ code: 'storage/unavailable' })
  })

  it('holds a newer database', async () => {
    const name = `newer-${(databases += 1)}`
    const db = await openDB(name, 99)
    db.close()
    await expect(openStore({ name })).rejects.toMatchObject({
      code: 'storage/newer',
      message: expect.stringContaining('newer version') as string,
    })
  })

  it('closes the connection: the store opens another', async () => {
    const { store } = await openNew()
    await store.createRun(makeRun('r1'))
    const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(() => {
      throw new DOMException('The database connection is closing.', 'InvalidStateError')
    })
    expect(await store.takeRun('r1')).toBe(1)
    expect(transaction).toHaveBeenCalledTimes(2)
  })

  it('has a full disk, and opens nothing while it has: nothing is called damaged, and with room the store goes on', async () => {
    const { store } = await openNew()
    await store.createRun(makeRun('r1'))
    const full = new DOMException('Connection is closing because of: IO error: 000003.log: FILE_ERROR_NO_SPACE', 'UnknownError')
    const lost = new DOMException('The database connection is closing.', 'InvalidStateError')
    const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction')
    const refuse = (error: DOMException) =>
      transaction.mockImplementationOnce(() => {
        throw error
      })
    refuse(full)
    await expect(store.takeRun('r1')).rejects.toMatchObject({ code: 'storage/quota' })
    refuse(lost)
    const open = vi.spyOn(indexedDB, 'open').mockImplementationOnce(() => {
      throw new DOMException('Internal error opening backing store for indexedDB.open.', 'UnknownError')
    })
    await expect(store.takeRun('r1')).rejects.toMatchObject({ code: 'storage/quota' })
    expect(open).toHaveBeenCalledOnce()
    expect(await store.takeRun('r1')).toBe(1)
    // Later the same answer is what it says.
    refuse(lost)
    open.mockImplementationOnce(() => {
      throw new DOMException('Internal error opening backing store for indexedDB.open.', 'UnknownError')
    })
    await expect(store.takeRun('r1')).rejects.toMatchObject({ code: 'storage/corrupt' })
  })

  it('closes the connection before any transaction: every call comes through, and nothing is done twice', async () => {
    const { store } = await openNew()
    const original = Reflect.get(IDBDatabase.prototype, 'transaction')
    let calls = 0
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...args) {
      calls += 1
      if (calls % 2 === 1) this.close()
      return original.apply(this, args)
    })
    await store.createRun(makeRun('r1'))
    const epoch = await store.takeRun('r1')
    for (const planIndex of [0, 1, 2]) {
      const entries = [{ key: `k${planIndex}`, answer: makeAnswer(-1) }]
      expect(await store.commitBatch({ runId: 'r1', epoch, planIndex, entries })).toMatchObject({ added: 1 })
    }
    expect((await store.recall(['k0', 'k1', 'k2'])).size).toBe(3)
    expect((await store.journalOf('r1')).map(({ planIndex }) => planIndex)).toEqual([0, 1, 2])
    await store.finishRun('r1', epoch, { status: 'complete', error: null })
    expect(await store.readRun('r1')).toMatchObject({ status: 'complete', epoch: 1 })
  })
})

describe('versions in two tabs', () => {
  it('lets a newer version upgrade, and writes no more itself', async () => {
    const { store, name } = await openNew()
    await store.createRun(makeRun('r1'))
    const newer = await openDB(name, schemaVersion + 1)
    await expect(store.takeRun('r1')).rejects.toMatchObject({ code: 'storage/blocked' })
    newer.close()
  })
})
