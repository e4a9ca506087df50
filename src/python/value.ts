/**
 * The domain of Python values that task files, rows and templates move through, so that what is printed and compared is what the
 * harness prints and compares.
 *
 * An integral JS `number` is a Python int, a non-integral one a float; `PyFloat` is a float whose value is integral or non-finite;
 * `bigint` is an int beyond 2^53. A plain array is a list, a `PyTuple` a tuple. Dicts are maps (ordered, safe for `__proto__`); a key
 * that is not a string is encoded by `encodeKey` behind a NUL character.
 */
import { EvalError, type Json } from '../base/errors.ts'
import type { Cell } from '../contracts/rows.ts'
import type { Meter } from './meter.ts'
import { reprFloat } from './number.ts'
import { reprString } from './repr-string.ts'

export type PyValue = null | boolean | number | bigint | string | PyFloat | readonly PyValue[] | PyDict

/** An ordered dict. Keys are what `encodeKey` gives: a string for itself, anything else behind a NUL. */
export type PyDict = ReadonlyMap<string, PyValue>

/** A Python float whose value is integral, infinite or NaN. Make floats with `pyFloat`, which picks the right form. */
export class PyFloat {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** A Python tuple: prints with parentheses and never equals a list. Make one with `pyTuple`. */
export class PyTuple extends Array<PyValue> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }
}

/** A tuple of these items, in order. */
export function pyTuple(items: Iterable<PyValue>): PyTuple {
  const tuple = new PyTuple()
  for (const item of items) tuple.push(item)
  return tuple
}

/** The Python float of this value: a plain number when it has a fraction, else a `PyFloat`. */
export function pyFloat(value: number): number | PyFloat {
  return Number.isFinite(value) && !Number.isInteger(value) ? value : new PyFloat(value)
}

/** The Python int of this value: a number where that is exact, else a bigint. */
export function pyInt(value: bigint): number | bigint {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** True for Python floats, however they are held. */
export function isFloat(value: PyValue): value is number | PyFloat {
  return value instanceof PyFloat || (typeof value === 'number' && !Number.isInteger(value))
}

/** True for Python ints proper; booleans, which Python counts among them, are left out. */
export function isInt(value: PyValue): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
}

export function isList(value: PyValue): value is readonly PyValue[] {
  return Array.isArray(value)
}

export function isDict(value: PyValue): value is PyDict {
  return value instanceof Map
}

/** The value as a JS number; null for what is no number. Booleans count as 0 and 1. */
export function toNumber(value: PyValue): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value)
  if (value instanceof PyFloat) return value.value
  return null
}

/** Python's name of the value's type: `str`, `int`, `float`, `bool`, `NoneType`, `list`, `tuple` or `dict`. */
export function typeName(value: PyValue): string {
  if (value === null) return 'NoneType'
  if (typeof value === 'string') return 'str'
  if (typeof value === 'boolean') return 'bool'
  if (isFloat(value)) return 'float'
  if (value instanceof PyTuple) return 'tuple'
  if (isList(value)) return 'list'
  return isDict(value) ? 'dict' : 'int'
}

/**
 * The map key that stands for a Python dict key: a string for itself, anything else as its type's letter and its repr behind a NUL.
 * Throws `internal` with Python's words for unhashable keys.
 */
export function encodeKey(key: PyValue): string {
  if (typeof key === 'string') return key.startsWith('\0') ? `\0s${key}` : key
  if (isDict(key) || (isList(key) && !(key instanceof PyTuple))) throw new EvalError('internal', `unhashable type: '${typeName(key)}'`)
  return `\0${typeName(key).charAt(0)}${repr(key)}`
}

/** The Python key that a map key stands for. Tuple keys come back as their text: nothing here looks inside one. */
export function decodeKey(key: string): PyValue {
  if (!key.startsWith('\0')) return key
  const text = key.slice(2)
  switch (key.charAt(1)) {
    case 'N':
      return null
    case 'b':
      return text === 'True'
    case 'i':
      return pyInt(BigInt(text))
    case 'f':
      return pyFloat(text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text))
    default:
      return text
  }
}

/** `dict.get`: the value at a key, where 1, 1.0 and True are one key; undefined when there is none. */
export function dictGet(dict: PyDict, key: PyValue): PyValue | undefined {
  const encoded = encodeKey(key)
  const found = dict.get(encoded)
  if (found !== undefined || typeof key === 'string') return found
  const number = toNumber(key)
  if (number === null) return undefined
  for (const twin of equalNumbers(number)) {
    const value = dict.get(encodeKey(twin))
    if (value !== undefined) return value
  }
  return undefined
}

function equalNumbers(number: number): readonly PyValue[] {
  return [number, pyFloat(number), ...(number === 0 || number === 1 ? [number === 1] : [])]
}

/** The key under which a dict already holds an equal key, else the key's own: 1, 1.0 and True are one key, and the first stays. */
export function keyWithin(dict: ReadonlyMap<string, unknown>, key: PyValue): string {
  const own = encodeKey(key)
  const number = typeof key === 'string' || dict.has(own) ? null : toNumber(key)
  return number === null
    ? own
    : (equalNumbers(number)
        .map(encodeKey)
        .find((twin) => dict.has(twin)) ?? own)
}

/** Python's `repr(value)`, nested values included. */
export function repr(value: PyValue): string {
  if (value === null) return 'None'
  if (typeof value === 'string') return reprString(value)
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value instanceof PyFloat) return reprFloat(value.value)
  if (typeof value === 'number') return Number.isInteger(value) ? String(value === 0 ? 0 : BigInt(value)) : reprFloat(value)
  if (typeof value === 'bigint') return String(value)
  if (isList(value)) {
    const items = value.map(repr).join(', ')
    if (value instanceof PyTuple) return value.length === 1 ? `(${items},)` : `(${items})`
    return `[${items}]`
  }
  return `{${[...value].map(([key, item]) => `${reprKey(key)}: ${repr(item)}`).join(', ')}}`
}

function reprKey(key: string): string {
  return key.startsWith('\0t') ? key.slice(2) : repr(decodeKey(key))
}

/** Python's `str(value)`: strings as they are, anything else as its repr. */
export function str(value: PyValue): string {
  return typeof value === 'string' ? value : repr(value)
}

/** Python's `==`: 1 == 1.0 == True, dicts in any order, lists never equal to tuples. A meter is asked for every two values and 64 characters. */
export function pyEquals(left: PyValue, right: PyValue, meter: Meter | null = null): boolean {
  if (meter !== null) meter.spend(1 + Math.floor(compared(left, right) / 64))
  if (left === right) return true
  if (left === null || right === null || typeof left === 'string' || typeof right === 'string') return false
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length || left instanceof PyTuple !== right instanceof PyTuple) return false
    return within(meter, () => left.every((item, index) => pyEquals(item, right[index] ?? null, meter)))
  }
  if (isDict(left)) {
    if (!isDict(right) || left.size !== right.size) return false
    return within(meter, () => {
      for (const [key, item] of left) {
        const other = dictGet(right, decodeKey(key))
        if (other === undefined || !pyEquals(item, other, meter)) return false
      }
      return true
    })
  }
  if (isList(right) || isDict(right)) return false
  const a = typeof left === 'bigint' ? left : toNumber(left)
  const b = typeof right === 'bigint' ? right : toNumber(right)
  // JS compares a bigint with a number exactly, as Python does int with float.
  return a == b
}

/** Characters that a comparison of two values looks at. */
function compared(left: PyValue, right: PyValue): number {
  return typeof left === 'string' && typeof right === 'string' && left.length === right.length ? left.length : 0
}

function within(meter: Meter | null, run: () => boolean): boolean {
  meter?.enter()
  const result = run()
  meter?.leave()
  return result
}

/** A cell without a feature, or one that its feature doesn't describe: taken as it is. */
export function untyped(cell: Cell): PyValue {
  if (cell === null || typeof cell !== 'object') return cell
  if (isCellList(cell)) return cell.map(untyped)
  return new Map(Object.entries(cell).map(([key, item]) => [encodeKey(key), untyped(item)]))
}

/** True for a list among cells. */
export function isCellList(cell: Cell): cell is readonly Cell[] {
  return Array.isArray(cell)
}

/** JSON as a Python value, as `json.loads` would read it, save that `1.0` can't be told from `1`. */
export function fromJson(json: Json): PyValue {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? json : pyFloat(json)
  return untyped(json)
}

/** The value as plain JSON. Keys become JSON text, floats plain numbers, bigints the nearest number; NaN stays NaN. */
export function toJson(value: PyValue): Json {
  if (value instanceof PyFloat) return value.value
  if (typeof value === 'bigint') return Number(value)
  if (value === null || typeof value !== 'object') return value
  if (isList(value)) return value.map(toJson)
  return Object.fromEntries([...value].map(([key, item]) => [jsonKey(key), toJson(item)]))
}

function jsonKey(key: string): string {
  const decoded = decodeKey(key)
  return typeof decoded === 'string' ? decoded : jsonDumps(decoded)
}

/** Python's `json.dumps(value, ensure_ascii=False, indent=indent)`: the text that document hashes are taken over. */
export function jsonDumps(value: PyValue, { indent = null }: { indent?: number | null } = {}): string {
  return dump(value, indent, '\n')
}

function dump(value: PyValue, indent: number | null, newline: string): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (typeof value === 'string') return dumpString(value)
  if (isFloat(value)) return dumpFloat(toNumber(value) ?? NaN)
  if (typeof value === 'number' || typeof value === 'bigint') return repr(value)
  if (value instanceof PyFloat) return dumpFloat(value.value)
  const [open, close] = isList(value) ? ['[', ']'] : ['{', '}']
  if ((isList(value) ? value.length : value.size) === 0) return open + close
  const inner = indent === null ? '' : newline + ' '.repeat(indent)
  const items = isList(value)
    ? value.map((item) => dump(item, indent, inner))
    : [...value].map(([key, item]) => `${dumpString(jsonKey(key))}: ${dump(item, indent, inner)}`)
  return indent === null ? open + items.join(', ') + close : open + inner + items.join(`,${inner}`) + newline + close
}

function dumpFloat(value: number): string {
  if (Number.isFinite(value)) return reprFloat(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity'
}

const jsonEscapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\b', '\\b'],
  ['\f', '\\f'],
])

function dumpString(text: string): string {
  // oxlint-disable-next-line no-control-regex -- JSON escapes exactly these
  const escaped = text.replace(/["\\\u0000-\u001f]/g, (c) => jsonEscapes.get(c) ?? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return `"${escaped}"`
}
