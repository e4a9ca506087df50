/** Rows of json files as a table, typed as `datasets` types them. */
import { maxOf } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import type { Cell, Table } from '../../contracts/rows.ts'
import { holdsJson, inferFeature, isList, isRecord, mendTimestamps, toCell } from './infer.ts'
import { JsonFloat, parseJsonValues, type JsonNode } from './json-parser.ts'
import { isRowPath, rowsOfPath } from './json-path.ts'
import { decodeUtf8 } from './text-of-bytes.ts'
import type { InferOptions } from './type-state.ts'

export interface NamedBytes {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A row before its columns are typed. */
export type Row = ReadonlyMap<string, JsonNode>

/** How rows become cells. */
interface RowOptions {
  /** The file has gone through pandas' JSON writer before it is typed. */
  readonly isRewritten: boolean
  /** Columns in which date-like texts are read as timestamps. */
  readonly isTimestamp: (column: string) => boolean
  /** Told of the cells before they are made; may throw. */
  readonly count: (cells: number) => void
}

/** The rows as one table, typed by all of them. */
function tableOfRows(rows: readonly Row[], options: InferOptions, { isRewritten, isTimestamp, count }: RowOptions): Table {
  const names = new Set<string>()
  for (const row of rows) for (const name of row.keys()) names.add(name)
  count(rows.length * names.size)
  const nodes = [...names].map((name) => ({ name, values: rows.map((row) => row.get(name) ?? null) }))
  const columns = nodes.map(({ name, values }) => ({
    name,
    type: inferFeature(isRewritten ? values.map(dropNonFinite) : values, options),
  }))
  // One column of mixed shapes makes `datasets` rewrite the whole file.
  const cellOptions = { isRewritten: isRewritten || columns.some(({ type }) => holdsJson(type)), count }
  const cells = nodes.map(({ name, values }, at) => {
    const type = columns[at]?.type ?? 'null'
    const column = values.map((node) => toCell(node, type, cellOptions))
    return isTimestamp(name) ? mendTimestamps(column, type) : column
  })
  return { columns, rows: rows.map((_, row) => cells.map((column) => column[row] ?? null)) }
}

/** NaN and infinities become null when pandas writes a file anew. */
export function dropNonFinite(node: JsonNode): JsonNode {
  return node instanceof JsonFloat && !Number.isFinite(node.value) ? null : node
}

/**
 * The rows under a key of one object per file, or at the end of a path; see `json-path.ts`. A key that looks like a path is a key all the same
 * when the first file has it. Rows at a path are typed as the lines of a jsonl file would be. `count` is told of cells before they are made.
 */
export function tableOfField(files: readonly NamedBytes[], field: string, count: (cells: number) => void): Table {
  const roots = files.map(({ name, bytes }) => ({ name, root: parseJsonValues(decodeUtf8(bytes, name), name)[0] ?? null }))
  const first = roots[0]?.root ?? null
  if (!isRowPath(field) || (isRecord(first) && first.has(field))) return tableOfKey(roots, field, count)
  const rows = roots.flatMap(({ name, root }) => rowsOfPath(root, field, name))
  return tableOfRows(rows, { records: 'json' }, { isRewritten: false, isTimestamp: () => true, count })
}

/** What `datasets` does with `field`: pandas' read_json, which takes whole floats for integers and dates only in columns named like dates. */
function tableOfKey(
  files: readonly { readonly name: string; readonly root: JsonNode }[],
  field: string,
  count: (cells: number) => void,
): Table {
  const rows = files.flatMap(({ name, root }) => {
    const value = isRecord(root) ? root.get(field) : undefined
    if (value === undefined) {
      const keys = isRecord(root) ? [...root.keys()].join(', ') : 'none'
      throw new EvalError('dataset/schema', `${name} has no key '${field}' at its top; its keys: ${keys}.`, {
        details: { file: name, field },
      })
    }
    return rowsOfField(value, name, field)
  })
  const { columns, rows: cells } = tableOfRows(rows, { records: 'merge' }, { isRewritten: true, isTimestamp: isDateName, count })
  const types = columns.map(({ type }, at) => (type === 'float64' && cells.every((row) => isWhole(row[at] ?? null)) ? 'int64' : type))
  return { columns: columns.map(({ name }, at) => ({ name, type: types[at] ?? 'null' })), rows: cells }
}

function isWhole(cell: Cell): boolean {
  return cell === null || Number.isSafeInteger(cell)
}

function rowsOfField(value: JsonNode, file: string, field: string): Row[] {
  if (isList(value)) return value.map((item) => (isRecord(item) ? item : new Map([['text', item]])))
  if (!isRecord(value)) throw malformed(file, `'${field}' is neither a list nor an object of columns`)
  const columns = [...value].map(([name, cells]) => {
    if (isList(cells)) return [name, cells] as const
    // A column may also be an object from row labels to cells.
    if (isRecord(cells)) return [name, [...cells.values()]] as const
    throw malformed(file, `'${field}.${name}' is no column of cells`)
  })
  const count = maxOf(
    columns.map(([, cells]) => cells.length),
    0,
  )
  if (columns.some(([, cells]) => cells.length !== count)) throw malformed(file, `the columns under '${field}' differ in length`)
  return Array.from({ length: count }, (_, row) => new Map(columns.map(([name, cells]) => [name, cells[row] ?? null])))
}

/** The names whose columns pandas tries to read as dates. */
function isDateName(name: string): boolean {
  return /_at$|_time$|^modified$|^date$|^timestamp/i.test(name)
}

function malformed(file: string, what: string): EvalError {
  return new EvalError('dataset/malformed', `${file}: ${what}.`, { details: { file } })
}
