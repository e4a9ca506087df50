/** Two verdicts on the same docs: how often they agree, which docs changed sides, and whether that is more than chance. */
import { EvalError } from '../../../base/errors.ts'
import type { VerdictAgreement } from '../../../contracts/yardstick-results.ts'
import { toNumber, type PyDict } from '../../../python/value.ts'
import { mcnemarExact } from '../significance.ts'

/** Right or wrong for one doc, by two judges: a run and a published column, two runs, two prompts. */
interface VerdictPair {
  readonly docId: number
  readonly now: boolean
  readonly before: boolean
}

export interface Agreement extends VerdictAgreement {
  /** Cohen's kappa; NaN when chance alone makes both agree always (each side says one and the same of every doc). */
  readonly kappa: number
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
