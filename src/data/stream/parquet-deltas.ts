/** Values that a parquet page writes as differences, looked over before they are read. */
import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'

/** The format's own default is four; the reader makes room for as many as it is told of. */
const maxMiniblocks = 4096

/** Throws a RangeError unless differences begin at `at` of a page with so many values. */
export function checkDeltas(page: Uint8Array, at: number, values: number): void {
  const view = viewOf(page)
  const reader = { view, offset: at }
  readNumber(reader)
  const miniblocks = readNumber(reader)
  const count = readNumber(reader)
  if (miniblocks < 1 || miniblocks > maxMiniblocks) throw new RangeError(`differences in ${miniblocks} blocks`)
  if (count !== values) throw new RangeError(`differences of ${count} values in a page of ${values}`)
}

/**
 * Bytes of texts that repeat the beginnings of those before them: a page of a few hundred bytes may hold a million long ones. Throws a
 * RangeError for lengths that can't be.
 */
export function prefixedBytes(page: Uint8Array, at: number, values: number): number {
  if (values === 0) return 0
  checkDeltas(page, at, values)
  const reader = { view: viewOf(page), offset: at }
  const prefixes = new Int32Array(values)
  deltaBinaryUnpack(reader, values, prefixes)
  checkDeltas(page, reader.offset, values)
  const suffixes = new Int32Array(values)
  deltaBinaryUnpack(reader, values, suffixes)
  let total = 0
  let before = 0
  for (const [index, prefix] of prefixes.entries()) {
    const suffix = suffixes[index] ?? 0
    if (prefix < 0 || suffix < 0 || prefix > before) throw new RangeError('a text that begins as none before it')
    before = prefix + suffix
    total += before
  }
  return total
}

function viewOf(page: Uint8Array): DataView {
  return new DataView(page.buffer, page.byteOffset, page.byteLength)
}

function readNumber(reader: { readonly view: DataView; offset: number }): number {
  let value = 0
  for (let index = 0; index < 5; index++) {
    const group = reader.view.getUint8(reader.offset)
    reader.offset += 1
    value += (group & 127) * 2 ** (7 * index)
    if (group < 128) return value
  }
  throw new RangeError('a number of more than 32 bits')
}
