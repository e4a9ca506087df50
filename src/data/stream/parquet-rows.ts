/** Rows of parquet files by ranges: the footer first, then one row group at a time. */
import { parquetMetadataAsync, parquetRead, type AsyncBuffer, type Compressors, type FileMetaData, type RowGroup } from 'hyparquet'
import { getSchemaPath } from 'hyparquet/src/schema.js'
import { EvalError, isEvalError } from '../../base/errors.ts'
import type { Table } from '../../contracts/rows.ts'
import type { DataFile } from '../dataset/data-file.ts'
import { cellOfParquet, columnsOfParquet, loadCompressors, parsers } from '../decode/parquet.ts'
import { castToSettled } from './cast.ts'
import { refusalOf, unpackLimits, type UnpackLimits } from './limits.ts'
import { checkGroups, readFooter } from './parquet-footer.ts'
import { checkPages, rangeOf, type FilePart, type PageTotals } from './parquet-pages.ts'
import type { RunColumn } from './parquet-runs.ts'
import { batchesOf, type RowBatch } from './row-batch.ts'

export type RangeFile = Pick<DataFile, 'name' | 'length' | 'read'>

/** Column chunks that lie this close are fetched as one. */
const gapBytes = 64 * 1024

interface ParquetRowOptions {
  /** Casts a row group to columns that are declared elsewhere. */
  readonly declare?: ((table: Table) => Table) | null
  readonly limits?: UnpackLimits
}

/** Throws `dataset/malformed` for damage and for what unpacks to too much, and `dataset/schema` when a later file's columns don't fit. */
export async function* parquetRows(
  files: Iterable<RangeFile>,
  { declare = null, limits = unpackLimits }: ParquetRowOptions = {},
): AsyncGenerator<RowBatch> {
  let columns: Table['columns'] | null = null
  for (const file of files) {
    try {
      for await (const { table, bytes } of groupTables(file, limits)) {
        if (declare !== null) {
          yield* batchesOf(declare(table), bytes)
          continue
        }
        const own: Table['columns'] = table.columns
        const missing: Table['columns'][number] | undefined = columns?.find(({ name }) => own.every((column) => column.name !== name))
        if (missing !== undefined)
          throw new EvalError('dataset/schema', `${file.name} has no column '${missing.name}', which the first file has.`, {
            details: { file: file.name },
          })
        const cast: Table = columns === null ? table : castToSettled(table, { columns, timestamps: new Set(), isStrict: false }, file.name)
        columns = cast.columns
        yield* batchesOf(cast, bytes)
      }
    } catch (error) {
      if (isEvalError(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new EvalError('dataset/malformed', `${file.name} can not be read as parquet: ${reason}`, {
        cause: error,
        details: { file: file.name },
      })
    }
  }
}

async function* groupTables(file: RangeFile, limits: UnpackLimits): AsyncGenerator<{ readonly table: Table; readonly bytes: number }> {
  const length = await file.length()
  const source = bufferOf(file, length, await readFooter(file, length))
  const metadata = await parquetMetadataAsync(source)
  const columns = columnsOfParquet(metadata)
  checkGroups(metadata, file.name)
  const totals: PageTotals = { packed: 0, unpacked: 0 }
  let cellBytes = 0
  if (metadata.row_groups.length === 0) yield { table: { columns, rows: [] }, bytes: 0 }
  const compressors = await loadCompressors(metadata)
  let rowStart = 0
  for (const group of metadata.row_groups) {
    const before = totals.unpacked
    const parts = await fetchGroup(group, file)
    for (const column of group.columns) {
      const range = rangeOf(column)
      if (range === null) throw malformed(file.name, 'the footer does not tell where a column is')
      await checkPages(
        column,
        { start: range.start, bytes: slicePart(parts, range.start, range.end) ?? new Uint8Array(0) },
        { file: file.name, limits, totals, runs: runsOf(column, metadata, compressors) },
      )
    }
    const rows = await readGroup(bufferOf(file, source.byteLength, parts), metadata, {
      rowStart,
      rowCount: Number(group.num_rows),
      name: file.name,
    })
    rowStart += Number(group.num_rows)
    const cellBytesBefore = cellBytes
    const cells = rows.map((row) => {
      const own = columns.map(({ type }, at) => cellOfParquet(row[at], type))
      // What a dictionary holds once may stand in every row, and is in every message then.
      for (const cell of own) cellBytes += typeof cell === 'string' ? cell.length : 8
      const refusal = refusalOf(cellBytes, totals.packed, limits)
      if (refusal !== null) throw malformed(file.name, `it is refused: ${refusal}`)
      return own
    })
    yield { table: { columns, rows: cells }, bytes: Math.max(totals.unpacked - before, cellBytes - cellBytesBefore) }
  }
}

function runsOf({ meta_data: meta }: RowGroup['columns'][number], metadata: FileMetaData, compressors: Compressors | null): RunColumn {
  const path = meta?.path_in_schema ?? []
  return {
    codec: meta?.codec ?? 'UNCOMPRESSED',
    type: meta?.type ?? 'BYTE_ARRAY',
    schemaPath: getSchemaPath(metadata.schema, path),
    compressors,
  }
}

/** All bytes of a row group, in as few requests as its layout allows. */
async function fetchGroup(group: RowGroup, file: RangeFile): Promise<readonly FilePart[]> {
  const ranges = group.columns.flatMap((column) => rangeOf(column) ?? []).sort((a, b) => a.start - b.start)
  const merged: { start: number; end: number }[] = []
  const length = await file.length()
  for (const { start, end } of ranges) {
    if (!(start >= 0 && end >= start && end <= length))
      throw malformed(file.name, `a column lies outside the file, from byte ${start} to ${end}`)
    const last = merged.at(-1)
    if (last !== undefined && start - last.end <= gapBytes) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return Promise.all(merged.map(async ({ start, end }) => ({ start, bytes: await file.read(start, end) })))
}

function slicePart(parts: readonly FilePart[], start: number, end: number): Uint8Array | null {
  const part = parts.find((one) => start >= one.start && end <= one.start + one.bytes.length)
  return part === undefined ? null : part.bytes.subarray(start - part.start, end - part.start)
}

/** The file as the parquet reader wants it; what is in `parts` isn't read again. */
function bufferOf(file: RangeFile, byteLength: number, parts: readonly FilePart[]): AsyncBuffer {
  return {
    byteLength,
    slice: async (start, end = byteLength) => {
      const bytes = slicePart(parts, start, end) ?? (await file.read(start, end))
      // A copy when the bytes are a view: the reader wants an ArrayBuffer of just these.
      return bytes.slice().buffer
    },
  }
}

interface GroupRows {
  readonly rowStart: number
  readonly rowCount: number
  readonly name: string
}

async function readGroup(
  file: AsyncBuffer,
  metadata: FileMetaData,
  { rowStart, rowCount, name }: GroupRows,
): Promise<readonly (readonly unknown[])[]> {
  let rows: readonly (readonly unknown[])[] = []
  const counts = new Map<string, number>()
  const compressors = await loadCompressors(metadata)
  await parquetRead({
    file,
    metadata,
    parsers,
    rowStart,
    rowEnd: rowStart + rowCount,
    ...(compressors === null ? {} : { compressors }),
    onChunk: ({ columnName, columnData }) => counts.set(columnName, (counts.get(columnName) ?? 0) + columnData.length),
    onComplete: (complete) => {
      rows = complete
    },
  })
  for (const [column, count] of counts)
    if (count !== rowCount) throw malformed(name, `the footer promises ${rowCount} rows in a group, its column '${column}' holds ${count}`)
  if (rows.length !== rowCount) throw malformed(name, `the footer promises ${rowCount} rows in a group, ${rows.length} were read`)
  return rows
}

function malformed(file: string, what: string): EvalError {
  return new EvalError('dataset/malformed', `${file}: ${what}.`, { details: { file } })
}
