/** A case's rows as the tables that data sources deliver. */
import type { Cell, Feature, Table } from '../../src/contracts/rows.ts'
import { isDict, isList, str, toNumber, type PyValue } from '../../src/python/value.ts'
import { dict, get, list } from './values.ts'

const simpleFeatures: ReadonlyMap<PyValue, Feature> = new Map(
  (['string', 'int64', 'float64', 'bool', 'null'] as const).map((name): [PyValue, Feature] => [name, name]),
)

/** Rows with the column types that the corpus gives beside them. */
export function typedTable(rows: PyValue, features: PyValue): Table {
  const columns = [...dict(features)].map(([name, type]) => ({ name, type: toFeature(type) }))
  return { columns, rows: list(rows).map((row) => columns.map(({ name }) => toCell(get(row, name)))) }
}

/** Rows whose numbers tell their type themselves; the columns are those of all rows, in order of appearance. */
export function untypedTable(rows: PyValue): Table {
  const names = [...new Set(list(rows).flatMap((row) => [...dict(row).keys()]))]
  return {
    columns: names.map((name) => ({ name, type: 'json' })),
    rows: list(rows).map((row) => names.map((name) => toUntypedCell(get(row, name)))),
  }
}

/** The value as a cell of a typed column. */
export function toCell(value: PyValue): Cell {
  if (isList(value)) return value.map(toCell)
  if (isDict(value)) return Object.fromEntries([...value].map(([key, item]) => [key, toCell(item)]))
  const isPlain = typeof value === 'bigint' || value === null || typeof value === 'string' || typeof value === 'boolean'
  return isPlain ? value : (toNumber(value) ?? null)
}

function toFeature(value: PyValue): Feature {
  if (isList(value)) return { list: toFeature(value[0] ?? null) }
  if (isDict(value)) return { struct: [...value].map(([name, type]) => [name, toFeature(type)] as const) }
  const feature = simpleFeatures.get(value)
  if (feature === undefined) throw new Error(`unknown feature ${str(value)}`)
  return feature
}

/** As `toCell`, with ints as bigints, so that what is a number is a float. */
function toUntypedCell(value: PyValue): Cell {
  if (isList(value)) return value.map(toUntypedCell)
  if (isDict(value)) return Object.fromEntries([...value].map(([key, item]) => [key, toUntypedCell(item)]))
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : toCell(value)
}
