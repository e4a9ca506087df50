/** jsonl and json files as a table, typed as `datasets` types them. */
import { EvalError } from '../../core/errors.ts'
import type { Cell, Table } from '../../core/types.ts'
import { holdsJson, inferFeature, isList, isRecord, mendTimestamps, toCell, type InferOptions } from './infer.ts'
import { JsonFloat, parseJsonValues, type JsonNode } from './json-parser.ts'
import { decodeUtf8 } from './text-of-bytes.ts'

export interface NamedBytes {
  readonly name: string
  readonly bytes: Uint8Array
}

type Row = ReadonlyMap<string, JsonNode>

/**
 * The rows of json or jsonl files, in order: one object a line, one array of objects (or of plain values, which become the column `text`), or
 * one object. With `field`, the rows lie under that key of one object.
 * Throws `dataset/malformed` with file, line and column.
 */
export function decodeJson(files: readonly NamedBytes[], field: string | null = null): Table {
  if (field !== null) return tableOfField(files, field)
  let areLines = true
  let isArray = false
  const rows: Row[] = []
  for (const { name, bytes } of files) {
    const text = decodeUtf8(bytes, name)
    const values = parseJsonValues(text, name)
    if (text.startsWith('[')) {
      isArray = true
      for (const item of readArray(values, name)) rows.push(isRecord(item) ? item : new Map([['text', item]]))
      continue
    }
    areLines &&= hasValuePerLine(text, values.length)
    for (const [at, value] of values.entries()) {
      if (!isRecord(value)) throw malformed(name, `value ${at + 1} is no object; a row is an object of columns`)
      rows.push(value)
    }
  }
  // An array is first rewritten, one object a line.
  return tableOfRows(rows, { records: areLines ? 'json' : 'merge' }, { isRewritten: isArray, isTimestamp: () => true })
}

/** As Python's `splitlines` sees it: no blank lines, no value over two lines, no two values on one. */
function hasValuePerLine(text: string, values: number): boolean {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines.length === values && lines.every((line) => line.trim() !== '')
}

function readArray(values: readonly JsonNode[], file: string): readonly JsonNode[] {
  const [list, ...rest] = values
  if (list === undefined || !isList(list) || rest.length > 0)
    throw malformed(file, 'a file that begins with [ holds one array and nothing else')
  return list
}

interface RowOptions {
  /** The file has gone through pandas' JSON writer before it is typed. */
  readonly isRewritten: boolean
  /** Columns in which date-like texts are read as timestamps. */
  readonly isTimestamp: (column: string) => boolean
}

function tableOfRows(rows: readonly Row[], options: InferOptions, { isRewritten, isTimestamp }: RowOptions): Table {
  const names = new Set<string>()
  for (const row of rows) for (const name of row.keys()) names.add(name)
  const nodes = [...names].map((name) => ({ name, values: rows.map((row) => row.get(name) ?? null) }))
  const columns = nodes.map(({ name, values }) => ({ name, type: inferFeature(isRewritten ? values.map(dropNonFinite) : values, options) }))
  // One column of mixed shapes makes `datasets` rewrite the whole file.
  const cellOptions = { isRewritten: isRewritten || columns.some(({ type }) => holdsJson(type)) }
  const cells = nodes.map(({ name, values }, at) => {
    const type = columns[at]?.type ?? 'null'
    const column = values.map((node) => toCell(node, type, cellOptions))
    return isTimestamp(name) ? mendTimestamps(column, type) : column
  })
  return { columns, rows: rows.map((_, row) => cells.map((column) => column[row] ?? null)) }
}

function dropNonFinite(node: JsonNode): JsonNode {
  return node instanceof JsonFloat && !Number.isFinite(node.value) ? null : node
}

/** What `datasets` does with `field`: pandas' read_json, which takes whole floats for integers and dates only in columns named like dates. */
function tableOfField(files: readonly NamedBytes[], field: string): Table {
  const rows = files.flatMap(({ name, bytes }) => {
    const [root] = parseJsonValues(decodeUtf8(bytes, name), name)
    const value = root !== undefined && isRecord(root) ? root.get(field) : undefined
    if (value === undefined) {
      const keys = root !== undefined && isRecord(root) ? [...root.keys()].join(', ') : 'none'
      throw new EvalError('dataset/schema', `${name} has no key '${field}' at its top; its keys: ${keys}.`, {
        details: { file: name, field },
      })
    }
    return rowsOfField(value, name, field)
  })
  const { columns, rows: cells } = tableOfRows(rows, { records: 'merge' }, { isRewritten: true, isTimestamp: isDateName })
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
  const count = Math.max(0, ...columns.map(([, cells]) => cells.length))
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
