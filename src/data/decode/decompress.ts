/** The packages' decompressors for parquet pages, held to the lengths that page headers promise: some make room for whatever the packed bytes say. */
import type { Compressors } from 'hyparquet'

type Decompress = (input: Uint8Array, length: number) => Uint8Array

/** The largest window of brotli, and what lies beside it. */
const brotliWindowBytes = 2 ** 24 + 2 ** 16

/** The same decompressors, within `length` bytes and the windows of their formats. */
export function bounded(compressors: Compressors, decompressZstd: (input: Uint8Array, output: Uint8Array) => Uint8Array): Compressors {
  const { LZ4_RAW: unpackLz4, BROTLI: unpackBrotli } = compressors
  return {
    ...compressors,
    // With a buffer given, no header makes it larger, nor a window beside it.
    ZSTD: (input, length) => {
      const hasLength = checkZstdLength(input, length)
      const unpack = (last: number): Uint8Array => {
        const output = new Uint8Array(length)
        output.fill(last, -1)
        return decompressZstd(input, output)
      }
      const page = unpack(1)
      // A frame that ends too early leaves the last byte as it was, whatever it was.
      if (!hasLength && length > 0 && page.at(-1) === 1 && unpack(2).at(-1) === 2)
        throw new RangeError(`a page of less than ${length} bytes`)
      return page
    },
    ...(unpackBrotli === undefined ? {} : { BROTLI: (input, length) => withinRoom(unpackBrotli, input, length) }),
    // The package's LZ4 takes a block of nothing (a page of nulls) for a damaged one.
    ...(unpackLz4 === undefined ? {} : { LZ4_RAW: (input, length) => (length === 0 ? new Uint8Array(0) : unpackLz4(input, length)) }),
  }
}

/** Checks the length that a zstd frame tells of itself, and gives whether it tells one. */
function checkZstdLength(input: Uint8Array, length: number): boolean {
  const flags = input[4] ?? 0
  const isSingleSegment = (flags >> 5) & 1
  const sizeCode = flags >> 6
  const sizeBytes = sizeCode === 0 ? isSingleSegment : 1 << sizeCode
  if (sizeBytes === 0) return false
  const at = 6 - isSingleSegment + ([0, 1, 2, 4][flags & 3] ?? 0)
  let told = sizeCode === 1 ? 256 : 0
  for (let index = 0; index < sizeBytes; index++) told += (input[at + index] ?? 0) * 2 ** (8 * index)
  if (told !== length) throw new RangeError(`a page of ${length} bytes, of which its zstd frame has ${told}`)
  return true
}

/**
 * The package's brotli makes its output larger for every block that says so, a thousand bytes of input to gigabytes. It asks for each of them
 * with `new Uint8Array(…)`: while it runs, which is all at once, no larger one than it may need is given.
 */
function withinRoom(unpack: Decompress, input: Uint8Array, length: number): Uint8Array {
  const room = Math.max(length, brotliWindowBytes)
  const { Uint8Array: plain } = globalThis
  globalThis.Uint8Array = new Proxy(plain, {
    construct(target, args: readonly unknown[]) {
      if (typeof args[0] === 'number' && args[0] > room) throw new RangeError(`a page of ${length} bytes that unpacks to more`)
      return Reflect.construct(target, args) as Uint8Array
    },
  })
  try {
    return unpack(input, length)
  } finally {
    globalThis.Uint8Array = plain
  }
}
