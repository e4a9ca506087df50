/**
 * Scores and samples as CSV (RFC 4180): comma, CRLF, a header line, quotes where needed and doubled inside.
 *
 * A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula and may run it when the file is opened; a row of a dataset
 * may begin so on purpose. Every text that does, also behind blanks or control characters, gets an apostrophe in front (OWASP, "CSV
 * injection"). Numbers stay bare: they are written by this program.
 */
import { isRight } from '../../analysis/viewer/verdict.ts'
import type { Json } from '../../base/errors.ts'
import type { ResultsTable } from '../../contracts/results.ts'
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'

/** Null is an empty cell. */
export type CsvCell = string | number | boolean | null

const lineEnd = '\r\n'
/** Also the full-width forms, which some spreadsheets read as the plain ones. */
// oxlint-disable-next-line no-control-regex -- control characters before a formula don't make it harmless
const formula = /^[\s\u0000-\u001f\u007f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

/** One line with its end. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}${lineEnd}`
}

function csvCell(cell: CsvCell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  const text = formula.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** One line a score, tasks before groups, with what it rests on; numbers in full. */
export function scoresCsv(table: ResultsTable, manifest: RunManifest | null): string {
  const header = ['kind', 'task', 'version', 'filter', 'n_shot', 'metric', 'higher_is_better', 'value', 'stderr', 'n']
  const about: readonly (readonly [string, CsvCell])[] =
    manifest === null
      ? []
      : [
          ['model', manifest.model.id],
          ['model_commit', manifest.model.commit],
          ['dtype', manifest.engine.dtype],
          ['device', manifest.engine.device],
          ['created_at_utc', manifest.createdAt],
        ]
  const lines = (['tasks', 'groups'] as const).flatMap((kind) =>
    table[kind].map((row) =>
      csvLine([
        kind === 'tasks' ? 'task' : 'group',
        row.task,
        row.version.trim(),
        row.filter,
        row.nShot.trim(),
        row.metric,
        row.direction === '' ? null : row.direction === '↑',
        row.value,
        row.stderr,
        row.n,
        ...about.map(([, value]) => value),
      ]),
    ),
  )
  return csvLine([...header, ...about.map(([name]) => name)]) + lines.join('')
}

/** One line a doc and filter: verdict, picks, every metric, each choice’s log-probability in nats, then the texts. */
export function samplesCsv(views: readonly SampleView[]): string {
  const metrics = [...new Set(views.flatMap((view) => Object.keys(view.metrics)))]
  const choices = views.reduce((most, view) => Math.max(most, view.choices.length), 0)
  const indices = Array.from({ length: choices }, (_, index) => index)
  const header = [
    ...['task', 'doc_id', 'filter', 'right', 'gold', 'pick_acc', 'pick_acc_norm', 'pick_acc_bytes', 'pick_acc_tok'],
    ...metrics,
    ...indices.map((index) => `logprob_${index}`),
    ...indices.map((index) => `choice_${index}`),
    ...['target', 'prompt', 'generated'],
  ]
  const lines = views.map((view) =>
    csvLine([
      view.task,
      view.docId,
      view.filter,
      isRight(view),
      view.gold.join(' '),
      view.picks?.acc ?? null,
      view.picks?.acc_norm ?? null,
      view.picks?.acc_bytes ?? null,
      view.picks?.acc_tok ?? null,
      ...metrics.map((metric) => metricCell(view.metrics[metric])),
      ...indices.map((index) => numberCell(view.choices[index]?.logprob)),
      ...indices.map((index) => view.choices[index]?.text ?? null),
      view.target,
      view.prompt,
      view.generated.join('\n'),
    ]),
  )
  return csvLine(header) + lines.join('')
}

function metricCell(value: Json | undefined): CsvCell {
  if (value === undefined || value === null) return null
  if (typeof value === 'number') return numberCell(value)
  return typeof value === 'object' ? JSON.stringify(value) : value
}

function numberCell(value: number | undefined): CsvCell {
  return value === undefined || Number.isNaN(value) ? null : value
}
