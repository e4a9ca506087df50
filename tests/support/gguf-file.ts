/** Writes GGUF files for tests, right or wrong as asked. */

type Bytes = readonly number[]

export function u32(value: number): Bytes {
  return [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255]
}

export function u64(value: bigint | number): Bytes {
  return Array.from({ length: 8 }, (_, at) => Number((BigInt.asUintN(64, BigInt(value)) >> BigInt(8 * at)) & 255n))
}

export function text(value: string): Bytes {
  const bytes = new TextEncoder().encode(value)
  return [...u64(bytes.length), ...bytes]
}

export interface MadeTensor {
  readonly name: string
  /** The fastest axis first. */
  readonly sizes: readonly (bigint | number)[]
  readonly type: number
  readonly offset: bigint | number
}

export interface MadeFile {
  readonly version?: number
  readonly tensorCount?: bigint | number
  readonly metadataCount?: bigint | number
  /** Key, and its type and value as bytes. */
  readonly metadata?: readonly (readonly [key: string, value: Bytes])[]
  readonly tensors?: readonly MadeTensor[]
  /** Without them the file ends with its header, unpadded. */
  readonly dataBytes?: number
  readonly alignment?: number
}

export function ggufFile(made: MadeFile): Uint8Array {
  const { metadata = [], tensors = [], alignment = 32 } = made
  const header = [
    ...u32(0x46554747),
    ...u32(made.version ?? 3),
    ...u64(made.tensorCount ?? tensors.length),
    ...u64(made.metadataCount ?? metadata.length),
    ...metadata.flatMap(([key, value]) => [...text(key), ...value]),
    ...tensors.flatMap(({ name, sizes, type, offset }) => [
      ...text(name),
      ...u32(sizes.length),
      ...sizes.flatMap(u64),
      ...u32(type),
      ...u64(offset),
    ]),
  ]
  const bytes = new Uint8Array(
    made.dataBytes === undefined ? header.length : Math.ceil(header.length / alignment) * alignment + made.dataBytes,
  )
  bytes.set(header)
  return bytes
}
