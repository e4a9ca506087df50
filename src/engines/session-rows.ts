import { logProbability, summariseRow } from './scoring/log-softmax.ts'
import type { Runner } from './scoring/reference-scoring.ts'
import type { RowScorer } from './scoring/self-check.ts'
import { releaseCache, type KeyValueCache } from './session.ts'

/** A session as the self-check sees it. */
export function rowScorer(session: Runner): RowScorer {
  return { rows: (tokens, runs) => runRows(session, tokens, runs) }
}

async function* runRows(session: Runner, tokens: Int32Array, runs: readonly number[]): AsyncGenerator<Float32Array> {
  let cache: KeyValueCache | null = null
  let start = 0
  try {
    for (const [index, length] of runs.entries()) {
      const continued: KeyValueCache | null = cache
      cache = null
      const outcome = await session.run(tokens.subarray(start, start + length), continued, { logits: true, cache: index + 1 < runs.length })
      cache = outcome.cache
      const rows = new Float32Array(length)
      for (let i = 0; i < length; i += 1) {
        const row = outcome.logits?.row(i) ?? new Float32Array(0)
        rows[i] = logProbability(row[tokens[start + i + 1] ?? 0] ?? NaN, summariseRow(row))
      }
      outcome.logits?.free()
      yield rows
      start += length
    }
  } finally {
    if (cache !== null) releaseCache(cache)
  }
}
