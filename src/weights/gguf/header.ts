/**
 * A GGUF file's header: magic, version, metadata by key, and each tensor's name, sizes, type and place. Versions 2 and 3, little endian.
 * Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md and llama.cpp's ggml/src/gguf.cpp, whose bounds on names, keys and sizes these are.
 */
import { EvalError } from '../../base/errors.ts'
import type { ByteSource } from '../source.ts'
import { countElements, type TensorEntry, type TensorTable } from '../tensor-table.ts'
import { Cursor } from './cursor.ts'
import { tensorTypes } from './types.ts'
import { ValueReader, type GgufValue } from './values.ts'

export interface GgufFile {
  readonly source: ByteSource
  readonly version: 2 | 3
  /** In the file's order. */
  readonly metadata: ReadonlyMap<string, GgufValue>
  /** In the file's order. Shapes are turned round, so that the fastest axis is last as in safetensors: [out, in]. */
  readonly tensors: TensorTable
}

/** The largest known, of a vocabulary of 256,000 tokens with their merges, is 30 MB. */
const maxHeaderBytes = 128 * 1024 * 1024
const maxKeyBytes = 65_535
const maxNameBytes = 64
const maxAxes = 4
/** Many times as many as any model has: entries take more memory than bytes in the file. */
const maxEntries = 200_000
const defaultAlignment = 32
/** A key's length, a type and a byte; a name's length, no axis, a type and a place. */
const leastMetadataBytes = 13
const leastTensorBytes = 24

/**
 * Reads the header through ranges that grow from 64 KiB to 4 MiB, and nothing behind it but what the last range has too much. Throws `model/unsupported` for version 1, for a newer one, and for
 * big-endian files; `model/corrupt` for everything that can't be so: counts and lengths beyond the file (checked before memory is taken), keys or names that come twice, types unknown,
 * sizes whose product no tensor has, rows that aren't whole blocks, and bytes of tensors that are misaligned, outside the file, or another tensor's.
 */
export async function readGguf(source: ByteSource): Promise<GgufFile> {
  const cursor = new Cursor(source, maxHeaderBytes)
  const version = await readVersion(cursor)
  await cursor.fill(16, 'the counts')
  const tensorCount = readCount(cursor, 'tensors')
  const metadataCount = readCount(cursor, 'metadata entries')
  cursor.require(
    tensorCount * leastTensorBytes + metadataCount * leastMetadataBytes,
    `${tensorCount} tensors and ${metadataCount} metadata entries`,
  )
  const values = new ValueReader(cursor)
  const metadata = new Map<string, GgufValue>()
  for (let at = 0; at < metadataCount; at++) {
    const key = await values.text(`metadata key ${at + 1} of ${metadataCount}`, maxKeyBytes)
    if (metadata.has(key))
      throw new EvalError('model/corrupt', `wanted the metadata key ${short(key)} once in ${source.name}, found it twice`)
    metadata.set(key, await values.value(short(key)))
  }
  const alignment = alignmentOf(metadata, source)
  const infos: Info[] = []
  for (let at = 0; at < tensorCount; at++) infos.push(await readInfo(cursor, values, `tensor ${at + 1} of ${tensorCount}`))
  const dataStart = Math.ceil(cursor.position / alignment) * alignment
  return { source, version, metadata, tensors: placeTensors(infos, source, dataStart, alignment) }
}

async function readVersion(cursor: Cursor): Promise<2 | 3> {
  await cursor.fill(8, 'magic and version')
  const { source } = cursor
  const magic = cursor.uint32()
  const version = cursor.uint32()
  // "GGUF"; big-endian files have it in the same order, and turn the version round.
  if (magic !== 0x46554747) throw new EvalError('model/corrupt', `wanted a GGUF file, found ${source.name} without its first four letters`)
  if (version === 2 || version === 3) return version
  if ((version & 0xffff) === 0 && version !== 0)
    throw new EvalError(
      'model/unsupported',
      `wanted a little-endian GGUF file, found a big-endian one in ${source.name}: convert it with gguf_convert_endian.py`,
    )
  throw new EvalError(
    'model/unsupported',
    `wanted GGUF version 2 or 3, found ${version} in ${source.name}${version === 1 ? ': make it anew with llama.cpp' : ''}`,
  )
}

function readCount(cursor: Cursor, what: string): number {
  const count = cursor.uint64()
  if (count > BigInt(maxEntries))
    throw new EvalError('model/corrupt', `wanted at most ${maxEntries} ${what} in ${cursor.source.name}, found ${count.toString()}`)
  return Number(count)
}

function alignmentOf(metadata: ReadonlyMap<string, GgufValue>, source: ByteSource): number {
  const alignment = metadata.get('general.alignment') ?? defaultAlignment
  if (typeof alignment === 'number' && alignment >= 1 && alignment <= 2 ** 30 && Number.isInteger(Math.log2(alignment))) return alignment
  throw new EvalError(
    'model/corrupt',
    `wanted a power of two as general.alignment in ${source.name}, found ${typeof alignment === 'object' ? 'an array' : String(alignment).slice(0, 40)}`,
  )
}

/** What the header says of a tensor. */
interface Info {
  readonly name: string
  /** As the file has them, the fastest axis first. */
  readonly sizes: readonly number[]
  readonly typeNumber: number
  /** From the start of the tensors' bytes. */
  readonly offset: number
}

async function readInfo(cursor: Cursor, values: ValueReader, what: string): Promise<Info> {
  const { source } = cursor
  const name = await values.text(`the name of ${what}`, maxNameBytes)
  await cursor.fill(4, `the axes of ${name}`)
  const axes = cursor.uint32()
  if (axes > maxAxes)
    throw new EvalError('model/corrupt', `wanted at most ${maxAxes} axes of the tensor ${name} in ${source.name}, found ${axes}`)
  await cursor.fill(axes * 8 + 12, `the sizes of ${name}`)
  const sizes = Array.from({ length: axes }, () => Number(cursor.uint64()))
  const typeNumber = cursor.uint32()
  return { name, sizes, typeNumber, offset: Number(cursor.uint64()) }
}

function placeTensors(infos: readonly Info[], source: ByteSource, dataStart: number, alignment: number): TensorTable {
  const tensors = new Map<string, TensorEntry>()
  for (const info of infos) {
    if (tensors.has(info.name))
      throw new EvalError('model/corrupt', `wanted the tensor ${info.name} once in ${source.name}, found it twice`)
    tensors.set(info.name, placeTensor(info, source, dataStart, alignment))
  }
  let before: TensorEntry | null = null
  for (const entry of [...tensors.values()].sort((one, other) => one.start - other.start || one.end - other.end)) {
    if (before !== null && entry.start < before.end)
      throw new EvalError(
        'model/corrupt',
        `wanted the tensor ${entry.name} behind ${before.name}, which ends at byte ${before.end} of ${source.name}, found it at byte ${entry.start}: they overlap`,
      )
    before = entry
  }
  return tensors
}

function placeTensor({ name, sizes, typeNumber, offset }: Info, source: ByteSource, dataStart: number, alignment: number): TensorEntry {
  const type = tensorTypes.get(typeNumber)
  if (type === undefined)
    throw new EvalError(
      'model/unsupported',
      `wanted a type of tensors known to gguf 0.19 for ${name} in ${source.name}, found number ${typeNumber}`,
    )
  const elements = countElements(sizes)
  const described = `${type.name} [${sizes.toReversed().join(', ')}]`
  if (elements === null)
    throw new EvalError(
      'model/corrupt',
      `wanted sizes that fit into ${source.bytes} bytes for the tensor ${name} in ${source.name}, found ${described}`,
    )
  if ((sizes[0] ?? 1) % type.values !== 0)
    throw new EvalError(
      'model/corrupt',
      `wanted rows of whole blocks of ${type.values} values for the tensor ${name} in ${source.name}, found ${described}`,
    )
  if (offset % alignment !== 0)
    throw new EvalError(
      'model/corrupt',
      `wanted the tensor ${name} of ${source.name} at a multiple of ${alignment} bytes, found offset ${offset}`,
    )
  const start = dataStart + offset
  const end = start + (elements / type.values) * type.bytes
  if (end > source.bytes)
    throw new EvalError(
      'model/corrupt',
      `wanted the tensor ${name} (${described}) in bytes ${start} to ${end} of ${source.name}, found a file of ${source.bytes} bytes`,
    )
  return { name, dtype: type.name, shape: sizes.toReversed(), source, start, end }
}

function short(key: string): string {
  return key.length > 200 ? `${key.slice(0, 200)}…` : key
}
