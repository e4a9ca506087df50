/** The nouns that cross layers. Words are the lm-evaluation-harness's; keys of its files keep its spelling. */
import type { Json, WireError } from './errors.ts'
import type { Shard } from './shards/shard.ts'

// ---------------------------------------------------------------- rows, as data sources deliver them

/**
 * A column's type, as the `datasets` library infers it. `struct` keeps the field order, which a plain object would lose for
 * integer-like names.
 */
export type Feature =
  | 'string'
  | 'int64'
  | 'float64'
  | 'bool'
  | 'null'
  /** Values of different shapes, kept as they were; in such a cell an integer is a `bigint` and every `number` is a float. */
  | 'json'
  | { readonly list: Feature }
  | { readonly struct: readonly (readonly [name: string, type: Feature])[] }

/** A cell: JSON, with `bigint` for integers beyond 2^53. Whether an integral number is an int or a float is told by its `Feature`. */
export type Cell = null | boolean | number | bigint | string | readonly Cell[] | { readonly [key: string]: Cell }

/** All rows of one split. `rows[i][j]` belongs to `columns[j]`; a missing value is `null`. */
export interface Table {
  readonly columns: readonly { readonly name: string; readonly type: Feature }[]
  readonly rows: readonly (readonly Cell[])[]
}

/** Where a split came from, for the provenance of a run. */
export interface DatasetOrigin {
  readonly path: string
  readonly name: string | null
  readonly commit: string | null
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[]
  /** What the user should know about where the rows come from; absent for nothing. */
  readonly warnings?: readonly string[]
  /** The rows are gated or private: their text isn't the user's to pass on without a thought. Absent = open, or of an earlier version. */
  readonly isRestricted?: true
}

// ---------------------------------------------------------------- requests and responses

export type OutputType = 'loglikelihood' | 'loglikelihood_rolling' | 'multiple_choice' | 'generate_until'

/** What a task asks of a model, as text. Order within a doc is the harness's `idx`. */
export type TextRequest =
  | { readonly type: 'loglikelihood'; readonly context: string; readonly continuation: string }
  | { readonly type: 'loglikelihood_rolling'; readonly text: string }
  | { readonly type: 'generate_until'; readonly context: string; readonly kwargs: { readonly [key: string]: Json } }

/** Log-probability in nats of a continuation, and whether greedy decoding would have produced it. */
export interface LoglikelihoodResponse {
  readonly logprob: number
  readonly isGreedy: boolean
}

/** A model's answer: a scored continuation, a rolling log-likelihood in nats, or generated text. */
export type ModelResponse =
  | ({ readonly type: 'loglikelihood' } & LoglikelihoodResponse)
  | { readonly type: 'loglikelihood_rolling'; readonly logprob: number }
  | { readonly type: 'generate_until'; readonly text: string }

// ---------------------------------------------------------------- what the engine scores

/**
 * One forward pass: `input` token ids (already cut to the window), and one or more target lists. A list of length n is scored
 * against the last n rows, so row `input.length - n + i` predicts `targets[k][i]`.
 */
export interface ForwardItem {
  readonly input: Int32Array
  readonly targets: readonly Int32Array[]
}

/** `answers[k]` belongs to `targets[k]`; `tokenLogprobs[k]` holds its per-token log-probabilities in nats. */
export interface ForwardAnswer {
  readonly answers: readonly LoglikelihoodResponse[]
  readonly tokenLogprobs: readonly Float32Array[]
}

/** How the next token is drawn from the processed logits, by our own generator: `seed` decides every draw. */
export interface Sampling {
  readonly temperature: number
  /** Tokens kept; 0 = all. */
  readonly topK: number
  readonly topP: number
  /** Null = off. */
  readonly minP: number | null
  readonly typicalP: number
  /** 32 bits. */
  readonly seed: number
}

/** How a continuation is written: what transformers' `generate` makes of the request and of the checkpoint's generation_config. */
export interface Decoding {
  readonly maxNewTokens: number
  /** None of `endTokens` is written before so many tokens. */
  readonly minNewTokens: number
  /** Any of these ends the text. */
  readonly endTokens: readonly number[]
  /** 1 = none. */
  readonly repetitionPenalty: number
  /** No run of so many tokens comes twice; 0 = off. */
  readonly noRepeatNgramSize: number
  /** Sequences that are never written whole. */
  readonly badWords: readonly (readonly number[])[]
  readonly suppressTokens: readonly number[]
  /** Not written as the first token. */
  readonly beginSuppressTokens: readonly number[]
  /** Null = greedy. */
  readonly sampling: Sampling | null
}

/** One continuation to be written after `input` (already cut to the window). It also ends where the text holds one of `stops`. */
export interface GenerationItem {
  readonly input: Int32Array
  readonly stops: readonly string[]
  readonly decoding: Decoding
}

/** A whole continuation: `tokens` with the end token or the tokens of the stop string still on it. */
export interface GenerationAnswer {
  readonly tokens: Int32Array
  readonly end: 'end-token' | 'stop' | 'length'
}

/** Tokens of a continuation that goes on being written, in the order of writing. */
export interface GeneratedPart {
  readonly tokens: Int32Array
  /** Null while it goes on. */
  readonly end: 'end-token' | 'length' | null
}

/** What a plan holds, and what answers it. */
export type PlannedItem = ForwardItem | GenerationItem
export type ItemAnswer = ForwardAnswer | GenerationAnswer

export type DeviceChoice = 'auto' | 'webgpu' | 'wasm'
export type Device = 'webgpu' | 'wasm'
export type ScoringPath = 'reference' | 'fast'
/** Decomposed attention with explicit MatMul/Softmax; GroupQueryAttention; anything else with logits. */
export type GraphFamily = 'decomposed' | 'gqa' | 'other'

// ---------------------------------------------------------------- models

export interface RepoFile {
  readonly path: string
  readonly bytes: number
  /** Git blob SHA-1 (hex) as the Hub lists it; null when unknown. */
  readonly oid: string | null
  /** SHA-256 of the content (hex) for large files; null when the Hub gives none. */
  readonly sha256: string | null
}

/** A repository at one commit. */
export interface RepoSnapshot {
  readonly kind: 'model' | 'dataset'
  readonly id: string
  readonly requestedRevision: string
  readonly commit: string
  readonly files: readonly RepoFile[]
  readonly license: string | null
  /** Gated or private, as the Hub says; absent = neither, or not known. */
  readonly isRestricted?: true
}

/** One dtype that a model repository really offers. */
export interface DtypeOption {
  readonly dtype: string
  readonly file: string
  readonly externalFiles: readonly string[]
  readonly bytes: number
  /** Null when it can run here; else one sentence saying why it can't. */
  readonly refusal: string | null
}

export interface ModelDescription {
  readonly id: string
  readonly revision: string
  readonly commit: string
  readonly license: string | null
  readonly architecture: string
  readonly maxLength: number
  readonly dtypes: readonly DtypeOption[]
  readonly defaultDtype: string | null
}

/** A model that a search of the Hub found, with weights that can be loaded here; sizes come with its `ModelDescription`. */
export interface ModelHit {
  readonly id: string
  /** In the last 30 days; null when the Hub doesn't say. */
  readonly downloads: number | null
  readonly likes: number | null
  readonly license: string | null
  /** True when its files are given only to those who accepted its terms. */
  readonly isGated: boolean
  /** ISO 8601. */
  readonly updatedAt: string | null
  readonly dtypes: readonly string[]
}

/** Branches and tags of a model in its Hub's order: names that can stand as a revision. */
export interface ModelRefs {
  readonly branches: readonly string[]
  readonly tags: readonly string[]
}

/** Result of comparing an adapter with WASM before a score is believed; see engines/self-check.ts. */
export interface SelfCheck {
  readonly status: 'passed' | 'limited' | 'failed' | 'skipped'
  /** Largest absolute difference in log-probability per token, in nats, within the agreed run length; null when skipped. */
  readonly maxAbsDiff: number | null
  readonly tolerance: number
  /** Longest run, in tokens, up to which every tried run length agrees; null = no limit found. */
  readonly maxRunTokens: number | null
  readonly reference: 'wasm' | 'self' | 'none'
  /** Every length tried with its largest difference in nats. */
  readonly trials: readonly { readonly runTokens: number; readonly maxAbsDiff: number }[]
  readonly message: string
}

/** How the fast path lays out its runs. Decides numbers, so it is part of the numeric class. */
export interface RunLayout {
  /** Most tokens a run. */
  readonly tokens: number
  /** Most rows that a run projects onto the vocabulary. */
  readonly rows: number
  /** Branches that don't see each other may share a run. */
  readonly packs: boolean
  /** A prefix's keys and values may be kept and continued. */
  readonly shares: boolean
  /** Most tokens of texts that are written together, what may be written included; absent: one text at a time. */
  readonly textTokens?: number | undefined
  /** Keys and values are written where they stay, without copies; absent: no. */
  readonly inPlace?: boolean | undefined
  /** GroupQueryAttention is computed by the operators that it stands for; absent: no. */
  readonly splitsAttention?: boolean | undefined
}

/** What the fast path is here, and how far it is from the reference path on the same sequences. */
export interface FastScoring {
  readonly layout: RunLayout
  /** Where rows are chosen: before the projection onto the vocabulary, or after it where the graph can't be cut there. */
  readonly cut: 'hidden' | 'logits'
  /** Differences between both paths in nats: of a token's log-probability, and of a target list's sum. */
  readonly check: { readonly sequences: number; readonly tokens: number; readonly maxAbsDiff: number; readonly maxSumDiff: number }
  /** As they were when the model was opened; they tell the time left and decide no number. */
  readonly costs?: RunCosts | undefined
}

/** Milliseconds: of a run, whatever is in it, and of each of its tokens. */
export interface RunCosts {
  readonly runMs: number
  readonly tokenMs: number
}

export interface EngineFacts {
  readonly device: Device
  readonly deviceReason: string
  readonly dtype: string
  readonly scoring: ScoringPath
  /** Why the reference path is used although the fast one was asked for. */
  readonly scoringReason?: string
  /** Absent on the reference path. */
  readonly fast?: FastScoring
  readonly family: GraphFamily
  readonly engine: string
  readonly threads: number
  readonly adapter: {
    readonly vendor: string
    readonly architecture: string
    readonly description: string
    readonly isFallback: boolean
  } | null
  readonly selfCheck: SelfCheck
  /** Prefill is cut into runs of at most this many tokens; null = one run. */
  readonly chunkTokens: number | null
  /** q8 graphs whose scores depend on what shares a run (performance notes §9). */
  readonly isDynamicallyQuantised: boolean
  /** Everything numeric that decides an answer besides model files and tokens, as one string for the answer key. */
  readonly numericClass: string
}

// ---------------------------------------------------------------- settings, runs, results

export interface TaskFile {
  /** Path with `/`, unique; includes resolve relative to it. */
  readonly path: string
  readonly text: string
}

export interface RunSettings {
  readonly model: string
  readonly revision: string
  readonly dtype: string | null
  readonly modelArgs: { readonly [key: string]: Json }
  readonly device: DeviceChoice
  readonly scoring: ScoringPath
  readonly tasks: readonly string[]
  /** Files given by the user (`--include_path`, pasted); they win over the bundled ones of the same task name. */
  readonly taskFiles: readonly TaskFile[]
  /** Local data files by the path that a task names (`data_files`), each with an address on our own origin. */
  readonly dataFiles: { readonly [path: string]: string }
  readonly numFewshot: number | null
  readonly limit: number | null
  readonly samples: { readonly [task: string]: readonly number[] } | null
  readonly applyChatTemplate: boolean | string
  readonly fewshotAsMultiturn: boolean | null
  readonly systemInstruction: string | null
  readonly genKwargs: { readonly [key: string]: Json }
  readonly seeds: { readonly random: number; readonly numpy: number; readonly torch: number; readonly fewshot: number }
  readonly bootstrapIters: number
  readonly predictOnly: boolean
  readonly metadata: { readonly [key: string]: Json }
  /** false: never read answers of other runs, nor let them read these; what is kept is for going on with this run alone. */
  readonly useCache: boolean
  /** So many of the run's first items are computed again when it is done, twice together and twice one at a time; absent = none. */
  readonly noiseItems?: number
  /** The part of the docs that is asked; absent = all. */
  readonly shard?: Shard
}

/** A run that waits for others before it, or has had its turn. */
export interface QueuedRun {
  /** Entries run in ascending order; the number names the entry. */
  readonly place: number
  readonly settings: RunSettings
  /** `running` also of one that was cut off: nothing can be written at that moment. */
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  /** Given before the run begins, so that one which was cut off is found again; null while it waits. */
  readonly runId: string | null
  /** Why it failed or stopped. */
  readonly error: WireError | null
}

export type RunStatus = 'running' | 'complete' | 'interrupted' | 'failed'

/** Immutable description of a run: with the same manifest, the same plan. Stored once. */
export interface RunManifest {
  readonly schemaVersion: 1
  readonly runId: string
  readonly createdAt: string
  readonly app: { readonly version: string; readonly build: string }
  readonly settings: RunSettings
  readonly model: {
    readonly id: string
    readonly revision: string
    readonly commit: string
    readonly license: string | null
    readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[]
  }
  readonly tokenizer: TokenizerFacts
  readonly engine: EngineFacts
  readonly datasets: { readonly [task: string]: DatasetOrigin }
  /** Resolved config of every task, as YAML-able JSON, with its SHA-256. */
  readonly tasks: {
    readonly [task: string]: {
      readonly config: Json
      readonly sha256: string
      /** What the user should know of its prompts before believing the scores; absent for nothing. */
      readonly warnings?: readonly string[]
    }
  }
  readonly plan: {
    readonly hash: string
    readonly requests: number
    readonly batches: number
    /** Hash of each 1,024 requests, so that the first difference can be shown; not in runs of the first version. */
    readonly parts?: readonly string[]
  }
}

export interface TokenizerFacts {
  readonly sha256: string
  readonly bos: readonly [string, number] | null
  readonly eos: readonly [string, number] | null
  readonly pad: readonly [string, number] | null
  readonly chatTemplate: string | null
  readonly maxLength: number
}

export interface RunRow {
  readonly runId: string
  readonly manifest: RunManifest
  readonly status: RunStatus
  /** Fencing token: raised by each writer that takes the run over; a write with an older one fails. */
  readonly epoch: number
  readonly updatedAt: string
  readonly docsDone: number
  readonly docsTotal: number
  readonly error: WireError | null
}

/** One choice of one doc as the sample list shows it. */
export interface SampleChoice {
  readonly text: string
  readonly logprob: number
  readonly isGreedy: boolean
  readonly unconditional: number | null
  /** Of the scored continuation; absent in runs of earlier versions and in imported ones. */
  readonly tokens?: TokenScores
}

/** The tokens of a scored text in order; the lists have one length. */
export interface TokenScores {
  readonly ids: readonly number[]
  /** As they print; where a character has several tokens, the last of them has it and those before are empty. */
  readonly texts: readonly string[]
  /** In nats. */
  readonly logprobs: readonly number[]
}

/** One doc under one filter, ready to show; `line` is its row of samples_*.jsonl. */
export interface SampleView {
  readonly task: string
  readonly docId: number
  readonly filter: string
  readonly prompt: string
  readonly target: string
  readonly choices: readonly SampleChoice[]
  readonly gold: readonly number[]
  /** By `acc_tok` where the token counts are known; absent in runs of earlier versions. */
  readonly picks: { readonly acc: number; readonly acc_norm: number; readonly acc_bytes: number; readonly acc_tok?: number } | null
  readonly generated: readonly string[]
  /** What each filter made of the generated text, in order; absent for other tasks and in results of older versions. */
  readonly filterSteps?: readonly { readonly name: string; readonly outputs: readonly string[] }[]
  readonly metrics: { readonly [metric: string]: Json }
  readonly line: string
  /** What is recorded of a task with the `yardstick` key; absent for tasks of the harness's. */
  readonly own?: OwnSample & {
    /** The doc's line in the csv file of the original MMLU program; null for other tasks. */
    readonly csv: string | null
  }
}

/** How a doc of a task with the `yardstick` key was asked, and where the probability went. */
export interface OwnSample {
  /** Few-shot examples that the prompt shows. */
  readonly shots: number
  /** False when the prompt was too long even without examples, and was cut at its beginning. */
  readonly fits: boolean
  /** Softmax over the choices; null where the choices are scored as the harness does. */
  readonly probabilities: readonly number[] | null
  /** Share of the whole vocabulary's probability that lies on the choices. */
  readonly mass: number | null
}

/** A score of ours beside the harness's: it never stands in the harness's keys of the results file. */
export interface OwnScore {
  readonly task: string
  readonly metric: string
  /** Absent for unfiltered answers. */
  readonly filter?: string
  readonly value: number
  readonly stderr: number | 'N/A'
  readonly n: number
}

/** A group's score in both ways of averaging. */
export interface GroupAverage {
  readonly group: string
  readonly alias: string
  readonly metric: string
  readonly filter: string
  /** Every task counts the same. */
  readonly macro: number
  readonly macroStderr: number | 'N/A'
  /** Every doc counts the same. */
  readonly micro: number
  readonly microStderr: number | 'N/A'
  readonly tasks: number
  /** Docs that were scored, over all tasks. */
  readonly docs: number
  /** Which map of MMLU's subjects to areas the group's members follow; null where that is no question. */
  readonly categoryMap: 'hendrycks' | 'lm-evaluation-harness' | null
}

/** What one task with the `yardstick` key did, for the results file and the exports. */
export interface RecipeFacts {
  readonly task: string
  readonly recipe: string | null
  /** Ids of the choices' tokens, alone and with a blank before; null where the choices are scored as the harness does. */
  readonly tokens: readonly { readonly choice: string; readonly bare: number; readonly spaced: number }[] | null
  readonly tokensUsed: 'bare' | 'spaced' | 'continuation'
  /** Docs by the number of examples that they show. */
  readonly shots: { readonly [count: string]: number }
  readonly docs: number
  /** Docs with less than 5% of the probability on the choices; null where that isn't known. */
  readonly lowMassDocs: number | null
  readonly meanMass: number | null
  /** The csv file of the task's rows with the model's answers: path below the results folder, and its first line; null for none. */
  readonly csv: { readonly path: string; readonly header: string } | null
}

/** Replies of a task in which one of its filters found no answer; they count as wrong. */
export interface AnswerFailures {
  readonly task: string
  readonly alias: string
  readonly filter: string
  readonly n: number
  readonly failed: number
  /** The first mean under this filter, and its value; null where there is none. */
  readonly metric: string | null
  readonly value: number | null
  /** The same with a seeded random letter for each failure: not the harness's score. Null unless the run asked for it. */
  readonly guessed: { readonly seed: number; readonly docs: readonly number[]; readonly value: number } | null
}

/** A task's verdicts beside those that were published with its rows, under one filter. */
export interface PublishedAgreement {
  readonly task: string
  /** Where the published verdicts stand. */
  readonly column: string
  readonly metric: string
  readonly filter: string
  readonly n: number
  readonly agree: number
  readonly disagree: number
  /** Ids of docs that are right now and were wrong before, and the other way round. */
  readonly gained: readonly number[]
  readonly lost: readonly number[]
  /** Share right now less share right before. */
  readonly difference: number
  /** Cohen's; null where chance alone makes both agree always. */
  readonly kappa: number | null
  /** Exact two-sided McNemar test of gained against lost. */
  readonly p: number
  /** Docs without a published verdict. */
  readonly unknown: number
}

/** Docs of a task that the difference between the scoring paths could decide otherwise. */
export interface TieBand {
  readonly task: string
  /** Docs with a margin below this count: twice the difference seen. */
  readonly nats: number
  readonly docs: readonly number[]
  /** A score's value if all of these docs were wrong, and if all were right. */
  readonly bands: readonly { readonly metric: string; readonly low: number; readonly high: number }[]
}

/** What differs between some of a run's tasks and a recipe under which their benchmark was published. */
export interface RecipeDifference {
  readonly recipe: string
  /** Where what is said of the recipe comes from. */
  readonly source: string
  readonly tasks: readonly string[]
  /** Sentences; none where nothing known differs. */
  readonly differs: readonly string[]
}

/** How answers differ when the same is computed again. */
export interface NoiseFacts {
  /** Log-probabilities compared, those that are the same to the last bit, and the absolute differences in nats. */
  readonly logprobs: number
  readonly identical: number
  readonly maxAbsDiff: number
  readonly meanAbsDiff: number
  /** How many `is_greedy` differ. */
  readonly greedyFlips: number
  /** Texts written again, and those whose tokens are the same. */
  readonly texts: number
  readonly sameTexts: number
}

/** Repeat-run noise of a run, measured on its first items. */
export interface RunNoise {
  readonly items: number
  /** The items of a planned batch together, against the same together again. */
  readonly again: NoiseFacts
  /** Each item in a run of its own (batch 1), against the same items together. */
  readonly alone: NoiseFacts
  /** Each item alone, against each alone again; absent in runs of earlier versions. */
  readonly aloneAgain?: NoiseFacts
}

/** A sign that a score is no measurement; see `viewer/alarms.ts`. */
export type Alarm =
  | { readonly kind: 'equal-choices' | 'not-finite' | 'no-answer'; readonly docs: number; readonly of: number }
  | {
      readonly kind: 'one-position'
      readonly norm: 'acc' | 'acc_norm'
      readonly position: number
      readonly picked: number
      readonly gold: number
      readonly of: number
    }
  /** `of` = replies in which the first filter found a letter. */
  | { readonly kind: 'one-letter'; readonly letter: string; readonly picked: number; readonly gold: number; readonly of: number }
  | { readonly kind: 'low-mass'; readonly docs: number; readonly of: number; readonly meanMass: number }

/** Docs of a task whose prompts were longer than the model's window and lost their beginning. */
export interface CutPrompts {
  readonly task: string
  readonly docs: readonly number[]
  /** Of the prompt that lost most. */
  readonly mostTokens: number
}

/** Docs of a task whose right answer is none of their choices: wrong whatever is picked. */
export interface GoldsOutside {
  readonly task: string
  readonly docs: readonly number[]
  /** The first doc's gold, as Python prints it. */
  readonly example: string
}

export interface TokenCount {
  readonly tokens: number
  readonly seconds: number
}

/** How fast the model was in the session that ended the run; null for what it wasn't asked for. */
export interface RunSpeed {
  /** Tokens computed for log-likelihoods. */
  readonly scored: TokenCount | null
  /** Tokens of texts, and the time after their prompts were read. */
  readonly written: TokenCount | null
}

/** What we say beside the harness's results. */
export interface OwnResults {
  /** Absent in runs of earlier versions, and in merged ones. */
  readonly alarms?: readonly { readonly task: string; readonly alarm: Alarm }[]
  /** Absent in runs of earlier versions. */
  readonly cuts?: readonly CutPrompts[]
  /** Absent in runs of earlier versions. */
  readonly goldsOutside?: readonly GoldsOutside[]
  /** Never in a results file, which a resumed run writes like an uninterrupted one. Absent where nothing was computed. */
  readonly speed?: RunSpeed
  readonly scores: readonly OwnScore[]
  readonly averages: readonly GroupAverage[]
  readonly recipes: readonly RecipeFacts[]
  /** Absent in runs of earlier versions. */
  readonly agreements?: readonly PublishedAgreement[]
  /** Absent in runs of earlier versions. */
  readonly failures?: readonly AnswerFailures[]
  /** Of runs on the fast path, tasks with near ties only. */
  readonly ties?: readonly TieBand[]
  /** Absent in runs of earlier versions. */
  readonly published?: readonly RecipeDifference[]
  /** Only where it was asked for. */
  readonly noise?: RunNoise
  /** Small files to write beside the results: path below the results folder, and text. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

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

// ---------------------------------------------------------------- progress

export type Phase = 'tasks' | 'data' | 'model' | 'self-check' | 'score' | 'results'

/** Facts about a running evaluation; the page derives percentages, rates and text. At most ten `progress` events a second. */
export type RunEvent =
  | { readonly type: 'phase'; readonly phase: Phase }
  /**
   * Bytes of one file that are here, those that were kept already included: it never goes down. The sum over files is the whole download;
   * every file of a model is named once, with 0 bytes at least, before the first of them is fetched.
   */
  | { readonly type: 'bytes'; readonly file: string; readonly loaded: number; readonly total: number | null }
  | {
      readonly type: 'started'
      readonly runId: string
      readonly manifest: RunManifest
      readonly docsTotal: number
      readonly requestsTotal: number
    }
  | { readonly type: 'engine'; readonly facts: EngineFacts }
  | {
      readonly type: 'progress'
      readonly docsDone: number
      readonly docsTotal: number
      readonly requestsDone: number
      readonly requestsTotal: number
      /** Answers taken from the store rather than computed. */
      readonly requestsKept: number
      /** Forward runs of the model so far. */
      readonly runs: number
      /** Of what the model has to compute in this session, in planned tokens: how much is done. Tells the time left. */
      readonly work?: { readonly done: number; readonly total: number } | undefined
      /** Running score of each task over the docs finished so far; the interval is 95% Wilson for means of 0/1. */
      readonly scores: readonly RunningScore[]
    }
  /** The text that is being written, at most ten times a second: its end, its tokens so far, and how many come a second; null at its start. */
  | {
      readonly type: 'generating'
      readonly task: string
      readonly docId: number
      readonly tail: string
      readonly tokens: number
      readonly maxTokens: number
      readonly tokensPerSecond: number | null
    }
  | { readonly type: 'warning'; readonly message: string }
  /**
   * The run stands still and goes on by itself: for what it waits, why in one sentence, and in how many seconds it tries again (null where
   * nobody knows). Any later event but a warning ends the waiting. A download that waits says so each second, with the seconds left.
   */
  | { readonly type: 'waiting'; readonly what: 'gpu' | 'network' | 'worker'; readonly message: string; readonly seconds: number | null }
  | { readonly type: 'done'; readonly runId: string; readonly status: RunStatus; readonly error: WireError | null }

// ---------------------------------------------------------------- listings

export interface TaskListing {
  readonly name: string
  /** Whose file it is: `bundled` for ours, `given` for the user's. */
  readonly root: string
  readonly kind: 'task' | 'group' | 'tag'
  readonly outputType: OutputType | null
  readonly file: string
  readonly members: readonly string[]
  /** Files that the task's own text names under `data_files` for a local loader. Empty for groups and tags. */
  readonly dataFiles: readonly string[]
}

/** The first requests of a task, for `prompts`, `--write_out` and the task editor. */
export interface PromptPreview {
  readonly task: string
  readonly docId: number
  readonly target: string
  readonly requests: readonly TextRequest[]
}

// ---------------------------------------------------------------- between the text worker and the evaluation

/** The texts of a model repository that the tokenizer is built from. */
export interface TokenizerFiles {
  readonly tokenizerJson: string
  readonly tokenizerConfig: string
  readonly specialTokensMap: string | null
  readonly chatTemplate: string | null
  readonly generationConfig: string | null
  readonly config: string
}

/** Where a task's rows are: a Hub dataset, or one of the loaders `json`, `csv`, `parquet`, `text` with data files. */
export interface DatasetReference {
  readonly path: string
  readonly name: string | null
  /** `dataset_kwargs` without `data_files`. */
  readonly kwargs: { readonly [key: string]: Json }
  /** Split → files, as named in the task file; null when the dataset repository says itself. */
  readonly dataFiles: { readonly [split: string]: readonly string[] } | null
}

export interface LeafTask {
  readonly name: string
  readonly file: string
  readonly outputType: OutputType
  readonly dataset: DatasetReference
  /** Splits that must be loaded before the task can be built. */
  readonly splits: readonly string[]
  /** True when a doc's requests depend on more rows than its own: few-shot examples, or a `process_docs` over the split. */
  readonly needsAllRows: boolean
  readonly config: Json
}

/** One scored piece of text: the model sees `input`, its last `target.length` rows are held against `target`. */
export interface EncodedPiece {
  readonly input: Int32Array
  readonly target: Int32Array
}

/** A request as token ids. A rolling log-likelihood has one piece a window; its answer is the sum. */
export interface EncodedRequest {
  readonly docId: number
  readonly idx: number
  readonly pieces: readonly EncodedPiece[]
  /** Texts to be written, one a repeat; such a request has no pieces. */
  readonly generations?: readonly GenerationItem[]
}

/** A task ready to be scored. Requests are in doc order, within a doc in `idx` order. */
export interface BuiltTask {
  readonly name: string
  readonly docs: number
  readonly docsOriginal: number
  readonly requests: readonly EncodedRequest[]
  readonly warnings: readonly string[]
}

/** A doc without a score, because a filter or metric never ended on it. */
export interface LeftOutDoc {
  readonly task: string
  readonly docId: number
  /** Null where the metrics themselves did not end. */
  readonly pattern: string | null
  readonly filter: string | null
  readonly message: string
}

/** The log-likelihood that answers one request of a built task, by its position in `BuiltTask.requests`. */
export interface ScoredRequest {
  readonly request: number
  readonly logprob: number
  readonly isGreedy: boolean
  /** Of the continuation's tokens, in nats; absent for a request of several windows. */
  readonly tokenLogprobs?: readonly number[]
}

/** The tokens written for one request, a list for each repeat. */
export interface GeneratedRequest {
  readonly request: number
  readonly generated: readonly Int32Array[]
}

export type RequestAnswer = ScoredRequest | GeneratedRequest

/** How far a text that is being written has come, as the text worker sees it. */
export interface GenerationLook {
  /** Tokens after which a stop string was there; null while there is none. */
  readonly stopAfter: number | null
  /** The end of the text so far. */
  readonly tail: string
}

/** Score so far of one metric whose aggregation is a mean, over the docs finished. */
export interface RunningScore {
  readonly task: string
  readonly metric: string
  readonly value: number
  readonly n: number
  readonly low: number
  readonly high: number
  /** Docs in whose replies the filter found no answer; not given where it doesn't search for one. */
  readonly failed?: number
}

// ---------------------------------------------------------------- what is kept of downloads

/** A place in a repository that a kept file was fetched from. */
export interface FileUse {
  readonly kind: 'model' | 'dataset'
  readonly id: string
  readonly commit: string
  readonly path: string
}

/** A file kept by the download layer. */
export interface KeptFile {
  /** By content where its hash is known. */
  readonly key: string
  readonly bytes: number
  /** Less than `bytes` while the download isn't whole. */
  readonly bytesKept: number
  /** Its length and hash were checked once it was whole. */
  readonly isComplete: boolean
  readonly uses: readonly FileUse[]
}

/** What this origin keeps; the first three are null where the browser doesn't tell. */
export interface StorageReport {
  readonly usedBytes: number | null
  readonly quotaBytes: number | null
  /** The browser promised not to evict. */
  readonly isPersistent: boolean | null
  readonly runs: number
  readonly responses: number
  readonly files: readonly KeptFile[]
}

/** What one pass over the rows of a data file found; nothing of them is kept. */
export interface DataScan {
  readonly rows: number
  /** UTF-16 units in all cells that are texts, nested ones aside. */
  readonly characters: number
  /** Of the file as it came, packed or not. */
  readonly bytes: number
  readonly sha256: string
  readonly milliseconds: number
}

/** A kept file, read whole and compared with the hash that it is named by. */
export interface FileVerdict {
  readonly key: string
  readonly isIntact: boolean
}

// ---------------------------------------------------------------- how the Hub is reached

/** Given anew by each page or command line and kept in memory only; never part of a run's settings. */
export interface HubAccess {
  /** Without a slash at its end; null = https://huggingface.co. */
  readonly base: string | null
  /** Sent to `base` alone, never along a redirect. */
  readonly token: string | null
  /** Models on our own origin, by the name that the settings use: where their Hub is, and the id they have there. */
  readonly localModels: { readonly [model: string]: { readonly base: string; readonly id: string } }
  /** Where addresses of `RunSettings.dataFiles` that begin with `named` are served this time: below `at`. */
  readonly localFiles?: { readonly named: string; readonly at: string }
}
