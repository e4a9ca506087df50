/** Metadata of a GGUF file: keys with values of thirteen types. Source: the format's specification, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. */
import { EvalError } from '../../base/errors.ts'
import type { Cursor } from './cursor.ts'

/** Whole numbers of 64 bits are bigints. */
export type GgufValue = number | bigint | boolean | string | GgufArray

/** An array keeps the type that the file gives its items: an empty one has one, too. */
export type GgufArray =
  | {
      readonly items: 'numbers'
      readonly values: Float32Array | Float64Array | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array
    }
  | { readonly items: 'bigints'; readonly values: BigUint64Array | BigInt64Array }
  /** A byte each, 0 or 1. */
  | { readonly items: 'booleans'; readonly values: Uint8Array }
  | { readonly items: 'texts'; readonly values: readonly string[] }
  | { readonly items: 'arrays'; readonly values: readonly GgufArray[] }

/** By their numbers in the file. */
const typeNames = [
  'uint8',
  'int8',
  'uint16',
  'int16',
  'uint32',
  'int32',
  'float32',
  'bool',
  'string',
  'array',
  'uint64',
  'int64',
  'float64',
] as const
type TypeName = (typeof typeNames)[number]

/** The fewest bytes that one takes. */
const leastBytes: { readonly [type in TypeName]: number } = {
  uint8: 1,
  int8: 1,
  uint16: 2,
  int16: 2,
  uint32: 4,
  int32: 4,
  float32: 4,
  bool: 1,
  string: 8,
  array: 12,
  uint64: 8,
  int64: 8,
  float64: 8,
}

/** llama.cpp reads no nested arrays at all; the format allows them. */
const maxDepth = 8
/** Small arrays take much more memory than bytes in the file. */
const maxNestedArrays = 100_000

/** Reads values of one file: it counts what a file may have only so much of. */
export class ValueReader {
  private readonly cursor: Cursor
  private nestedArrays = 0

  constructor(cursor: Cursor) {
    this.cursor = cursor
  }

  /** The value that comes next, type first. `key` names it in errors (`model/corrupt`). */
  async value(key: string): Promise<GgufValue> {
    const type = await this.type(key)
    if (type === 'array') return this.array(key, 0)
    if (type === 'string') return this.text(key)
    await this.cursor.fill(leastBytes[type], key)
    return type === 'bool' ? this.boolean(key) : this.number(type)
  }

  /** A length and so many bytes of UTF-8. `most` bounds it beside the file's size. */
  async text(what: string, most = Infinity): Promise<string> {
    await this.cursor.fill(8, what)
    const length = Number(this.cursor.uint64())
    if (length > most)
      throw new EvalError(
        'model/corrupt',
        `wanted at most ${most} bytes of ${what} at byte ${this.cursor.position} of ${this.cursor.source.name}, found ${length}`,
      )
    if (!this.cursor.has(length)) await this.cursor.fill(length, what)
    const start = this.cursor.position
    try {
      return utf8.decode(this.cursor.peek(length))
    } catch (cause) {
      throw new EvalError('model/corrupt', `wanted UTF-8 in ${what} at byte ${start} of ${this.cursor.source.name}, found other bytes`, {
        cause,
      })
    }
  }

  private async type(key: string): Promise<TypeName> {
    await this.cursor.fill(4, `the type of ${key}`)
    const number = this.cursor.uint32()
    const type = typeNames[number]
    if (type === undefined)
      throw new EvalError('model/corrupt', `wanted a type from 0 to 12 for ${key} in ${this.cursor.source.name}, found ${number}`)
    return type
  }

  private number(type: Exclude<TypeName, 'bool' | 'string' | 'array'>): number | bigint {
    const { cursor } = this
    switch (type) {
      case 'uint8':
        return cursor.uint8()
      case 'int8':
        return (cursor.uint8() << 24) >> 24
      case 'uint16':
        return cursor.uint16()
      case 'int16':
        return (cursor.uint16() << 16) >> 16
      case 'uint32':
        return cursor.uint32()
      case 'int32':
        return cursor.int32()
      case 'float32':
        return cursor.float32()
      case 'uint64':
        return cursor.uint64()
      case 'int64':
        return cursor.int64()
      case 'float64':
        return cursor.float64()
    }
  }

  private boolean(key: string): boolean {
    const byte = this.cursor.uint8()
    if (byte > 1) throw new EvalError('model/corrupt', `wanted 0 or 1 as the boolean ${key} in ${this.cursor.source.name}, found ${byte}`)
    return byte === 1
  }

  private async array(key: string, depth: number): Promise<GgufArray> {
    if (depth > maxDepth)
      throw new EvalError(
        'model/corrupt',
        `wanted arrays nested at most ${maxDepth} deep as ${key} in ${this.cursor.source.name}, found more`,
      )
    const type = await this.type(`the items of ${key}`)
    await this.cursor.fill(8, `the length of ${key}`)
    const count = Number(this.cursor.uint64())
    this.cursor.require(count * leastBytes[type], `${count} items of ${key}`)
    switch (type) {
      case 'string':
        return { items: 'texts', values: await this.texts(key, count) }
      case 'array': {
        this.nestedArrays += count
        if (this.nestedArrays > maxNestedArrays)
          throw new EvalError(
            'model/corrupt',
            `wanted at most ${maxNestedArrays} arrays within arrays in ${this.cursor.source.name}, found more in ${key}`,
          )
        const values: GgufArray[] = []
        for (let at = 0; at < count; at++) values.push(await this.array(key, depth + 1))
        return { items: 'arrays', values }
      }
      default: {
        await this.cursor.fill(count * leastBytes[type], key)
        return numbers(type, this.cursor.copy(count * leastBytes[type]))
      }
    }
  }

  private async texts(key: string, count: number): Promise<readonly string[]> {
    const values: string[] = []
    for (let at = 0; at < count; at++) values.push(await this.text(key))
    return values
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** GGUF is little endian, as is every machine that runs a browser. */
function numbers(type: Exclude<TypeName, 'string' | 'array'>, { buffer }: Uint8Array<ArrayBuffer>): GgufArray {
  switch (type) {
    case 'uint8':
      return { items: 'numbers', values: new Uint8Array(buffer) }
    case 'int8':
      return { items: 'numbers', values: new Int8Array(buffer) }
    case 'uint16':
      return { items: 'numbers', values: new Uint16Array(buffer) }
    case 'int16':
      return { items: 'numbers', values: new Int16Array(buffer) }
    case 'uint32':
      return { items: 'numbers', values: new Uint32Array(buffer) }
    case 'int32':
      return { items: 'numbers', values: new Int32Array(buffer) }
    case 'float32':
      return { items: 'numbers', values: new Float32Array(buffer) }
    case 'float64':
      return { items: 'numbers', values: new Float64Array(buffer) }
    case 'uint64':
      return { items: 'bigints', values: new BigUint64Array(buffer) }
    case 'int64':
      return { items: 'bigints', values: new BigInt64Array(buffer) }
    case 'bool':
      return { items: 'booleans', values: new Uint8Array(buffer) }
  }
}
