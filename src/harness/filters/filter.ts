import type { PyDict, PyValue } from '../../python/value.ts'

/** One step of a filter pipeline. Gives one value per request, in order; `docs[i]` is the doc of request i. */
export type Filter = (responses: readonly PyValue[], docs: readonly PyDict[]) => readonly PyValue[]
