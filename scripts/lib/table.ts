/** The harness's results table as Markdown, character by character. Source: lm-evaluation-harness 0.4.13, `utils.make_table`, and pytablewriter's Markdown. */
import type { ResultsRow } from '../../src/core/types.ts'

/** A cell: numbers are set to the right, text to the left. */
interface Cell {
  readonly text: string
  readonly isNumber: boolean
}

/** The table, without a newline at its end. A task's name and version show in its first row only. */
export function formatTable(rows: readonly ResultsRow[], title: 'Tasks' | 'Groups'): string {
  const header = [title, 'Version', 'Filter', 'n-shot', 'Metric', '', 'Value', '', 'Stderr']
  const cells = rows.map((row, index) => formatRow(row, rows[index - 1]?.task === row.task))
  const columns = header.map((name, at) => {
    const body = cells.map((row) => row[at] ?? { text: '', isNumber: false })
    return { name, body, isNumber: isNumberColumn(body), width: Math.max(3, width(name), ...body.map(({ text }) => width(text))) }
  })
  const lines = [
    columns.map(({ name, width: wide }) => center(name, wide)),
    columns.map(({ isNumber, width: wide }) => (isNumber ? `${'-'.repeat(wide - 1)}:` : '-'.repeat(wide))),
    ...cells.map((_, at) => columns.map(({ body, isNumber, width: wide }) => pad(body[at]?.text ?? '', wide, isNumber))),
  ]
  return lines.map((line) => `|${line.join('|')}|`).join('\n')
}

function formatRow(row: ResultsRow, isContinued: boolean): Cell[] {
  const text = (value: string): Cell => ({ text: value, isNumber: value !== '' && /^-?\d+(\.\d+)?$/.test(value.trim()) })
  const stderr = row.stderr === null ? '' : row.stderr === 'N/A' ? '   N/A' : row.stderr.toFixed(4)
  return [
    text(isContinued ? '' : row.alias),
    text(isContinued ? '' : row.version.replace(/^(\d+)\.0$/, '$1')),
    text(row.filter),
    text(row.nShot),
    text(row.metric),
    text(row.direction),
    text(formatValue(row)),
    text(row.stderr === null ? '' : '±'),
    text(stderr),
  ]
}

/** Four places for floats; `bypass`, the metric of `predict_only`, is the one whose value is an integer. */
function formatValue({ metric, value }: ResultsRow): string {
  if (typeof value === 'string') return value
  return metric === 'bypass' ? String(value) : value.toFixed(4)
}

/** pytablewriter's rule: a column is set as numbers when it holds some and nothing else but blanks. */
function isNumberColumn(cells: readonly Cell[]): boolean {
  const filled = cells.filter(({ text }) => text.trim() !== '')
  return filled.length > 0 && filled.every(({ isNumber }) => isNumber)
}

function pad(text: string, wide: number, isNumber: boolean): string {
  const space = ' '.repeat(Math.max(0, wide - width(text)))
  return isNumber ? space + text : text + space
}

function center(text: string, wide: number): string {
  const space = Math.max(0, wide - width(text))
  const left = Math.floor(space / 2)
  return ' '.repeat(left) + text + ' '.repeat(space - left)
}

/** Columns that a text takes in a terminal; wide East Asian characters take two. */
function width(text: string): number {
  return [...text].reduce(
    (sum, char) =>
      sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(char) ? 2 : 1),
    0,
  )
}
