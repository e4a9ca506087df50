/** From a task's dataset reference to tables: which files, from where, decoded. */
import { EvalError, type Json } from '../core/errors.ts'
import type { DatasetOrigin, DatasetReference, RepoFile, Table } from '../core/types.ts'
import { inferSplits, pickConfig, readConfigs, resolvePatterns } from './dataset-configs.ts'
import { bytesFile, type DataFile } from './data-file.ts'
import { decodeUtf8 } from './decode/text-of-bytes.ts'
import { formatOf, formats, type Format } from './formats.ts'
import { download, type Fetch } from './http.ts'
import type { HubClient, RepoKind } from './hub.ts'
import { decodeHere, type DecodeSplit } from './stream/decode-split.ts'

export interface DatasetDeps {
  /** The Hub that serves a repository; see `routeHub`. */
  readonly hubOf: (kind: RepoKind, id: string) => HubClient
  /** For files on our own origin. */
  readonly fetch: Fetch
  /** Local data files by the path that a task names, each with an address on our own origin. */
  readonly dataFiles: { readonly [path: string]: string }
  readonly onBytes?: (file: string, loaded: number, total: number | null) => void
  readonly signal?: AbortSignal
  /** Turns files into a table; the run worker has it done in the data worker. */
  readonly decode?: DecodeSplit
}

export interface LoadedSplits {
  readonly tables: { readonly [split: string]: Table }
  readonly origin: DatasetOrigin
}

/**
 * The wanted splits of a dataset, as tables. A path that is one of the loaders `json`, `csv`, `parquet`, `text` reads `data_files` from our
 * own origin; any other is a repository on a Hub. Each file is fetched once, also when several splits share it.
 *
 * Throws `dataset/not-found` (config, split or file; with what there is), `dataset/malformed`, `dataset/schema`, `dataset/empty`,
 * `task/unsupported` for loader options not covered, and the Hub's errors.
 */
export async function loadSplits(dataset: DatasetReference, splits: readonly string[], deps: DatasetDeps): Promise<LoadedSplits> {
  const format = formats.find((known) => known === dataset.path)
  const source = format === undefined ? await openRepository(dataset, deps) : openLocalFiles(dataset, format, deps)
  const tables: { [split: string]: Table } = {}
  const opened = new Map<string, DataFile>()
  const decode = deps.decode ?? decodeHere
  for (const split of new Set(splits)) {
    const paths = source.splits.get(split)
    if (paths === undefined) {
      const known = [...source.splits.keys()]
      throw new EvalError('dataset/not-found', `${source.where} has no split '${split}'; its splits: ${known.join(', ') || 'none'}.`, {
        details: { split, splits: known },
      })
    }
    const files = paths.map((path) => {
      const file = opened.get(path) ?? source.openFile(path)
      opened.set(path, file)
      return file
    })
    const table = await decode({ format: source.formatOf(paths), options: source.options, files })
    if (table.rows.length === 0)
      throw new EvalError('dataset/empty', `${source.where}, split '${split}': no rows in ${paths.join(', ')}.`, { details: { split } })
    tables[split] = table
  }
  const files = await Promise.all([...opened].map(async ([path, file]) => ({ path, ...(await file.facts()) })))
  return { tables, origin: { path: dataset.path, name: dataset.name, commit: source.commit, files } }
}

/** Where a dataset's files are, whatever kind it is. */
interface Source {
  /** For messages. */
  readonly where: string
  readonly commit: string | null
  readonly splits: ReadonlyMap<string, readonly string[]>
  readonly options: { readonly [key: string]: Json }
  readonly formatOf: (paths: readonly string[]) => Format
  readonly openFile: (path: string) => DataFile
}

async function openRepository(dataset: DatasetReference, deps: DatasetDeps): Promise<Source> {
  const { path: id, name, kwargs } = dataset
  const hub = deps.hubOf('dataset', id)
  const revision = typeof kwargs['revision'] === 'string' ? kwargs['revision'] : 'main'
  const snapshot = await hub.snapshot('dataset', id, revision, deps.signal)
  const fetchFile = async (file: RepoFile): Promise<Uint8Array> => {
    const onBytes = (loaded: number): void => {
      deps.onBytes?.(`${id}/${file.path}`, loaded, file.bytes)
    }
    return hub.fetchFile('dataset', id, snapshot.commit, file, { onBytes, ...(deps.signal === undefined ? {} : { signal: deps.signal }) })
  }
  const readme = snapshot.files.find(({ path }) => path === 'README.md')
  const configs = readme === undefined ? [] : readConfigs(decodeUtf8(await fetchFile(readme), 'README.md'), `dataset '${id}'`)
  const where = `Dataset '${id}'${name === null ? '' : `, config '${name}'`}`
  // With files of the task's own, the repository's configs say nothing.
  const config = dataset.dataFiles === null ? pickConfig(configs, name, `Dataset '${id}'`) : null
  const folder = typeof kwargs['data_dir'] === 'string' ? kwargs['data_dir'].replace(/^\.?\/+|\/+$/g, '') : (config?.dataDir ?? '')
  const paths = snapshot.files.map(({ path }) => path)
  const dataFiles = dataset.dataFiles ?? config?.dataFiles ?? null
  const splits = dataFiles === null ? inferSplits(paths, folder) : resolvePatterns(dataFiles, paths, folder, where)
  if (splits.size === 0) {
    throw new EvalError(
      'dataset/not-found',
      `${where}: no data files that can be read (jsonl, json, csv, tsv, parquet, txt) among ${paths.length} files.`,
      { details: { id } },
    )
  }
  return {
    where,
    commit: snapshot.commit,
    splits,
    options: { ...config?.options, ...readOptions(kwargs) },
    formatOf: (files) => commonFormat(files, where),
    openFile: (path) => {
      const file = snapshot.files.find((one) => one.path === path)
      if (file === undefined) throw new EvalError('dataset/not-found', `${where} has no file '${path}'.`)
      return bytesFile(`${id}/${path}`, () => fetchFile(file))
    },
  }
}

function openLocalFiles(dataset: DatasetReference, format: Format, { dataFiles, fetch, onBytes, signal }: DatasetDeps): Source {
  const where = `The ${format} loader`
  if (dataset.dataFiles === null)
    throw new EvalError('task/invalid', `${where} needs 'data_files' in dataset_kwargs.`, { details: { loader: format } })
  return {
    where,
    commit: null,
    splits: new Map(Object.entries(dataset.dataFiles)),
    options: readOptions(dataset.kwargs),
    formatOf: () => format,
    openFile: (path) => {
      const address = dataFiles[path]
      if (address === undefined) {
        const message = `The data file '${path}' was not given. A task may only read files that are handed over with it; addresses in a task are never fetched.`
        throw new EvalError('dataset/not-found', message, { details: { file: path } })
      }
      const watched = { onBytes: (loaded: number) => onBytes?.(path, loaded, null), ...(signal === undefined ? {} : { signal }) }
      return bytesFile(path, async () => {
        const { bytes } = await download(fetch, address, {}, { what: `data file '${path}'`, page: null }, watched)
        return bytes
      })
    },
  }
}

/** `dataset_kwargs` without the keys that say where the files are. */
function readOptions(kwargs: { readonly [key: string]: Json }): { readonly [key: string]: Json } {
  const about = new Set([
    'data_files',
    'data_dir',
    'revision',
    'split',
    'trust_remote_code',
    'token',
    'cache_dir',
    'download_mode',
    'streaming',
    'num_proc',
    'metadata',
    'verification_mode',
  ])
  return Object.fromEntries(Object.entries(kwargs).filter(([key]) => !about.has(key)))
}

/** A split's files are of one format, the commonest among them. */
function commonFormat(paths: readonly string[], where: string): Format {
  const counts = new Map<Format, number>()
  for (const path of paths) {
    const format = formatOf(path)
    if (format !== null) counts.set(format, (counts.get(format) ?? 0) + 1)
  }
  const [best] = [...counts].sort(([, a], [, b]) => b - a)
  if (best === undefined) throw new EvalError('dataset/malformed', `${where}: none of ${paths.join(', ')} is of a format that can be read.`)
  return best[0]
}
