/** What the sample list asks of a sample. Pure. */
import { isRight } from '../core/viewer/verdict.ts'
import type { ResultsRow, ResultsTable, SampleChoice, SampleView } from '../core/types.ts'

export type Show = 'all' | 'right' | 'wrong' | 'differ'

export const shows: readonly Show[] = ['all', 'right', 'wrong', 'differ']

/** True when the sum of log-probabilities picks another choice than the sum per character. */
export function picksDiffer(sample: SampleView): boolean {
  return sample.picks !== null && sample.picks.acc !== sample.picks.acc_norm
}

export function matches(sample: SampleView, show: Show): boolean {
  if (show === 'all') return true
  if (show === 'differ') return picksDiffer(sample)
  return isRight(sample) === (show === 'right')
}

/** Log-probability in nats per character (code point) of the choice: what `acc_norm` compares. Null for an empty choice. */
export function perCharacter(choice: SampleChoice): number | null {
  const characters = [...choice.text].length
  return characters === 0 ? null : choice.logprob / characters
}

/** The row that stands for a whole run: the first group's, else the first task's. */
export function mainRow(table: ResultsTable): ResultsRow | null {
  return table.groups[0] ?? table.tasks[0] ?? null
}

/** Names of the choices as the page shows them: A to Z, then numbers. */
export function choiceName(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : String(index + 1)
}
