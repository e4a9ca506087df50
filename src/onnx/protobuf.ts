import { EvalError } from '../base/errors.ts'

/**
 * One field of a protobuf message: `value` for varints, `bytes` (a view, never a copy) for length-delimited ones; `end` is where it ends in the
 * message.
 */
export interface ProtobufField {
  readonly number: number
  readonly value: number
  readonly bytes: Uint8Array
  readonly end: number
}

const nothing = new Uint8Array(0)

/**
 * The fields of one serialized protobuf message, in file order, without decoding nested messages.
 *
 * Fixed-width numbers are skipped over (value 0): no field that we read has them. Throws `model/corrupt` when a field reaches
 * past the end or a wire type doesn't exist, so damaged and foreign files never give half an answer.
 * Source: protobuf encoding specification, wire types 0, 1, 2 and 5.
 */
export function* protobufFields(message: Uint8Array): Generator<ProtobufField> {
  const reader = { bytes: message, at: 0 }
  while (reader.at < message.length) {
    const tag = readVarint(reader)
    const number = Math.floor(tag / 8)
    if (number < 1) throw corrupt(`field number ${number}`, reader.at)
    switch (tag % 8) {
      case 0:
        yield { number, value: readVarint(reader), bytes: nothing, end: reader.at }
        break
      case 1:
        take(reader, 8)
        yield { number, value: 0, bytes: nothing, end: reader.at }
        break
      case 2:
        yield { number, value: 0, bytes: take(reader, readVarint(reader)), end: reader.at }
        break
      case 5:
        take(reader, 4)
        yield { number, value: 0, bytes: nothing, end: reader.at }
        break
      default:
        throw corrupt(`wire type ${tag % 8}`, reader.at)
    }
  }
}

/** Varints of a packed repeated field, or the one value of an unpacked one. */
export function* packedVarints(field: ProtobufField): Generator<number> {
  if (field.bytes.length === 0) yield field.value
  const reader = { bytes: field.bytes, at: 0 }
  while (reader.at < field.bytes.length) yield readVarint(reader)
}

interface Reader {
  readonly bytes: Uint8Array
  at: number
}

function readVarint(reader: Reader): number {
  const start = reader.at
  let value = 0
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = reader.bytes[reader.at]
    if (byte === undefined) throw corrupt('a number that is cut off', start)
    reader.at += 1
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
  return readLongVarint(reader, start, value)
}

// Above 28 bits: 64-bit integers, negative ones in ten bytes.
function readLongVarint(reader: Reader, start: number, low: number): number {
  let value = BigInt(low)
  for (let shift = 28n; shift < 70n; shift += 7n) {
    const byte = reader.bytes[reader.at]
    if (byte === undefined) break
    reader.at += 1
    value |= BigInt(byte & 0x7f) << shift
    if (byte < 0x80) return Number(BigInt.asIntN(64, value))
  }
  throw corrupt('a number that is cut off or too long', start)
}

function take(reader: Reader, length: number): Uint8Array {
  const end = reader.at + length
  if (length < 0 || end > reader.bytes.length) {
    throw corrupt(`a field of ${length} bytes where ${reader.bytes.length - reader.at} are left`, reader.at)
  }
  const view = reader.bytes.subarray(reader.at, end)
  reader.at = end
  return view
}

function corrupt(found: string, at: number): EvalError {
  return new EvalError(
    'model/corrupt',
    `wanted an ONNX protobuf, found ${found} at byte ${at} of a message: the file is damaged or not an ONNX model`,
  )
}
