/** Tables for tests, with features inferred from their rows. */
import type { Feature, Table } from '../../src/contracts/rows.ts'
import { isDict, isFloat, isList, type PyDict, type PyValue } from '../../src/python/value.ts'
import { toCell } from '../conformance/tables.ts'

function featureOf(value: PyValue): Feature {
  if (value === null) return 'null'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (isList(value)) return { list: featureOf(value[0] ?? null) }
  if (isDict(value)) return { struct: [...value].map(([name, item]) => [name, featureOf(item)] as const) }
  return isFloat(value) ? 'float64' : 'int64'
}

/** A table of rows that all have the first row's columns and types. */
export function tableOf(rows: readonly PyDict[]): Table {
  const columns = [...(rows[0] ?? [])].map(([name, value]) => ({ name, type: featureOf(value) }))
  return { columns, rows: rows.map((row) => columns.map(({ name }) => toCell(row.get(name) ?? null))) }
}

/** Rows from plain objects; integral numbers are ints. */
export function rowsOf(rows: readonly { readonly [column: string]: PyValue }[]): PyDict[] {
  return rows.map((row) => new Map(Object.entries(row)))
}
