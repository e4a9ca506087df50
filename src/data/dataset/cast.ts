/** Casting a decoded table to the columns that its repository declares, by the rules of Arrow's casts as `datasets` applies them. */
import { EvalError } from '../../base/errors.ts'
import type { Cell, Feature, Table } from '../../contracts/rows.ts'
import { castValue, featureOfDtype } from './cast-value.ts'
import type { Format } from './extension.ts'
import type { DeclaredColumns, DeclaredFeature } from '../../contracts/declared-columns.ts'

/**
 * The table with exactly the declared columns, in their order; a column that the files lack is null. `format` decides what class labels may
 * be: names become ids, but csv files must hold the ids already.
 * Throws `dataset/schema` for a column that isn't declared and for a value that the declared type can't hold.
 */
export function castTable(table: Table, declared: DeclaredColumns, format: Format, where: string): Table {
  const known = new Set(declared.map(([name]) => name))
  const odd = table.columns.filter(({ name }) => !known.has(name)).map(({ name }) => name)
  if (odd.length > 0) {
    const message = `${where}: the files have columns that its dataset_info does not declare (${odd.join(', ')}); declared are ${[...known].join(', ')}.`
    throw new EvalError('dataset/schema', message, { details: { columns: odd } })
  }
  const columns = declared.map(([name, type]) => ({ name, type: featureOf(type) }))
  // Arrow looks at values only when the types differ; a label out of range stays unseen then.
  const isSame =
    columns.length === table.columns.length &&
    columns.every(({ name, type }, at) => name === table.columns[at]?.name && isEqual(type, table.columns[at].type))
  const casts = declared.map(([name, type]) => {
    const at = table.columns.findIndex((column) => column.name === name)
    const source = table.columns[at]?.type ?? 'null'
    const context: CastContext = {
      place: `${where}, column '${name}'`,
      acceptsNames: format !== 'csv',
      maySingle: format === 'parquet',
      checksLabels: !isSame,
    }
    return (row: readonly Cell[], index: number): Cell => castCell(row[at] ?? null, source, type, { ...context, row: index })
  })
  return { columns, rows: table.rows.map((row, index) => casts.map((cast) => cast(row, index))) }
}

interface CastContext {
  readonly place: string
  readonly acceptsNames: boolean
  readonly maySingle: boolean
  readonly checksLabels: boolean
  /** Index of the row, from 0. */
  readonly row?: number
}

/** How a declared type appears in a table. Images and the like are kept as they are. */
function featureOf(type: DeclaredFeature): Feature {
  switch (type.kind) {
    case 'value':
      return featureOfDtype(type.dtype)
    case 'label':
      return 'int64'
    case 'list':
      return { list: featureOf(type.item) }
    case 'struct':
      return { struct: type.fields.map(([name, field]) => [name, featureOf(field)] as const) }
    case 'json':
    case 'other':
      return 'json'
  }
}

function isEqual(a: Feature, b: Feature): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  if ('list' in a) return 'list' in b && isEqual(a.list, b.list)
  return (
    'struct' in b &&
    a.struct.length === b.struct.length &&
    a.struct.every(([name, type], at) => name === b.struct[at]?.[0] && isEqual(type, b.struct[at][1]))
  )
}

function castCell(cell: Cell, source: Feature, type: DeclaredFeature, context: CastContext): Cell {
  if (cell === null) return null
  switch (type.kind) {
    case 'value':
      return castValue(cell, source, type.dtype, context.maySingle) ?? refuse(cell, type.dtype, context)
    case 'label':
      return castLabel(cell, type.names, context)
    case 'list':
      return castList(cell, source, type, context)
    case 'struct':
      return castRecord(cell, source, type.fields, context)
    case 'json':
    case 'other':
      return loosen(cell, source)
  }
}

function castLabel(cell: Cell, names: readonly string[], context: CastContext): Cell {
  if (typeof cell === 'string') {
    const id = context.acceptsNames ? labelOf(cell, names) : castValue(cell, 'string', 'int64')
    return id ?? refuse(cell, `class_label (${names.slice(0, 20).join(', ')})`, context)
  }
  const id = castValue(cell, 'int64', 'int64')
  if (id === null || (context.checksLabels && Number(id) >= names.length))
    return refuse(cell, `class_label of ${names.length} classes`, context)
  return id
}

/** By name, by name without white space around it, or by its number. */
function labelOf(text: string, names: readonly string[]): number | null {
  for (const name of [text, text.trim()]) if (names.includes(name)) return names.indexOf(name)
  const id = /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : NaN
  return id >= -1 && id < names.length ? id : null
}

function castList(cell: Cell, source: Feature, type: DeclaredFeature & { readonly kind: 'list' }, context: CastContext): Cell {
  if (!isList(cell) || (type.length !== null && cell.length !== type.length)) {
    return refuse(cell, type.length === null ? 'a list' : `a list of ${type.length}`, context)
  }
  const inner = typeof source === 'object' && 'list' in source ? source.list : null
  return cell.map((item) => castCell(item, inner ?? looseType(item), type.item, context))
}

function castRecord(cell: Cell, source: Feature, fields: DeclaredColumns, context: CastContext): Cell {
  if (!isRecord(cell)) return refuse(cell, `a record of ${fields.map(([name]) => name).join(', ')}`, context)
  const sources = new Map(typeof source === 'object' && 'struct' in source ? source.struct : [])
  const odd = Object.keys(cell).find((name) => !fields.some(([field]) => field === name))
  if (odd !== undefined) return refuse(cell, `a record without '${odd}'`, context)
  return Object.fromEntries(
    fields.map(([name, type]) => {
      const value = Object.hasOwn(cell, name) ? (cell[name] ?? null) : null
      return [name, castCell(value, sources.get(name) ?? looseType(value), type, context)]
    }),
  )
}

/** The type of a value within a cell of type `json`. */
function looseType(cell: Cell): Feature {
  if (typeof cell === 'string') return 'string'
  if (typeof cell === 'bigint') return 'int64'
  if (typeof cell === 'number') return 'float64'
  return typeof cell === 'boolean' ? 'bool' : 'json'
}

/** A cell of a known type as one of type `json`, where integers are bigints. */
function loosen(cell: Cell, source: Feature): Cell {
  if (source === 'json') return cell
  if (typeof cell === 'number') return source === 'int64' ? BigInt(cell) : cell
  if (isList(cell)) return cell.map((item) => loosen(item, typeof source === 'object' && 'list' in source ? source.list : 'json'))
  if (!isRecord(cell)) return cell
  const fields = new Map(typeof source === 'object' && 'struct' in source ? source.struct : [])
  return Object.fromEntries(Object.entries(cell).map(([name, value]) => [name, loosen(value, fields.get(name) ?? 'json')]))
}

function refuse(cell: Cell, wanted: string, { place, row = 0 }: CastContext): never {
  const found = JSON.stringify(cell, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)).slice(0, 120)
  throw new EvalError('dataset/schema', `${place}, row ${row}: dataset_info declares ${wanted}, which can't hold ${found}.`, {
    details: { row },
  })
}

function isList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell)
}

function isRecord(cell: Cell): cell is { readonly [key: string]: Cell } {
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell)
}
