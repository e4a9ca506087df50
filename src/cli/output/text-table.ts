/** Tables of text in the harness's style, safe for untrusted names. */
import { maxOf } from '../../base/arrays.ts'

/** Lines of a table whose columns are as wide as their longest cell. */
export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const cells = [header, ...rows].map((row) => row.map((cell) => oneLine(cell).replaceAll('|', '\\|')))
  const widths = header.map((_, column) => maxOf(cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string => `|${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('|')}|`
  const [head = [], ...body] = cells
  return [line(head), `|${widths.map((width) => '-'.repeat(width)).join('|')}|`, ...body.map(line)]
}

/** A file's text can't move the cursor or start a line of its own. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
}
