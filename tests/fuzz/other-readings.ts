/** Second opinions on csv, gzip and parquet: small readers that share nothing with ours. */
import { gunzipSync } from 'node:zlib'

/** The records of a csv text by the states of pandas' tokenizer, blank lines left out; null when a quote is never closed. */
export function readRecords(text: string, separator = ','): readonly (readonly string[])[] | null {
  const records: string[][] = []
  let state: 'start' | 'plain' | 'quoted' | 'quote' = 'start'
  let fields: string[] = []
  let field = ''
  let hasQuote = false
  const endRecord = (): void => {
    const isBlank = fields.length === 0 && !hasQuote && /^[ \t]*$/.test(field)
    if (!isBlank) records.push([...fields, field])
    fields = []
    field = ''
    hasQuote = false
    state = 'start'
  }
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (state === 'quoted') {
      if (char === '"') state = 'quote'
      else field += char
    } else if (state === 'start' && char === '"') {
      state = 'quoted'
      hasQuote = true
    } else if (state === 'quote' && char === '"') {
      field += '"'
      state = 'quoted'
    } else if (char === separator) {
      fields.push(field)
      field = ''
      state = 'start'
    } else if (char === '\n' || char === '\r') {
      endRecord()
      if (char === '\r' && text.charAt(at + 1) === '\n') at += 1
    } else {
      field += char
      state = 'plain'
    }
  }
  // A comparison that TypeScript can't follow through the loop.
  if ((state as string) === 'quoted') return null
  if (field !== '' || fields.length > 0 || hasQuote) endRecord()
  return records
}

/**
 * The content of a gzip file by Node's zlib, and whether that is all of it: zlib stops at zeros, behind which Python looks for more members.
 * Null when it refuses.
 */
export function readGzip(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly rest: 'none' | 'member' | 'other' } | null {
  const content = readMembers(bytes)
  if (content === null) return null
  const at = content.rest.findIndex((byte) => byte !== 0)
  const tail = at === -1 ? null : content.rest.subarray(at)
  if (tail === null) return { bytes: content.bytes, rest: 'none' }
  return { bytes: content.bytes, rest: tail[0] === 0x1f && tail[1] === 0x8b ? 'member' : 'other' }
}

function readMembers(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly rest: Uint8Array } | null {
  try {
    // `info` gives the stream too, whose count of bytes shows what was read.
    const { buffer, engine } = gunzipSync(bytes, { info: true, maxOutputLength: 2 ** 28 }) as unknown as {
      readonly buffer: Buffer
      readonly engine: { readonly bytesWritten: number }
    }
    return { bytes: new Uint8Array(buffer), rest: bytes.subarray(engine.bytesWritten) }
  } catch {
    return null
  }
}

/** The number of rows that a parquet footer promises (its third field), read by nothing but Thrift's compact rules; null when it can't be. */
export function readRowCount(bytes: Uint8Array): bigint | null {
  if (bytes.length < 12) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = bytes.length - 8 - view.getUint32(bytes.length - 8, true)
  if (start < 0) return null
  const reader = { bytes, at: start, steps: 0 }
  try {
    for (let id = 0; ;) {
      const head = readByte(reader)
      if ((head & 15) === 0) return null
      id = head >> 4 === 0 ? Number(zigzag(readVarint(reader))) : id + (head >> 4)
      if (id === 3 && (head & 15) === 6) return zigzag(readVarint(reader))
      skip(reader, head & 15, 0)
    }
  } catch {
    return null
  }
}

interface Reader {
  readonly bytes: Uint8Array
  at: number
  steps: number
}

function readByte(reader: Reader): number {
  const byte = reader.bytes[reader.at]
  reader.at += 1
  reader.steps += 1
  if (byte === undefined || reader.steps > 1e6) throw new RangeError('past the end')
  return byte
}

function readVarint(reader: Reader): bigint {
  let value = 0n
  for (let shift = 0n; ; shift += 7n) {
    const byte = readByte(reader)
    value |= BigInt(byte & 127) << shift
    if (byte < 128) return BigInt.asUintN(64, value)
  }
}

function zigzag(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n)
}

function skip(reader: Reader, type: number, depth: number): void {
  if (depth > 30) throw new RangeError('too deep')
  if (type === 1 || type === 2) return
  if (type === 3) readByte(reader)
  else if (type >= 4 && type <= 6) readVarint(reader)
  else if (type === 7) reader.at += 8
  else if (type === 8) {
    const length = Number(readVarint(reader))
    reader.at += length
  } else if (type === 9 || type === 10) {
    const head = readByte(reader)
    const count = head >> 4 === 15 ? Number(readVarint(reader)) : head >> 4
    for (let item = 0; item < count; item++) {
      if ((head & 15) <= 2) readByte(reader)
      else skip(reader, head & 15, depth + 1)
    }
  } else if (type === 12) {
    for (;;) {
      const head = readByte(reader)
      // The parquet reader takes any such byte for the end of a record.
      if ((head & 15) === 0) return
      if (head >> 4 === 0) readVarint(reader)
      skip(reader, head & 15, depth + 1)
    }
  } else throw new RangeError(`type ${type}`)
}
