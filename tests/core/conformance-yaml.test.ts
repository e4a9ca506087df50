/** Corpus D: YAML as PyYAML's CSafeLoader reads it, and include trees. */
import { describe, expect, it } from 'vitest'
import { FunctionRef, isConfigDict, toPlain, YamlSpecial, type ConfigValue } from '../../src/core/config-value.ts'
import { isEvalError } from '../../src/core/errors.ts'
import { decodeKey, isDict, isFloat, isInt, PyTuple, reprFloat, toJson, toNumber, str } from '../../src/core/python/value.ts'
import { TaskFileReader } from '../../src/core/task-files.ts'
import { readYaml } from '../../src/core/yaml.ts'
import { get, readCorpus } from './corpus.ts'

/** The corpus's loss-free tree of a value. */
function typed(value: ConfigValue): unknown {
  if (value === null) return { null: null }
  if (typeof value === 'boolean') return { bool: value }
  if (typeof value === 'string') return { str: value }
  if (value instanceof FunctionRef) return { function: value.name }
  if (value instanceof YamlSpecial) {
    if (value.kind === 'set') return { set: value.keys.map(typedKey) }
    return value.kind === 'bytes' ? { bytes_hex: value.text } : { [value.kind]: value.text }
  }
  if (isConfigDict(value)) return { map: [...value].map(([key, item]) => [typedKey(key), typed(item)]) }
  if (value instanceof PyTuple) return { tuple: [...value].map(typed) }
  if (Array.isArray(value)) return { seq: value.map(typed) }
  const plain = toPlain(value)
  if (isInt(plain)) return { int: String(plain) }
  return { float: isFloat(plain) ? floatName(toNumber(plain) ?? NaN) : 'no number' }
}

function floatName(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? reprFloat(value) : value > 0 ? 'Infinity' : '-Infinity'
}

function typedKey(key: string): unknown {
  if (key.startsWith('\0D')) return { [key.includes('T') ? 'datetime' : 'date']: key.slice(2) }
  return typed(decodeKey(key))
}

function attempt(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (isEvalError(error) && (error.code === 'yaml/invalid' || error.code === 'task/invalid')) return 'refused'
    throw error
  }
}

const cases = readCorpus('D_yaml.jsonl')
const documents = cases.filter(([, row]) => get(row, 'kind') === 'yaml')
const includes = cases.filter(([, row]) => get(row, 'kind') === 'yaml_include')

describe.skipIf(cases.length === 0)('the conformance corpus D', () => {
  it.each(documents)('%s', (_id, row) => {
    const expected = get(row, 'expected')
    const want = isDict(expected) && expected.has('error') ? 'refused' : toJson(get(expected, 'typed'))
    expect(attempt(() => typed(readYaml(str(get(row, 'input', 'text')), 'case.yaml')))).toEqual(want)
  })

  it.each(includes)('%s', (_id, row) => {
    const files = get(row, 'input', 'files')
    const list = isDict(files) ? [...files].map(([path, text]) => ({ path, text: str(text) })) : []
    const expected = get(row, 'expected')
    const want =
      isDict(expected) && expected.has('error')
        ? 'refused'
        : { value: toJson(get(expected, 'value')), keys: toJson(get(expected, 'key_order')) }
    const got = attempt(() => {
      const mapping = new TaskFileReader([{ name: 'case', files: list }]).load('case', str(get(row, 'input', 'entry')))
      return { value: toJson(toPlain(mapping)), keys: [...mapping.keys()] }
    })
    expect(got).toEqual(want)
  })
})
