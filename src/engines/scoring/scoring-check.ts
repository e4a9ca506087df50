import { maxOf } from '../../base/arrays.ts'
import type { FastScoring, PassLayout } from '../../contracts/engine.ts'
import type { ForwardAnswer, ForwardItem } from '../../contracts/items.ts'
import { planTree, sequenceOf, type TreeBatch } from '../../planning/token-tree.ts'
import type { FastScorer } from './fast-scoring.ts'
import { drawTokens } from './self-check.ts'

/** Sequences on which the fast path is held against the reference path: made ones that part at several places, then the run's own. */
export interface CheckSequences {
  readonly items: readonly ForwardItem[]
  /** How many of them are made. */
  readonly made: number
}

const prefixTokens = 20

/** Of the run's own sequences, as many as the reference path scores in a moment. */
const mostOwnTokens = 1000

/** Made sequences that fit the window, and the first of the run's own: one at least. */
export function checkSequences(vocabularySize: number, windowTokens: number, own: readonly ForwardItem[]): CheckSequences {
  const made = madeItems(vocabularySize).filter(({ input }) => input.length <= windowTokens)
  let tokens = 0
  const chosen = own.filter(({ input }, index) => {
    tokens += input.length
    return index === 0 || tokens <= mostOwnTokens
  })
  return { items: [...made, ...chosen], made: made.length }
}

/** Scores the made ones once after a kept prefix and once without, and the run's own as a run would. `onBatch` hears of each batch. */
export async function checkScoring(
  scorer: FastScorer,
  layout: PassLayout,
  { items, made }: CheckSequences,
  wanted: readonly ForwardAnswer[],
  onBatch: () => void = () => undefined,
): Promise<FastScoring['check']> {
  const madeIndices = Array.from({ length: made }, (_, index) => index)
  const sequences = items.slice(made).map(sequenceOf)
  const batches: TreeBatch[] = [
    ...(layout.shares ? [{ items: madeIndices, prefixes: [prefixTokens >> 1, prefixTokens] }] : []),
    { items: madeIndices, prefixes: [] },
    ...planTree(sequences, layout).map((batch) => ({ ...batch, items: batch.items.map((index) => index + made) })),
  ]
  const check = { sequences: items.length, tokens: 0, maxAbsDiff: 0, maxSumDiff: 0 }
  for (const batch of batches.filter((one) => one.items.length > 0)) {
    const found = await scorer.score(
      batch.items.flatMap((index) => items[index] ?? []),
      batch.prefixes,
    )
    batch.items.forEach((index, place) => {
      compare(wanted[index], found[place], check)
    })
    onBatch()
  }
  return check
}

/** One sequence of each length, the longer ones going on from the shorter; the last tokens of each are scored. */
export function lengthSequences(lengths: readonly number[], vocabularySize: number): ForwardItem[] {
  const drawn = drawTokens(maxOf(lengths, 0) + 1, vocabularySize)
  return lengths.map((length) => ({ input: drawn.slice(0, length), targets: [drawn.slice(length + 1 - lengthRows, length + 1)] }))
}

/** Scored rows of a sequence whose length is tried: a head of this size hides no cost of the tokens. */
const lengthRows = 8

/** Largest difference of a token's log-probability between two answers, in nats. */
export function differenceOf(wanted: ForwardAnswer | undefined, found: ForwardAnswer | undefined): number {
  const check = { tokens: 0, maxAbsDiff: 0, maxSumDiff: 0 }
  compare(wanted, found, check)
  return check.maxAbsDiff
}

/** Four sequences after a common start: two that part late, one that is the beginning of another, one of its own; lists of one token and of several. */
function madeItems(vocabularySize: number): ForwardItem[] {
  const drawn = drawTokens(64, vocabularySize)
  const start = drawn.slice(0, prefixTokens)
  const after = (...parts: readonly Int32Array[]): Int32Array => Int32Array.from([start, ...parts].flatMap((part) => [...part]))
  const shared = drawn.slice(20, 26)
  return [
    { input: after(shared, drawn.slice(26, 30)), targets: [drawn.slice(27, 31)] },
    { input: after(shared, drawn.slice(32, 34)), targets: [drawn.slice(34, 35), drawn.slice(35, 36), drawn.slice(36, 37)] },
    { input: after(shared), targets: [drawn.slice(38, 40)] },
    { input: after(drawn.slice(40, 49)), targets: [drawn.slice(41, 50)] },
  ]
}

/** Enters the differences in nats; of what is no number, infinity. */
function compare(
  wanted: ForwardAnswer | undefined,
  found: ForwardAnswer | undefined,
  check: { tokens: number; maxAbsDiff: number; maxSumDiff: number },
): void {
  wanted?.tokenLogprobs.forEach((list, k) => {
    check.tokens += list.length
    list.forEach((logprob, i) => {
      check.maxAbsDiff = Math.max(check.maxAbsDiff, difference(logprob, found?.tokenLogprobs[k]?.[i]))
    })
    check.maxSumDiff = Math.max(check.maxSumDiff, difference(wanted.answers[k]?.logprob, found?.answers[k]?.logprob))
  })
}

function difference(wanted: number | undefined, found: number | undefined): number {
  const size = Math.abs((wanted ?? NaN) - (found ?? NaN))
  return Number.isNaN(size) ? Infinity : size
}
