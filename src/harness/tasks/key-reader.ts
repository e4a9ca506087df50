/** The keys of a task file's mapping, each by the kind of value that it must have. */
import { EvalError } from '../../base/errors.ts'
import { isDict, isFloat, isInt, repr, str, type PyDict } from '../../python/value.ts'
import {
  FunctionRef,
  isConfigDict,
  isConfigList,
  isPlain,
  toPlain,
  type ConfigDict,
  type ConfigValue,
} from '../../python/yaml/yaml-value.ts'

/**
 * Reads keys of a mapping by the kind that they must have; null for a key that is missing or null. Throws `task/invalid` with `place` and
 * the key for a value of another kind.
 */
export class KeyReader {
  readonly place: string
  readonly details: { readonly [key: string]: string }
  private readonly source: ConfigDict

  constructor(source: ConfigDict, place: string, details: { readonly [key: string]: string }) {
    this.source = source
    this.place = place
    this.details = details
  }

  fail(key: string, problem: string): never {
    throw new EvalError('task/invalid', `${this.place}, ${key}: ${problem}`, { details: { ...this.details, key } })
  }

  refuseUnknown(known: readonly string[]): void {
    const unknown = [...this.source.keys()].find((key) => !known.includes(key))
    if (unknown !== undefined) this.fail(unknown, `unknown key; the keys are ${known.join(', ')}`)
  }

  raw(key: string): ConfigValue {
    return this.source.get(key) ?? null
  }

  text(key: string): string | null {
    const value = this.raw(key)
    if (value === null || typeof value === 'string') return value
    // Split and subset names such as `2024` or `no` come out of YAML as numbers and booleans.
    if (isPlain(value) && (isInt(value) || isFloat(value) || typeof value === 'boolean')) return str(value)
    return this.fail(key, `wanted text, found ${repr(toPlain(value))}`)
  }

  whole(key: string): number | null {
    const value = this.raw(key)
    if (value === null || (typeof value === 'number' && Number.isInteger(value))) return value
    return this.fail(key, `wanted a whole number, found ${repr(toPlain(value))}`)
  }

  mapping(key: string): PyDict | null {
    const value = toPlain(this.raw(key))
    if (value === null || isDict(value)) return value
    return this.fail(key, `wanted a mapping, found ${repr(value)}`)
  }

  mappings(key: string): readonly ConfigDict[] | null {
    const value = this.raw(key)
    if (value === null) return null
    if (isConfigList(value) && value.every(isConfigDict)) return value
    return this.fail(key, `wanted a list of mappings, found ${repr(toPlain(value))}`)
  }

  callable(key: string): FunctionRef | null {
    const value = this.raw(key)
    if (value === null || value instanceof FunctionRef) return value
    return this.fail(key, `wanted '!function file.name', found ${repr(toPlain(value))}`)
  }

  callableOrText(key: string): FunctionRef | string | null {
    const value = this.raw(key)
    return typeof value === 'string' ? value : this.callable(key)
  }
}
