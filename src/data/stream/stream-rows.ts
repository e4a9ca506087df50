/** The rows of a split's files, while they stream. */
import { EvalError, type Json } from '../../base/errors.ts'
import type { Table } from '../../contracts/rows.ts'
import { castTable } from '../dataset/cast.ts'
import { bytesFile, type DataFile } from '../dataset/data-file.ts'
import { extensionOf, type Format } from '../dataset/extension.ts'
import type { DeclaredColumns } from '../../contracts/declared-columns.ts'
import { readCsvOptions } from '../decode/csv.ts'
import { tableOfField } from '../decode/json.ts'
import { csvRows } from './csv-rows.ts'
import { jsonRows } from './json-rows.ts'
import { CellCount } from './limits.ts'
import { parquetRows, type RangeFile } from './parquet-rows.ts'
import { joinPieces } from './pieces.ts'
import { batchesOf, takeRows, type RowBatch } from './row-batch.ts'
import { textRows } from './text-rows.ts'
import { isGzip, unpackPieces } from './unpack.ts'

/** A file to read rows from; what `DataFile` has without its hash. */
export type RowFile = Omit<DataFile, 'facts'>

export interface SplitRequest {
  readonly format: Format
  /** The loader's options (`sep`, `field` …). */
  readonly options: { readonly [key: string]: Json }
  readonly files: readonly RowFile[]
  /** Columns that the repository declares, to which each chunk is cast; `where` is for messages. Null or absent = the first chunk settles them. */
  readonly declared?: { readonly columns: DeclaredColumns; readonly where: string } | null
  /** No more rows than these are wanted, for a first look; null or absent = all. */
  readonly maxRows?: number | null
}

/**
 * Batches of rows in file order, with the same columns in each: the first chunk of the first file decides them (10 MiB of json, 10,000
 * records of csv, the footer of parquet). Leaving early reads no further. An error means that no batch before it may be used.
 * Throws `dataset/malformed`, `dataset/schema`, `task/unsupported`, `task/invalid`, and what reading the files throws.
 */
export function streamRows(request: SplitRequest): AsyncGenerator<RowBatch> {
  const { maxRows = null } = request
  return maxRows === null ? rowsOf(request) : takeRows(rowsOf(request), maxRows)
}

function rowsOf({ format, options, files, declared }: SplitRequest): AsyncGenerator<RowBatch> {
  const declare =
    declared === undefined || declared === null ? null : (table: Table) => castTable(table, declared.columns, format, declared.where)
  switch (format) {
    case 'json': {
      const field = readField(options)
      return field === null ? jsonRows(files.map(unpacked), { declare }) : fieldRows(files, field, declare)
    }
    case 'csv':
      return csvRows(files.map(unpacked), readCsvOptions(options, separatorOf(files[0]?.name ?? '')), declare)
    case 'parquet':
      return parquetRows(files.map(unpackedRange), { declare })
    case 'text':
      return textRows(files.map(unpacked), options)
  }
}

function unpacked(file: RowFile): { readonly name: string; readonly pieces: AsyncIterable<Uint8Array> } {
  return { name: file.name, pieces: { [Symbol.asyncIterator]: () => unpackPieces(file.stream(), file.name) } }
}

async function readWhole(file: RowFile): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of unpacked(file).pieces) pieces.push(piece.slice())
  return joinPieces(pieces)
}

/** A packed parquet file has to be unpacked whole before ranges of it can be read. */
function unpackedRange(file: RowFile): RangeFile {
  let opened: Promise<RangeFile> | null = null
  const open = (): Promise<RangeFile> =>
    (opened ??= file.read(0, 3).then((head) => (isGzip(head) ? bytesFile(file.name, () => readWhole(file)) : file)))
  return {
    name: file.name,
    length: async () => (await open()).length(),
    read: async (start, end) => (await open()).read(start, end),
  }
}

/** The rows under a key of one object: pandas reads such a file whole, and so must we. */
async function* fieldRows(files: readonly RowFile[], field: string, declare: ((table: Table) => Table) | null): AsyncGenerator<RowBatch> {
  const whole = await Promise.all(files.map(async (file) => ({ name: file.name, bytes: await readWhole(file) })))
  const cells = new CellCount(files[0]?.name ?? '')
  cells.add(
    0,
    whole.reduce((sum, { bytes }) => sum + bytes.length, 0),
  )
  const table = tableOfField(whole, field, (count) => {
    cells.add(count)
  })
  yield* batchesOf(
    declare === null ? table : declare(table),
    whole.reduce((sum, { bytes }) => sum + bytes.length, 0),
  )
}

/** Tabs for files that say so by their name. */
function separatorOf(name: string): string {
  return extensionOf(name) === 'tsv' ? '\t' : ','
}

function readField(kwargs: { readonly [key: string]: Json }): string | null {
  const { field } = kwargs
  if (field === undefined || field === null) return null
  if (typeof field === 'string') return field
  throw new EvalError('task/invalid', `dataset_kwargs: 'field' is the name of a key, not ${JSON.stringify(field)}.`)
}
