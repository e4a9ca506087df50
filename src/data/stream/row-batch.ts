/** Rows on their way out of a file. */
import type { Cell, Table } from '../../core/types.ts'

/** Some rows in file order. `columns` are the same in every batch of a split. */
export interface RowBatch {
  readonly columns: Table['columns']
  readonly rows: readonly (readonly Cell[])[]
}

const batchBytes = 256 * 1024

/** `table` in batches of about 256 KiB; `bytes` is what its rows took in their file. A table without rows is one empty batch. */
export function* batchesOf({ columns, rows }: Table, bytes: number): Generator<RowBatch> {
  const count = Math.max(1, Math.floor((rows.length * batchBytes) / Math.max(bytes, 1)))
  for (let start = 0; start < rows.length || start === 0; start += count) yield { columns, rows: rows.slice(start, start + count) }
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

/** The batches up to `maxRows` rows, and no further batch is asked for then; null = all. */
export async function* takeRows(batches: AsyncIterable<RowBatch>, maxRows: number | null): AsyncGenerator<RowBatch> {
  let left = maxRows ?? Infinity
  for await (const { columns, rows } of batches) {
    yield { columns, rows: rows.length <= left ? rows : rows.slice(0, left) }
    left -= rows.length
    if (left <= 0) return
  }
}
