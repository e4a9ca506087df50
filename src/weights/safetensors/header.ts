/**
 * A safetensors file's header: 8 bytes of length (little endian), that many bytes of JSON, then the tensors' bytes without a gap.
 * Source: https://huggingface.co/docs/safetensors (format) and safetensors 0.8.0, which refuses the same files but for names that come twice.
 */
import { EvalError } from '../../base/errors.ts'
import { readExactly, type ByteSource } from '../source.ts'
import { countElements, type TensorEntry, type TensorTable } from '../tensor-table.ts'
import { jsonEntries, OddNumber, type JsonNode } from './strict-json.ts'

export interface SafetensorsFile {
  readonly source: ByteSource
  /** What `__metadata__` says; empty when it isn't there. */
  readonly metadata: ReadonlyMap<string, string>
  /** In the order of their bytes. */
  readonly tensors: TensorTable
}

/** The format's own bound. */
const maxHeaderBytes = 100_000_000
const lengthBytes = 8

/** Bits an element, of every dtype that safetensors 0.8.0 knows. */
const bitsByDtype: ReadonlyMap<string, number> = new Map([
  ['BOOL', 8],
  ['F4', 4],
  ['F6_E2M3', 6],
  ['F6_E3M2', 6],
  ['U8', 8],
  ['I8', 8],
  ['F8_E5M2', 8],
  ['F8_E4M3', 8],
  ['F8_E8M0', 8],
  ['F8_E4M3FNUZ', 8],
  ['F8_E5M2FNUZ', 8],
  ['I16', 16],
  ['U16', 16],
  ['F16', 16],
  ['BF16', 16],
  ['I32', 32],
  ['U32', 32],
  ['F32', 32],
  ['F64', 64],
  ['I64', 64],
  ['U64', 64],
  ['C64', 64],
])

/**
 * Reads the header, and nothing behind it. Throws `model/corrupt` for a header that is cut off, longer than the file or 100 MB, no JSON, or that names a
 * tensor twice; and for tensors whose bytes lie outside the file, overlap, leave a gap, or are not as many as dtype and shape say.
 * A dtype that the format doesn't know is listed with whatever size it has; it is refused where it is asked for as a weight.
 */
export async function readSafetensors(source: ByteSource): Promise<SafetensorsFile> {
  const dataStart = lengthBytes + (await readLength(source))
  const text = decode(await readExactly(source, lengthBytes, dataStart, 'the header'), source)
  let metadata: ReadonlyMap<string, string> = new Map()
  const entries: TensorEntry[] = []
  for (const [name, value] of jsonEntries(text, `the header of ${source.name}`)) {
    if (name === '__metadata__') metadata = readMetadata(value, source)
    else entries.push(readEntry(name, value, source, dataStart))
  }
  entries.sort((one, other) => one.start - other.start || one.end - other.end)
  checkCover(entries, source, dataStart)
  return { source, metadata, tensors: new Map(entries.map((entry) => [entry.name, entry])) }
}

async function readLength(source: ByteSource): Promise<number> {
  if (source.bytes < lengthBytes)
    throw new EvalError('model/corrupt', `wanted a safetensors file, found ${source.bytes} bytes in ${source.name}: no header's length`)
  const bytes = await readExactly(source, 0, lengthBytes, "the header's length")
  const length = new DataView(bytes.buffer, bytes.byteOffset, lengthBytes).getBigUint64(0, true)
  if (length > BigInt(maxHeaderBytes))
    throw new EvalError(
      'model/corrupt',
      `wanted a safetensors header of at most ${maxHeaderBytes} bytes, found the length ${length.toString()} in ${source.name}`,
    )
  if (Number(length) > source.bytes - lengthBytes)
    throw new EvalError(
      'model/corrupt',
      `wanted a header of ${length.toString()} bytes, found ${source.name} cut off after ${source.bytes} bytes`,
    )
  return Number(length)
}

function decode(bytes: Uint8Array, source: ByteSource): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new EvalError('model/corrupt', `wanted UTF-8 in the header of ${source.name}, found other bytes`, { cause })
  }
}

function readMetadata(value: JsonNode, source: ByteSource): ReadonlyMap<string, string> {
  if (value === null) return new Map()
  if (!(value instanceof Map)) return fail(source, '__metadata__', 'texts by name', value)
  const metadata = new Map<string, string>()
  for (const [key, text] of value as ReadonlyMap<string, JsonNode>) {
    if (typeof text !== 'string') return fail(source, '__metadata__', `a text for ${short(key)}`, text)
    metadata.set(key, text)
  }
  return metadata
}

function readEntry(name: string, value: JsonNode, source: ByteSource, dataStart: number): TensorEntry {
  if (!(value instanceof Map)) return fail(source, name, 'dtype, shape and data_offsets', value)
  const fields = value as ReadonlyMap<string, JsonNode>
  const dtype = fields.get('dtype')
  if (typeof dtype !== 'string') return fail(source, name, 'a dtype', dtype)
  const shape = readNumbers(fields.get('shape'), source, name, 'shape')
  const [begin, end, ...rest] = readNumbers(fields.get('data_offsets'), source, name, 'data_offsets')
  if (begin === undefined || end === undefined || rest.length > 0) return fail(source, name, 'two data_offsets', fields.get('data_offsets'))
  const bytesOfData = source.bytes - dataStart
  if (end < begin || end > bytesOfData)
    return fail(source, name, `data_offsets within the file's ${bytesOfData} bytes of data`, fields.get('data_offsets'))
  const bits = bitsByDtype.get(dtype)
  const elements = countElements(shape)
  const wanted = bits === undefined ? end - begin : elements === null ? null : (elements * bits) / 8
  if (wanted !== end - begin)
    throw new EvalError(
      'model/corrupt',
      `wanted ${wanted === null ? 'more than 2^53' : String(wanted)} bytes for the tensor ${short(name)} (${dtype} [${shape.slice(0, 8).join(', ')}]) ` +
        `in ${source.name}, found ${end - begin}`,
    )
  return { name, dtype, shape, source, start: dataStart + begin, end: dataStart + end }
}

/** A list of integers from 0 up; more than 64 are no shape. */
function readNumbers(value: JsonNode | undefined, source: ByteSource, name: string, what: string): readonly number[] {
  if (!Array.isArray(value) || value.length > 64) return fail(source, name, `a list of integers as ${what}`, value)
  return value.map((item: JsonNode) =>
    typeof item === 'number' && item >= 0 && !Object.is(item, -0) ? item : fail(source, name, `integers from 0 up in ${what}`, item),
  )
}

/** Every byte behind the header belongs to one tensor: nothing can hide in the file, and nothing is read as two things. */
function checkCover(entries: readonly TensorEntry[], source: ByteSource, dataStart: number): void {
  let covered = dataStart
  let before = 'the header'
  for (const { name, start, end } of entries) {
    if (start !== covered)
      throw new EvalError(
        'model/corrupt',
        `wanted the tensor ${short(name)} at byte ${covered} of ${source.name}, behind ${before}, found it at byte ${start}: ` +
          (start < covered ? 'they overlap' : 'there is a gap'),
      )
    covered = end
    before = short(name)
  }
  if (covered !== source.bytes)
    throw new EvalError('model/corrupt', `wanted ${source.name} to end with ${before} at byte ${covered}, found ${source.bytes} bytes`)
}

function fail(source: ByteSource, name: string, wanted: string, found: JsonNode | undefined): never {
  throw new EvalError('model/corrupt', `wanted ${wanted} for ${short(name)} in the header of ${source.name}, found ${describe(found)}`)
}

function describe(value: JsonNode | undefined): string {
  if (value === undefined) return 'none'
  if (value instanceof OddNumber) return value.written.slice(0, 40)
  if (value instanceof Map) return 'an object'
  return JSON.stringify(value, (_, part: unknown) => (part instanceof OddNumber ? part.written : part)).slice(0, 80)
}

function short(name: string): string {
  return name.length > 200 ? `${name.slice(0, 200)}…` : name
}
