/** A run that came as a file: of this program, or of the harness. Nothing of it is verified, and it never mixes with the runs made here. */
import type { ReturnedTask } from '../../analysis/cluster/returned.ts'
import type { IndexedDocs } from '../../analysis/viewer/doc-index.ts'
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import type { RunSummary } from '../../contracts/results.ts'
import type { SampleSource } from '../runs/sample-pages.ts'

export interface OpenedRun {
  /** Unique in this tab. */
  readonly id: string
  /** Names of the files that it came from. */
  readonly files: readonly string[]
  /** `own-results`: results files of ours, `harness`: whatever else. */
  readonly kind: 'whole-run' | 'own-results' | 'harness'
  /** What a run of this program says of itself; null for the harness's files. */
  readonly manifest: RunManifest | null
  readonly summary: RunSummary
  readonly samples: ReadonlyMap<string, readonly SampleView[]>
  /** What the sample viewer lists and searches, a task each in the order of `samples`; absent where nobody made it yet. */
  readonly indexed?: readonly IndexedDocs[]
  /** What the harness's file says of the run, as name and value. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** What came back against what its exported folder expects; absent without the folder's expected.json. */
  readonly returned?: readonly ReturnedTask[]
  /** What is missing, or was made here. */
  readonly notes: readonly Note[]
}

/** Said by the page in words of its own. */
export type Note =
  | { readonly kind: 'no-samples' | 'no-results' | 'text-withheld' | 'opencompass' | 'meta-evals' }
  | { readonly kind: 'tasks-without-samples'; readonly tasks: readonly string[] }

/** How much may be opened: a bomb stops here while it unpacks. */
export const limits = {
  /** Bytes of a file as it comes. */
  packedBytes: 500_000_000,
  /** Bytes of one file after unpacking. */
  unpackedBytes: 1_000_000_000,
  /** Bytes of a file that is parsed in one go: results, or a list of samples. */
  wholeBytes: 128_000_000,
  /** UTF-16 units of one line. */
  lineChars: 16_000_000,
  samples: 1_000_000,
  rows: 20_000,
  /** Answers to one doc: each is a row where the doc is shown. */
  choices: 10_000,
  /** Filters of one task: each is a choice in a menu. */
  filters: 1_000,
  nameChars: 500,
} as const

/** The samples of an opened run, by the page, as a stored run's come. */
export function sourceOf(run: OpenedRun): SampleSource {
  return {
    samplesOf: (_runId, task, { offset, count }) => {
      const all = run.samples.get(task) ?? []
      return Promise.resolve({ task, offset, total: all.length, samples: all.slice(offset, offset + count) })
    },
  }
}
