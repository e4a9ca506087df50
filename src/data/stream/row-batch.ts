/** Rows on their way out of a file. */
import type { Cell, Table } from '../../contracts/rows.ts'

/** Some rows in file order. `columns` are the same in every batch of a split. */
export interface RowBatch {
  readonly columns: Table['columns']
  readonly rows: readonly (readonly Cell[])[]
  /** About what its rows took in their file. */
  readonly bytes: number
}

const batchBytes = 256 * 1024

/** `table` in batches of about 256 KiB; `bytes` is what its rows took in their file. A table without rows is one empty batch. */
export function* batchesOf({ columns, rows }: Table, bytes: number): Generator<RowBatch> {
  const count = Math.max(1, Math.floor((rows.length * batchBytes) / Math.max(bytes, 1)))
  if (count >= rows.length) yield { columns, rows, bytes }
  else
    for (let start = 0; start < rows.length; start += count) {
      const part = rows.slice(start, start + count)
      yield { columns, rows: part, bytes: (bytes * part.length) / rows.length }
    }
}

/** The same rows in fewer batches where they are small: for borders at which each batch has its price. The first ones don't wait for more. */
export async function* joinBatches(batches: AsyncIterable<RowBatch>): AsyncGenerator<RowBatch> {
  let isFirst = true
  let columns: Table['columns'] = []
  let rows: (readonly Cell[])[] = []
  let bytes = 0
  for await (const batch of batches) {
    columns = batch.columns
    for (const row of batch.rows) rows.push(row)
    bytes += batch.bytes
    if (!isFirst && bytes < batchBytes) continue
    yield { columns, rows, bytes }
    isFirst = false
    rows = []
    bytes = 0
  }
  if (rows.length > 0) yield { columns, rows, bytes }
}

/** All batches as one table; one without columns when there are none. */
export async function collectRows(batches: AsyncIterable<RowBatch>): Promise<Table> {
  let columns: Table['columns'] = []
  const rows: (readonly Cell[])[] = []
  for await (const batch of batches) {
    columns = batch.columns
    for (const row of batch.rows) rows.push(row)
  }
  return { columns, rows }
}

/** The batches up to `maxRows` rows, and no further batch is asked for then. */
export async function* takeRows(batches: AsyncIterable<RowBatch>, maxRows: number): AsyncGenerator<RowBatch> {
  let left = maxRows
  for await (const { columns, rows, bytes } of batches) {
    yield { columns, rows: rows.length <= left ? rows : rows.slice(0, left), bytes }
    left -= rows.length
    if (left <= 0) return
  }
}
