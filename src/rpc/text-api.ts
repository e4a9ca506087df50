/** What the text worker offers: everything that reads untrusted text. Implemented by `text-worker/text-engine.ts`. */
import type { DocHashes } from '../analysis/cluster/expected.ts'
import type { ClusterTasks, RowFiles } from '../analysis/cluster/task-files.ts'
import type { Json } from '../base/errors.ts'
import type { BuiltTask, GenerationLook, LeafTask, ExcludedDoc, RequestAnswer } from '../contracts/built-task.ts'
import type { TaskListing } from '../contracts/listings.ts'
import type { TokenizerFacts, TokenizerFiles } from '../contracts/models.ts'
import type { RunningScore } from '../contracts/progress.ts'
import type { PromptPreview } from '../contracts/requests.ts'
import type { RunResults } from '../contracts/results.ts'
import type { Table } from '../contracts/rows.ts'
import type { RunSettings } from '../contracts/run-settings.ts'
import type { RunManifest } from '../contracts/runs.ts'
import type { RunVariance, RunSpeed } from '../contracts/yardstick-results.ts'
import type { TaskRoot } from '../harness/tasks/task-files.ts'

export interface TaskIndex {
  readonly tasks: readonly TaskListing[]
  /** Files that could not be read; they matter only when a task of theirs is asked for. */
  readonly problems: readonly { readonly file: string; readonly message: string }[]
}

/** The settings that decide a task's requests. */
export type BuildSettings = Pick<
  RunSettings,
  | 'numFewshot'
  | 'limit'
  | 'samples'
  | 'shard'
  | 'applyChatTemplate'
  | 'fewshotAsMultiturn'
  | 'systemInstruction'
  | 'genKwargs'
  | 'seeds'
  | 'predictOnly'
  | 'tasks'
>

export interface ResultsRequest {
  readonly manifest: RunManifest
  /** The `yardstick` key of the results file. */
  readonly provenance: { readonly [key: string]: Json }
  /** Unix seconds at the start; goes to the file's `date`. */
  readonly startedAtSeconds: number
  readonly seconds: number
  readonly excluded: readonly ExcludedDoc[]
  /** Null where it wasn't asked for. */
  readonly noise: RunVariance | null
  /** Null where nothing was computed: all answers were kept. */
  readonly speed: RunSpeed | null
}

export interface TextWorkerApi {
  loadTokenizer(files: TokenizerFiles, modelArgs: { readonly [key: string]: Json }): Promise<TokenizerFacts>
  /** Replaces what was loaded before; a later root's definition of a name wins over an earlier one's. */
  loadTasks(roots: readonly TaskRoot[], metadata: { readonly [key: string]: Json }): Promise<TaskIndex>
  /** Leaf tasks of the requested names, globs, groups and tags, in the order in which the harness runs them. */
  resolve(names: readonly string[], numFewshot: number | null): Promise<readonly LeafTask[]>
  /**
   * Builds a task's requests and keeps the task for `answer` and `results`. Needs a tokenizer. The docs whose ids are `excluded` are asked like
   * the others, and not scored.
   */
  build(
    task: string,
    tables: { readonly [split: string]: Table },
    settings: BuildSettings,
    excluded?: readonly number[],
  ): Promise<BuiltTask>
  /** The first `docs` docs' requests as text. Needs a tokenizer only when a chat template is asked for. */
  preview(
    task: string,
    tables: { readonly [split: string]: Table },
    settings: BuildSettings,
    docs: number,
  ): Promise<readonly PromptPreview[]>
  /** Looks for the first stop string in a text that is being written; `seen` of its tokens had been looked at before. Needs a tokenizer. */
  watchGeneration(tokens: Int32Array, seen: number, stops: readonly string[]): Promise<GenerationLook>
  answer(task: string, answers: readonly RequestAnswer[]): Promise<void>
  runningScores(): Promise<readonly RunningScore[]>
  /** Filters, metrics, aggregation, groups, files. Throws when a request has no answer. */
  results(request: ResultsRequest): Promise<RunResults>
  /** Hashes of a built task's docs, and the `task_hashes` entry that they make. */
  docHashes(task: string): Promise<{ readonly taskHash: string; readonly docs: readonly DocHashes[] }>
  /** What was resolved last as files for lm_eval; see `analysis/cluster/task-files.ts`. */
  clusterTasks(rows: { readonly [task: string]: RowFiles }): Promise<ClusterTasks>
}
