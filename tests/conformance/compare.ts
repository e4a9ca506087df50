/** Where two values differ first, in words for one line of output. */
import { decodeKey, isDict, isFloat, isList, pyEquals, repr, toNumber, type PyDict, type PyValue } from '../../src/python/value.ts'

/** Relative difference that the order of summation explains. */
export const metricTolerance = 1e-9

export interface CompareOptions {
  /** Largest relative difference of numbers; 0 = equal. */
  readonly relative?: number
  /** True when 1 and 1.0 differ, as they do where they are printed. */
  readonly hasTypes?: boolean
  /** True when an object's keys must come in the same order. */
  readonly hasOrder?: boolean
}

/** `PLACE: wanted …, found …` of the first difference; null when there is none. NaN equals NaN. */
export function findDifference(found: PyValue, wanted: PyValue, options: CompareOptions = {}, place = ''): string | null {
  if (isList(wanted) && isList(found)) return listDifference(found, wanted, options, place)
  if (isDict(wanted) && isDict(found)) return dictDifference(found, wanted, options, place)
  return isSame(found, wanted, options) ? null : `${place === '' ? '' : `${place}: `}${describe(found, wanted)}`
}

function listDifference(found: readonly PyValue[], wanted: readonly PyValue[], options: CompareOptions, place: string): string | null {
  for (let i = 0; i < Math.min(found.length, wanted.length); i++) {
    const difference = findDifference(found[i] ?? null, wanted[i] ?? null, options, `${place}[${i}]`)
    if (difference !== null) return difference
  }
  if (found.length === wanted.length) return null
  return `${place === '' ? 'list' : place}: wanted ${wanted.length} items, found ${found.length}`
}

function dictDifference(found: PyDict, wanted: PyDict, options: CompareOptions, place: string): string | null {
  const name = (key: string): string => toText(decodeKey(key))
  const lacking = [...wanted.keys()].find((key) => !found.has(key))
  if (lacking !== undefined) return `${place === '' ? 'object' : place}: wanted the key ${name(lacking)}, which is not there`
  const extra = [...found.keys()].find((key) => !wanted.has(key))
  if (extra !== undefined) return `${place === '' ? 'object' : place}: found the key ${name(extra)}, which was not wanted`
  for (const [key, item] of wanted) {
    const difference = findDifference(found.get(key) ?? null, item, options, place === '' ? name(key) : `${place}.${name(key)}`)
    if (difference !== null) return difference
  }
  if (options.hasOrder !== true || [...found.keys()].join('\0') === [...wanted.keys()].join('\0')) return null
  return `${place === '' ? 'object' : place}: wanted the keys in the order ${[...wanted.keys()].map(name).join(', ')}, found ${[...found.keys()].map(name).join(', ')}`
}

function isSame(found: PyValue, wanted: PyValue, { relative = 0, hasTypes = false }: CompareOptions): boolean {
  if ((typeof found === 'boolean') !== (typeof wanted === 'boolean')) {
    // Python counts a bool as a number, and metrics may be either; elsewhere they print differently.
    if (relative === 0) return false
  }
  if (hasTypes && isFloat(found) !== isFloat(wanted)) return false
  const [a, b] = [toNumber(found), toNumber(wanted)]
  if (a === null || b === null) return pyEquals(found, wanted)
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) && Number.isNaN(b)
  if (!Number.isFinite(a) || !Number.isFinite(b) || relative === 0) return pyEquals(found, wanted)
  return Math.abs(a - b) <= relative * Math.max(Math.abs(b), 1e-12)
}

/** `wanted …, found …`; long texts are cut to what surrounds the first character that differs. */
function describe(found: PyValue, wanted: PyValue): string {
  if (typeof found !== 'string' || typeof wanted !== 'string') return `wanted ${shorten(repr(wanted))}, found ${shorten(repr(found))}`
  let at = 0
  while (at < Math.min(found.length, wanted.length) && found[at] === wanted[at]) at++
  const start = Math.max(0, at - 20)
  const cut = (text: string): string =>
    `${start > 0 ? '…' : ''}${repr(text.slice(start, start + 60))}${text.length > start + 60 ? '…' : ''}`
  return `wanted ${cut(wanted)}, found ${cut(found)}${start > 0 ? ` (at character ${at})` : ''}`
}

/** At most 100 characters. */
export function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

function toText(key: PyValue): string {
  return typeof key === 'string' ? key : repr(key)
}
