/** What the run worker offers to the page, by concern. Every method is declared here once: the page's client and the command line's driver take their types from it. */
import type { Parallelism } from '../analysis/cluster/commands.ts'
import type { ComparedSample } from '../analysis/compare/compared-run.ts'
import type { DocIndex } from '../analysis/viewer/doc-index.ts'
import type { Json, WireError } from '../base/errors.ts'
import type { DeviceSpeed } from '../contracts/device-speed.ts'
import type { HubAccess } from '../contracts/hub-access.ts'
import type { DataScan, FileVerdict, StorageReport } from '../contracts/kept-files.ts'
import type { ModelDescription, ModelFormat, ModelHit, ModelRefs } from '../contracts/models.ts'
import type { RunEvent } from '../contracts/progress.ts'
import type { PromptPreview } from '../contracts/requests.ts'
import type { RunSummary } from '../contracts/results.ts'
import type { QueuedRun, RunSettings, TaskFile } from '../contracts/run-settings.ts'
import type { RunRow } from '../contracts/runs.ts'
import type { SecondOpinion } from '../contracts/second-opinion.ts'
import type { SampleView } from '../contracts/samples.ts'
import type { RunConfig } from '../settings/run-config.ts'
import type { RowsRequest } from './data-api.ts'
import type { DocSettings, DocView, PromptTokens, StudyIndex, TaskDetails } from './task-preview-api.ts'
import type { TaskIndex } from './text-api.ts'

/** A file that the user chose or dropped: its path below the chosen folder, with `/` and without the folder's own name. */
export interface LocalFile {
  readonly path: string
  readonly file: Blob
}

/** Whether what this page computes is kept: in the browser's database, in memory only (`error` says why), or not at all until it is reloaded. */
export interface Keeping {
  readonly state: 'kept' | 'memory' | 'refused'
  readonly error: WireError | null
}

/** What came of handing a token over; it is in use for the first two alone. */
export interface TokenCheck {
  readonly verdict: 'accepted' | 'unchecked' | 'unknown' | 'may-write' | 'malformed'
  /** Whose it is, as the Hub says. */
  readonly name: string | null
}

/** One doc of a task that the task page shows. */
export interface DocRequest {
  /** The user's own files, which win over the opened folder's and the bundled ones. */
  readonly files: readonly TaskFile[]
  /** A task, group or tag, and which of its tasks; null = the first. */
  readonly name: string
  readonly leaf: string | null
  readonly docId: number
  readonly settings: DocSettings
  /** Whose tokens are shown; null = none. */
  readonly tokenizer: { readonly model: string; readonly revision: string; readonly modelArgs: { readonly [key: string]: Json } } | null
  readonly dataFiles: RunSettings['dataFiles']
  /** Whether the Hub may be asked for the task's rows. */
  readonly mayAskHub: boolean
}

/** A kept prompt whose tokens are to be shown. */
export interface PromptRequest {
  readonly prompt: string
  /** Whether continuations of it were scored; else a text was written after it. */
  readonly isScored: boolean
  readonly tokenizer: NonNullable<DocRequest['tokenizer']>
  /** Whether the Hub may be asked for the tokenizer's files. */
  readonly mayAskHub: boolean
}

/** One file of a repository on the Hub. */
export interface HubFileRequest {
  readonly kind: 'model' | 'dataset'
  readonly id: string
  readonly revision: string
  readonly path: string
}

/** One page of a run's samples. */
export interface SamplePage {
  readonly task: string
  readonly offset: number
  readonly total: number
  readonly samples: readonly SampleView[]
}

/** The queue of runs, and whether somebody goes on with it: this worker, or another tab's. */
export interface QueueView {
  readonly runs: readonly QueuedRun[]
  readonly holder: 'here' | 'elsewhere' | 'nobody'
}

/** A folder for lm_eval elsewhere; paths below it. */
export interface ClusterFolder {
  readonly files: readonly TaskFile[]
  /** A bundled model's files; empty for models that lm_eval finds itself. */
  readonly binaries: readonly { readonly path: string; readonly bytes: Uint8Array<ArrayBuffer> }[]
  /** Where the browser's own results of the run belong, if there are any. */
  readonly browserFolder: string
}

/** Hears a run's events; across the border it is made with `callback`. */
export type OnRunEvent = (event: RunEvent) => void

/** A run that has ended. `error` tells why one failed that was never stored; what became of a stored one, its `done` event says. */
export interface RunOutcome {
  readonly runId: string
  readonly error: WireError | null
}

/** Runs: started, resumed, stopped, listed, deleted. One at a time. */
export interface RunsApi {
  /** Runs to the end; every `RunEvent` goes to `onEvent`. Resolves with the run's id, also when it was stopped or failed: `done` says which. */
  start(settings: RunSettings, onEvent: OnRunEvent): Promise<RunOutcome>
  /**
   * Goes on with an interrupted run; answers as `start`. Rejects with `run/plan-changed` when its inputs have changed, and with `run/busy`
   * when another tab works on it, unless it `takesOver`: then that one ends with `storage/fenced`.
   */
  resume(runId: string, onEvent: OnRunEvent, takesOver?: boolean): Promise<RunOutcome>
  stop(): Promise<void>
  /** Makes what is kept durable now; for when the page is hidden. */
  checkpoint(): Promise<void>
  /** Calls `onChange` once the store is open or refused, and whenever that changes. */
  watchKeeping(onChange: (keeping: Keeping) => void): Promise<void>
  listRuns(): Promise<readonly RunRow[]>
  /** Null while there are none. */
  loadResults(runId: string): Promise<RunSummary | null>
  /**
   * Scores the first `docs` docs of a complete run again by transformers.js on the same device, and keeps what came of it in the run's results file. `onDocs`
   * hears how many are done. Throws `model/no-onnx` for other weights than ONNX, and as `resume`.
   */
  secondOpinion(runId: string, docs: number, onDocs?: (done: number, total: number) => void): Promise<SecondOpinion>
  /**
   * Measures prompt and writing speed of what these settings run, or of a complete run's model on its device; then it is kept in that run's results file. `onRound`
   * hears how many rounds of a test are done, the unmeasured one counting 0. Throws as `start`.
   */
  measureSpeed(
    what: RunSettings | { readonly runId: string },
    onRound?: (test: string, done: number, total: number) => void,
  ): Promise<DeviceSpeed>
  deleteRun(runId: string): Promise<void>
  eraseAll(): Promise<void>
}

/** The queue of runs. */
export interface QueueApi {
  readQueue(): Promise<QueueView>
  /** Puts runs at the end of the queue and gives their places. Starts none. */
  addToQueue(settings: readonly RunSettings[]): Promise<readonly number[]>
  /** Takes entries out of the queue; their runs stay as they are. */
  dropFromQueue(places: readonly number[]): Promise<void>
  /** Makes this worker the one that goes on with the queue, until `leaveQueue` or its end; false when another tab's does. */
  takeQueue(): Promise<boolean>
  leaveQueue(): Promise<void>
  /** Runs an entry or goes on with its run; answers as `start`. What became of it stands in the queue then. Rejects with `run/busy` without `takeQueue`. */
  runQueued(place: number, onEvent: OnRunEvent): Promise<RunOutcome>
}

/** Models, data files and the Hub that runs read from. */
export interface InputsApi {
  /** How the Hub is reached from now on; kept in this worker's memory only. */
  configure(access: HubAccess): Promise<void>
  /**
   * The Hub token from now on, or none; kept in this worker's memory only. With `check` the Hub is asked first what it may do, and one that
   * may write, or that the Hub doesn't know, isn't taken.
   */
  useToken(token: string | null, options: { readonly check: boolean }): Promise<TokenCheck>
  hasToken(): Promise<boolean>
  /**
   * Makes the model in a folder of the user's own one that runs can name; resolves with the id for `RunSettings.model`. Hashes every file:
   * `onBytes` hears of it. Throws as `openFolder` in `data/hub/folder-hub.ts`.
   */
  openModelFolder(name: string, files: readonly LocalFile[], onBytes?: (loaded: number, total: number) => void): Promise<string>
  /** Takes data files of the user's own: `given:` + path in `RunSettings.dataFiles` is then the file of that path. */
  openDataFiles(files: readonly LocalFile[]): Promise<void>
  /** Reads the list of files and config.json; fetches no weights. `format`: the form to take; null for the first that there is. */
  describeModel(id: string, revision: string, format: ModelFormat | null): Promise<ModelDescription>
  /** Branches and tags of a model. Throws the Hub's errors; `hub/not-found` also where the Hub lists none. */
  listRefs(id: string): Promise<ModelRefs>
  /** Models of the Hub whose id contains the text, most downloaded first. A search that is still going on is given up: `run/stopped`. */
  searchModels(query: { readonly text: string; readonly limit: number }): Promise<readonly ModelHit[]>
  /**
   * A file of a repository that the user named: a run or results to open. Throws the Hub's errors; `hub/not-found` also where there is no such
   * file, `results/invalid` when it has more than `limitBytes`.
   */
  readHubFile(file: HubFileRequest, limitBytes: number): Promise<Uint8Array<ArrayBuffer>>
  /** Reads all rows of the data file at an address of our own origin and counts them: what the benchmark times. Throws as a run does. */
  scanData(address: string, format: RowsRequest['format']): Promise<DataScan>
}

/** Tasks before they are run: listed, inspected doc by doc, taken elsewhere. */
export interface TasksApi {
  listTasks(taskFiles: readonly TaskFile[]): Promise<TaskIndex>
  /**
   * Makes the task files of a folder ones that can be asked for by name, and lists them: the harness's `--include_path`. Replaces the
   * folder before. `onFiles` hears how many are read. Throws `settings/invalid` for a folder without any.
   */
  openTaskFolder(name: string, files: readonly LocalFile[], onFiles?: (read: number, total: number) => void): Promise<StudyIndex>
  closeTaskFolder(): Promise<void>
  /** What these files define and what is wrong with them. This and the next three: each under a deadline, then `worker/timeout`. */
  checkTaskFiles(files: readonly TaskFile[]): Promise<StudyIndex>
  explainTask(files: readonly TaskFile[], name: string, leaf: string | null, numFewshot: number | null): Promise<TaskDetails>
  /** Null when the rows lie on the Hub, which the request doesn't allow to ask. */
  viewDoc(request: DocRequest): Promise<DocView | null>
  /** The files of the folder and of `files` that a run of these tasks needs, so that its settings carry no others; with bundled ones, for use elsewhere. */
  filesBehindTasks(names: readonly string[], files: readonly TaskFile[], withBundled?: boolean): Promise<readonly TaskFile[]>
  /** Null when the file is no configuration of a run. */
  readRunConfig(file: TaskFile): Promise<RunConfig | null>
  /** Frees what `viewDoc` and the like keep. */
  restTaskInspector(): Promise<void>
  previewPrompts(settings: RunSettings, docs: number): Promise<readonly PromptPreview[]>
  /** What takes these settings to a cluster; opens no model. Throws as a run does, and `task/unsupported` for what lm_eval can't run. */
  makeClusterFolder(settings: RunSettings, parallelism: Parallelism): Promise<ClusterFolder>
}

/** Samples of finished runs, a page at a time. */
export interface SamplesApi {
  samplesOf(runId: string, task: string, page: { readonly offset: number; readonly count: number }): Promise<SamplePage>
  /** A page of a task's samples, cut down to what a comparison of runs reads; in the order of the samples file. */
  comparedSamplesOf(
    runId: string,
    task: string,
    page: { readonly offset: number; readonly count: number },
  ): Promise<{ readonly total: number; readonly samples: readonly ComparedSample[] }>
  /** What the sample viewer's list is made of: an index a task, in the order of the results; empty while there are none. */
  docIndexesOf(runId: string): Promise<readonly DocIndex[]>
  /** Of each index, in that order, a byte an entry: 1 where the doc's texts hold the searched one. */
  searchDocs(runId: string, searched: string): Promise<readonly Uint8Array[]>
  /** Null when the tokenizer lies on the Hub, which the request doesn't allow to ask. */
  promptTokens(request: PromptRequest): Promise<PromptTokens | null>
}

/** Downloaded files that this browser keeps. */
export interface StorageApi {
  storageReport(): Promise<StorageReport>
  /** Removes kept files by their keys. Rejects with `run/busy` when one is in use, in any tab; those before it are gone then. */
  deleteFiles(keys: readonly string[]): Promise<void>
  /** Writes kept files into a folder of the user's; see `evaluation/inputs/export-files.ts`. */
  exportFiles(
    files: readonly { readonly key: string; readonly path: string }[],
    folder: FileSystemDirectoryHandle,
    onBytes: (loaded: number, total: number) => void,
  ): Promise<void>
  /** Reads each file whole and compares it with its hash; in the order of `keys`. */
  verifyFiles(keys: readonly string[]): Promise<readonly FileVerdict[]>
}

export interface RunWorkerApi extends RunsApi, QueueApi, InputsApi, TasksApi, SamplesApi, StorageApi {}
