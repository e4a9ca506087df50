/** What an evaluation needs from outside, so that the same line runs in the run worker and in tests. */
import type { ExcludedDoc } from '../contracts/built-task.ts'
import type { EngineFacts } from '../contracts/engine.ts'
import type { Draft, ForwardAnswer, ForwardItem, GenerationAnswer, GenerationItem, PlannedItem } from '../contracts/items.ts'
import type { ModelDescription, TokenizerFiles, TokenizerSource } from '../contracts/models.ts'
import type { RunEvent } from '../contracts/progress.ts'
import type { DatasetOrigin, DatasetReference, Table } from '../contracts/rows.ts'
import type { RunSettings } from '../contracts/run-settings.ts'
import type { RunManifest, RunRow } from '../contracts/runs.ts'
import type { TaskRoot } from '../harness/tasks/task-files.ts'
import type { ModelPayload } from '../rpc/model-worker-api.ts'
import type { TextWorkerApi } from '../rpc/text-api.ts'
import type { Batch, CommitOutcome, JournalEntry, Store } from '../storage/store.ts'

/** What an evaluation needs of the store. */
export interface RunStore extends Pick<
  Store,
  'createRun' | 'takeRun' | 'recall' | 'reviseJournal' | 'keepDrafts' | 'draftsOf' | 'finishRun' | 'saveResults' | 'listRuns'
> {
  commitBatch(batch: Batch): Promise<Pick<CommitOutcome, 'conflicts'>>
  journalOf(runId: string): Promise<readonly Pick<JournalEntry, 'planIndex' | 'keys'>[]>
}

/** A model's files at one commit, described before anything large is fetched. */
export interface ResolvedModel {
  readonly description: ModelDescription
  readonly tokenizerFiles: TokenizerFiles
  /** Null for the model's own repository. */
  readonly tokenizerSource: TokenizerSource | null
  /** What had to be taken for true of the tokenizer: sentences for people. */
  readonly notes: readonly string[]
  /** Why the dtype can't run sequences of up to so many tokens here, in a sentence; null when nothing speaks against it. */
  refusalFor(dtype: string, windowTokens: number): string | null
  /** Files that the dtype needs, with their content hashes where the Hub gives them. */
  filesOf(dtype: string): Promise<readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[]>
  /** Content of the dtype's graph and external data, and the text of config.json. */
  fetch(dtype: string, onBytes: (file: string, loaded: number, total: number | null) => void, signal: AbortSignal): Promise<ModelPayload>
}

export interface ModelSource {
  resolve(settings: RunSettings, signal: AbortSignal): Promise<ResolvedModel>
}

export interface DataSource {
  load(
    dataset: DatasetReference,
    splits: readonly string[],
    settings: Pick<RunSettings, 'dataFiles'>,
    onBytes: (file: string, loaded: number, total: number | null) => void,
    signal: AbortSignal,
    /** No more than the first rows of each split, for a preview; the origin names no files then. Null or absent = all. */
    maxRows?: number | null,
  ): Promise<{ readonly tables: { readonly [split: string]: Table }; readonly origin: DatasetOrigin }>
}

/** Hears of the texts of a batch while they are written, and says when one ends. */
export interface TextWatcher {
  /** The prompts were read; tokens come from now on. */
  begin(): void
  /**
   * All tokens of text `index` so far, of which `seen` were there the last time. Gives the number of tokens after which the text ends, or null while it goes
   * on.
   */
  look(index: number, tokens: Int32Array, seen: number): Promise<number | null>
}

/** How far the texts of a batch have come. They go on from there, whoever wrote them before. */
export interface TextDrafts {
  of(index: number): Draft
  /** Text `index` has come so far; no stop string is in it while it goes on. */
  grow(index: number, draft: Draft): void
}

/** The engine once its model is open. */
export interface OpenModel {
  readonly facts: EngineFacts
  /** The answers of one planned batch, in its order; `prefixes` as planned (planning/token-tree.ts). */
  score(items: readonly ForwardItem[], prefixes?: readonly number[]): Promise<readonly ForwardAnswer[]>
  /** Writes the texts of one planned batch from where `drafts` has them (absent: their beginnings) to their ends; answers in their order. */
  generate(
    items: readonly GenerationItem[],
    watcher: TextWatcher,
    prefixes?: readonly number[],
    drafts?: TextDrafts,
  ): Promise<readonly GenerationAnswer[]>
  /** `milliseconds` inside ONNX Runtime; absent where nobody counts them. */
  stats(): Promise<{ readonly runs: number; readonly tokens: number; readonly milliseconds?: number }>
}

export interface ModelOpener {
  open(
    model: ResolvedModel,
    dtype: string,
    settings: RunSettings,
    hooks: {
      /** Some of what will be scored, for the check of the scoring path. */
      checkItems: readonly ForwardItem[]
      /** Facts of the engine that the plan was made for: its device and its layout are taken, not chosen anew. */
      asBefore: EngineFacts | null
      onBytes: (file: string, loaded: number, total: number | null) => void
      onPhase: (phase: 'model' | 'self-check') => void
      signal: AbortSignal
    },
  ): Promise<OpenModel>
  /** Facts of an earlier run that still hold here (same files, adapter and app build), so that kept answers can be found without opening the model. */
  knownFacts(model: ResolvedModel, dtype: string, settings: RunSettings, runs: readonly RunRow[]): Promise<EngineFacts | null>
}

export interface Evaluation {
  readonly text: TextWorkerApi
  readonly store: RunStore
  readonly models: ModelSource
  readonly data: DataSource
  readonly opener: ModelOpener
  /** The bundled task files. */
  readonly bundledTasks: () => Promise<TaskRoot>
  /** Keys under which the items' answers are kept, in their order. With `repeat` (a run's id) they are that run's alone. */
  readonly keysOf: (basis: KeyBasis, items: readonly PlannedItem[], repeat: string | null) => Promise<readonly string[]>
  /** Runs `body` while nobody else can work on the run; throws `run/busy` when somebody does. */
  readonly exclusively: <T>(runId: string, body: () => Promise<T>) => Promise<T>
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
  readonly app: { readonly version: string; readonly build: string }
  readonly now: () => Date
  /** Monotonic milliseconds, for durations. */
  readonly clock: () => number
  readonly newRunId: () => string
}

/** One straight run of `evaluate`. */
export interface Attempt {
  readonly settings: RunSettings
  /** The run to go on with; null = a new one. */
  readonly resumeOf: RunRow | null
  /** Of a new run; absent or null = one is made up. */
  readonly runId?: string | null
  /** Docs that are asked and not scored. */
  readonly excluded: readonly ExcludedDoc[]
}

/** Everything but the tokens that decides an answer. */
export type KeyBasis = Pick<RunManifest, 'model' | 'engine'>
