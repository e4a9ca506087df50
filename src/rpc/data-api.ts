/**
 * What the data worker offers: it reads untrusted files. It has no network: the run worker, which has, serves it bytes.
 * Implemented by `data/stream/data-engine.ts`.
 */
import type { Json } from '../base/errors.ts'
import type { DeclaredColumns } from '../contracts/declared-columns.ts'
import type { Cell, Table } from '../contracts/rows.ts'

/** The files of one split and how to read them. */
export interface RowsRequest {
  readonly format: 'json' | 'csv' | 'parquet' | 'text'
  /** The loader's options (`sep`, `field` …). */
  readonly options: { readonly [key: string]: Json }
  /** Their names, for messages; questions name a file by its place here. */
  readonly files: readonly string[]
  /** Columns that the repository declares, as `contracts/declared-columns.ts` describes them; null = the first rows settle them. */
  readonly declared: { readonly columns: DeclaredColumns; readonly where: string } | null
  /** No more rows than these are wanted; null = all. */
  readonly maxRows: number | null
}

/**
 * What the worker asks of a file: its first piece (again, if need be), the next one, a range of bytes, its length; or it says that it wants
 * no more pieces.
 */
export type FileQuestion = { readonly file: number } & (
  | { readonly type: 'first' | 'close' | 'length' }
  /** `spare` is the memory of an earlier piece, given back to be filled again. */
  | { readonly type: 'next'; readonly spare: ArrayBuffer | null }
  | { readonly type: 'range'; readonly start: number; readonly end: number }
)

/** Bytes, a length, or null: there are no more pieces. */
export type FileAnswer = Uint8Array | number | null

/** Some rows in file order; the columns are the same in every batch of a call. */
export interface RowsBatch {
  readonly columns: Table['columns']
  readonly rows: readonly (readonly Cell[])[]
}

/** What rows hold altogether. */
export interface RowCounts {
  readonly rows: number
  /** UTF-16 units in cells that are texts, nested ones aside. */
  readonly characters: number
}

export interface DataWorkerApi {
  /**
   * Reads rows to the end, or to `maxRows`. `serve` answers questions about files, `take` gets the batches; the next batch waits for it.
   * Both must be marked with `callback`. Rejects with `dataset/…`, `task/…`, and what `serve` and `take` reject with: no row counts then.
   */
  readRows(
    request: RowsRequest,
    serve: (question: FileQuestion) => Promise<FileAnswer>,
    take: (batch: RowsBatch) => Promise<void>,
  ): Promise<void>
  /** Reads as `readRows`, but only counts what it finds: rows cost nothing on this side. */
  scanRows(request: RowsRequest, serve: (question: FileQuestion) => Promise<FileAnswer>): Promise<RowCounts>
}
