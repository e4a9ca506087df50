/** The commonest helper of all: keep the rows whose column has one value. */
import { dictGet, pyEquals, type PyValue } from '../python/value.ts'
import type { ProcessDocs } from './function-types.ts'

/** A `process_docs` that keeps the rows where the column equals the value, in order. */
export function keepWhere(column: string, value: PyValue): ProcessDocs {
  return (docs) => docs.filter((doc) => pyEquals(dictGet(doc, column) ?? null, value))
}
