/** What a task file's `!function` may stand for, by where it is used, and the table that a task finds it in (`ports/functions` fills one). */
import type { PyDict, PyValue } from '../python/value.ts'
import type { ConfigDict, FunctionRef } from '../python/yaml/yaml-value.ts'
import type { Filter } from './filters/filter.ts'

/** `process_docs`: a split's rows to the rows that the task sees. */
export type ProcessDocs = (docs: readonly PyDict[]) => readonly PyDict[]
/** `doc_to_text`, `doc_to_target`, `doc_to_choice`. */
export type DocTo = (doc: PyDict) => PyValue
/** `fewshot_config.samples`. */
export type MakeSamples = () => readonly PyDict[]
/** `process_results`: the metrics of one doc from its filtered responses. */
export type ProcessResults = (doc: PyDict, results: readonly PyValue[]) => PyDict

/** `aggregation`: the metric's values of all docs to one. */
export type Aggregate = (items: readonly PyValue[]) => PyValue
/** `metric`: a value, or a dict of several, from the references and predictions of one doc. */
export type ScoreResponse = (references: readonly PyValue[], predictions: readonly PyValue[], kwargs: PyDict) => PyValue
/** A filter's class or function, from the options that the task file gives it. */
export type MakeFilter = (options: ConfigDict) => Filter

/** What a task may look functions up in. Each throws `task/unknown-function` for one that isn't known. */
export interface FunctionTable {
  processDocs(ref: FunctionRef): ProcessDocs
  docTo(ref: FunctionRef): DocTo
  samples(ref: FunctionRef): MakeSamples
  processResults(ref: FunctionRef): ProcessResults
  aggregation(ref: FunctionRef): Aggregate
  metric(ref: FunctionRef): ScoreResponse
  filter(ref: FunctionRef): MakeFilter
}

/** Ports of the helpers of one task family, by `file.function` as task files write it. */
export interface FunctionFamily {
  /** Folder of the family's files below `lm_eval/tasks`; a `*` stands for any one folder. */
  readonly folder: string
  readonly processDocs?: { readonly [name: string]: ProcessDocs }
  readonly docTo?: { readonly [name: string]: DocTo }
  readonly samples?: { readonly [name: string]: MakeSamples }
  readonly processResults?: { readonly [name: string]: ProcessResults }
  readonly aggregation?: { readonly [name: string]: Aggregate }
  readonly metric?: { readonly [name: string]: ScoreResponse }
  readonly filter?: { readonly [name: string]: MakeFilter }
  /** Loads what the ports look up, before any of them is called. */
  readonly prepare?: () => Promise<void>
  /** What a user should know of how `processResults` scores these docs. */
  readonly notes?: (docs: readonly PyDict[]) => readonly string[]
  /** Why a function has no port and can't have one, as the rest of a sentence that names it. */
  readonly refused?: { readonly [name: string]: string }
}
