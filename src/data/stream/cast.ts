/** Later chunks of a split in the column types of its first, as `datasets` (table_cast over pyarrow's casts) does it. */
import { EvalError } from '../../base/errors.ts'
import type { Cell, Feature, Table } from '../../contracts/rows.ts'

/** What the first chunk has settled. */
export interface SettledColumns {
  readonly columns: Table['columns']
  /** Columns whose texts are all timestamps. */
  readonly timestamps: ReadonlySet<string>
  /** Nothing is cast: types must be equal. */
  readonly isStrict: boolean
}

/** `inferred` with `json` wherever the settled type has it: such places are encoded before they are typed. */
export function settleJson(inferred: Feature, settled: Feature): Feature {
  if (settled === 'json') return 'json'
  if (typeof inferred === 'string' || typeof settled === 'string') return inferred
  if ('list' in inferred) return 'list' in settled ? { list: settleJson(inferred.list, settled.list) } : inferred
  if (!('struct' in settled)) return inferred
  const fields = new Map(settled.struct)
  return { struct: inferred.struct.map(([name, type]) => [name, settleJson(type, fields.get(name) ?? type)] as const) }
}

/** Columns of a chunk, typed by the chunk alone. */
type ChunkColumns = Omit<SettledColumns, 'isStrict'>

/**
 * From a chunk's rows to rows under the settled columns: missing ones are null. Throws `dataset/schema` at once for further columns and for
 * types of which no value can be cast, and later for a value that its settled type can't hold.
 */
export function rowCaster(chunk: ChunkColumns, settled: SettledColumns, file: string): (cells: readonly Cell[]) => readonly Cell[] {
  const { columns, timestamps, isStrict } = settled
  const extra = chunk.columns.find(({ name }) => columns.every((column) => column.name !== name))
  if (extra !== undefined) throw misfit(file, extra.name, 'is not among the columns that the first rows have')
  const casts = columns.map(({ name, type }) => {
    const at = chunk.columns.findIndex((column) => column.name === name)
    const found = chunk.columns[at]?.type ?? 'null'
    if (isStrict && !isSame(found, type)) throw misfit(file, name, `is ${inWords(found)} here and ${inWords(type)} in the first file`)
    if (timestamps.has(name) && found === 'string' && !chunk.timestamps.has(name))
      throw misfit(file, name, 'holds a timestamp in each of the first rows, but not here')
    const convert = converter(found, type)
    if (convert === null) throw misfit(file, name, `is ${inWords(found)} here and ${inWords(type)} in the first rows`)
    return (cells: readonly Cell[]): Cell => {
      const cell = cells[at] ?? null
      if (cell === null) return null
      const value = convert(cell)
      if (value === undefined) throw misfit(file, name, `is ${inWords(type)} in the first rows, which can't hold ${showCell(cell)}`)
      return value
    }
  })
  return (cells) => casts.map((cast) => cast(cells))
}

/** A whole table under the settled columns; see `rowCaster`. */
export function castToSettled(table: Table, settled: SettledColumns, file: string): Table {
  const cast = rowCaster({ columns: table.columns, timestamps: new Set() }, settled, file)
  return { columns: settled.columns, rows: table.rows.map(cast) }
}

function misfit(file: string, column: string, what: string): EvalError {
  return new EvalError('dataset/schema', `${file}: the column '${column}' ${what}.`, { details: { file, column } })
}

function showCell(cell: Cell): string {
  return typeof cell === 'bigint'
    ? String(cell)
    : JSON.stringify(cell, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)).slice(0, 80)
}

/** A type as messages name it. */
function inWords(type: Feature): string {
  if (typeof type === 'string') return type
  return 'list' in type
    ? `list of ${inWords(type.list)}`
    : `{${type.struct.map(([name, inner]) => `${name}: ${inWords(inner)}`).join(', ')}}`
}

function isSame(a: Feature, b: Feature): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Gives undefined for a value that doesn't fit. */
type Convert = (cell: NonNullable<Cell>) => Cell | undefined

/** From one type to another; null when no value could be cast. */
function converter(from: Feature, to: Feature): Convert | null {
  if (from === 'null' || isSame(from, to)) return (cell) => cell
  if (typeof from === 'string' || typeof to === 'string') {
    const convert = typeof from === 'string' && typeof to === 'string' ? scalars.get(`${from} ${to}`) : undefined
    return convert === undefined ? null : (cell) => convert(cell as Scalar) // Its type says so.
  }
  if ('list' in from) return 'list' in to ? listConverter(from.list, to.list) : null
  return 'struct' in to ? structConverter(from.struct, to.struct) : null
}

function listConverter(from: Feature, to: Feature): Convert | null {
  const convert = converter(from, to)
  if (convert === null) return null
  return (cell) => {
    const items = (cell as readonly Cell[]).map((item) => (item === null ? null : convert(item))) // Its type says list.
    return items.every((item) => item !== undefined) ? items : undefined
  }
}

type Fields = readonly (readonly [name: string, type: Feature])[]

function structConverter(from: Fields, to: Fields): Convert | null {
  if (from.some(([name]) => to.every(([other]) => other !== name))) return null
  const given = new Map(from)
  const fields = to.map(([name, type]) => [name, converter(given.get(name) ?? 'null', type)] as const)
  return (cell) => {
    const record = cell as { readonly [key: string]: Cell } // Its type says struct.
    const cast: [string, Cell][] = []
    for (const [name, convert] of fields) {
      const value = record[name] ?? null
      const done = value === null ? null : convert?.(value)
      if (done === undefined) return undefined
      cast.push([name, done])
    }
    return Object.fromEntries(cast)
  }
}

type Scalar = boolean | number | bigint | string

/** By the two types; a cell of the first is what its function gets. */
const scalars: ReadonlyMap<string, (cell: Scalar) => Cell | undefined> = new Map<string, (cell: Scalar) => Cell | undefined>([
  ['int64 float64', Number],
  ['float64 int64', (cell) => (Number.isSafeInteger(cell) ? cell : undefined)],
  ['bool int64', Number],
  ['bool float64', Number],
  ['int64 bool', (cell) => Number(cell) !== 0],
  ['int64 string', String],
  ['float64 string', (cell) => printFloat(Number(cell))],
  ['bool string', String],
  ['string int64', (cell) => readInteger(String(cell))],
  ['string float64', (cell) => readFloat(String(cell))],
  ['string bool', (cell) => readBool(String(cell))],
])

/** JavaScript writes floats as pyarrow does. */
function printFloat(value: number): string {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
}

function readInteger(text: string): Cell | undefined {
  if (!/^-?\d+$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : BigInt(text)
}

function readFloat(text: string): number | undefined {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined
}

function readBool(text: string): boolean | undefined {
  const known = new Map([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])
  return known.get(text.toLowerCase())
}
