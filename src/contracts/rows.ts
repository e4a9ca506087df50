/** Rows as data sources deliver them. */
import type { Json } from '../base/errors.ts'

/**
 * A column's type, as the `datasets` library infers it. `struct` keeps the field order, which a plain object would lose for
 * integer-like names.
 */
export type Feature =
  | 'string'
  | 'int64'
  | 'float64'
  | 'bool'
  | 'null'
  /** Values of different shapes, kept as they were; in such a cell an integer is a `bigint` and every `number` is a float. */
  | 'json'
  | { readonly list: Feature }
  | { readonly struct: readonly (readonly [name: string, type: Feature])[] }

/** A cell: JSON, with `bigint` for integers beyond 2^53. Whether an integral number is an int or a float is told by its `Feature`. */
export type Cell = null | boolean | number | bigint | string | readonly Cell[] | { readonly [key: string]: Cell }

/** All rows of one split. `rows[i][j]` belongs to `columns[j]`; a missing value is `null`. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly type: Feature }[]
  readonly rows: readonly (readonly Cell[])[]
}

/** Where a split came from, for the provenance of a run. */
export interface DatasetOrigin {
  readonly path: string
  readonly name: string | null
  readonly commit: string | null
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[]
  /** What the user should know about where the rows come from; absent for nothing. */
  readonly warnings?: readonly string[]
  /** The rows are gated or private: their text isn't the user's to pass on without a thought. Absent = open, or of an earlier version. */
  readonly isRestricted?: true
}

/** Where a task's rows are: a Hub dataset, or one of the loaders `json`, `csv`, `parquet`, `text` with data files. */
export interface DatasetReference {
  readonly path: string
  readonly name: string | null
  /** `dataset_kwargs` without `data_files`. */
  readonly kwargs: { readonly [key: string]: Json }
  /** Split → files, as named in the task file; null when the dataset repository says itself. */
  readonly dataFiles: { readonly [split: string]: readonly string[] } | null
}
