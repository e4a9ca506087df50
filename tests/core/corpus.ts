/** Reads conformance corpora, keeping Python's ints and floats apart as their text does. */
import { existsSync, readFileSync } from 'node:fs'
import { str, jsonDumps, pyFloat, isDict, isList } from '../../src/core/python/value.ts'
import type { PyValue } from '../../src/core/python/value.ts'
import { parsePythonJson } from './python-json.ts'

/** `[id, row]` of every line; empty, with a printed reason, when the corpus is not there. */
export function readCorpus(name: string): readonly (readonly [string, PyValue])[] {
  const file = new URL(`../../../shared/conformance/${name}`, import.meta.url)
  if (!existsSync(file)) {
    console.log(`skipped: the conformance corpus ${name} is not beside this repository`)
    return []
  }
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const row = parsePythonJson(line)
      return [str(get(row, 'id')), row]
    })
}

/** The value at a path of keys; null when there is none. */
export function get(value: PyValue, ...path: readonly string[]): PyValue {
  return path.reduce<PyValue>((current, key) => (isDict(current) ? (current.get(key) ?? null) : null), value)
}

export function list(value: PyValue): readonly PyValue[] {
  if (!isList(value)) throw new Error(`wanted a list, found ${jsonDumps(value)}`)
  return value
}

/** Plain JSON for comparison: NaN and infinities from their names, ints and floats as numbers. */
export function toPlainJson(value: PyValue): unknown {
  if (isList(value)) return value.map(toPlainJson)
  if (isDict(value)) return Object.fromEntries([...value].map(([key, item]) => [key, toPlainJson(item)]))
  return JSON.parse(
    jsonDumps(value)
      .replace(/^NaN$/, '"NaN"')
      .replace(/^(-?)Infinity$/, '"$1Infinity"'),
  )
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
