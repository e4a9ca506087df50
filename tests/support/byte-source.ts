import type { ByteSource } from '../../src/weights/source.ts'

/** A file of weights that is in memory. */
export function sourceOfBytes(name: string, bytes: Uint8Array): ByteSource {
  return { name, bytes: bytes.length, read: (start, end) => Promise.resolve(bytes.subarray(start, end)) }
}
