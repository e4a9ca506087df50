import 'fake-indexeddb/auto'
import { afterEach, describe, expect, it } from 'vitest'
import { indexDocs } from '../../src/analysis/viewer/doc-index.ts'
import { isGenerated, isScored } from '../../src/contracts/items.ts'
import { memoryStore } from '../../src/storage/memory-store.ts'
import { openStore } from '../../src/storage/open-store.ts'
import type { Store } from '../../src/storage/store.ts'
import { defaultSettings } from '../support/default-settings.ts'
import { makeAnswer, makeResults, makeRun, makeSample } from './builders.ts'

let databases = 0
const kinds: readonly (readonly [string, () => Promise<Store>])[] = [
  ['IndexedDB', () => openStore({ name: `contract-${(databases += 1)}` })],
  ['memory', async () => memoryStore()],
]

describe.each(kinds)('the store in %s', (_, open) => {
  const opened: Store[] = []
  const openOne = async (): Promise<Store> => {
    const store = await open()
    opened.push(store)
    return store
  }
  afterEach(() => {
    for (const store of opened.splice(0)) store.close()
  })

  it('gives a run back as it was created', async () => {
    const store = await openOne()
    const row = makeRun('r1')
    await store.createRun(row)
    expect(await store.readRun('r1')).toEqual(row)
    expect(await store.readRun('other')).toBeNull()
  })

  it('refuses a second run of the same id and keeps the first', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    await expect(store.createRun(makeRun('r1', { createdAt: '2027-01-01T00:00:00.000Z' }))).rejects.toMatchObject({
      code: 'storage/fenced',
    })
    expect((await store.readRun('r1'))?.manifest.createdAt).toBe('2026-11-21T10:00:00.000Z')
  })

  it('lists runs, the newest first', async () => {
    const store = await openOne()
    await store.createRun(makeRun('a', { createdAt: '2026-01-01T00:00:00.000Z' }))
    await store.createRun(makeRun('b', { createdAt: '2026-03-01T00:00:00.000Z' }))
    await store.createRun(makeRun('c', { createdAt: '2026-02-01T00:00:00.000Z' }))
    expect((await store.listRuns()).map(({ runId }) => runId)).toEqual(['b', 'c', 'a'])
  })

  it('raises the epoch with every writer that takes a run over', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    expect(await store.takeRun('r1')).toBe(1)
    expect(await store.takeRun('r1')).toBe(2)
    await expect(store.takeRun('nobody')).rejects.toMatchObject({ code: 'run/not-found' })
  })

  it('gives answers back bit for bit', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    const epoch = await store.takeRun('r1')
    const text = { tokens: Int32Array.of(0, 7, 151_642, 2), end: 'end-token' as const }
    const answers = [makeAnswer(-0.1), text, makeAnswer(-12345.678901234567)]
    const entries = answers.map((answer, at) => ({ key: `k${at}`, answer }))
    expect(await store.commitBatch({ runId: 'r1', epoch, planIndex: 0, entries })).toEqual({ added: 3, already: 0, conflicts: [] })
    const kept = await store.recall(['k2', 'k0', 'k1', 'missing'])
    expect(kept.size).toBe(3)
    expect([kept.get('k0'), kept.get('k1'), kept.get('k2')]).toEqual(answers)
  })

  it('keeps no more of an answer than its own numbers', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    const large = new Float32Array(1000)
    const answer = { answers: [{ logprob: -1, isGreedy: true }], tokenLogprobs: [large.subarray(5, 7)] }
    await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 0, entries: [{ key: 'k', answer }] })
    const kept = (await store.recall(['k'])).get('k')
    expect(kept !== undefined && isScored(kept) ? kept.tokenLogprobs[0]?.buffer.byteLength : null).toBe(8)
    const text = { tokens: new Int32Array(1000).subarray(5, 7), end: 'stop' as const }
    await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 1, entries: [{ key: 't', answer: text }] })
    const keptText = (await store.recall(['t'])).get('t')
    expect(keptText !== undefined && isGenerated(keptText) ? keptText.tokens.buffer.byteLength : null).toBe(8)
  })

  it('refuses a write with an old epoch and keeps nothing of it', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    const old = await store.takeRun('r1')
    const current = await store.takeRun('r1')
    const late = { runId: 'r1', epoch: old, planIndex: 0, entries: [{ key: 'k', answer: makeAnswer(-1) }] }
    await expect(store.commitBatch(late)).rejects.toMatchObject({ code: 'storage/fenced' })
    await expect(store.finishRun('r1', old, { status: 'complete', error: null })).rejects.toMatchObject({ code: 'storage/fenced' })
    await expect(store.saveResults(old, makeResults('r1', {}))).rejects.toMatchObject({ code: 'storage/fenced' })
    expect((await store.recall(['k'])).size).toBe(0)
    expect(await store.journalOf('r1')).toEqual([])
    expect(await store.commitBatch({ ...late, epoch: current })).toMatchObject({ added: 1 })
  })

  it('takes every batch of a plan exactly once', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    const batch = { runId: 'r1', epoch: 0, planIndex: 3, entries: [{ key: 'k', answer: makeAnswer(-1) }] }
    await store.commitBatch(batch)
    const second = { ...batch, entries: [{ key: 'other', answer: makeAnswer(-2) }] }
    await expect(store.commitBatch(second)).rejects.toMatchObject({ code: 'storage/fenced' })
    expect((await store.recall(['other'])).size).toBe(0)
    await store.commitBatch({ ...batch, planIndex: 0 })
    expect((await store.journalOf('r1')).map(({ seq, planIndex, keys }) => [seq, planIndex, keys])).toEqual([
      [0, 3, ['k']],
      [1, 0, ['k']],
    ])
  })

  it('keeps the journals of runs apart, whatever their names', async () => {
    const store = await openOne()
    for (const runId of ['r', 'r1', 'r10', 'r1,0']) await store.createRun(makeRun(runId))
    for (const runId of ['r', 'r1', 'r10', 'r1,0']) await store.commitBatch({ runId, epoch: 0, planIndex: 7, entries: [] })
    expect((await store.journalOf('r1')).map(({ runId, seq }) => [runId, seq])).toEqual([['r1', 0]])
  })

  it('counts an equal answer as kept, and reports a different one without overwriting', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    await store.createRun(makeRun('r2'))
    const entries = ['a', 'b'].map((key) => ({ key, answer: makeAnswer(-1) }))
    await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 0, entries })
    const outcome = await store.commitBatch({
      runId: 'r2',
      epoch: 0,
      planIndex: 0,
      entries: [
        { key: 'a', answer: makeAnswer(-1) },
        { key: 'b', answer: makeAnswer(-2) },
        { key: 'c', answer: makeAnswer(-3) },
        { key: 'c', answer: makeAnswer(-3) },
      ],
    })
    expect(outcome).toEqual({ added: 1, already: 1, conflicts: [{ key: 'b', answer: makeAnswer(-1) }] })
    expect((await store.recall(['b'])).get('b')).toEqual(makeAnswer(-1))
  })

  it('remembers how a run ended', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    const epoch = await store.takeRun('r1')
    await store.commitBatch({ runId: 'r1', epoch, planIndex: 0, entries: [], docsDone: 1 })
    expect(await store.readRun('r1')).toMatchObject({ docsDone: 1, status: 'running' })
    const error = { code: 'engine/device-lost', message: 'gone', details: {}, stack: null, cause: null } as const
    await store.finishRun('r1', epoch, { status: 'interrupted', error })
    expect(await store.readRun('r1')).toMatchObject({ status: 'interrupted', error, docsDone: 1 })
    await store.takeRun('r1')
    expect(await store.readRun('r1')).toMatchObject({ status: 'running', error: null })
  })

  it('gives results back, and samples page by page in their order', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    const list = Array.from({ length: 25 }, (_, docId) => makeSample('t', 24 - docId, docId % 2 === 0 ? 'strict' : 'flexible'))
    const results = makeResults('r1', { t: list, u: [makeSample('u', 0)] })
    await store.saveResults(0, results)
    const { samples: _samples, ...rest } = results
    expect(await store.loadResults('r1')).toEqual({ ...rest, sampleCounts: { t: 25, u: 1 } })
    expect(await store.samplesOf('r1', 't', { offset: 10, count: 10 })).toEqual({ total: 25, samples: list.slice(10, 20) })
    expect(await store.samplesOf('r1', 't', { offset: 20, count: 10 })).toEqual({ total: 25, samples: list.slice(20) })
    expect(await store.samplesOf('r1', 'nothing', { offset: 0, count: 10 })).toEqual({ total: 0, samples: [] })
    expect(await store.loadResults('r2')).toBeNull()
  })

  it('gives the index of every task and the texts to search, and new ones with new results', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    expect(await store.docIndexesOf('r1')).toEqual([])
    const lists = { u: [0, 1, 2].map((docId) => makeSample('u', docId)), t: [makeSample('t', 7)] }
    await store.saveResults(0, makeResults('r1', lists))
    const wanted = Object.entries(lists).map(([task, list]) => indexDocs(task, list))
    expect(await store.docIndexesOf('r1')).toEqual(wanted.map(({ index }) => index))
    expect(await store.searchTextsOf('r1')).toEqual(wanted.map(({ search }) => search))
    await store.saveResults(0, makeResults('r1', { t: lists.u }))
    expect((await store.docIndexesOf('r1')).map(({ task, count }) => [task, count])).toEqual([['t', 3]])
    await store.deleteRun('r1')
    expect([await store.docIndexesOf('r1'), await store.searchTextsOf('r1')]).toEqual([[], []])
  })

  it('replaces results as a whole', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    await store.saveResults(0, makeResults('r1', { t: [makeSample('t', 0), makeSample('t', 1)], u: [makeSample('u', 0)] }))
    await store.saveResults(0, makeResults('r1', { t: [makeSample('t', 5)] }))
    expect(await store.samplesOf('r1', 't', { offset: 0, count: 10 })).toEqual({ total: 1, samples: [makeSample('t', 5)] })
    expect((await store.samplesOf('r1', 'u', { offset: 0, count: 10 })).total).toBe(0)
  })

  it('deletes a run but not the answers that others may use', async () => {
    const store = await openOne()
    for (const runId of ['r1', 'r10']) {
      await store.createRun(makeRun(runId))
      await store.commitBatch({ runId, epoch: 0, planIndex: 0, entries: [{ key: `k-${runId}`, answer: makeAnswer(-1) }] })
      await store.saveResults(0, makeResults(runId, { t: [makeSample('t', 0)] }))
    }
    await store.deleteRun('r1')
    expect(await store.readRun('r1')).toBeNull()
    expect(await store.journalOf('r1')).toEqual([])
    expect(await store.loadResults('r1')).toBeNull()
    expect((await store.samplesOf('r1', 't', { offset: 0, count: 1 })).total).toBe(0)
    expect((await store.recall(['k-r1'])).size).toBe(1)
    expect((await store.journalOf('r10')).length).toBe(1)
    expect((await store.samplesOf('r10', 't', { offset: 0, count: 1 })).total).toBe(1)
    expect(await store.usage()).toMatchObject({ runs: 1, responses: 2 })
  })

  it('revises a journal: an entry without answers goes, so that its batch can be committed again, and one without work comes', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    for (const planIndex of [0, 1]) await store.commitBatch({ runId: 'r1', epoch: 0, planIndex, entries: [] })
    await store.reviseJournal('r1', 0, { drop: [0, 7], add: [{ planIndex: 4, keys: ['k'] }] })
    await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 0, entries: [] })
    expect((await store.journalOf('r1')).map(({ planIndex }) => planIndex)).toEqual([1, 4, 0])
    await expect(store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 4, entries: [] })).rejects.toMatchObject({ code: 'storage/fenced' })
    await expect(store.reviseJournal('r1', 1, { drop: [1], add: [] })).rejects.toMatchObject({ code: 'storage/fenced' })
  })

  it('finds answers whatever batches they were committed in', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    const keys = Array.from({ length: 40 }, (_, at) => `k${at}`)
    const sizes = [3, 8, 1, 8, 7, 13]
    let from = 0
    for (const [planIndex, size] of sizes.entries()) {
      const entries = keys.slice(from, (from += size)).map((key) => ({ key, answer: makeAnswer(-1 - planIndex) }))
      await store.commitBatch({ runId: 'r1', epoch: 0, planIndex, entries })
    }
    const kept = await store.recall([...keys].reverse())
    expect(kept.size).toBe(40)
    expect(kept.get('k39')).toEqual(makeAnswer(-6))
    expect((await store.recall(['k12', 'none'])).get('k12')).toEqual(makeAnswer(-4))
  })

  it('deletes the answers of a run that kept its own apart', async () => {
    const store = await openOne()
    const shared = makeRun('r1')
    const own = makeRun('r2', { settings: { ...shared.manifest.settings, useCache: false } })
    for (const [run, key] of [
      [shared, 'shared'],
      [own, 'own'],
    ] as const) {
      await store.createRun(run)
      await store.commitBatch({ runId: run.runId, epoch: 0, planIndex: 0, entries: [{ key, answer: makeAnswer(-1) }] })
      await store.deleteRun(run.runId)
    }
    expect([...(await store.recall(['shared', 'own'])).keys()]).toEqual(['shared'])
  })

  it('erases everything', async () => {
    const store = await openOne()
    await store.createRun(makeRun('r1'))
    await store.commitBatch({ runId: 'r1', epoch: 0, planIndex: 0, entries: [{ key: 'k', answer: makeAnswer(-1) }] })
    await store.saveResults(0, makeResults('r1', { t: [makeSample('t', 0)] }))
    await store.eraseAll()
    expect(await store.listRuns()).toEqual([])
    expect(await store.usage()).toMatchObject({ runs: 0, responses: 0, quarantined: 0 })
    expect((await store.samplesOf('r1', 't', { offset: 0, count: 1 })).total).toBe(0)
  })

  it('keeps the queue of runs in order, with what became of each', async () => {
    const store = await openOne()
    const [a, b, c] = [1, 2, 3].map((limit) => ({ ...defaultSettings, limit }))
    if (a === undefined || b === undefined || c === undefined) throw new Error('three settings')
    const [first = 0, second = 0] = await store.addToQueue([a, b])
    const [third = 0] = await store.addToQueue([c])
    expect(first < second && second < third).toBe(true)
    const error = { code: 'task/unknown', message: 'no', details: {}, stack: null, cause: null } as const
    await store.changeQueued(second, { state: 'running', runId: 'r2' })
    await store.changeQueued(first, { state: 'failed', error })
    expect(await store.readQueue()).toEqual([
      { place: first, settings: a, state: 'failed', runId: null, error },
      { place: second, settings: b, state: 'running', runId: 'r2', error: null },
      { place: third, settings: c, state: 'waiting', runId: null, error: null },
    ])
    await store.dropFromQueue([second])
    // A run that was dropped while it went on doesn't come back with its end.
    await store.changeQueued(second, { state: 'done' })
    expect((await store.readQueue()).map(({ place }) => place)).toEqual([first, third])
  })

  it('begins a new queue when nothing of the old one is left, and gives no place twice', async () => {
    const store = await openOne()
    const [old = 0] = await store.addToQueue([defaultSettings])
    await store.changeQueued(old, { state: 'done', runId: 'r' })
    const [fresh = 0] = await store.addToQueue([defaultSettings])
    expect(fresh).toBeGreaterThan(old)
    expect((await store.readQueue()).map(({ place }) => place)).toEqual([fresh])
    await store.eraseAll()
    expect(await store.readQueue()).toEqual([])
  })
})
