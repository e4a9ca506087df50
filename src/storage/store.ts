/** What the store promises. `open-store.ts` keeps it in IndexedDB, `memory-store.ts` in memory; one suite of tests runs over both. */
import type { DocIndex, SearchText } from '../analysis/viewer/doc-index.ts'
import type { WireError } from '../base/errors.ts'
import type { Draft, ItemAnswer } from '../contracts/items.ts'
import type { RunResults } from '../contracts/results.ts'
import type { QueuedRun, RunSettings } from '../contracts/run-settings.ts'
import type { RunRow, RunStatus } from '../contracts/runs.ts'
import type { SampleView } from '../contracts/samples.ts'
import type { OriginSpace } from './origin-space.ts'

/** A batch of answers, committed whole or not at all. */
export interface Batch {
  readonly runId: string
  readonly epoch: number
  /** The batch's place in the run's plan. */
  readonly planIndex: number
  readonly entries: readonly { readonly key: string; readonly answer: ItemAnswer }[]
  /** For the list of runs only; nothing is computed from it. */
  readonly docsDone?: number
}

/** What one text of a batch has grown by: tokens after the first `from`, and how it ended if it did. */
export interface DraftPart {
  /** The key of the answer that the text will be. */
  readonly key: string
  readonly from: number
  readonly tokens: Int32Array
  readonly end: Draft['end']
}

/** What texts of a batch that is being written have grown by since the last time. */
export interface DraftGrowth {
  readonly runId: string
  readonly epoch: number
  readonly planIndex: number
  readonly parts: readonly DraftPart[]
}

export interface CommitOutcome {
  readonly added: number
  /** Answers that were there already and are equal. */
  readonly already: number
  /**
   * Kept answers that differ from the ones given. They stay, and they count: a resumed run would find them. The engine isn't
   * deterministic, or a key lacks a field.
   */
  readonly conflicts: readonly { readonly key: string; readonly answer: ItemAnswer }[]
}

/** Changes of a run's journal, made in one transaction. */
export interface JournalRevision {
  /** Batches whose entry doesn't stand any more, since an answer is missing: set aside, so that they can be committed again. */
  readonly drop: readonly number[]
  /** Batches that are answered without having been computed by this run. */
  readonly add: readonly { readonly planIndex: number; readonly keys: readonly string[] }[]
}

export interface JournalEntry {
  readonly runId: string
  readonly seq: number
  readonly planIndex: number
  readonly epoch: number
  readonly keys: readonly string[]
}

/** Results without their samples, which are read page by page. */
export type StoredResults = Omit<RunResults, 'samples'> & { readonly sampleCounts: { readonly [task: string]: number } }

/** What becomes of an entry of the queue. */
export type QueuedChange = Partial<Pick<QueuedRun, 'state' | 'runId' | 'error'>>

export interface Usage extends OriginSpace {
  readonly runs: number
  readonly responses: number
  /** Records that failed their checksum and were set aside. */
  readonly quarantined: number
}

/**
 * Every method may reject with `storage/quota`, `storage/unavailable`, `storage/blocked` or `storage/corrupt`; those that name a run that
 * isn't there with `run/not-found`; those that take an epoch with `storage/fenced` when another writer has taken the run over.
 */
export interface Store {
  /** Keeps a new run. Its manifest never changes again. `storage/fenced` when there is one of this id. */
  createRun(row: RunRow): Promise<void>
  /** Makes the caller the run's only writer and gives its epoch; the run's status becomes `running`. */
  takeRun(runId: string): Promise<number>
  readRun(runId: string): Promise<RunRow | null>
  /** All runs, the newest first. */
  listRuns(): Promise<readonly RunRow[]>
  /** Keeps a batch's answers and its journal entry in one transaction, which drops its drafts. A batch that is done already is `storage/fenced`. */
  commitBatch(batch: Batch): Promise<CommitOutcome>
  /** Keeps what texts of a batch have grown by, until the batch is committed or the run is complete or deleted. Fenced by the epoch. */
  keepDrafts(growth: DraftGrowth): Promise<void>
  /** A run's texts that were being written, by the keys of their answers. What fails its checksum counts as not written. */
  draftsOf(runId: string): Promise<ReadonlyMap<string, Draft>>
  /** Makes everything that was committed so far durable against power cuts; other commits become so in time. */
  checkpoint(): Promise<void>
  /** The kept answers among `keys`. A record that fails its checksum is set aside and counts as missing. */
  recall(keys: readonly string[]): Promise<ReadonlyMap<string, ItemAnswer>>
  /** Committed batches in the order of commits. An entry that fails its checksum is set aside: its batch counts as not done. */
  journalOf(runId: string): Promise<readonly JournalEntry[]>
  /** Makes the journal say what is there, before a run goes on. Fenced by the epoch. */
  reviseJournal(runId: string, epoch: number, revision: JournalRevision): Promise<void>
  finishRun(
    runId: string,
    epoch: number,
    end: { readonly status: RunStatus; readonly error: WireError | null; readonly docsDone?: number },
  ): Promise<void>
  /** Replaces the run's results and samples. */
  saveResults(epoch: number, results: RunResults): Promise<void>
  /** Replaces the results file of a run that has results; its samples stay. */
  amendResults(runId: string, results: Pick<RunResults, 'resultsFile' | 'resultsText'>): Promise<void>
  loadResults(runId: string): Promise<StoredResults | null>
  /** A page of a task's samples in the order of the samples file, and how many there are. */
  samplesOf(
    runId: string,
    task: string,
    page: { readonly offset: number; readonly count: number },
  ): Promise<{ readonly total: number; readonly samples: readonly SampleView[] }>
  /** What the viewer's list is made of, a task each in the order of the results; empty while there are none. */
  docIndexesOf(runId: string): Promise<readonly DocIndex[]>
  /** What a search of those docs reads, in the same order. */
  searchTextsOf(runId: string): Promise<readonly SearchText[]>
  /** Removes a run with its journal, results and samples; answers stay, as other runs may need them, unless it kept its own apart. */
  deleteRun(runId: string): Promise<void>
  /** The queue of runs in its order. An entry that fails its checksum is left out. */
  readQueue(): Promise<readonly QueuedRun[]>
  /** Puts runs at the end of the queue and gives their places. Where nothing is left to run, what has ended makes room first. */
  addToQueue(settings: readonly RunSettings[]): Promise<readonly number[]>
  /** Writes what became of an entry; one that was dropped meanwhile stays dropped. */
  changeQueued(place: number, change: QueuedChange): Promise<void>
  /** Removes entries of the queue, never runs. */
  dropFromQueue(places: readonly number[]): Promise<void>
  /** Removes everything that this store keeps. */
  eraseAll(): Promise<void>
  usage(): Promise<Usage>
  close(): void
}
