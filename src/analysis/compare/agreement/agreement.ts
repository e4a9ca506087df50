/** Two verdicts on the same docs: how often they agree, which docs changed sides, and whether that is more than chance. */
import { EvalError } from '../../../base/errors.ts'
import { toNumber, type PyDict } from '../../../python/value.ts'

/** Right or wrong for one doc, by two judges: a run and a published column, two runs, two prompts. */
interface VerdictPair {
  readonly docId: number
  readonly now: boolean
  readonly before: boolean
}

export interface Agreement {
  readonly n: number
  readonly agree: number
  readonly disagree: number
  /** Ids of docs that were wrong before and are right now, and the other way round; in the order given. */
  readonly gained: readonly number[]
  readonly lost: readonly number[]
  /** Share right now less share right before. */
  readonly difference: number
  /** Cohen's kappa; NaN when chance alone makes both agree always (each side says one and the same of every doc). */
  readonly kappa: number
  /** Two-sided exact McNemar test of gained against lost; 1 when no doc changed sides. */
  readonly p: number
}

/**
 * Counts of a 2×2 table of verdicts. Kappa: Cohen (1960), Educ. Psychol. Meas. 20, 37-46. McNemar's test as the exact binomial test of the
 * docs that changed sides. Throws `metric/failed` without docs.
 */
export function agreementOf(pairs: readonly VerdictPair[]): Agreement {
  const n = pairs.length
  if (n === 0) throw new EvalError('metric/failed', 'There are no docs to compare.')
  const gained = pairs.filter(({ now, before }) => now && !before).map(({ docId }) => docId)
  const lost = pairs.filter(({ now, before }) => !now && before).map(({ docId }) => docId)
  const disagree = gained.length + lost.length
  const rightNow = pairs.filter(({ now }) => now).length / n
  const rightBefore = pairs.filter(({ before }) => before).length / n
  const byChance = rightNow * rightBefore + (1 - rightNow) * (1 - rightBefore)
  return {
    n,
    agree: n - disagree,
    disagree,
    gained,
    lost,
    difference: (gained.length - lost.length) / n,
    kappa: byChance === 1 ? NaN : ((n - disagree) / n - byChance) / (1 - byChance),
    p: mcnemarExact(gained.length, lost.length),
  }
}

/**
 * Two-sided exact McNemar p for `b` docs that changed one way and `c` that changed the other: the binomial test with even odds. Powers of two
 * are taken out as the product grows, so that thousands of changed docs don't make it vanish.
 */
export function mcnemarExact(b: number, c: number): number {
  const n = b + c
  const fewer = Math.min(b, c)
  if (2 * fewer === n) return 1
  // C(n, fewer) / 2^halved; every division by a power of two is exact.
  let likely = 1
  let halved = 0
  for (let k = 1; k <= fewer; k++) {
    likely *= (n - fewer + k) / k
    if (likely > 2 ** 500 && halved + 500 <= n) {
      likely *= 2 ** -500
      halved += 500
    }
  }
  // The tail beside its most likely term, each next one from the last.
  let term = 1
  let tail = 1
  for (let k = fewer; k > 0; k--) {
    term *= k / (n - k + 1)
    tail += term
  }
  let p = 2 * likely * tail
  for (let left = n - halved; left > 0; left -= 500) p *= 2 ** -Math.min(left, 500)
  return Math.min(1, p)
}

/**
 * A metric's 0/1 values held against a column of the docs that says whether an earlier evaluation had them right, such as
 * `previously_is_correct` or `is_correct`: a boolean, a number, or a list of one. Docs without a value are left out and listed. Throws
 * `dataset/schema` when no doc has the column, and for a value of another kind.
 */
export function againstColumn(
  docs: readonly { readonly docId: number; readonly doc: PyDict; readonly value: number }[],
  column: string,
): { readonly agreement: Agreement; readonly withoutReference: readonly number[] } {
  const pairs: VerdictPair[] = []
  const withoutReference: number[] = []
  for (const { docId, doc, value } of docs) {
    const cell = doc.get(column) ?? null
    const [held = null] = Array.isArray(cell) ? (cell as readonly (typeof cell)[]) : [cell]
    if (held === null) {
      withoutReference.push(docId)
      continue
    }
    const number = toNumber(held)
    if (number !== 0 && number !== 1)
      throw new EvalError('dataset/schema', `Column '${column}' of doc ${docId} wants to say right or wrong (true, false, 1 or 0).`, {
        details: { column, docId },
      })
    pairs.push({ docId, now: value > 0.5, before: number === 1 })
  }
  if (pairs.length === 0)
    throw new EvalError('dataset/schema', `No doc has a value in the column '${column}' to compare with.`, { details: { column } })
  return { agreement: agreementOf(pairs), withoutReference }
}
