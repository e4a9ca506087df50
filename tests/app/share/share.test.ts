import { deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { chooseDocs, compareAgain, docsAgain, settingsAgain } from '../../../src/app/share/check-again.ts'
import { maxPayloadChars, packResult, ShareError, unpackResult, type ShareFault } from '../../../src/app/share/link.ts'
import type { SharedResult } from '../../../src/app/share/payload.ts'
import { answersOf, fitPayload, sharedResult } from '../../../src/app/share/shared-result.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'
import { runManifest, runSummary, sample } from '../builders.ts'

/** Docs 0 … count-1 of a task; doc i picks choice i % 3 with log-probability −i/7. */
function samples(count: number, task = 'bench_facts'): SampleView[] {
  return Array.from({ length: count }, (_, docId) => {
    const choices = [0, 1, 2].map((choice) => ({
      text: `a choice ${choice}`,
      logprob: choice === docId % 3 ? -docId / 7 : -docId / 7 - 1,
      isGreedy: false,
      unconditional: null,
    }))
    return sample(docId, { task, choices, picks: { acc: docId % 3, acc_norm: 0, acc_bytes: 0 } })
  })
}

function made(docs = 60, change: Partial<SharedResult> = {}): SharedResult {
  return { ...sharedResult(runManifest('r1'), runSummary('r1'), new Map([['bench_facts', samples(docs)]])), ...change }
}

const payloadOf = (value: unknown) =>
  deflateRawSync(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))).toString('base64url')

describe('a shared link', () => {
  test('gives back what went in', async () => {
    const result = made()
    expect(await unpackResult(await packResult(result))).toEqual(result)
  })

  test('holds no prompt, no target and no text of a choice', async () => {
    const text = JSON.stringify(await unpackResult(await packResult(made())))
    for (const { prompt, choices } of samples(3))
      for (const own of [prompt, ...choices.map((choice) => choice.text)]) expect(text).not.toContain(own)
  })

  test('leaves out as much as less room asks for, and says so', async () => {
    const whole = made(400)
    const all = await packResult(whole)
    const fits = await fitPayload(whole, all.length)
    expect(fits?.result).toEqual(whole)
    const smaller = await fitPayload(whole, all.length - 1)
    expect(smaller?.result.omitted).toEqual(['logprobs'])
    expect(smaller?.payload.length).toBeLessThan(all.length)
    expect(await fitPayload(whole, 10)).toBeNull()
  })

  test('keeps unknown keys out', async () => {
    expect(await unpackResult(payloadOf({ ...made(), evil: '<script>' }))).not.toHaveProperty('evil')
  })

  const faults: readonly (readonly [ShareFault, string, () => string | Promise<string>])[] = [
    ['empty', 'nothing', () => ''],
    ['too-long', 'too many characters', () => 'A'.repeat(maxPayloadChars + 1)],
    ['not-base64url', 'a stray character', () => 'ab!c'],
    ['not-deflate', 'an impossible length', () => 'A'],
    ['not-deflate', 'bytes that are no deflate', () => Buffer.from([255, 255, 255, 255]).toString('base64url')],
    ['not-deflate', 'a link that was cut off', async () => (await packResult(made())).slice(0, 40)],
    ['too-large', 'a bomb', () => deflateRawSync(Buffer.alloc(40_000_000)).toString('base64url')],
    ['not-utf8', 'bytes that are no text', () => deflateRawSync(Buffer.from([0x22, 0xff, 0x22])).toString('base64url')],
    ['not-json', 'no JSON', () => payloadOf('{"v":1')],
    ['newer-version', 'a later version', () => payloadOf({ v: 2 })],
    ['not-a-result', 'other JSON', () => payloadOf([1, 2])],
    ['not-a-result', 'a score that is no finite number', () => payloadOf(JSON.stringify(made()).replace(/"value":[^,]+/, '"value":1e999'))],
    ['not-a-result', 'two rows of one name', () => payloadOf({ ...made(), tasks: [...made().tasks, ...made().tasks] })],
    [
      'not-a-result',
      'lists of different lengths',
      () => payloadOf({ ...made(), docs: [{ task: 't', answers: { ids: [1], picks: '01', logprobs: null } }] }),
    ],
  ]
  test.each(faults)('is refused as %s: %s', async (fault, _, make) => {
    const error: unknown = await unpackResult(await make()).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ShareError)
    expect(error instanceof ShareError ? error.fault : null).toBe(fault)
  })
})

describe('room in a link', () => {
  test('14,000 docs of one task fit, if need be without log-probabilities, and the result says so', async () => {
    const shared = await fitPayload(made(14_000))
    expect(shared?.payload.length).toBeLessThanOrEqual(maxPayloadChars)
    expect(shared?.result.docs[0]?.answers.picks).toHaveLength(14_000)
    expect(shared?.result.omitted).toEqual(shared?.result.docs[0]?.answers.logprobs === null ? ['logprobs'] : [])
  })

  test('scores that are too many for any link give none', async () => {
    const [row] = made().tasks
    if (row === undefined) throw new Error('no row')
    const random = () => Array.from({ length: 16 }, () => Math.random().toString(36).slice(2)).join('')
    const rows = Array.from({ length: 1500 }, () => ({ ...row, task: random() }))
    expect(await fitPayload(made(1, { tasks: rows }))).toBeNull()
  })
})

describe('docs run again', () => {
  test('are drawn over the whole run, each once, and run at the sender’s commit without kept answers', () => {
    const result = made()
    const docs = chooseDocs(result, Math.random)
    expect(new Set(docs.map(({ docId }) => docId)).size).toBe(docsAgain)
    const settings = settingsAgain(result, docs)
    expect(settings).toMatchObject({ revision: result.model.commit, dtype: result.model.dtype, tasks: ['bench_facts'], useCache: false })
    expect(settings?.samples?.['bench_facts']).toHaveLength(docsAgain)
  })

  test('are the first ones where examples are drawn doc by doc', () => {
    const shots = made().tasks.map((row) => ({ ...row, nShot: '2' }))
    expect(chooseDocs(made(60, { tasks: shots }), Math.random).map(({ docId }) => docId)).toEqual(
      Array.from({ length: docsAgain }, (_, at) => at),
    )
  })

  test('agree when each choice is the same within the tolerance, and not when one is changed or forged', () => {
    const result = made()
    const docs = chooseDocs(result, Math.random)
    const mine = samples(60).filter(({ docId }) => docs.some((doc) => doc.docId === docId))
    expect(compareAgain(docs, new Map([['bench_facts', mine]]), 'fp32')).toMatchObject({
      docs: docsAgain,
      samePicks: docsAgain,
      agrees: true,
    })
    const forged = docs.map((doc, index) => (index === 3 ? { ...doc, pick: doc.pick === '0' ? '1' : '0' } : doc))
    expect(compareAgain(forged, new Map([['bench_facts', mine]]), 'fp32')).toMatchObject({ samePicks: docsAgain - 1, agrees: false })
    const moved = docs.map((doc, index) => (index === 3 ? { ...doc, logprob: (doc.logprob ?? 0) - 0.2 } : doc))
    expect(compareAgain(moved, new Map([['bench_facts', mine]]), 'fp32')).toMatchObject({ samePicks: docsAgain, agrees: false })
    expect(compareAgain(docs, new Map(), 'fp32').agrees).toBe(false)
  })

  test('of a task with a name that every object has are run as any other', () => {
    const named = made(60, { docs: [{ task: 'toString', answers: { ids: null, picks: '012', logprobs: null } }] })
    expect(settingsAgain(named, chooseDocs(named, Math.random))?.samples).toEqual({ toString: [0, 1, 2] })
  })

  test('of a task that is not multiple choice there are none', () => {
    expect(answersOf([sample(0, { picks: null })])).toBeNull()
  })
})
