/** The harness's results table, as rows and as Markdown. lm_eval 0.4.13, `make_table`; pytablewriter 1.2. */
import { append, maxOf } from '../../base/arrays.ts'
import type { ResultsRow, ResultsTable } from '../../contracts/results.ts'
import { length, strip } from '../../python/string.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { isDict, isFloat, isList, str, toNumber } from '../../python/value.ts'
import { compareCodePoints } from '../../python/compare-strings.ts'

/** What stands in the n-shot column of tasks whose prompts show fewer examples than were asked for, which the harness's never do. */
export type ShownShots = ReadonlyMap<string, string>

const asAsked: ShownShots = new Map()

/** Rows of a results dict (`buildResults`), in the order and with the indented names of the harness's table. */
export function buildTable(results: PyDict, shown: ShownShots = asAsked): ResultsTable {
  const withShots = (row: ResultsRow): ResultsRow => ({ ...row, nShot: shown.get(row.task) ?? row.nShot })
  return { tasks: rowsOf(results, 'results').map(withShots), groups: rowsOf(results, 'groups') }
}

function rowsOf(results: PyDict, column: 'results' | 'groups'): readonly ResultsRow[] {
  const block = dictAt(results, column)
  const { depths, order } = arrange(results, block)
  return order.flatMap((name) => rowsOfTask(name, dictAt(block, name), depths.get(name) ?? 0, results))
}

function rowsOfTask(name: string, row: PyDict, depth: number, results: PyDict): readonly ResultsRow[] {
  const alias = str(row.get('alias') ?? name)
  const directions = dictAt(dictAt(results, 'higher_is_better'), name)
  const counts = dictAt(row, 'sample_count')
  const shots = dictAt(results, 'n-shot').get(name)
  const versions = dictAt(results, 'versions')
  const metrics = [...row]
    .filter(([key]) => !['alias', 'name', 'sample_len', 'sample_count'].includes(key))
    .sort(([a], [b]) => compareCodePoints(a, b))
  return metrics.flatMap(([key, value]) => {
    const [metric = '', ...rest] = key.split(',')
    if (metric.endsWith('_stderr')) return []
    const filter = rest.join(',')
    const stderr = row.get(`${metric}_stderr,${filter}`)
    return {
      task: name,
      alias: depth > 0 ? `${' '.repeat(depth)}- ${alias}` : alias,
      version: versions.has(name) ? str(versions.get(name) ?? null) : '    N/A',
      filter,
      nShot: shots === undefined ? ' ' : str(shots),
      metric,
      direction: arrowOf(directions.get(metric)),
      value: isFloat(value) || typeof value === 'number' ? (toNumber(value) ?? NaN) : str(value),
      stderr: stderr === undefined ? null : (toNumber(stderr) ?? 'N/A'),
      n: toNumber(counts.get(key) ?? row.get('sample_len') ?? null) ?? 0,
    }
  })
}

function arrowOf(direction: PyValue | undefined): '↑' | '↓' | '' {
  if (direction === true) return '↑'
  return direction === false ? '↓' : ''
}

/** Groups by name with their members below them, also by name; then everything in no group, by name. */
function arrange(results: PyDict, block: PyDict): { depths: ReadonlyMap<string, number>; order: readonly string[] } {
  const subtasks = new Map(
    [...dictAt(results, 'group_subtasks')].map(([name, children]) => [
      name,
      isList(children) ? children.map(str).sort(compareCodePoints) : [],
    ]),
  )
  const depths = new Map<string, number>()
  const order: string[] = []
  const visit = (name: string, depth: number): void => {
    depths.set(name, depth)
    if (block.has(name)) order.push(name)
    for (const child of subtasks.get(name) ?? []) visit(child, depth + 1)
  }
  const members = new Set([...subtasks.values()].flat())
  for (const name of [...subtasks.keys()].sort(compareCodePoints)) if (!members.has(name)) visit(name, 0)
  append(
    order,
    [...block.keys()].sort(compareCodePoints).filter((name) => !depths.has(name)),
  )
  return { depths, order }
}

/** The harness's Markdown: the table of tasks and, when groups aggregate, a blank line and the table of groups. */
export function renderTable(results: PyDict, shown: ShownShots = asAsked): string {
  const table = buildTable(results, shown)
  const tasks = renderRows('Tasks', table.tasks, results)
  return results.has('groups') ? `${tasks}\n${renderRows('Groups', table.groups, results)}` : tasks
}

/** A cell as the harness hands it over: text, or a Python number. */
interface Printed {
  readonly text: string
  readonly isText: boolean
}

/** `special` = not a number, or infinite. */
type CellKind = 'blank' | 'text' | 'integer' | 'real' | 'special'

interface Cell {
  readonly text: string
  readonly kind: CellKind
}

interface Column {
  readonly header: string
  readonly cells: readonly { readonly text: string; readonly isRight: boolean }[]
  readonly isNumeric: boolean
  readonly width: number
}

function renderRows(column: 'Tasks' | 'Groups', rows: readonly ResultsRow[], results: PyDict): string {
  const headers = [column, 'Version', 'Filter', 'n-shot', 'Metric', '', 'Value', '', 'Stderr']
  const block = dictAt(results, column === 'Tasks' ? 'results' : 'groups')
  const lines = rows.map((row, i): readonly Printed[] => {
    const isFirst = rows[i - 1]?.task !== row.task
    const value = dictAt(block, row.task).get(`${row.metric},${row.filter}`) ?? null
    const version = dictAt(results, 'versions').get(row.task) ?? '    N/A'
    return [
      words(isFirst ? row.alias : ''),
      isFirst ? printValue(version) : words(''),
      words(row.filter),
      words(row.nShot),
      words(row.metric),
      words(row.direction),
      isFloat(value) ? words(toFixed4(toNumber(value) ?? NaN)) : printValue(value),
      words(row.stderr === null ? '' : '±'),
      words(row.stderr === null ? '' : row.stderr === 'N/A' ? '   N/A' : toFixed4(row.stderr)),
    ]
  })
  return layOut(
    headers.map((header, c) =>
      alignColumn(
        header,
        lines.map((line) => line[c] ?? words('')),
      ),
    ),
  )
}

function words(text: string): Printed {
  return { text, isText: true }
}

function printValue(value: PyValue): Printed {
  return { text: str(value), isText: typeof value === 'string' }
}

function toFixed4(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  return Number.isFinite(value) ? value.toFixed(4) : value > 0 ? 'inf' : '-inf'
}

/**
 * What pytablewriter takes each cell for: text that reads as a number is one, unless text is what the cells above it mostly are.
 */
function classifyColumn(cells: readonly Printed[]): readonly Cell[] {
  const counts = new Map<CellKind, number>()
  return cells.map(({ text, isText }) => {
    const [common] = [...counts].reduce<readonly [CellKind | null, number]>((best, entry) => (entry[1] > best[1] ? entry : best), [null, 0])
    const kind = isText && common === 'text' && strip(text) !== '' ? 'text' : classify(text)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    return { text, kind }
  })
}

function classify(text: string): CellKind {
  const bare = strip(text)
  if (bare === '') return 'blank'
  if (/^(nan|[+-]?inf)$/i.test(bare)) return 'special'
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(bare)) return 'text'
  return Number.isInteger(Number(bare)) ? 'integer' : 'real'
}

/** Numbers of a column share their decimals; in a column with text among them, each is aligned by its own kind. */
function alignColumn(header: string, printed: readonly Printed[]): Column {
  const column = classifyColumn(printed)
  const kinds = new Set(column.map(({ kind }) => kind))
  const isNumeric = !kinds.has('text') && (kinds.has('integer') || kinds.has('real'))
  const decimals = maxOf(
    column.filter(({ kind }) => kind === 'real').map(({ text }) => decimalsOf(text)),
    0,
  )
  const cells = column.map(({ text, kind }) => {
    switch (kind) {
      case 'blank':
      case 'text':
        return { text, isRight: false }
      case 'special':
        return { text: /inf/.test(text) ? text.replace('inf', 'Infinity') : 'NaN', isRight: isNumeric }
      default: {
        const hasDecimals = kind === 'real' || (isNumeric && (kinds.has('real') || kinds.has('special')))
        return { text: Number(text).toFixed(hasDecimals ? decimals : 0), isRight: true }
      }
    }
  })
  return {
    header,
    cells,
    isNumeric,
    width: maxOf(
      cells.map(({ text }) => widthOf(text)),
      Math.max(3, widthOf(header)),
    ),
  }
}

function decimalsOf(text: string): number {
  return String(Number(text)).split('.')[1]?.length ?? 0
}

/** Columns on a terminal: East Asian wide characters take two. */
function widthOf(text: string): number {
  const wide =
    /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu
  return length(text) + (text.match(wide)?.length ?? 0)
}

function layOut(columns: readonly Column[]): string {
  const head = columns.map(({ header, width }) => {
    const room = width - widthOf(header)
    const left = Math.floor(room / 2)
    return ' '.repeat(left) + header + ' '.repeat(room - left)
  })
  const rule = columns.map(({ width, isNumeric }) => (isNumeric ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))
  const rows = columns[0]?.cells ?? []
  const body = rows.map((_, r) =>
    columns.map(({ cells, width }) => {
      const { text, isRight } = cells[r] ?? { text: '', isRight: false }
      const room = ' '.repeat(width - widthOf(text))
      const safe = text.replaceAll('|', '\\|')
      return isRight ? room + safe : safe + room
    }),
  )
  return [head, rule, ...body].map((cells) => `|${cells.join('|')}|\n`).join('')
}

function dictAt(value: PyDict, key: string): PyDict {
  const found = value.get(key) ?? null
  return isDict(found) ? found : new Map<string, PyValue>()
}
