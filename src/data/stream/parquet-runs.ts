/** The runs within a parquet page, looked over before they are read: the reader trusts their lengths, and one wrong bit makes it write forever. */
import type { ColumnMetaData, Compressors, SchemaTree } from 'hyparquet'
import type { parquetHeader } from 'hyparquet/src/column.js'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { readRleBitPackedHybrid } from 'hyparquet/src/encoding.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js'
import { checkDeltas, prefixedBytes } from './parquet-deltas.ts'

type PageHeader = ReturnType<typeof parquetHeader>

/** What a column's pages are read by. */
export interface RunColumn {
  readonly codec: ColumnMetaData['codec']
  readonly type: ColumnMetaData['type']
  readonly schemaPath: SchemaTree[]
  readonly compressors: Compressors | null
}

/** Values that a run may hold beyond the page's: writers fill the last groups of eight up. */
const slackValues = 512

/**
 * Throws a RangeError for a run (of levels, of places in the dictionary, of booleans) that is longer than its page. Gives the bytes of texts
 * that are written by what they share with the ones before: those that the page's own length says nothing of.
 */
export function checkRuns(body: Uint8Array, header: PageHeader, column: RunColumn): number {
  checkHeader(header)
  const { data_page_header: v1, data_page_header_v2: v2 } = header
  const repetition = getMaxRepetitionLevel(column.schemaPath)
  const definition = getMaxDefinitionLevel(column.schemaPath)
  const unpack = (bytes: Uint8Array, length: number): Uint8Array =>
    decompressPage(bytes, length, column.codec, column.compressors ?? undefined)
  if (header.type === 'DATA_PAGE' && v1 !== undefined) {
    const isBool = column.type === 'BOOLEAN' && v1.encoding === 'RLE'
    const isIndexed = v1.encoding === 'PLAIN_DICTIONARY' || v1.encoding === 'RLE_DICTIONARY' || isBool
    const isDelta = v1.encoding.startsWith('DELTA')
    if (repetition === 0 && definition === 0 && !isIndexed && !isDelta) return 0
    const page = unpack(body, header.uncompressed_page_size)
    let at = repetition === 0 ? 0 : checkSized(page, 0, { width: bitsOf(repetition), values: v1.num_values })
    const levelsAt = at
    if (definition > 0) at = checkSized(page, at, { width: bitsOf(definition), values: v1.num_values })
    if (isBool) checkSized(page, at, { width: 1, values: v1.num_values })
    else if (isIndexed) checkHybrid(page, at + 1, { width: page[at] ?? 0, values: v1.num_values })
    else if (isDelta)
      return deltaBytes(page, at, { encoding: v1.encoding, values: presentIn(page, levelsAt, { definition, values: v1.num_values }) })
  }
  if (header.type === 'DATA_PAGE_V2' && v2 !== undefined) {
    const { repetition_levels_byte_length: repetitionBytes, definition_levels_byte_length: definitionBytes } = v2
    if (repetition > 0) checkHybrid(body, 0, { width: bitsOf(repetition), values: v2.num_values })
    if (definition > 0) checkHybrid(body, repetitionBytes, { width: bitsOf(definition), values: v2.num_values })
    const isIndexed = v2.encoding === 'PLAIN_DICTIONARY' || v2.encoding === 'RLE_DICTIONARY'
    const isDelta = v2.encoding.startsWith('DELTA')
    if (!isIndexed && !isDelta && v2.encoding !== 'RLE') return 0
    const levels = repetitionBytes + definitionBytes
    const rest = body.subarray(levels)
    const values = v2.is_compressed === false ? rest : unpack(rest, header.uncompressed_page_size - levels)
    const present = v2.num_values - v2.num_nulls
    if (isDelta) return deltaBytes(values, 0, { encoding: v2.encoding, values: present })
    if (isIndexed) checkHybrid(values, 1, { width: values[0] ?? 0, values: present })
    else checkSized(values, 0, { width: 1, values: present })
  }
  return 0
}

function deltaBytes(page: Uint8Array, at: number, { encoding, values }: { readonly encoding: string; readonly values: number }): number {
  if (encoding === 'DELTA_BYTE_ARRAY') return prefixedBytes(page, at, values)
  checkDeltas(page, at, values)
  return 0
}

/** Values of a page that are no nulls: those of the highest definition level. */
function presentIn(page: Uint8Array, at: number, { definition, values }: { readonly definition: number; readonly values: number }): number {
  if (definition === 0) return values
  const levels: number[] = Array.from({ length: values }, () => 0)
  readRleBitPackedHybrid({ view: new DataView(page.buffer, page.byteOffset, page.byteLength), offset: at }, bitsOf(definition), levels)
  return levels.filter((level) => level === definition).length
}

/** A number that a damaged header lacks is no error to the reader either: it goes on from nowhere. */
function checkHeader({
  type,
  data_page_header: v1,
  data_page_header_v2: v2,
  dictionary_page_header: dictionary,
  ...page
}: PageHeader): void {
  const needed =
    type === 'DATA_PAGE'
      ? [v1?.num_values]
      : type === 'DATA_PAGE_V2'
        ? [v2?.num_values, v2?.num_nulls, v2?.num_rows, v2?.definition_levels_byte_length, v2?.repetition_levels_byte_length]
        : type === 'DICTIONARY_PAGE'
          ? [dictionary?.num_values]
          : [undefined]
  if (needed.some((number) => !Number.isInteger(number) || Number(number) < 0)) throw new RangeError('a page whose header is not whole')
  const levels = v2 === undefined ? 0 : v2.definition_levels_byte_length + v2.repetition_levels_byte_length
  if (
    type === 'DATA_PAGE_V2' &&
    (levels > page.compressed_page_size || levels > page.uncompressed_page_size || Number(v2?.num_nulls) > Number(v2?.num_values))
  )
    throw new RangeError('a page whose levels are longer than the page')
}

interface Runs {
  /** Bits of a value. */
  readonly width: number
  /** Values that are needed. */
  readonly values: number
}

/** Runs behind their length in bytes (four, little-endian); gives where they end. */
function checkSized(bytes: Uint8Array, at: number, runs: Runs): number {
  if (at + 4 > bytes.length) throw new RangeError('a page ends before its levels do')
  checkHybrid(bytes, at + 4, runs)
  return at + 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true)
}

/** Runs of one value repeated, or of values packed bit by bit, until all are there. Bytes that are missing are left to the reader to notice. */
function checkHybrid(bytes: Uint8Array, start: number, { width, values }: Runs): void {
  let at = start
  for (let seen = 0; seen < values && at < bytes.length;) {
    let head = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at]
      if (byte === undefined || shift > 28) throw new RangeError('a run whose length does not end')
      at += 1
      head += (byte & 127) * 2 ** shift
      if (byte < 128) break
    }
    const isPacked = head % 2 === 1
    const count = Math.floor(head / 2) * (isPacked ? 8 : 1)
    if (count > values - seen + slackValues) throw new RangeError(`a run of ${count} values in a page of ${values}`)
    at += isPacked ? Math.floor(head / 2) * width : Math.ceil(width / 8)
    seen += count
  }
}

function bitsOf(level: number): number {
  return 32 - Math.clz32(level)
}
