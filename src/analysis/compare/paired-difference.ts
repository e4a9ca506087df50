/** The difference of one metric between two ways of asking the same docs: prompts in two languages, two formats, two models. */
import { EvalError } from '../../base/errors.ts'
import { mean, meanStderr } from '../../harness/metrics/means.ts'

/** Values of one metric by doc id. */
export type ValuesByDoc = ReadonlyMap<number, number>

export interface PairedDifference {
  /** Docs that both have. */
  readonly n: number
  /** Docs that only one has; they count for nothing. */
  readonly unpaired: number
  /** Mean of left less right over the docs that both have. */
  readonly difference: number
  /** Standard error of that mean: docs are hard for both alike, so it is smaller than that of two independent scores. */
  readonly stderr: number
  /** 95% interval by the normal approximation. */
  readonly low: number
  readonly high: number
}

/** Source: Miller (2024), Adding Error Bars to Evals, arXiv 2411.00640, §4.2. Throws `metric/failed` for fewer than two docs in common. */
export function pairedDifference(left: ValuesByDoc, right: ValuesByDoc): PairedDifference {
  const differences = [...left].flatMap(([docId, value]) => {
    const other = right.get(docId)
    return other === undefined ? [] : [value - other]
  })
  const n = differences.length
  if (n < 2) throw new EvalError('metric/failed', `A paired difference wants two docs in common at least, found ${n}.`)
  const difference = mean(differences)
  const stderr = meanStderr(differences)
  return {
    n,
    unpaired: left.size + right.size - 2 * n,
    difference,
    stderr,
    low: difference - 1.959963984540054 * stderr,
    high: difference + 1.959963984540054 * stderr,
  }
}
