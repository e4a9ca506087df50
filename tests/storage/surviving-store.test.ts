import 'fake-indexeddb/auto'
import { deleteDB } from 'idb'
import { describe, expect, it } from 'vitest'
import { EvalError, type ErrorCode } from '../../src/base/errors.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openStore } from '../../src/storage/open-store.ts'
import type { Store } from '../../src/storage/store.ts'
import { openSurvivingStore } from '../../src/storage/surviving-store.ts'
import { makeAnswer, makeResults, makeRun } from './builders.ts'

let databases = 0

async function openOverIndexedDb() {
  databases += 1
  const name = `surviving-${databases}`
  const told: string[] = []
  const store = await openSurvivingStore(
    () => openStore({ name }),
    (reason) => told.push(reason.code),
  )
  return { store, told, name }
}

const batch = (runId: string, epoch: number, planIndex: number) => ({
  runId,
  epoch,
  planIndex,
  entries: [{ key: `key-${planIndex}`, answer: makeAnswer(planIndex) }],
  docsDone: planIndex + 1,
})

describe('a store that survives', () => {
  it.each(['storage/unavailable', 'storage/corrupt'] as const)('works in memory where opening fails with %s, and says so', async (code) => {
    const told: EvalError[] = []
    const store = await openSurvivingStore(
      () => Promise.reject(new EvalError(code, 'no database')),
      (reason) => told.push(reason),
    )
    await store.createRun(makeRun('r'))
    expect(await store.takeRun('r')).toBe(1)
    expect((await store.commitBatch(batch('r', 1, 0))).added).toBe(1)
    expect(told.map((error) => error.code)).toEqual([code])
  })

  it.each(['storage/blocked', 'storage/newer', 'storage/quota'] as const)(
    'doesn’t hide %s, which a reload or some room mends',
    async (code) => {
      const opening = openSurvivingStore(
        () => Promise.reject(new EvalError(code, 'not now')),
        () => expect.unreachable(),
      )
      await expect(opening).rejects.toMatchObject({ code })
    },
  )

  it('is the database itself while that is there', async () => {
    const { store, told, name } = await openOverIndexedDb()
    await store.createRun(makeRun('r'))
    const epoch = await store.takeRun('r')
    await store.commitBatch(batch('r', epoch, 0))
    await store.finishRun('r', epoch, { status: 'interrupted', error: null })
    store.close()
    const again = await openStore({ name })
    expect(await again.readRun('r')).toMatchObject({ status: 'interrupted', docsDone: 1 })
    expect([...(await again.recall(['key-0'])).keys()]).toEqual(['key-0'])
    expect(told).toEqual([])
    again.close()
  })

  it('finishes in memory a run whose rows were deleted under it', async () => {
    const lost = memoryStore()
    const told: string[] = []
    const store = await openSurvivingStore(
      async () => lost,
      (reason) => told.push(reason.code),
    )
    await store.createRun(makeRun('r'))
    const epoch = await store.takeRun('r')
    await store.commitBatch(batch('r', epoch, 0))
    await lost.eraseAll()
    await store.commitBatch(batch('r', epoch, 1))
    await store.saveResults(epoch, makeResults('r', {}))
    await store.finishRun('r', epoch, { status: 'complete', error: null, docsDone: 2 })
    expect(told).toEqual(['storage/unavailable'])
    expect(await store.loadResults('r')).not.toBeNull()
    expect((await store.listRuns()).map(({ runId, status }) => [runId, status])).toEqual([['r', 'complete']])
    expect(await lost.readRun('r')).toBeNull()
  })

  it('does so over a real database that was deleted, as an evicted one is', async () => {
    const { store, told, name } = await openOverIndexedDb()
    await store.createRun(makeRun('r'))
    const epoch = await store.takeRun('r')
    await store.commitBatch(batch('r', epoch, 0))
    store.close()
    await deleteDB(name)
    await store.commitBatch(batch('r', epoch, 1))
    await store.finishRun('r', epoch, { status: 'complete', error: null })
    expect(told).toEqual(['storage/unavailable'])
    // The next run is kept again.
    await store.createRun(makeRun('next'))
    await store.takeRun('next')
    expect((await store.listRuns()).map(({ runId }) => runId).toSorted()).toEqual(['next', 'r'])
    expect(told).toHaveLength(1)
  })

  it.each(['storage/quota', 'storage/fenced'] as const)('lets %s end the run: its rows are safe', async (code: ErrorCode) => {
    const full: Store = { ...memoryStore(), commitBatch: () => Promise.reject(new EvalError(code, 'no')) }
    const store = await openSurvivingStore(
      async () => full,
      () => expect.unreachable(),
    )
    await store.createRun(makeRun('r'))
    await store.takeRun('r')
    await expect(store.commitBatch(batch('r', 1, 0))).rejects.toMatchObject({ code })
  })

  it('rescues no run that this tab doesn’t write', async () => {
    const { store } = await openOverIndexedDb()
    await expect(store.commitBatch(batch('foreign', 1, 0))).rejects.toMatchObject({ code: 'run/not-found' })
    store.close()
  })
})
