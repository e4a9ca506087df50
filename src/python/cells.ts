/** Cells of a table as Python values. */
import type { Cell, Feature, Table } from '../contracts/rows.ts'
import { encodeKey, isCellList, pyFloat, pyInt, untyped, type PyDict, type PyValue } from './value.ts'

/** A table's cell as a Python value; its feature tells floats from ints and gives a record's fields their order. */
function fromCell(cell: Cell, feature: Feature): PyValue {
  if (cell === null) return null
  if (feature === 'float64')
    return typeof cell === 'number' ? pyFloat(cell) : typeof cell === 'bigint' ? pyFloat(Number(cell)) : untyped(cell)
  if (feature === 'json') return fromLooseCell(cell)
  if (typeof feature === 'string') return untyped(cell)
  if ('list' in feature) return isCellList(cell) ? cell.map((item) => fromCell(item, feature.list)) : untyped(cell)
  if (typeof cell !== 'object' || isCellList(cell)) return untyped(cell)
  return new Map(
    feature.struct.map(([name, type]) => [encodeKey(name), fromCell(Object.hasOwn(cell, name) ? (cell[name] ?? null) : null, type)]),
  )
}

/** A cell of a column of mixed shapes: ints are bigints there, so that a number is a float. */
function fromLooseCell(cell: Cell): PyValue {
  if (typeof cell === 'number') return pyFloat(cell)
  if (typeof cell === 'bigint') return pyInt(cell)
  if (cell === null || typeof cell !== 'object') return cell
  if (isCellList(cell)) return cell.map(fromLooseCell)
  return new Map(Object.entries(cell).map(([key, item]) => [encodeKey(key), fromLooseCell(item)]))
}

/** The table's rows as docs, in order: each a dict of all columns in column order. */
export function docsOfTable(table: Table): PyDict[] {
  const columns = table.columns.map(({ name, type }) => ({ key: encodeKey(name), type }))
  return table.rows.map((row) => new Map(columns.map(({ key, type }, index) => [key, fromCell(row[index] ?? null, type)])))
}
