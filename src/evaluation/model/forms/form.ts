/** What a form of weights is to whoever describes and opens a model: one file here for each, and an entry in `forms.ts`. */
import type { DtypeOption, ModelFormat, RepoFile, RepoSnapshot, TokenizerFiles } from '../../../contracts/models.ts'
import type { ModelPayload } from '../../../rpc/model-worker-api.ts'

export type OnBytes = (file: string, loaded: number, total: number | null) => void

/** One repository at one commit; `data/hub/hub.ts` gives both functions. */
export interface ModelRepo {
  readonly snapshot: RepoSnapshot
  fetch(file: RepoFile, onBytes: OnBytes, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
  /** As `fetch`, for weights: nothing of them stays in this worker's memory. */
  fetchBlob(file: RepoFile, onBytes: OnBytes, signal: AbortSignal): Promise<Blob>
  /** Bytes `start` (in) to `end` (out) of a file. */
  readRange(file: RepoFile, start: number, end: number, signal: AbortSignal): Promise<Uint8Array>
  /** Another model repository of the same Hub, at its main revision. Throws as `HubClient.snapshot`. */
  openOther(id: string, signal: AbortSignal): Promise<ModelRepo>
}

/** A tokenizer that the weights' file brings along. */
export interface OwnTokenizer {
  /** The repository with the tokenizer that the model was published with, as the weights or the model card name it; null where nobody does. */
  baseRepository(): Promise<string | null>
  /** Throws `model/unsupported` for a kind that isn't known, `model/corrupt`. */
  build(): Pick<TokenizerFiles, 'tokenizerJson' | 'tokenizerConfig' | 'chatTemplate' | 'generationConfig'> & {
    readonly notes: readonly string[]
  }
}

/** What a form says before anything large is fetched. */
export interface FormFacts {
  /** The text of config.json, or of what the weights themselves say in its place. */
  readonly configText: string
  /**
   * The dtypes in the order that a page lists them; `refusal` is null throughout. `unpacksTo`: what weights are unpacked to that can't run as they are stored. Throws `model/unsupported` for an
   * architecture that this form isn't run of, `model/corrupt`.
   */
  listDtypes(unpacksTo: 'fp32' | 'fp16'): readonly DtypeOption[]
  /** Null where only the repository can have one. */
  readonly ownTokenizer: OwnTokenizer | null
}

/** The way from a repository's files in one form to what the engine opens. */
export interface FormReader {
  readonly format: ModelFormat
  /** Whether the repository has weights in this form, by the paths of its files alone. */
  isAmong(paths: readonly string[]): boolean
  /** `dtype`: the one that is asked for, where somebody did, since its file may be the one to look into. Throws `model/corrupt` where there is no config.json, and `hub/*`. */
  read(repo: ModelRepo, dtype: string | null, signal: AbortSignal): Promise<FormFacts>
  /** The dtype to take where nobody names one, of options that carry their refusals; null when none can run. */
  defaultDtype(dtypes: readonly DtypeOption[], hasShaderF16: boolean): string | null
  /** Fetches the weights of one dtype; the whole of the download is told before its first byte. */
  fetch(repo: ModelRepo, option: DtypeOption, configText: string, onBytes: OnBytes, signal: AbortSignal): Promise<ModelPayload>
}

/** The files of one dtype, in the repository's order. */
export function filesOf({ files }: RepoSnapshot, option: DtypeOption): readonly RepoFile[] {
  return files.filter(({ path }) => path === option.file || option.externalFiles.includes(path))
}
