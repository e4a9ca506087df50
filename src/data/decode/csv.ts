/** csv and tsv files as a table, typed as `datasets` (pandas' read_csv) types them. */
import { EvalError, type Json } from '../../base/errors.ts'
import type { Cell, Feature, Table } from '../../contracts/rows.ts'
import type { CsvDialect, CsvRecord } from './csv-tokens.ts'

export interface CsvOptions extends CsvDialect {
  /** Names of the columns; null = the first record. With names and `hasHeader` the first record is dropped. */
  readonly names: readonly string[] | null
  readonly hasHeader: boolean
  /** Columns whose fields are texts, whatever they look like. */
  readonly textColumns: ReadonlySet<string>
}

/** Rows per chunk, as `datasets` asks pandas for them: the first chunk decides the types, later ones are cast to them. */
export const csvChunkRows = 10_000

/** Loader options that change what is read, by the names that `datasets` gives them. Throws `task/unsupported` for those not covered. */
export function readCsvOptions(kwargs: { readonly [key: string]: Json }, separatorByName: string): CsvOptions {
  const known = new Set(['sep', 'delimiter', 'quotechar', 'quoting', 'names', 'column_names', 'header', 'encoding', 'data_dir', 'features'])
  const ignored = new Set(['engine', 'on_bad_lines', 'keep_default_na_default', 'low_memory'])
  const odd = Object.keys(kwargs).find((key) => !known.has(key) && !ignored.has(key))
  if (odd !== undefined)
    throw new EvalError('task/unsupported', `dataset_kwargs: the csv option '${odd}' is not supported.`, { details: { option: odd } })
  const text = (key: string): string | null => (typeof kwargs[key] === 'string' ? kwargs[key] : null)
  const separator = text('delimiter') ?? text('sep') ?? separatorByName
  if (separator.length !== 1)
    throw new EvalError('task/unsupported', `dataset_kwargs: a csv separator is one character, not ${JSON.stringify(separator)}.`)
  const given = kwargs['column_names'] ?? kwargs['names']
  const names = Array.isArray(given) ? given.map(String) : null
  const { header, features } = kwargs
  // Names of text columns, where a README's config declares types: see `source-repository.ts`.
  const textColumns = new Set(Array.isArray(features) ? features.map(String) : [])
  const hasHeader = header === undefined || header === 'infer' ? names === null : header !== null
  return { separator, quote: kwargs['quoting'] === 3 ? null : (text('quotechar') ?? '"'), names, hasHeader, textColumns }
}

/** The columns of one file, by the order of its fields, and of the whole split once its first chunk is typed. */
interface CsvColumns {
  readonly names: readonly string[]
  readonly columns: Table['columns'] | null
  readonly textColumns: ReadonlySet<string>
}

/** The names of a file's columns, from its first record, which is a row when `hasHeader` is false. */
export function namesOfCsv(first: CsvRecord | undefined, { names, hasHeader }: CsvOptions, file: string): readonly string[] {
  const width = first?.fields.length ?? names?.length
  if (width === undefined) throw new EvalError('dataset/malformed', `${file}: no columns, the file is empty.`, { details: { file } })
  return names ?? (hasHeader && first !== undefined ? nameColumns(first.fields) : Array.from({ length: width }, (_, at) => String(at)))
}

/** Up to `csvChunkRows` records as a table: typed by themselves, then cast to `columns`. Throws `dataset/malformed`, `dataset/schema`. */
export function tableOfRecords(records: readonly CsvRecord[], { names, columns: settled, textColumns }: CsvColumns, file: string): Table {
  const parsed = names.map((name, at): ParsedColumn => {
    const fields = records.map((record) => fieldOf(record, at, names.length, file))
    if (textColumns.has(name)) return { type: 'string', cells: fields }
    const wide = readWideIntegers(fields)
    if (wide === 'fits') return parseColumn(fields)
    // pandas falls back to the texts as they are, those for "not available" among them.
    if (wide === 'texts') return { type: 'string', cells: records.map((record) => record.fields[at] ?? '') }
    throw new EvalError('dataset/schema', `${file}: the column '${name}' holds integers that 64 bits can't hold.`, {
      details: { file, column: name },
    })
  })
  const columns = settled ?? names.map((name, at) => ({ name, type: parsed[at]?.type ?? 'null' }))
  // The first of two with one name.
  const places = new Map([...names.entries()].reverse().map(([at, name]) => [name, at]))
  const cast = columns.map(({ name, type }) => {
    const column = parsed[places.get(name) ?? -1]
    if (column === undefined)
      throw new EvalError('dataset/schema', `${file} has no column '${name}', which the first file has.`, {
        details: { file, column: name },
      })
    return castColumn(column, type, { name, file, records })
  })
  return { columns, rows: records.map((_, row) => cast.map((column) => column[row] ?? null)) }
}

/** Empty names become `Unnamed: i`, repeated ones `name.1`, `name.2`. */
function nameColumns(fields: readonly string[]): string[] {
  const given = fields.map((field, at) => (field === '' ? `Unnamed: ${at}` : field))
  const taken = new Set(given)
  const seen = new Set<string>()
  const counts = new Map<string, number>()
  return given.map((name) => {
    if (!seen.has(name)) {
      seen.add(name)
      return name
    }
    let count = counts.get(name) ?? 1
    while (taken.has(`${name}.${count}`)) count += 1
    counts.set(name, count + 1)
    taken.add(`${name}.${count}`)
    return `${name}.${count}`
  })
}

/** The field's text, or null when it is missing or one of the texts for "not available". */
function fieldOf({ fields, line }: CsvRecord, at: number, width: number, file: string): string | null {
  if (fields.length > width) {
    // Where this is the first row, pandas takes the fields in front for row labels and moves every column along: refused, not followed.
    throw new EvalError('dataset/malformed', `${file}, line ${line}: ${width} fields expected, ${fields.length} found.`, {
      details: { file, line },
    })
  }
  const field = fields[at]
  return field === undefined || notAvailable.has(field) ? null : field
}

/** pandas' default list. */
const notAvailable = new Set([
  '',
  '#N/A',
  '#N/A N/A',
  '#NA',
  '-1.#IND',
  '-1.#QNAN',
  '-NaN',
  '-nan',
  '1.#IND',
  '1.#QNAN',
  '<NA>',
  'N/A',
  'NA',
  'NULL',
  'NaN',
  'None',
  'n/a',
  'nan',
  'null',
])

interface ParsedColumn {
  readonly type: Feature
  readonly cells: readonly CsvCell[]
}

type CsvCell = null | string | number | bigint | boolean

const integerPattern = /^\s*[+-]?\d+\s*$/

/**
 * What pandas does with a column whose first field that is no int64 is an integer all the same: as unsigned it may fit; beside a missing or
 * negative one it makes the column one of texts; where all are integers, Arrow refuses them. Without such a field all is well.
 */
function readWideIntegers(fields: readonly (string | null)[]): 'fits' | 'texts' | 'refused' {
  const odd = fields.find((field) => field !== null && !(integerPattern.test(field) && isWithin(field, -(2n ** 63n), 2n ** 63n - 1n)))
  if (odd === undefined || odd === null || !integerPattern.test(odd)) return 'fits'
  let hasNegative = false
  let hasUnsigned = false
  for (const field of fields) {
    if (field === null) continue
    if (field.trim().startsWith('-')) hasNegative = true
    else if (!integerPattern.test(field)) return 'fits'
    else if (!isWithin(field, 0n, 2n ** 64n - 1n))
      return fields.every((one) => one === null || integerPattern.test(one)) ? 'refused' : 'texts'
    else if (!isWithin(field, 0n, 2n ** 63n - 1n)) hasUnsigned = true
  }
  if (hasUnsigned) return hasNegative || fields.includes(null) ? 'texts' : 'fits'
  return fields.every((one) => one === null || integerPattern.test(one)) ? 'refused' : 'texts'
}

function isWithin(field: string, low: bigint, high: bigint): boolean {
  const value = Number(field)
  if (Number.isSafeInteger(value)) return value >= low && value <= high
  const exact = BigInt(field.trim().replace('+', ''))
  return exact >= low && exact <= high
}

function parseColumn(fields: readonly (string | null)[]): ParsedColumn {
  const present = fields.filter((field) => field !== null)
  if (present.length === 0) return { type: 'float64', cells: fields }
  const integers = parseAll(fields, readInteger)
  if (integers !== null && present.length === fields.length) return { type: 'int64', cells: integers }
  // Read as integers first: -0 is 0 there.
  if (integers !== null) return { type: 'float64', cells: integers.map((cell) => (cell === null ? null : Number(cell))) }
  const floats = parseAll(fields, readFloat)
  if (floats !== null) return { type: 'float64', cells: floats }
  const booleans = parseAll(fields, (field) => boolTexts.get(field) ?? null)
  return booleans === null ? { type: 'string', cells: fields } : { type: 'bool', cells: booleans }
}

const boolTexts = new Map([
  ...['True', 'TRUE', 'true'].map((text) => [text, true] as const),
  ...['False', 'FALSE', 'false'].map((text) => [text, false] as const),
])

/** Null as soon as one field that is there can't be read. */
function parseAll(fields: readonly (string | null)[], read: (field: string) => CsvCell): CsvCell[] | null {
  const cells: CsvCell[] = []
  for (const field of fields) {
    const cell = field === null ? null : read(field)
    if (field !== null && cell === null) return null
    cells.push(cell)
  }
  return cells
}

function readInteger(field: string): number | bigint | null {
  if (!/^\s*[+-]?\d+\s*$/.test(field)) return null
  const value = Number(field)
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  const integer = BigInt(field.trim().replace('+', ''))
  return integer >= -(2n ** 63n) && integer < 2n ** 64n ? integer : null
}

function readFloat(field: string): number | null {
  if (/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(field)) return Number(field)
  const infinity = /^\s*([+-]?)inf(inity)?\s*$/i.exec(field)
  return infinity === null ? null : infinity[1] === '-' ? -Infinity : Infinity
}

interface ColumnPlace {
  readonly name: string
  readonly file: string
  readonly records: readonly CsvRecord[]
}

/** A later chunk's cells in the type of the first chunk, where Arrow can cast; else `dataset/schema` with the line. */
function castColumn({ type, cells }: ParsedColumn, wanted: Feature, { name, file, records }: ColumnPlace): readonly Cell[] {
  if (type === wanted) return cells
  return cells.map((cell, at) => {
    if (cell === null) return null
    const cast = castCell(cell, type, wanted)
    if (cast !== null) return cast
    const line = records[at]?.line ?? 0
    const message = `${file}, line ${line}: column '${name}' holds ${JSON.stringify(wanted)} in its first ${csvChunkRows} rows, but here ${JSON.stringify(records[at]?.fields)}.`
    throw new EvalError('dataset/schema', message, { details: { file, line, column: name } })
  })
}

function castCell(cell: string | number | bigint | boolean, type: Feature, wanted: Feature): Cell {
  if (wanted === 'string') return typeof cell === 'number' && type === 'float64' && Number.isInteger(cell) ? cell.toFixed(1) : String(cell)
  if (wanted === 'float64') return typeof cell === 'string' ? readFloat(cell) : typeof cell === 'boolean' ? null : Number(cell)
  if (wanted === 'int64')
    return typeof cell === 'string' ? readInteger(cell) : Number.isInteger(cell) || typeof cell === 'bigint' ? cell : null
  return null
}
