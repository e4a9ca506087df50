/** Corpus D: YAML as PyYAML's CSafeLoader reads it, and include trees. */
import { TaskFileReader } from '../../src/harness/tasks/task-files.ts'
import { decodeKey, isFloat, isInt, PyTuple, str, toNumber, type PyDict, type PyValue } from '../../src/python/value.ts'
import { readYaml } from '../../src/python/yaml/parse.ts'
import { FunctionRef, isConfigDict, toPlain, YamlSpecial, type ConfigValue } from '../../src/python/yaml/yaml-value.ts'
import { findDifference } from './compare.ts'
import { configJson, configKey, floatName } from './json-form.ts'
import { expectedError, judge } from './outcome.ts'
import { dict, get } from './values.ts'

/** What differs from PyYAML's reading of a document, or null. */
export function checkYaml(input: PyDict, expected: PyDict): string | null {
  return judge(
    () => {
      const value = readYaml(str(get(input, 'text')), 'case.yaml')
      return new Map([
        ['typed', typed(value)],
        ['value', configJson(value)],
      ])
    },
    expectedError(expected),
    (found) => findDifference(found, expected, { hasTypes: true }),
  )
}

/** What differs from the harness's merged mapping, or null. */
export function checkYamlInclude(input: PyDict, expected: PyDict): string | null {
  const files = [...dict(get(input, 'files'))].map(([path, text]) => ({ path, text: str(text) }))
  const run = (): PyValue => {
    const mapping = new TaskFileReader([{ name: 'case', files }]).load('case', str(get(input, 'entry')))
    return new Map<string, PyValue>([
      ['value', configJson(mapping)],
      ['key_order', [...mapping.keys()].map(configKey)],
    ])
  }
  return judge(run, expectedError(expected), (found) => findDifference(found, expected))
}

const one = (name: string, value: PyValue): PyValue => new Map([[name, value]])

/** The corpus's loss-free tree of a value. */
function typed(value: ConfigValue): PyValue {
  if (value === null) return one('null', null)
  if (typeof value === 'boolean') return one('bool', value)
  if (typeof value === 'string') return one('str', value)
  if (value instanceof FunctionRef) return one('function', value.name)
  if (value instanceof YamlSpecial) {
    if (value.kind === 'set') return one('set', value.keys.map(typedKey))
    return one(value.kind === 'bytes' ? 'bytes_hex' : value.kind, value.text)
  }
  if (isConfigDict(value))
    return one(
      'map',
      [...value].map(([key, item]) => [typedKey(key), typed(item)]),
    )
  if (value instanceof PyTuple) return one('tuple', [...value].map(typed))
  if (Array.isArray(value)) return one('seq', value.map(typed))
  const plain = toPlain(value)
  if (isInt(plain)) return one('int', String(plain))
  return one('float', isFloat(plain) ? floatName(toNumber(plain) ?? NaN) : 'no number')
}

function typedKey(key: string): PyValue {
  if (key.startsWith('\0D')) return one(key.includes('T') ? 'datetime' : 'date', key.slice(2))
  return typed(decodeKey(key))
}
