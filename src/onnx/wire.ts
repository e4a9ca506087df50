/** Writing protobuf messages: the few wire types that ONNX needs. Source: protobuf encoding specification. */
import { joinBytes } from '../base/bytes.ts'

export { joinBytes }

const encoder = new TextEncoder()

/** Appends the varint of a non-negative safe integer. */
function pushVarint(bytes: number[], value: number): number[] {
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) + 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
  return bytes
}

/** Field `number` with a varint value. */
export function integerField(number: number, value: number): Uint8Array {
  return Uint8Array.from(pushVarint(pushVarint([], number * 8), value))
}

/** Field `number` with a length-delimited payload: a message, bytes, or a string as UTF-8. */
export function bytesField(number: number, payload: Uint8Array | string): Uint8Array {
  const bytes = typeof payload === 'string' ? encoder.encode(payload) : payload
  return joinBytes([fieldHead(number, bytes.length), bytes])
}

/** Tag and length of a length-delimited field whose `length` bytes follow. */
export function fieldHead(number: number, length: number): Uint8Array {
  return Uint8Array.from(pushVarint(pushVarint([], number * 8 + 2), length))
}
