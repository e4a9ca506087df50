/** What a task file holds once read: Python values, and among them what only YAML or the harness's tags can make. */
import type { PyFloat, PyValue } from '../value.ts'

/** Reads a Python file by its path; null when it isn't given. */
export type ReadSource = (path: string) => string | null

/** `!function module.name`: a helper that stands beside the task file that textually holds the tag. */
export class FunctionRef {
  /** As written: `utils.process_docs`. */
  readonly name: string
  /** The file that holds the tag; an include keeps its own. */
  readonly file: string
  readonly #readSource: ReadSource | null

  constructor(name: string, file: string, readSource: ReadSource | null = null) {
    this.name = name
    this.file = file
    this.#readSource = readSource
  }

  /** The Python files that were given with the task file, if any were. */
  get readSource(): ReadSource | null {
    return this.#readSource
  }
}

/** A YAML value without a counterpart among Python's plain values: `date` and `datetime` as ISO text, `bytes` as hex, `set` as keys. */
export class YamlSpecial {
  readonly kind: 'date' | 'datetime' | 'bytes' | 'set'
  readonly text: string
  readonly keys: readonly string[]

  constructor(kind: 'date' | 'datetime' | 'bytes' | 'set', text: string, keys: readonly string[] = []) {
    this.kind = kind
    this.text = text
    this.keys = keys
  }
}

export type ConfigValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | PyFloat
  | FunctionRef
  | YamlSpecial
  | readonly ConfigValue[]
  | ConfigDict

/** An ordered mapping of a task file; keys as in `PyDict`. */
export type ConfigDict = ReadonlyMap<string, ConfigValue>

export function isConfigDict(value: ConfigValue | undefined): value is ConfigDict {
  return value instanceof Map
}

export function isConfigList(value: ConfigValue | undefined): value is readonly ConfigValue[] {
  return Array.isArray(value)
}

/** True when nothing inside is a function or a YAML special, so that the value is a plain Python value. */
export function isPlain(value: ConfigValue): value is PyValue {
  if (value instanceof FunctionRef || value instanceof YamlSpecial) return false
  if (isConfigList(value)) return value.every(isPlain)
  if (isConfigDict(value)) return [...value.values()].every(isPlain)
  return true
}

/** The value as a plain Python value: functions become `<function NAME>` text and YAML specials their text. */
export function toPlain(value: ConfigValue): PyValue {
  if (value instanceof FunctionRef) return `<function ${value.name}>`
  if (value instanceof YamlSpecial) return value.kind === 'set' ? [...value.keys] : value.text
  if (isConfigList(value)) return value.map(toPlain)
  if (isConfigDict(value)) return new Map([...value].map(([key, item]) => [key, toPlain(item)]))
  return value
}
