import 'fake-indexeddb/auto'
import { deleteDB, openDB, type IDBPDatabase } from 'idb'
import { afterEach, describe, expect, it } from 'vitest'
import { indexDocs } from '../../src/analysis/viewer/doc-index.ts'
import type { ForwardAnswer } from '../../src/contracts/items.ts'
import { crc32, crc32OfText } from '../../src/storage/crc32.ts'
import { openStore } from '../../src/storage/open-store.ts'
import { defaultSettings } from '../support/default-settings.ts'
import { makeAnswer, makeManifest, makeResults, makeRun, makeSample } from './builders.ts'

/** An answer as version 1 kept it. */
function oldRow(answer: ForwardAnswer): unknown {
  const logprobs = Float64Array.from(answer.answers, ({ logprob }) => logprob)
  const greedy = Uint8Array.from(answer.answers, ({ isGreedy }) => (isGreedy ? 1 : 0))
  const { tokenLogprobs } = answer
  let crc = crc32(new Uint8Array(Uint32Array.from([logprobs.length, ...tokenLogprobs.map((list) => list.length)]).buffer))
  for (const array of [logprobs, greedy, ...tokenLogprobs])
    crc = crc32(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), crc)
  return { logprobs, greedy, tokenLogprobs, crc }
}

const name = 'upgraded'
const runKeys = (from: number): string[] => Array.from({ length: 8 }, (_, at) => `key-${String(from * 8 + at).padStart(5, '0')}`)
const batches = 130

/** A database of version 1 with a run of 130 batches, its results, and one answer whose numbers changed. */
async function makeOld(): Promise<void> {
  const db: IDBPDatabase = await openDB(name, 1, {
    upgrade: (made) => {
      made.createObjectStore('runs', { keyPath: 'runId' })
      made.createObjectStore('manifests', { keyPath: 'runId' })
      made.createObjectStore('responses')
      made.createObjectStore('journal', { keyPath: ['runId', 'seq'] }).createIndex('plan', ['runId', 'planIndex'], { unique: true })
      made.createObjectStore('results', { keyPath: 'runId' })
      made.createObjectStore('samples', { keyPath: ['runId', 'task', 'position'] })
      made.createObjectStore('quarantine', { autoIncrement: true })
    },
  })
  const { manifest, ...tail } = makeRun('r1')
  const tx = db.transaction(['runs', 'manifests', 'responses', 'journal', 'results', 'samples'], 'readwrite')
  await tx.objectStore('runs').put({ ...tail, epoch: 3 })
  await tx.objectStore('manifests').put({ runId: 'r1', manifest, crc: crc32OfText(JSON.stringify(makeManifest('r1'))) })
  for (let planIndex = 0; planIndex < batches; planIndex++) {
    const keys = runKeys(planIndex)
    for (const [at, key] of keys.entries()) await tx.objectStore('responses').put(oldRow(makeAnswer(-planIndex - at / 8)), key)
    const entry = { runId: 'r1', seq: planIndex, planIndex, epoch: 3, keys }
    await tx.objectStore('journal').put({ ...entry, type: 'done', crc: crc32OfText(JSON.stringify(Object.values(entry))) })
  }
  await tx.objectStore('responses').put({ ...(oldRow(makeAnswer(-1)) as object), logprobs: Float64Array.from([0, 0]) }, 'damaged')
  const { samples, ...results } = makeResults('r1', { t: [makeSample('t', 0)] })
  await tx.objectStore('results').put({ ...results, sampleCounts: { t: 1 } })
  for (const sample of samples['t'] ?? []) await tx.objectStore('samples').put({ runId: 'r1', task: 't', position: 0, sample })
  await tx.done
  db.close()
}

afterEach(() => deleteDB(name))

describe('a database of version 1', () => {
  it('becomes one of today with every answer, run, journal entry and result', async () => {
    await makeOld()
    const store = await openStore({ name })
    const keys = Array.from({ length: batches }, (_, planIndex) => runKeys(planIndex)).flat()
    const kept = await store.recall(keys)
    expect(kept.size).toBe(batches * 8)
    keys.forEach((key, at) => {
      expect(kept.get(key)).toEqual(makeAnswer(-Math.floor(at / 8) - (at % 8) / 8))
    })
    expect(await store.readRun('r1')).toMatchObject({ epoch: 3, status: 'running' })
    expect((await store.journalOf('r1')).map(({ planIndex }) => planIndex)).toEqual(Array.from({ length: batches }, (_, at) => at))
    expect((await store.loadResults('r1'))?.warnings).toEqual(['w'])
    expect((await store.samplesOf('r1', 't', { offset: 0, count: 1 })).total).toBe(1)
    store.close()
  })

  it('keeps an answer that was damaged already, in the quarantine', async () => {
    await makeOld()
    const store = await openStore({ name })
    expect(await store.usage()).toMatchObject({ responses: batches * 8, quarantined: 1 })
    expect((await store.recall(['damaged'])).size).toBe(0)
    store.close()
  })

  it('gets the indexes of its docs when they are asked for, once', async () => {
    await makeOld()
    const store = await openStore({ name })
    const wanted = indexDocs('t', [makeSample('t', 0)])
    expect(await store.docIndexesOf('r1')).toEqual([wanted.index])
    expect(await store.searchTextsOf('r1')).toEqual([wanted.search])
    store.close()
    const db = await openDB(name)
    expect(await db.getAllKeys('indexes')).toEqual([
      ['r1', 'index', 't'],
      ['r1', 'search', 't'],
    ])
    // Of an index that meant something else only the version is known.
    await db.put('indexes', { runId: 'r1', task: 't', part: 'index', value: { version: 0 } })
    db.close()
    const again = await openStore({ name })
    expect(await again.docIndexesOf('r1')).toEqual([wanted.index])
    again.close()
  })

  it('still refuses a second answer under a key that it had', async () => {
    await makeOld()
    const store = await openStore({ name })
    const entries = [...runKeys(0), 'new'].map((key) => ({ key, answer: makeAnswer(-1 / 8) }))
    const outcome = await store.commitBatch({ runId: 'r1', epoch: 3, planIndex: batches, entries })
    expect([outcome.added, outcome.already, outcome.conflicts.length]).toEqual([1, 1, 7])
    expect((await store.recall(runKeys(0))).get('key-00007')).toEqual(makeAnswer(-7 / 8))
    store.close()
  })

  it('gets a queue, and leaves out an entry whose settings are not those that were put in', async () => {
    await makeOld()
    const store = await openStore({ name })
    const [first = 0, second = 0] = await store.addToQueue([defaultSettings, defaultSettings])
    store.close()
    const db = await openDB(name)
    await db.put('queue', { ...(await db.get('queue', first)), settings: { ...defaultSettings, model: 'another/model' } })
    db.close()
    const again = await openStore({ name })
    expect((await again.readQueue()).map(({ place }) => place)).toEqual([second])
    again.close()
  })
})
