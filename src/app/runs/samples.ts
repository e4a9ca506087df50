/** Small things that pages ask of results. Pure. */
import type { ResultsRow, ResultsTable } from '../../contracts/results.ts'

/** The row that stands for a whole run: the first group's, else the first task's. */
export function mainRow(table: ResultsTable): ResultsRow | null {
  return table.groups[0] ?? table.tasks[0] ?? null
}

/** Names of the choices as the page shows them: A to Z, then numbers. */
export function choiceName(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : String(index + 1)
}
