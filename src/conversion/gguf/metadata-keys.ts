/** A GGUF file's keys of its architecture, each asked for by name: one that nobody asked for is refused, since it may change what the model computes. */
import { EvalError } from '../../base/errors.ts'
import type { GgufValue } from '../../weights/gguf/values.ts'
import type { TensorTable } from '../../weights/tensor-table.ts'

/** What a model's metadata and its table of tensors say. */
export interface GgufFacts {
  readonly metadata: ReadonlyMap<string, GgufValue>
  readonly tensors: TensorTable
}

/**
 * Reads the values under `ARCHITECTURE.` and notes what was read. Throws `model/corrupt` for a value of a wrong type or one that lacks, `model/unsupported` for one that isn't computed here, both
 * with the key's name.
 */
export class MetadataKeys {
  /** `general.architecture`. */
  readonly architecture: string
  readonly tensors: TensorTable
  readonly #metadata: ReadonlyMap<string, GgufValue>
  readonly #read = new Set<string>()

  constructor({ metadata, tensors }: GgufFacts, architecture: string) {
    this.architecture = architecture
    this.tensors = tensors
    this.#metadata = metadata
  }

  /** A whole number above zero. */
  integer(key: string): number {
    const value = this.optionalInteger(key)
    if (value === null) throw this.#wrong(key, 'a whole number above zero')
    return value
  }

  /** As `integer`, null where there is none. Some writers repeat one for each layer: the same for all is that one. */
  optionalInteger(key: string): number | null {
    const value = this.#value(key)
    if (value === undefined) return null
    const list = numbersOf(value)
    const [first] = list ?? []
    if (list === null || first === undefined || !Number.isSafeInteger(first) || first < 1)
      throw this.#wrong(key, 'a whole number above zero')
    if (list.some((one) => one !== first)) throw this.#unsupported(key, 'the same in all layers')
    return first
  }

  /** A finite number; null where there is none. */
  optionalNumber(key: string): number | null {
    const value = this.#value(key)
    if (value === undefined) return null
    const list = typeof value === 'object' ? null : numbersOf(value)
    const [number] = list ?? []
    if (number === undefined || !Number.isFinite(number)) throw this.#wrong(key, 'a number')
    return number
  }

  /** A finite number. */
  number(key: string): number {
    const value = this.optionalNumber(key)
    if (value === null) throw this.#wrong(key, 'a number')
    return value
  }

  boolean(key: string, fallback: boolean): boolean {
    const value = this.#value(key) ?? fallback
    if (typeof value !== 'boolean') throw this.#wrong(key, 'true or false')
    return value
  }

  text(key: string): string | null {
    const value = this.#value(key)
    if (value === undefined) return null
    if (typeof value !== 'string') throw this.#wrong(key, 'a text')
    return value
  }

  /** Numbers or truth values, one for each layer; a single one that isn't an array is null, as is none. */
  list(key: string): readonly number[] | null {
    const value = this.#value(key)
    return typeof value === 'object' ? numbersOf(value) : null
  }

  /** Refuses a key whose value is another than these; one that isn't there passes. */
  only(key: string, ...values: readonly (number | boolean | string)[]): void {
    const value = this.#value(key)
    const plain = typeof value === 'bigint' ? Number(value) : value
    if (plain === undefined || values.some((one) => one === plain)) return
    throw this.#unsupported(key, values.map(String).join(' or '))
  }

  /** Notes keys that no sum depends on here. */
  ignore(...keys: readonly string[]): void {
    for (const key of keys) this.#read.add(this.#full(key))
  }

  /** Refuses what nobody has asked for under the architecture's name: other keys are of tokenizers, of whoever made the file, and of nothing that llama.cpp computes. */
  finish(): void {
    const unknown = [...this.#metadata.keys()].filter((key) => key.startsWith(`${this.architecture}.`) && !this.#read.has(key))
    if (unknown.length === 0) return
    throw new EvalError(
      'model/unsupported',
      `wanted a GGUF file of the architecture ${this.architecture} of which every key is known, found ${unknown
        .slice(0, 5)
        .map((key) => JSON.stringify(key.slice(0, 80)))
        .join(', ')}${unknown.length > 5 ? ` and ${unknown.length - 5} more` : ''}: it may change what the model computes`,
      { details: { architecture: this.architecture, keys: unknown.slice(0, 20).map((key) => key.slice(0, 80)) } },
    )
  }

  /** For a value that can't be, with the key and what was wanted. */
  wrong(key: string, wanted: string): EvalError {
    return this.#wrong(key, wanted)
  }

  unsupported(key: string, wanted: string): EvalError {
    return this.#unsupported(key, wanted)
  }

  #wrong(key: string, wanted: string): EvalError {
    const full = this.#full(key)
    return new EvalError('model/corrupt', `wanted ${wanted} for the key "${full}" of a GGUF file, found ${this.#printed(full)}`, {
      details: { architecture: this.architecture, key: full },
    })
  }

  #unsupported(key: string, wanted: string): EvalError {
    const full = this.#full(key)
    return new EvalError(
      'model/unsupported',
      `wanted ${wanted} for the key "${full}" of a GGUF file, found ${this.#printed(full)}: that isn't computed here`,
      { details: { architecture: this.architecture, key: full } },
    )
  }

  #full(key: string): string {
    return `${this.architecture}.${key}`
  }

  #value(key: string): GgufValue | undefined {
    const full = this.#full(key)
    this.#read.add(full)
    return this.#metadata.get(full)
  }

  #printed(full: string): string {
    const value = this.#metadata.get(full)
    if (value === undefined) return 'nothing'
    if (typeof value !== 'object') return String(value).slice(0, 80)
    return `an array of ${value.values.length}`
  }
}

/** The value as numbers, one or several, truth values as 0 and 1; null for texts. */
function numbersOf(value: GgufValue): readonly number[] | null {
  if (typeof value === 'number') return [value]
  if (typeof value === 'bigint') return [Number(value)]
  if (typeof value !== 'object') return null
  switch (value.items) {
    case 'numbers':
    case 'booleans':
      return [...value.values]
    case 'bigints':
      return [...value.values].map(Number)
    default:
      return null
  }
}
