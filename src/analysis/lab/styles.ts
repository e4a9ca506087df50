/**
 * Two ways of asking one multiple-choice doc: for each choice's text as a continuation of the bare question (as HellaSwag and the var form of
 * a benchmark), or for the letter before it after a list of all choices (as MMLU). Both are `multiple_choice` tasks of the harness.
 */
import { agreementOf, type Agreement } from '../compare/agreement/agreement.ts'
import { accuracyOf, pickOf, type LabScore, type Norm } from './norms.ts'
import type { LabDoc } from './recorded.ts'

export const styles = ['continuation', 'letters'] as const
export type Style = (typeof styles)[number]

/** The doc as it was asked in a style; as continuations where its letters weren't asked. */
export function inStyle(doc: LabDoc, style: Style): LabDoc {
  return style === 'letters' && doc.letters !== null ? { ...doc, ...doc.letters } : doc
}

interface StyleComparison {
  readonly continuation: LabScore
  readonly letters: LabScore
  /** Letters held against continuations: `gained` are the docs that only letters have right, `lost` those that only continuations have. */
  readonly agreement: Agreement
  /** Docs that both styles have right, and that neither has. */
  readonly both: number
  readonly neither: number
}

/** The docs that were asked both ways, under one norm; null when none was. Doc ids are places in the list. */
export function compareStyles(docs: readonly LabDoc[], norm: Norm): StyleComparison | null {
  const pairs = docs.flatMap((doc, docId) =>
    doc.letters === null
      ? []
      : [{ docId, before: pickOf(doc, norm) === doc.gold, now: pickOf(inStyle(doc, 'letters'), norm) === doc.gold }],
  )
  if (pairs.length === 0) return null
  const asked = docs.filter(({ letters }) => letters !== null)
  return {
    continuation: accuracyOf(asked, norm),
    letters: accuracyOf(
      asked.map((doc) => inStyle(doc, 'letters')),
      norm,
    ),
    agreement: agreementOf(pairs),
    both: pairs.filter(({ now, before }) => now && before).length,
    neither: pairs.filter(({ now, before }) => !now && !before).length,
  }
}
