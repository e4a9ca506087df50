/** What a finished run is. */
import type { Json } from '../base/errors.ts'
import type { SampleView } from './samples.ts'
import type { OwnResults } from './yardstick-results.ts'

/** What a finished run is: derived from its answers by a pure fold, so it may be deleted and rebuilt. */
export interface RunResults {
  readonly runId: string
  /** The harness's results_*.json, with our `yardstick` key. */
  readonly resultsFile: { readonly [key: string]: Json }
  /** The same as the file's text, with numbers as Python prints them (`1.0`, `1e-05`). */
  readonly resultsText: string
  /** Lines of samples_<task>.jsonl, per task. */
  readonly samples: { readonly [task: string]: readonly SampleView[] }
  readonly table: ResultsTable
  /** The table as the harness prints it, in Markdown. */
  readonly tableText: string
  readonly warnings: readonly string[]
  /** Absent in runs of earlier versions. */
  readonly own?: OwnResults
}

/** Results without samples, which come by the page. */
export type RunSummary = Omit<RunResults, 'samples'>

/** The harness's results table: one row per task, filter and metric; groups separately. */
export interface ResultsTable {
  readonly tasks: readonly ResultsRow[]
  readonly groups: readonly ResultsRow[]
}

export interface ResultsRow {
  readonly task: string
  readonly alias: string
  readonly version: string
  readonly filter: string
  readonly nShot: string
  readonly metric: string
  readonly direction: '↑' | '↓' | ''
  readonly value: number | string
  readonly stderr: number | 'N/A' | null
  readonly n: number
}
