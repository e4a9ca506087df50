/** The pages of a row group, looked over before anything in them is unpacked. */
import { createCRC32 } from 'hash-wasm'
import type { RowGroup } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { isFlatColumn } from 'hyparquet/src/schema.js'
import { EvalError } from '../../base/errors.ts'
import { refusalOf, type UnpackLimits } from './limits.ts'
import { checkRuns, type RunColumn } from './parquet-runs.ts'
import { checkThrift } from './thrift.ts'

/** Bytes of a file, and where in it they begin. */
export interface FilePart {
  readonly start: number
  readonly bytes: Uint8Array
}

/** What the pages looked over so far take, packed and unpacked; it goes on from row group to row group. */
export interface PageTotals {
  packed: number
  unpacked: number
}

/** Decoded values take about this many bytes each, however well they are packed, and again for each level of nesting. */
const bytesPerValue = 8

interface PageCheck {
  readonly file: string
  readonly limits: UnpackLimits
  readonly totals: PageTotals
  /** How the column's values are packed, for a look at its runs. */
  readonly runs: RunColumn
}

type Column = RowGroup['columns'][number]

/** Where a column's pages are in the file; null when the footer doesn't say. */
export function rangeOf({ meta_data: meta }: Column): { readonly start: number; readonly end: number } | null {
  if (meta === undefined) return null
  // Zero stands for "none" with some writers.
  const dictionary = Number(meta.dictionary_page_offset ?? 0n)
  const start = dictionary > 0 ? dictionary : Number(meta.data_page_offset)
  return { start, end: start + Number(meta.total_compressed_size) }
}

/**
 * Checks every page of a column: its size lies within the column, its checksum holds where it has one, and what it says it unpacks to
 * stays within `limits`. Adds to `totals`. Throws `dataset/malformed`.
 */
export async function checkPages(column: Column, { start, bytes }: FilePart, { file, limits, totals, runs }: PageCheck): Promise<void> {
  const { num_values: promised = 0n, path_in_schema: path = [] } = column.meta_data ?? {}
  const where = `${file}, column '${path.join('.')}'`
  const fail = (what: string, offset: number): never => {
    throw new EvalError('dataset/malformed', `${where}, byte ${offset}: ${what}.`, { details: { file, offset } })
  }
  const crc = await createCRC32()
  const reader = { view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset: 0 }
  let values = 0
  // The reader goes through all pages of a nested column, whatever was promised.
  const isFlat = isFlatColumn(runs.schemaPath)
  const valueBytes = bytesPerValue * Math.max(1, runs.schemaPath.length - 1)
  while ((values < Number(promised) || !isFlat) && reader.offset < bytes.length - 1) {
    const pageStart = start + reader.offset
    try {
      checkThrift(bytes, reader.offset)
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error), pageStart)
    }
    const header = parquetHeader(reader)
    const { compressed_page_size: packed, uncompressed_page_size: unpacked } = header
    const end = reader.offset + packed
    // A damaged header gives undefined as well as nonsense.
    if (!Number.isInteger(packed) || !Number.isInteger(unpacked) || packed < 0 || unpacked < 0 || end > bytes.length)
      fail('a page of an impossible size', pageStart)
    if (header.crc !== undefined) {
      const found = parseInt(crc.init().update(bytes.subarray(reader.offset, end)).digest('hex'), 16)
      if (found !== header.crc >>> 0) fail('a page whose checksum is wrong', pageStart)
    }
    const count = header.data_page_header?.num_values ?? header.data_page_header_v2?.num_values ?? 0
    const entries = count + (header.dictionary_page_header?.num_values ?? 0)
    if (!Number.isInteger(entries) || entries < 0) fail('a page of an impossible number of values', pageStart)
    values += count
    totals.packed += packed
    const addUp = (more: number): void => {
      totals.unpacked += more
      const refusal = refusalOf(totals.unpacked, totals.packed, limits)
      if (refusal !== null)
        throw new EvalError('dataset/malformed', `${file} is refused: ${refusal}.`, { details: { file, offset: pageStart } })
    }
    addUp(Math.max(unpacked, entries * valueBytes))
    let repeated = 0
    try {
      repeated = checkRuns(bytes.subarray(reader.offset, end), header, runs)
    } catch (error) {
      fail(error instanceof Error ? error.message : String(error), pageStart)
    }
    addUp(repeated)
    reader.offset = end
  }
  if (values !== Number(promised)) fail(`the footer promises ${promised} values, the pages hold ${values}`, start + reader.offset)
}
