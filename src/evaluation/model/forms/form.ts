/** What a form of weights is to whoever describes and opens a model: one file here for each, and an entry in `forms.ts`. */
import type { DtypeOption, ModelFormat, RepoFile, RepoSnapshot } from '../../../contracts/models.ts'
import type { ModelPayload } from '../../../rpc/model-worker-api.ts'

export type OnBytes = (file: string, loaded: number, total: number | null) => void

/** One repository at one commit; `data/hub/hub.ts` gives both functions. */
export interface ModelRepo {
  readonly snapshot: RepoSnapshot
  fetch(file: RepoFile, onBytes: OnBytes, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
  /** As `fetch`, for weights: nothing of them stays in this worker's memory. */
  fetchBlob(file: RepoFile, onBytes: OnBytes, signal: AbortSignal): Promise<Blob>
}

/** The way from a repository's files in one form to what the engine opens. */
export interface FormReader {
  readonly format: ModelFormat
  /** Whether the repository has weights in this form, by the paths of its files alone. */
  isAmong(paths: readonly string[]): boolean
  /** The text of config.json, or of what the weights themselves say in its place. Throws `model/corrupt` where there is none, and `hub/*`. */
  readConfig(repo: ModelRepo, signal: AbortSignal): Promise<string>
  /**
   * The dtypes in the order that a page lists them; `refusal` is null throughout. Throws `model/unsupported` for an architecture that this form isn't
   * run of, `model/corrupt`.
   */
  listDtypes(snapshot: RepoSnapshot, configText: string): readonly DtypeOption[]
  /** The dtype to take where nobody names one, of options that carry their refusals; null when none can run. */
  defaultDtype(dtypes: readonly DtypeOption[], hasShaderF16: boolean): string | null
  /** Fetches the weights of one dtype; the whole of the download is told before its first byte. */
  fetch(repo: ModelRepo, option: DtypeOption, configText: string, onBytes: OnBytes, signal: AbortSignal): Promise<ModelPayload>
}

/** The files of one dtype, in the repository's order. */
export function filesOf({ files }: RepoSnapshot, option: DtypeOption): readonly RepoFile[] {
  return files.filter(({ path }) => path === option.file || option.externalFiles.includes(path))
}
