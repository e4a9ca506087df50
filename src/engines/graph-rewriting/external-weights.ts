/**
 * A model's graph without its weights, which stay in the file and become external data.
 *
 * ONNX Runtime copies the bytes of a graph into its heap, parses them into a second copy, and keeps a third as tensors. Weights that are
 * external data it reads once, one after the other, to where they stay.
 */
import { EvalError } from '../../base/errors.ts'
import type { FileBytes } from '../../weights/file-bytes.ts'
import { bytesField, fieldHead, integerField, joinBytes } from '../../onnx/wire.ts'

/** Place of the model's own file among its external data. */
export const weightsFile = 'yardstick-weights'

interface GraphWithoutWeights {
  readonly graph: Uint8Array<ArrayBuffer>
  /** Some weights are read from the model's file, under `weightsFile`. */
  readonly readsFile: boolean
}

/** Smaller weights stay: shape inference reads them, and an entry costs as much. */
const movedBytes = 4096

/**
 * The graph of the ONNX model in `file`, with the weights of 4 KiB and more replaced by their places in it. Reads what it keeps, a few
 * megabytes, and steps over the rest. Throws `model/corrupt` for damaged bytes.
 * Source: onnx/onnx.proto of ONNX 1.19 (field numbers).
 */
export function moveWeightsOut(file: FileBytes): GraphWithoutWeights {
  const reader = new WindowReader(file)
  let readsFile = false
  const tensor = (from: number, to: number): Uint8Array => {
    const kept: Uint8Array[] = []
    let moved: FieldPlace | null = null
    for (const field of fieldsOf(reader, from, to)) {
      if (field.number === 9 && field.end - field.body >= movedBytes) moved = field
      else kept.push(reader.copy(field.start, field.end))
    }
    if (moved === null) return joinBytes(kept)
    readsFile = true
    // Behind the fields that stay: of two values of one field the last counts.
    return joinBytes([...kept, ...externalPlace(moved.body, moved.end)])
  }
  const graphParts = (from: number, to: number): Uint8Array[] =>
    Array.from(fieldsOf(reader, from, to), (field) =>
      field.number === 5 && field.isMessage ? bytesField(5, tensor(field.body, field.end)) : reader.copy(field.start, field.end),
    )
  const parts: Uint8Array[] = []
  for (const field of fieldsOf(reader, 0, file.length)) {
    if (field.number !== 7 || !field.isMessage) {
      parts.push(reader.copy(field.start, field.end))
      continue
    }
    const inner = graphParts(field.body, field.end)
    parts.push(
      fieldHead(
        7,
        inner.reduce((sum, part) => sum + part.length, 0),
      ),
    )
    for (const part of inner) parts.push(part)
  }
  return { graph: joinBytes(parts), readsFile }
}

/** Fields of a tensor whose bytes are external data. */
function externalPlace(start: number, end: number): Uint8Array[] {
  const entries = { location: weightsFile, offset: String(start), length: String(end - start) }
  const place = Object.entries(entries).map(([key, value]) => bytesField(13, joinBytes([bytesField(1, key), bytesField(2, value)])))
  return [...place, integerField(14, 1)]
}

/** A field of a message, by its place in the file. */
interface FieldPlace {
  readonly number: number
  readonly isMessage: boolean
  readonly start: number
  /** Where a length-delimited field's bytes begin. */
  readonly body: number
  readonly end: number
}

/** The fields between two places, their contents unread. */
function* fieldsOf(reader: WindowReader, from: number, to: number): Generator<FieldPlace> {
  for (let at = from; at < to;) {
    const [tag, afterTag] = reader.varint(at, to)
    const number = Math.floor(tag / 8)
    if (number < 1) throw corrupt(`field number ${number}`, at)
    const [isMessage, body, length] = ((): [boolean, number, number] => {
      switch (tag % 8) {
        case 0:
          return [false, reader.varint(afterTag, to)[1], 0]
        case 1:
          return [false, afterTag, 8]
        case 2: {
          const [bytes, afterLength] = reader.varint(afterTag, to)
          return [true, afterLength, bytes]
        }
        case 5:
          return [false, afterTag, 4]
        default:
          throw corrupt(`wire type ${tag % 8}`, at)
      }
    })()
    const end = body + length
    if (end > to) throw corrupt(`a field of ${length} bytes where ${to - body} are left`, at)
    yield { number, isMessage, start: at, body, end }
    at = end
  }
}

const windowBytes = 2 ** 16

/** Reads a file through a window, since most reads are a few bytes long. */
class WindowReader {
  readonly #file: FileBytes
  #window = new Uint8Array(0)
  #start = 0

  constructor(file: FileBytes) {
    this.#file = file
  }

  /** A copy of the bytes from `start` to `end`. */
  copy(start: number, end: number): Uint8Array {
    const at = start - this.#start
    if (at >= 0 && end <= this.#start + this.#window.length) return this.#window.slice(at, end - this.#start)
    if (end - start > windowBytes) return this.#file.read(start, end).slice()
    this.#move(start)
    return this.#window.slice(0, end - start)
  }

  /** A non-negative varint before `to`, and where it ends. */
  varint(start: number, to: number): readonly [value: number, end: number] {
    let value = 0
    let factor = 1
    // Ten bytes hold 64 bits; what is beyond a safe integer is no length or number that a model has, only a negative value.
    for (let at = start; at < Math.min(to, start + 10); at += 1) {
      if (at < this.#start || at >= this.#start + this.#window.length) this.#move(at)
      const byte = this.#window[at - this.#start] ?? 0
      value += (byte & 0x7f) * factor
      factor *= 0x80
      if (byte < 0x80) return [value, at + 1]
    }
    throw corrupt('a number that is cut off or too long', start)
  }

  #move(start: number): void {
    this.#window = this.#file.read(start, Math.min(this.#file.length, start + windowBytes)).slice()
    this.#start = start
  }
}

function corrupt(found: string, at: number): EvalError {
  return new EvalError(
    'model/corrupt',
    `wanted an ONNX protobuf, found ${found} at byte ${at} of the file: it is damaged or not an ONNX model`,
  )
}
