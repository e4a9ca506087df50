/** What most helpers do to a split: keep some rows, add columns to each. */
import type { ProcessDocs } from '../../harness/function-table.ts'
import { dictGet, pyEquals, type PyDict, type PyValue } from '../../python/value.ts'

/** A `process_docs` that keeps the rows where the column equals the value, in order. */
export function keepWhere(column: string, value: PyValue): ProcessDocs {
  return (docs) => docs.filter((doc) => pyEquals(dictGet(doc, column) ?? null, value))
}

/** One `process_docs` per name: those that keep the rows whose column equals the name's value. */
export function keepEach(column: string, values: { readonly [name: string]: PyValue }): { readonly [name: string]: ProcessDocs } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, keepWhere(column, value)]))
}

/** A `process_docs` that keeps the rows that a test passes, in order. */
export function keepIf(test: (doc: PyDict) => boolean): ProcessDocs {
  return (docs) => docs.filter(test)
}

/** `dataset.map`: each row with the columns that `change` gives, the known ones in their places and the new ones behind. */
export function mapDocs(change: (doc: PyDict) => Iterable<readonly [string, PyValue]>): ProcessDocs {
  return (docs) => docs.map((doc) => new Map([...doc, ...change(doc)]))
}
