import { EvalError } from '../../base/errors.ts'
import { type ForwardAnswer, type ForwardItem, longestTarget } from '../../contracts/items.ts'
import type { Logits } from '../logits.ts'
import { releaseCache, type DecoderSession, type KeyValueCache } from '../session.ts'
import { logProbability, summariseRow, sumLogProbabilities } from './log-softmax.ts'

/**
 * Longest pass of the reference path when the self-check sets no shorter one. Bounds what a pass reads back to 128 rows of logits (25 MB at
 * a vocabulary of 49,152, 134 MB at 262,144) whatever the prompt's length; the self-check tries runs up to exactly this length.
 * SmolLM2-135M q4, 360 tokens, WASM with one thread: 7.8 s whole and 8.5 s in pieces of 128 (GroupQueryAttention; 12.9 s in pieces of 32), scores equal.
 */
export const longestRunTokens = 128

/** Logits of one pass: 128 MiB of float32, which any adapter's buffers and any heap have room for. */
const mostLogits = 2 ** 25

/** Longest pass of the reference path over a vocabulary: logits of all its rows are made at once. */
export function longestRunOver(vocabularySize: number | null): number {
  return Math.max(1, Math.min(longestRunTokens, Math.floor(mostLogits / (vocabularySize ?? 1))))
}

/** The part of a session that scoring uses. */
export type Runner = Pick<DecoderSession, 'run'>

/**
 * Scores items one after the other, the plain way: each item's input is prefilled once, in passes of at most `chunkTokens` tokens (null: in
 * one pass), and every target list is read off its last rows by a float32 log-softmax over the full vocabulary.
 *
 * Answers are in the order of `items`. Throws `engine/nonfinite` for logits that aren't numbers, other `engine/*` when a pass fails.
 * Source: lm-evaluation-harness 0.4.13, HFLM._loglikelihood_tokens; for lists shorter than an item's longest the harness reads the first
 * rows by mistake, this reads the last.
 */
export async function scoreByReference(
  session: Runner,
  items: readonly ForwardItem[],
  chunkTokens: number | null,
): Promise<ForwardAnswer[]> {
  const answers: ForwardAnswer[] = []
  for (const item of items) answers.push(await scoreItem(session, item, chunkTokens))
  return answers
}

async function scoreItem(session: Runner, item: ForwardItem, chunkTokens: number | null): Promise<ForwardAnswer> {
  const length = item.input.length
  const scored = item.targets.map((targets) => ({ targets, logprobs: new Float32Array(targets.length), isGreedy: true }))
  const firstRow = length - longestTarget(item)
  if (length === 0 || firstRow < 0)
    throw new EvalError('internal', `wanted targets no longer than the input, found ${length - firstRow} for ${length} tokens`)
  let cache: KeyValueCache | null = null
  try {
    // Lists without tokens need no pass at all.
    for (const [start, end] of firstRow < length ? runBounds(length, chunkTokens) : []) {
      const continued: KeyValueCache | null = cache
      cache = null
      const outcome = await session.run(item.input.subarray(start, end), continued, { logits: end > firstRow, cache: end < length })
      cache = outcome.cache
      if (outcome.logits !== null) readRows(outcome.logits, { start, firstRow, length }, scored)
      outcome.logits?.free()
    }
  } finally {
    if (cache !== null) releaseCache(cache)
  }
  return {
    answers: scored.map(({ logprobs, isGreedy }) => ({ logprob: sumLogProbabilities(logprobs), isGreedy })),
    tokenLogprobs: scored.map(({ logprobs }) => logprobs),
  }
}

/** Where passes start and end: full passes from the start, the rest at the end. Depends on the length alone. */
export function runBounds(length: number, chunkTokens: number | null): (readonly [start: number, end: number])[] {
  const step = chunkTokens ?? length
  return Array.from({ length: Math.ceil(length / step) }, (_, i) => [i * step, Math.min(length, (i + 1) * step)])
}

interface ScoredTargets {
  readonly targets: Int32Array
  readonly logprobs: Float32Array
  isGreedy: boolean
}

function readRows(
  logits: Logits,
  { start, firstRow, length }: { readonly start: number; readonly firstRow: number; readonly length: number },
  scored: readonly ScoredTargets[],
): void {
  for (let index = Math.max(0, firstRow - start); index < logits.rows; index += 1) {
    const row = logits.row(index)
    const summary = summariseRow(row)
    for (const list of scored) {
      const place = start + index - (length - list.targets.length)
      const target = list.targets[place]
      // A shorter list has nothing at the longer one's first rows.
      if (target === undefined) continue
      const logit = row[target]
      if (logit === undefined)
        throw new EvalError('tokenizer/broken', `wanted a token below the model's vocabulary of ${logits.vocabularySize}, found ${target}`)
      list.logprobs[place] = logProbability(logit, summary)
      list.isGreedy &&= target === summary.argmax
    }
  }
}
