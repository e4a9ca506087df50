/** Looking into the values of a case. */
import { isDict, isList, jsonDumps, pyFloat, str, toNumber, type PyDict, type PyValue } from '../../src/python/value.ts'

/** The value at a path of keys; null when there is none. */
export function get(value: PyValue, ...path: readonly string[]): PyValue {
  return path.reduce<PyValue>((current, key) => (isDict(current) ? (current.get(key) ?? null) : null), value)
}

/** The value as a list. Throws an `Error` that says what was found instead. */
export function list(value: PyValue): readonly PyValue[] {
  if (!isList(value)) throw new Error(`wanted a list, found ${jsonDumps(value).slice(0, 80)}`)
  return value
}

/** The value as a dict. Throws an `Error` that says what was found instead. */
export function dict(value: PyValue): PyDict {
  if (!isDict(value)) throw new Error(`wanted an object, found ${jsonDumps(value).slice(0, 80)}`)
  return value
}

/** The texts of a list. */
export function texts(value: PyValue): readonly string[] {
  return list(value).map(str)
}

/** The number at a key. Throws an `Error` when there is none. */
export function number(value: PyValue, key: string): number {
  const found = toNumber(get(value, key))
  if (found === null) throw new Error(`wanted a number as ${key}, found ${jsonDumps(get(value, key)).slice(0, 80)}`)
  return found
}

/** The corpus's names of non-finite floats as floats. */
export function reviveFloats(value: PyValue): PyValue {
  if (value === 'NaN') return pyFloat(NaN)
  if (value === 'Infinity') return pyFloat(Infinity)
  if (value === '-Infinity') return pyFloat(-Infinity)
  if (isList(value)) return value.map(reviveFloats)
  if (isDict(value)) return new Map([...value].map(([key, item]) => [key, reviveFloats(item)]))
  return value
}
