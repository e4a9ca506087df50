/** Rows of csv and tsv files, while they stream: 10,000 at a time, as `datasets` asks pandas for them. */
import type { Table } from '../../contracts/rows.ts'
import { splitCsv, type CsvRecord } from '../decode/csv-tokens.ts'
import { csvChunkRows, namesOfCsv, tableOfRecords, type CsvOptions } from '../decode/csv.ts'
import { CellCount, maxRecordBytes } from './limits.ts'
import { batchesOf, type RowBatch } from './row-batch.ts'
import { textBlocks, tooLong } from './text-blocks.ts'

interface CsvFile {
  readonly name: string
  /** Unpacked. */
  readonly pieces: AsyncIterable<Uint8Array>
}

/**
 * `declare` casts a chunk to columns that are declared elsewhere; without it the first chunk settles them.
 * Throws `dataset/malformed` with file and line, and `dataset/schema` for fields that don't fit.
 */
export async function* csvRows(
  files: Iterable<CsvFile>,
  options: CsvOptions,
  declare: ((table: Table) => Table) | null = null,
): AsyncGenerator<RowBatch> {
  let columns: Table['columns'] | null = null
  for (const file of files) {
    let names: readonly string[] | null = null
    const cells = new CellCount(file.name)
    for await (const { records, bytes } of recordChunks(file, options)) {
      const [first] = records
      const isStart: boolean = names === null
      names ??= namesOfCsv(first, options, file.name)
      const rows: readonly CsvRecord[] = isStart && options.hasHeader ? records.slice(1) : records
      // A file of nothing but a header still names the columns.
      if (rows.length === 0 && columns !== null) continue
      cells.add(rows.length * names.length, bytes)
      const table: Table = tableOfRecords(rows, { names, columns, textColumns: options.textColumns }, file.name)
      if (declare === null) columns = rows.length === 0 ? null : table.columns
      yield* batchesOf(declare === null ? table : declare(table), bytes)
    }
  }
}

interface RecordChunk {
  readonly records: readonly CsvRecord[]
  readonly bytes: number
}

/** The records in chunks; the header, where there is one, comes with the first. A file without records is one empty chunk. */
async function* recordChunks({ name, pieces }: CsvFile, options: CsvOptions): AsyncGenerator<RecordChunk> {
  let records: CsvRecord[] = []
  let bytes = 0
  let chunkSize = csvChunkRows + (options.hasHeader ? 1 : 0)
  let hasGiven = false
  function* give(isEnd: boolean): Generator<RecordChunk> {
    while (records.length >= chunkSize || (isEnd && (records.length > 0 || !hasGiven))) {
      const chunk = records.slice(0, chunkSize)
      yield { records: chunk, bytes: Math.round((bytes * chunk.length) / Math.max(1, records.length)) }
      records = records.slice(chunk.length)
      bytes = 0
      chunkSize = csvChunkRows
      hasGiven = true
    }
  }
  let rest = ''
  let line = 1
  let retryAt = 0
  const split = (text: string, isLast: boolean): void => {
    const part = splitCsv(text, options, { file: name, line, isLast })
    for (const record of part.records) records.push(record)
    rest = text.slice(part.end)
    line = part.line
    if (rest.length > maxRecordBytes) throw tooLong(name, line, 'a record')
    // A record over many lines is read anew only when twice as much of it is there.
    retryAt = part.end === 0 ? rest.length * 2 : 0
  }
  for await (const block of textBlocks(pieces, { file: name })) {
    bytes += block.bytes.length
    rest += block.text
    if (rest.length < retryAt && rest.length <= maxRecordBytes) continue
    split(rest, false)
    yield* give(false)
  }
  split(rest, true)
  yield* give(true)
}
