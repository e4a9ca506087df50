/** Values in the corpus's plain JSON form. */
import { reprFloat } from '../../src/python/number.ts'
import { decodeKey, isDict, isList, jsonDumps, PyFloat, repr, type PyValue } from '../../src/python/value.ts'
import { FunctionRef, isConfigDict, isConfigList, YamlSpecial, type ConfigValue } from '../../src/python/yaml/yaml-value.ts'

/** A value of a task file: keys that are not strings as JSON text, dates as ISO text, bytes as hex, sets as sorted lists, NaN by name. */
export function configJson(value: ConfigValue): PyValue {
  if (value instanceof FunctionRef) return value.name
  if (value instanceof YamlSpecial) return value.kind === 'set' ? value.keys.map(keyText).sort() : value.text
  if (isConfigList(value)) return value.map(configJson)
  if (isConfigDict(value)) return new Map([...value].map(([key, item]) => [configKey(key), configJson(item)]))
  return value instanceof PyFloat && !Number.isFinite(value.value) ? floatName(value.value) : value
}

/** A key of a task file's mapping as `configJson` writes it. */
export function configKey(key: string): string {
  if (/^\0[Dt]/.test(key)) return key.slice(2)
  const decoded = decodeKey(key)
  return typeof decoded === 'string' ? decoded : jsonDumps(decoded)
}

/** A value of a doc: keys that are not strings as Python prints them. */
export function docJson(value: PyValue): PyValue {
  if (isList(value)) return value.map(docJson)
  if (isDict(value)) return new Map([...value].map(([key, item]) => [keyText(key), docJson(item)]))
  return value instanceof PyFloat && !Number.isFinite(value.value) ? floatName(value.value) : value
}

/** Python's repr of a float, with JSON's usual names for what is not finite. */
export function floatName(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? reprFloat(value) : value > 0 ? 'Infinity' : '-Infinity'
}

function keyText(key: string): string {
  if (/^\0[Dt]/.test(key)) return key.slice(2)
  const decoded = decodeKey(key)
  return typeof decoded === 'string' ? decoded : repr(decoded)
}
