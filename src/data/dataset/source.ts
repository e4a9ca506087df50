/** Where a dataset's files are, whatever kind it is. */
import { EvalError, type Json } from '../../base/errors.ts'
import type { Fetch } from '../hub/http.ts'
import type { HubClient, RepoKind } from '../hub/hub.ts'
import type { DecodeSplit } from '../stream/decode-split.ts'
import type { DataFile } from './data-file.ts'
import { commonestFormat } from './data-patterns.ts'
import type { DeclaredColumns } from '../../contracts/declared-columns.ts'
import type { Format } from './formats.ts'

export interface DatasetDeps {
  /** The Hub that serves a repository; see `routeHub`. */
  readonly hubOf: (kind: RepoKind, id: string) => HubClient
  /** For files on our own origin. */
  readonly fetch: Fetch
  /**
   * Data files that were handed over with the task, by the path that it names: an address on our own origin (or one that the user typed and
   * confirmed), or the file itself. Files whose paths begin with a task's `dataset_path` make up a dataset repository.
   */
  readonly dataFiles: { readonly [path: string]: string | Blob }
  readonly onBytes?: (file: string, loaded: number, total: number | null) => void
  readonly signal?: AbortSignal
  /** Turns files into a table; the run worker has it done in the data worker. */
  readonly decode?: DecodeSplit
  /**
   * No more rows of each split than these, for a first look that reads no more of large files than it needs; null or absent = all. Splits
   * that are joined or made of slices are read whole.
   */
  readonly maxRows?: number | null
}

export interface Source {
  /** For messages. */
  readonly where: string
  readonly commit: string | null
  /** Files of each split. */
  readonly splits: ReadonlyMap<string, readonly string[]>
  /** Options for the loader (`sep`, `field` …). */
  readonly options: { readonly [key: string]: Json }
  /** Column types that the repository declares for its files; null when it declares none. */
  readonly declared: DeclaredColumns | null
  /** What the user should know about where the rows come from. */
  readonly warnings: readonly string[]
  /** Gated or private. */
  readonly isRestricted?: true
  readonly formatOf: (paths: readonly string[]) => Format
  readonly openFile: (path: string) => DataFile
}

/** `dataset_kwargs` of `load_dataset` itself, which say nothing to a loader of files. */
const notForLoaders = new Set([
  'data_files',
  'data_dir',
  'revision',
  'split',
  'trust_remote_code',
  'token',
  'cache_dir',
  'download_mode',
  'download_config',
  'streaming',
  'num_proc',
  'metadata',
  'verification_mode',
  'keep_in_memory',
  'save_infos',
  'storage_options',
  // Ours; see `join.ts`.
  'join',
])

/** `dataset_kwargs` without the keys that say where the files are. */
export function readOptions(kwargs: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  return Object.fromEntries(Object.entries(kwargs).filter(([key]) => !notForLoaders.has(key)))
}

/** A split's files are of one format, the commonest among them. Throws `dataset/malformed` when none can be read. */
export function commonFormat(paths: readonly string[], where: string): Format {
  const best = commonestFormat(paths)
  if (best === null) throw new EvalError('dataset/malformed', `${where}: none of ${paths.join(', ')} is of a format that can be read.`)
  return best
}

/** True for a text with a scheme, such as `https://…`: no path of a file. */
export function isAddress(path: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(path)
}

/** Refuses an address that a task or a dataset names; only the user may name one. */
export function refuseAddress(path: string, namedBy: string): never {
  throw new EvalError(
    'dataset/not-found',
    `${namedBy} names the address ${path} for its rows. Nothing is fetched from an address that a task, a link or a dataset names: type the address yourself and confirm it, or download the file and add it.`,
    { details: { address: path } },
  )
}
