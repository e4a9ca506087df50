import { expect, test } from 'vitest'
import type { PassLayout } from '../../../src/contracts/engine.ts'
import { blocksOf, type Grouping } from '../../../tools/bench/calls.ts'
import { trieTokens } from '../../../tools/bench/trie.ts'
import { makeWork, type WorkName } from '../../../tools/bench/works.ts'

const make = (name: WorkName, docs = 6) => makeWork(name, { docs, vocabularySize: 1000, windowTokens: 512, seed: 1 })
const inputsOf = (name: WorkName) => make(name).docs.flatMap(({ requests }) => requests.flat().map(({ input }) => [...input]))

test('a trie counts every shared beginning once', () => {
  expect(trieTokens([])).toBe(0)
  expect(trieTokens([[1, 2, 3]])).toBe(3)
  expect(
    trieTokens([
      [1, 2, 3],
      [7, 1],
      [1, 2],
      [1, 2, 4, 5],
      [1, 2, 3],
    ]),
  ).toBe(7)
})

test('works have the lengths that the contract fixes', () => {
  const [mmlu] = make('mmlu_5shot').docs
  expect(mmlu?.requests.map((pieces) => pieces.map(({ input, target }) => [input.length, target.length]))).toEqual([
    [[690, 1]],
    [[690, 1]],
    [[690, 1]],
    [[690, 1]],
  ])
  const [ten] = make('hellaswag_10shot').docs
  expect(ten?.requests.map(([piece]) => [piece?.input.length, piece?.target.length])).toEqual(Array(4).fill([1037, 28]))
  const [zero] = make('hellaswag_0shot').docs
  expect(zero?.requests.map(([piece]) => [piece?.input.length, piece?.target.length])).toEqual(Array(4).fill([87, 28]))
  const [wikitext] = make('wikitext').docs
  expect(wikitext?.requests.map((pieces) => pieces.reduce((sum, { target }) => sum + target.length, 0))).toEqual([4000])
  expect(wikitext?.requests.flat().every(({ input }) => input.length === 512)).toBe(true)
  expect(make('gsm8k')).toMatchObject({ newTokens: 100 })
  expect(make('gsm8k').docs.map(({ prompt }) => prompt?.length)).toEqual(Array(6).fill(700))
  expect(make('generate_200')).toMatchObject({ newTokens: 200 })
})

test('docs share the few-shot prefix and nothing else, and the warm-up shares not even that', () => {
  expect(trieTokens(inputsOf('mmlu_5shot'))).toBe(600 + 6 * 90)
  // The last token of an ending is predicted, never run.
  expect(trieTokens(inputsOf('hellaswag_0shot'))).toBe(6 * (60 + 4 * 27))
  expect(trieTokens(inputsOf('hellaswag_10shot'))).toBe(950 + 6 * (60 + 4 * 27))
  const { docs, warmUp } = make('mmlu_5shot')
  const first = (doc: typeof warmUp | undefined) => [...(doc?.requests[0]?.[0]?.input.subarray(0, 4) ?? [])]
  expect(first(docs[0])).toEqual(first(docs[1]))
  expect(first(warmUp)).not.toEqual(first(docs[0]))
})

test('the same seed makes the same ids, all within the vocabulary', () => {
  expect(inputsOf('mmlu_5shot')).toEqual(inputsOf('mmlu_5shot'))
  expect(
    inputsOf('mmlu_5shot')
      .flat()
      .every((id) => id >= 125 && id < 1000),
  ).toBe(true)
})

test('one forward pass serves the four letters of a question, and the naive arm takes four', () => {
  const passes = (grouping: Grouping, name: WorkName) =>
    blocksOf(make(name), grouping)
      .flat()
      .reduce((sum, call) => sum + ('items' in call ? call.items.length : 0), 0)
  expect(passes('request', 'mmlu_5shot')).toBe(24)
  expect(passes('question', 'mmlu_5shot')).toBe(6)
  expect(passes('question', 'hellaswag_0shot')).toBe(24)
})

const layout: PassLayout = { tokens: 384, rows: 512, packs: true, shares: true }
const groupings: readonly Grouping[] = ['request', 'question', layout]

test('the fast arm is asked for what the app plans: a kept prefix, and several questions a run', () => {
  const calls = blocksOf(make('mmlu_5shot'), layout).flat()
  expect(calls.map(({ prefixes }) => prefixes)).toEqual([[600], [600]])
  const texts = blocksOf(make('gsm8k'), layout).flat()
  expect(texts.map((call) => ('docs' in call ? [call.docs.flat(), call.newTokens, call.prefixes] : null))).toEqual(
    [0, 1, 2, 3, 4, 5].map((doc) => [[doc], 100, [600]]),
  )
  const together = blocksOf(make('gsm8k'), { ...layout, textTokens: 4 * 200 }).flat()
  expect(together.map((call) => ('docs' in call ? call.docs : null))).toEqual([
    [[0], [1], [2], [3]],
    [[4], [5]],
  ])
})

test('whatever the grouping, every request is answered once a piece', () => {
  for (const name of ['mmlu_5shot', 'hellaswag_0shot', 'wikitext'] as const)
    for (const grouping of groupings) {
      const work = make(name)
      const counted = work.docs.map(({ requests }) => requests.map(() => 0))
      for (const { doc, request } of blocksOf(work, grouping)
        .flat()
        .flatMap((call) => ('owners' in call ? call.owners.flat(2) : []))) {
        const requests = counted[doc]
        if (requests !== undefined) requests[request] = (requests[request] ?? 0) + 1
      }
      expect(counted).toEqual(work.docs.map(({ requests }) => requests.map((pieces) => pieces.length)))
    }
})
