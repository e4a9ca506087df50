/** Cells with their Python types spelt out, as `make_goldens.py` writes them. */
import type { Cell, Feature, Table } from '../../src/contracts/rows.ts'

export type Typed =
  | null
  | boolean
  | string
  | readonly Typed[]
  | { readonly int: string }
  | { readonly float: string }
  | { readonly dict: readonly (readonly [string, Typed])[] }

/** A row as the dict that Python sees. */
export function typedRow(table: Table, row: number): Typed {
  return { dict: table.columns.map(({ name, type }, at) => [name, typedCell(table.rows[row]?.[at] ?? null, type)] as const) }
}

export function typedCell(cell: Cell, type: Feature): Typed {
  if (cell === null || typeof cell === 'boolean' || typeof cell === 'string') return cell
  if (typeof cell === 'bigint') return { int: String(cell) }
  if (typeof cell === 'number') return type === 'float64' || type === 'json' ? { float: hexOf(cell) } : { int: String(cell) }
  if (isList(cell)) return cell.map((item) => typedCell(item, typeof type === 'object' && 'list' in type ? type.list : 'json'))
  const fields = typeof type === 'object' && 'struct' in type ? type.struct : Object.keys(cell).map((key) => [key, 'json'] as const)
  return { dict: fields.map(([name, inner]) => [name, typedCell(cell[name] ?? null, inner)] as const) }
}

function isList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell)
}

/** As Python's `float.hex`. */
function hexOf(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const sign = bits >> 63n === 1n ? '-' : ''
  const exponent = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  if (exponent === 0 && fraction === 0n) return `${sign}0x0.0p+0`
  const power = exponent === 0 ? -1022 : exponent - 1023
  return `${sign}0x${exponent === 0 ? 0 : 1}.${fraction.toString(16).padStart(13, '0')}p${power < 0 ? '' : '+'}${power}`
}
