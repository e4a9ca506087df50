/** What the text worker offers to whoever writes or reads a task file: the task resolved, and a doc of it word for word and token by token. */
import type { Json } from '../base/errors.ts'
import type { TaskListing } from '../contracts/listings.ts'
import type { TokenizerFacts, TokenizerFiles } from '../contracts/models.ts'
import type { OutputType } from '../contracts/requests.ts'
import type { DatasetReference, Table } from '../contracts/rows.ts'
import type { TaskFile } from '../contracts/run-settings.ts'
import type { Finding } from '../harness/requests/prompt-lint.ts'
import type { TaskRoot } from '../harness/tasks/task-files.ts'
import type { RunConfig } from '../settings/run-config.ts'
import type { BuildSettings } from './text-api.ts'

/** What is wrong with a task file, and where: line and column are 1-based and null when unknown. */
export interface TaskProblem {
  readonly file: string
  readonly message: string
  readonly line: number | null
  readonly column: number | null
}

/** What some files define. */
export interface StudyIndex {
  readonly tasks: readonly TaskListing[]
  readonly problems: readonly TaskProblem[]
}

/** One key of a resolved task. */
export interface ConfigEntry {
  readonly key: string
  /** Text as it is, anything else as Python's json.dumps writes it; a helper as `!function name`. */
  readonly value: string
  /** The file that it comes from; a group's file for what the group sets. */
  readonly file: string
  readonly line: number | null
  readonly from: 'own' | 'include' | 'group'
}

/** A `!function` of a task; `problem` is null when it is ported. */
export interface FunctionUse {
  readonly name: string
  readonly key: string
  readonly problem: string | null
}

export interface StoryNode {
  readonly name: string
  readonly kind: 'task' | 'group'
  readonly depth: number
}

/** A task, group or tag resolved; `leaf` is the task that is shown. */
export interface TaskDetails {
  readonly name: string
  readonly nodes: readonly StoryNode[]
  readonly leaves: readonly string[]
  readonly leaf: {
    readonly name: string
    readonly file: string
    /** The text of that file. */
    readonly text: string
    readonly outputType: OutputType
    readonly dataset: DatasetReference
    readonly splits: readonly string[]
    readonly needsAllRows: boolean
    readonly numFewshot: number
    readonly entries: readonly ConfigEntry[]
    readonly functions: readonly FunctionUse[]
  }
}

/** Tokens that print as one text: several ids where a character has several tokens. */
export interface TokenPiece {
  readonly text: string
  readonly ids: readonly number[]
}

/** A piece of a prompt; special tokens are shown as what they are, also those that the tokenizer adds. */
export interface PromptPiece extends TokenPiece {
  readonly isSpecial: boolean
}

/** A kept prompt as the model read it. */
export interface PromptTokens {
  readonly pieces: readonly PromptPiece[]
  readonly count: number
  /** Longest input of the model: what is beyond is cut off at the front. */
  readonly maxLength: number
}

/** A request's tokens: what the model reads before the continuation, and the continuation that is scored. */
export interface RequestTokens {
  readonly context: readonly PromptPiece[]
  readonly continuation: readonly TokenPiece[]
  readonly contextCount: number
  readonly continuationCount: number
  /** Tokens that don't fit the model's window and are cut off at the front. */
  readonly cut: number
}

export interface RequestView {
  readonly type: 'loglikelihood' | 'loglikelihood_rolling' | 'generate_until'
  /** Null where it is the same as the first request's. */
  readonly context: string | null
  readonly continuation: string
  readonly kwargs: { readonly [key: string]: Json } | null
  readonly isGold: boolean
  /** Null without a tokenizer; a context that is null above has no pieces here either. */
  readonly tokens: RequestTokens | null
  /** Why it can't be put into tokens. */
  readonly problem: string | null
}

/** One doc as the model is asked it. */
export interface DocView {
  readonly task: string
  readonly docId: number
  /** Docs among the rows that are loaded. */
  readonly docs: number
  readonly numFewshot: number
  readonly target: string
  readonly requests: readonly RequestView[]
  /** Columns of the row and their values as Python prints them, long ones cut. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly findings: readonly Finding[]
  /** How many docs the findings were looked for in. */
  readonly lintedDocs: number
  readonly warnings: readonly string[]
  /** SHA-256 of the first request's context, as sample files have it. */
  readonly promptHash: string
}

/** The settings that decide a doc's requests. */
export type DocSettings = Pick<
  BuildSettings,
  'numFewshot' | 'applyChatTemplate' | 'fewshotAsMultiturn' | 'systemInstruction' | 'genKwargs' | 'seeds'
>

export interface TaskPreviewApi {
  /** Opens the files of one place and keeps them under the root's name; indexes them unless the root brings its listing. */
  openRoot(root: TaskRoot): Promise<StudyIndex>
  /** The user's own files, which win over every root; replaces those given before. The index is theirs alone. */
  giveFiles(files: readonly TaskFile[]): Promise<StudyIndex>
  /** Resolves a name; `leaf` chooses one of its tasks. Errors carry `file`, `line` and `column` in their details where they are known. */
  explain(name: string, leaf: string | null, numFewshot: number | null): Promise<TaskDetails>
  /** Every file that the names need, includes among them: with these alone a run is the same. Bundled ones only when asked for. */
  filesBehind(names: readonly string[], withBundled?: boolean): Promise<readonly TaskFile[]>
  openTokenizer(files: TokenizerFiles, modelArgs: { readonly [key: string]: Json }): Promise<TokenizerFacts>
  /**
   * The tokens of a prompt. One whose continuations are scored is encoded without the white space at its end, which goes to the continuation, and is
   * the prefix token when nothing is left. Needs `openTokenizer`.
   */
  promptTokens(prompt: string, isScored: boolean): Promise<PromptTokens>
  /** Keeps the rows of the task that `explain` showed last. */
  giveRows(tables: { readonly [split: string]: Table }): Promise<void>
  /** The doc of the task that `explain` showed last. Needs its rows; a chat template needs a tokenizer. */
  viewDoc(docId: number, settings: DocSettings): Promise<DocView>
  /** Throws as `readRunConfig`. Null for a file that is no configuration but a task file or something else. */
  readConfig(file: TaskFile): Promise<RunConfig | null>
}
