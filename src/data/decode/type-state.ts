/** Column types from values that come one at a time, so that the values needn't be kept. The rules are those of `infer.ts`. */
import type { Feature } from '../../contracts/rows.ts'
import { JsonFloat, type JsonNode } from './json-parser.ts'
import { readTimestamp } from './timestamps.ts'

export interface InferOptions {
  /**
   * What records with different keys become: `json` keeps each as it is; `merge` gives all of them the union of keys. `datasets` does the
   * former when every line of the file is one JSON value, the latter otherwise.
   */
  readonly records: 'json' | 'merge'
}

/** Where in a type the texts are all timestamps, to be printed as such. */
export type TimestampPlaces =
  | { readonly kind: 'none' }
  | { readonly kind: 'text' }
  | { readonly kind: 'list'; readonly item: TimestampPlaces }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, TimestampPlaces> }

const nowhere: TimestampPlaces = { kind: 'none' }

type Kind = 'int' | 'float' | 'bool' | 'string' | 'list' | 'record'

/** What the values of one place in a type have in common so far. */
export class TypeState {
  readonly #kinds = new Set<Kind>()
  #areTimestamps = true
  #item: TypeState | null = null
  #fields: Map<string, TypeState> | null = null
  #firstKeys: readonly string[] = []
  #haveSameKeys = true

  add(node: JsonNode): void {
    if (node === null) return
    if (typeof node === 'string') {
      this.#kinds.add('string')
      if (this.#areTimestamps) this.#areTimestamps = readTimestamp(node) !== null
    } else if (typeof node === 'number' || typeof node === 'bigint') this.#kinds.add('int')
    else if (typeof node === 'boolean') this.#kinds.add('bool')
    else if (node instanceof JsonFloat) this.#kinds.add('float')
    else if (node instanceof Map) this.#addRecord(node as ReadonlyMap<string, JsonNode>) // The only maps among nodes.
    else {
      this.#kinds.add('list')
      this.#item ??= new TypeState()
      for (const item of node as readonly JsonNode[]) this.#item.add(item) // What is left of the kinds of nodes.
    }
  }

  #addRecord(record: ReadonlyMap<string, JsonNode>): void {
    this.#kinds.add('record')
    if (this.#fields === null) {
      this.#fields = new Map()
      this.#firstKeys = [...record.keys()]
      this.#haveSameKeys = record.size > 0
    } else if (this.#haveSameKeys) {
      this.#haveSameKeys = record.size === this.#firstKeys.length && this.#firstKeys.every((key) => record.has(key))
    }
    for (const [name, value] of record) {
      let field = this.#fields.get(name)
      if (field === undefined) {
        field = new TypeState()
        this.#fields.set(name, field)
      }
      field.add(value)
    }
  }

  /** The type that holds all values so far. */
  finish(options: InferOptions): Feature {
    const kinds = this.#kinds
    if (kinds.size === 0) return 'null'
    if (kinds.size === 2 && kinds.has('int') && kinds.has('float')) return 'float64'
    if (kinds.size > 1) return 'json'
    const [kind] = kinds
    switch (kind) {
      case 'int':
        return 'int64'
      case 'float':
        return 'float64'
      case 'bool':
        return 'bool'
      case 'list':
        return { list: this.#item?.finish(options) ?? 'null' }
      case 'record':
        if (options.records === 'json' && !this.#haveSameKeys) return 'json'
        return { struct: [...(this.#fields ?? [])].map(([name, field]) => [name, field.finish(options)] as const) }
      default:
        return 'string'
    }
  }

  /** The places within `type`, as `finish` gave it, whose texts are timestamps without exception. */
  timestamps(type: Feature): TimestampPlaces {
    if (type === 'string') return this.#areTimestamps ? { kind: 'text' } : nowhere
    if (typeof type === 'string') return nowhere
    if ('list' in type) {
      const item = this.#item?.timestamps(type.list) ?? nowhere
      return item.kind === 'none' ? nowhere : { kind: 'list', item }
    }
    const fields = new Map(
      type.struct.flatMap(([name, inner]) => {
        const place = this.#fields?.get(name)?.timestamps(inner) ?? nowhere
        return place.kind === 'none' ? [] : [[name, place] as const]
      }),
    )
    return fields.size === 0 ? nowhere : { kind: 'record', fields }
  }
}
