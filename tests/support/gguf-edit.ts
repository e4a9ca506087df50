/** GGUF files changed for tests: read, their metadata and tensors replaced, and written again. */
import type { GgufArray, GgufValue } from '../../src/weights/gguf/values.ts'
import { readGguf } from '../../src/weights/gguf/header.ts'
import { tensorTypes } from '../../src/weights/gguf/types.ts'
import { sourceOfBytes } from './byte-source.ts'
import { text, u32, u64 } from './gguf-file.ts'

interface EditedTensor {
  readonly name: string
  readonly dtype: string
  /** The slowest axis first. */
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

export interface EditedGguf {
  readonly metadata: Map<string, GgufValue>
  tensors: EditedTensor[]
}

/** What a file holds. */
export async function takeGgufApart(file: Uint8Array): Promise<EditedGguf> {
  const { metadata, tensors } = await readGguf(sourceOfBytes('model.gguf', file))
  return {
    metadata: new Map(metadata),
    tensors: [...tensors.values()].map(({ name, dtype, shape, start, end }) => ({ name, dtype, shape, bytes: file.slice(start, end) })),
  }
}

/** A file of these; whole numbers become uint32, others float32. */
export function putGgufTogether({ metadata, tensors }: EditedGguf): Uint8Array {
  const padded = (length: number): number => Math.ceil(length / 32) * 32
  let offset = 0
  const infos = tensors.map(({ name, dtype, shape, bytes }) => {
    const [number = 0] = [...tensorTypes].find(([, type]) => type.name === dtype) ?? []
    const info = [...text(name), ...u32(shape.length), ...shape.toReversed().flatMap(u64), ...u32(number), ...u64(offset)]
    offset += padded(bytes.length)
    return info
  })
  const header = Uint8Array.from([
    ...u32(0x46554747),
    ...u32(3),
    ...u64(tensors.length),
    ...u64(metadata.size),
    ...[...metadata].flatMap(([key, value]) => [...text(key), ...typed(value)]),
    ...infos.flat(),
  ])
  const file = new Uint8Array(padded(header.length) + offset)
  file.set(header)
  let at = padded(header.length)
  for (const { bytes } of tensors) {
    file.set(bytes, at)
    at += padded(bytes.length)
  }
  return file
}

/** The file with a change to what it holds. */
export async function editGguf(file: Uint8Array, change: (made: EditedGguf) => void): Promise<Uint8Array> {
  const made = await takeGgufApart(file)
  change(made)
  return putGgufTogether(made)
}

function typed(value: GgufValue): number[] {
  if (typeof value === 'string') return [...u32(8), ...text(value)]
  if (typeof value === 'boolean') return [...u32(7), value ? 1 : 0]
  if (typeof value === 'bigint') return [...u32(10), ...u64(value)]
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? [...u32(4), ...u32(value)] : [...u32(6), ...f32(value)]
  return [...u32(9), ...items(value)]
}

function items(array: GgufArray): number[] {
  switch (array.items) {
    case 'texts':
      return [...u32(8), ...u64(array.values.length), ...array.values.flatMap(text)]
    case 'booleans':
      return [...u32(7), ...u64(array.values.length), ...array.values]
    case 'numbers':
      return [...u32(5), ...u64(array.values.length), ...[...array.values].flatMap((one) => u32(one >>> 0))]
    default:
      throw new Error(`no test writes an array of ${array.items}`)
  }
}

function f32(value: number): number[] {
  return [...new Uint8Array(Float32Array.of(value).buffer)]
}
