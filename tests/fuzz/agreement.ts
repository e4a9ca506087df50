/** Whether a table holds what another reading of the same file found; types may differ as `datasets` makes them differ. */
import type { Cell, Feature, Table } from '../../src/contracts/rows.ts'
import { nonFinite } from './json-reading.ts'

type JsonObject = { readonly [key: string]: unknown }

/** The first difference, or null. `rows` are objects as `JSON.parse` gives them. */
export function differsFromObjects(table: Table, rows: readonly JsonObject[]): string | null {
  if (table.rows.length !== rows.length) return `${table.rows.length} rows, ${rows.length} in another reading`
  const at = new Map(table.columns.map(({ name }, index) => [name, index]))
  for (const [index, row] of rows.entries()) {
    const cells = table.rows[index] ?? []
    if (cells.length !== table.columns.length) return `row ${index} has ${cells.length} cells for ${table.columns.length} columns`
    for (const key of Object.keys(row)) {
      const column = at.get(key)
      if (column === undefined) return `row ${index}: no column ${JSON.stringify(key)}`
      const type = table.columns[column]?.type ?? 'null'
      if (!agrees(cells[column] ?? null, row[key], type))
        return `row ${index}, column ${JSON.stringify(key)} (${JSON.stringify(type)}): ${show(cells[column] ?? null)} for ${JSON.stringify(row[key])}`
    }
    for (const { name } of table.columns)
      if (!Object.hasOwn(row, name) && cells[at.get(name) ?? -1] !== null)
        return `row ${index}: a value in ${JSON.stringify(name)}, which it lacks`
  }
  return null
}

function agrees(cell: Cell, value: unknown, type: Feature): boolean {
  if (value === null || value === undefined) return cell === null
  if (value === nonFinite) return cell === null || (typeof cell === 'number' && !Number.isFinite(cell))
  if (type === 'json') return isLoose(cell, value, true)
  if (cell === null) return false
  if (typeof type === 'object' && 'list' in type) {
    return (
      Array.isArray(value) && isList(cell) && cell.length === value.length && cell.every((item, at) => agrees(item, value[at], type.list))
    )
  }
  if (typeof type === 'object') {
    if (!isObject(value) || !isRecord(cell)) return false
    const names = new Set(type.struct.map(([name]) => name))
    return (
      Object.keys(value).every((key) => names.has(key)) &&
      type.struct.every(([name, inner]) => agrees(Object.hasOwn(cell, name) ? (cell[name] ?? null) : null, own(value, name), inner))
    )
  }
  switch (type) {
    case 'string':
      return cell === value || (typeof cell === 'string' && typeof value === 'string' && isDatePrint(cell, value))
    case 'bool':
      return cell === value
    case 'int64':
    case 'float64':
      return (typeof cell === 'number' || typeof cell === 'bigint') && typeof value === 'number' && isClose(Number(cell), value)
    default:
      return false
  }
}

function own(value: JsonObject, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

/** A date-like text as Python prints the moment. */
function isDatePrint(cell: string, value: string): boolean {
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(cell) && /^\d{4}-\d\d-\d\d/.test(value)
}

/** Cells of mixed shapes: integers are bigints, floats keep ten decimals, texts that are JSON themselves have been read. */
function isLoose(cell: Cell, value: unknown, isTop: boolean): boolean {
  if (value === null || value === undefined) return cell === null
  if (typeof value === 'number') return cell === null ? !Number.isFinite(value) : isClose(Number(cell), value)
  if (typeof value === 'boolean') return cell === value
  if (typeof value === 'string') {
    if (value === nonFinite) return cell === null
    return cell === value || (isTop && parseText(value).some((inner) => isLoose(cell, inner, false)))
  }
  if (Array.isArray(value)) return isList(cell) && cell.length === value.length && cell.every((item, at) => isLoose(item, value[at], false))
  if (!isObject(value) || !isRecord(cell)) return false
  return (
    Object.keys(cell).every((key) => Object.hasOwn(value, key) || cell[key] === null) &&
    Object.keys(value).every((key) => isLoose(Object.hasOwn(cell, key) ? (cell[key] ?? null) : null, value[key], false))
  )
}

/** The value of a text that is JSON: one item, or none. */
function parseText(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    if (/^\s*-?(NaN|Infinity|Inf)\s*$/.test(text)) return [null]
    // Numbers as Python's ujson takes them: 007, 1., 1e, and a dash for 0.
    return /^\s*(-|-?\d+\.?\d*(e[+-]?\d*)?)\s*$/i.test(text) ? [Number.parseFloat(text) || 0] : []
  }
}

function isClose(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= 1e-9 || Math.abs(a - b) <= Math.abs(b) * 1e-14
}

/** The first difference from csv records, the header first; or null. */
export function differsFromRecords(table: Table, [, ...records]: readonly (readonly string[])[]): string | null {
  if (table.rows.length !== records.length) return `${table.rows.length} rows, ${records.length} in another reading`
  for (const [index, fields] of records.entries()) {
    for (const [at, { type, name }] of table.columns.entries()) {
      const cell = table.rows[index]?.[at] ?? null
      const field = fields[at] ?? ''
      if (!isField(cell, field, type))
        return `row ${index}, column ${JSON.stringify(name)} (${JSON.stringify(type)}): ${show(cell)} for ${JSON.stringify(field)}`
    }
  }
  return null
}

function isField(cell: Cell, field: string, type: Feature): boolean {
  // A csv cell is no list and no record.
  if (typeof cell === 'object' && cell !== null) return false
  if (cell === null) return /^(|#?N\/?A( N\/A)?|-?1\.#IND|-?1\.#QNAN|-?[Nn]a[Nn]|<NA>|NULL|null|None|n\/a)$/.test(field)
  if (type === 'string') return cell === field
  if (type === 'bool') return field.toLowerCase() === String(cell)
  if (/inf/i.test(field)) return typeof cell === 'number' && !Number.isFinite(cell)
  return type === 'float64' ? isClose(Number(cell), Number(field)) : String(cell) === String(BigInt(field.trim().replace('+', '')))
}

function show(cell: Cell): string {
  return JSON.stringify(cell, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell)
}

function isRecord(cell: Cell): cell is { readonly [key: string]: Cell } {
  return typeof cell === 'object' && cell !== null && !Array.isArray(cell)
}
