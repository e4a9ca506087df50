/** Arrow's casts between plain values: what text makes a number, which numbers an int8 can hold, how a float is printed. */
import type { Cell, Feature } from '../../contracts/rows.ts'
import { printDatetime, readTimestamp } from '../decode/timestamps.ts'

/** How an Arrow type appears in a table: dates and times are their texts. */
export function featureOfDtype(dtype: string): Feature {
  if (/^u?int\d+$/.test(dtype)) return 'int64'
  if (/^(float|double|halffloat)/.test(dtype) || dtype.startsWith('decimal')) return 'float64'
  return dtype === 'bool' ? 'bool' : 'string'
}

/** True for Arrow's types of text. */
export function isTextType(dtype: string): boolean {
  return /^(large_)?(string|utf8)(_view)?$/.test(dtype)
}

/**
 * `cell` (not null, of type `source`) as the Arrow type `dtype`; null when Arrow refuses. In a cell of type `json` integers are bigints.
 * `maySingle`: the file may hold floats of 32 bits, which print shorter.
 * Follows pyarrow 26: whole floats become integers, 1 and "true" become true, a float's text has no `.0`.
 */
export function castValue(cell: Cell, source: Feature, dtype: string, maySingle = false): number | bigint | string | boolean | null {
  if (cell === null) return null
  if (isTextType(dtype)) return printCell(cell, source, maySingle)
  if (/^u?int\d+$/.test(dtype)) return toInteger(cell, dtype)
  if (/^(float|double|halffloat)/.test(dtype)) return toFloat(cell, dtype)
  if (dtype === 'bool') return toBoolean(cell)
  if (dtype.startsWith('timestamp')) return source === 'float64' ? null : toTimestamp(cell, dtype)
  if (dtype === 'date32' || dtype === 'date64') return typeof cell === 'string' ? toDate(cell) : null
  // Bytes, times of day and decimals: what the file holds is kept when it is what a table keeps of them.
  if (dtype.startsWith('decimal')) return typeof cell === 'number' || typeof cell === 'bigint' ? Number(cell) : null
  return typeof cell === 'string' ? cell : null
}

function printCell(cell: Exclude<Cell, null>, source: Feature, maySingle: boolean): string | null {
  if (source === 'json') return typeof cell === 'string' ? JSON.stringify(cell) : printJson(cell)
  if (typeof cell === 'string') return cell
  if (typeof cell === 'boolean' || typeof cell === 'bigint') return String(cell)
  if (typeof cell === 'number') return source === 'float64' ? printFloat(cell, maySingle) : String(cell)
  return null
}

/** Cells of mixed shapes go to text as JSON. */
function printJson(cell: Cell): string {
  if (typeof cell === 'bigint') return String(cell)
  if (typeof cell === 'number') return Number.isInteger(cell) && Math.abs(cell) < 1e15 ? cell.toFixed(1) : String(cell)
  if (Array.isArray(cell)) return `[${cell.map((item: Cell) => printJson(item)).join(',')}]`
  if (typeof cell === 'object' && cell !== null)
    return `{${Object.entries(cell)
      .map(([key, value]) => `${JSON.stringify(key)}:${printJson(value)}`)
      .join(',')}}`
  return JSON.stringify(cell)
}

/** Shortest digits that give the number back; an exponent from 1e10 on and below 1e-6. */
function printFloat(value: number, maySingle: boolean): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Object.is(value, -0)) return '-0'
  const shortest = maySingle ? shortestSingle(value) : value
  const [digits = '', exponentText = '0'] = shortest.toExponential().split('e')
  const exponent = Number(exponentText)
  if (exponent >= 10) return `${digits}e+${exponent}`
  if (exponent < -6) return `${digits}e${exponent}`
  if (exponent >= 0) return String(shortest)
  const sign = value < 0 ? '-' : ''
  return `${sign}0.${'0'.repeat(-exponent - 1)}${digits.replace(/[-.]/g, '')}`
}

/** The number with the fewest digits that a float of 32 bits can't tell from `value`; `value` itself when it is none. */
function shortestSingle(value: number): number {
  if (Math.fround(value) !== value) return value
  for (let digits = 1; digits <= 9; digits++) {
    const shorter = Number(value.toPrecision(digits))
    if (Math.fround(shorter) === value) return shorter
  }
  return value
}

function toInteger(cell: Exclude<Cell, null>, dtype: string): number | bigint | null {
  const value = integerOf(cell)
  if (value === null) return null
  const bits = BigInt(dtype.replace(/\D/g, ''))
  const isUnsigned = dtype.startsWith('u')
  const low = isUnsigned ? 0n : -(2n ** (bits - 1n))
  const high = isUnsigned ? 2n ** bits - 1n : 2n ** (bits - 1n) - 1n
  if (value < low || value > high) return null
  const isSafe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
  return isSafe ? Number(value) : value
}

function integerOf(cell: Exclude<Cell, null>): bigint | null {
  if (typeof cell === 'bigint') return cell
  if (typeof cell === 'boolean') return cell ? 1n : 0n
  if (typeof cell === 'number') return Number.isInteger(cell) ? BigInt(cell) : null
  if (typeof cell === 'string') return /^(-?\d+|0[xX][0-9a-fA-F]+)$/.test(cell) ? readBigInt(cell) : null
  return null
}

function readBigInt(text: string): bigint {
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text)
}

function toFloat(cell: Exclude<Cell, null>, dtype: string): number | null {
  const isDouble = dtype === 'float64' || dtype === 'double'
  const isHalf = dtype === 'float16' || dtype === 'halffloat'
  const round = isDouble ? (value: number) => value : isHalf ? roundToHalf : Math.fround
  if (typeof cell === 'boolean') return isHalf ? null : Number(cell)
  if (typeof cell === 'string') {
    if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(cell)) return round(Number(cell))
    const word = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(cell)
    if (word === null) return null
    return word[2] === undefined ? NaN : word[1] === '-' ? -Infinity : Infinity
  }
  if (typeof cell !== 'number' && typeof cell !== 'bigint') return null
  // Integers that the float can't hold exactly are refused, as Arrow does.
  const limit = isDouble ? 2n ** 53n : isHalf ? 2n ** 11n : 2n ** 24n
  if (typeof cell === 'bigint' && (cell > limit || cell < -limit)) return null
  return round(Number(cell))
}

function roundToHalf(value: number): number {
  if (value === 0 || !Number.isFinite(value)) return value
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(value))), -14)
  const step = 2 ** (exponent - 10)
  const scaled = value / step
  const floor = Math.floor(scaled)
  const rest = scaled - floor
  const rounded = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor
  return Math.abs(rounded * step) > 65504 ? Math.sign(value) * Infinity : rounded * step
}

function toBoolean(cell: Exclude<Cell, null>): boolean | null {
  if (typeof cell === 'boolean') return cell
  if (typeof cell === 'number' || typeof cell === 'bigint') return Number(cell) !== 0
  if (typeof cell !== 'string') return null
  if (/^(true|1)$/i.test(cell)) return true
  return /^(false|0)$/i.test(cell) ? false : null
}

const perSecond = new Map([
  ['s', 1n],
  ['ms', 1000n],
  ['us', 1_000_000n],
  ['ns', 1_000_000_000n],
])

/** As Python prints it; with a zone `+00:00` would follow, which no table keeps. */
function toTimestamp(cell: Exclude<Cell, null>, dtype: string): string | null {
  const unit = perSecond.get(/^timestamp\[(\w+)/.exec(dtype)?.[1] ?? '')
  if (typeof cell === 'string') {
    // The decoders have printed moments already, with the fraction a coarser unit would refuse.
    const [whole = '', fraction] = cell.split('.')
    const moment = readTimestamp(whole)
    if (moment === null) return null
    return fraction === undefined ? moment : unit !== 1n && /^\d{1,6}$/.test(fraction) ? `${moment}.${fraction.padEnd(6, '0')}` : null
  }
  if (unit === undefined || (typeof cell !== 'number' && typeof cell !== 'bigint') || (typeof cell === 'number' && !Number.isInteger(cell)))
    return null
  const micros = (BigInt(cell) * 1_000_000n) / unit
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  // Python's datetime knows the years 1 to 9999.
  if (micros < -62_135_596_800_000_000n || micros >= 253_402_300_800_000_000n) return null
  return printDatetime(new Date(Number((micros - fraction) / 1000n)), Number(fraction))
}

function toDate(text: string): string | null {
  const [, date, rest = ''] = /^(\d{4}-\d\d-\d\d)(.*)$/.exec(text) ?? []
  return date !== undefined && readTimestamp(date) !== null && (rest === '' || readTimestamp(text) !== null) ? date : null
}
