/** A dataset repository: what its README and its file names say about configs, splits and types. On a Hub, or a folder of the user's own. */
import { EvalError } from '../../base/errors.ts'
import type { RepoFile } from '../../contracts/models.ts'
import type { DatasetReference } from '../../contracts/rows.ts'
import { decodeUtf8 } from '../decode/text-of-bytes.ts'
import { openExport } from '../hub/exported-parquet.ts'
import type { Watched } from '../hub/http.ts'
import { hubFile } from '../hub/hub-file.ts'
import { isTextType } from './cast-value.ts'
import type { DataFile } from './data-file.ts'
import { inferSplits, resolvePatterns, type SplitFiles } from './data-patterns.ts'
import { pickConfig, readConfigs, readFrontMatter, type DatasetConfig } from './dataset-configs.ts'
import type { DeclaredColumns } from '../../contracts/declared-columns.ts'
import { readInfosFile, readReadmeFeatures } from './features.ts'
import type { Format } from './formats.ts'
import { checkLoaderOptions, pickLoaderOptions } from './loader-options.ts'
import { commonFormat, isAddress, readOptions, refuseAddress, type DatasetDeps, type Source } from './source.ts'

/** The files of a repository, wherever it is. */
interface Repository {
  /** For messages: "Dataset 'a/b'". */
  readonly title: string
  readonly commit: string | null
  /** Gated or private. */
  readonly isRestricted?: true
  readonly paths: readonly string[]
  /** A small file's content. */
  readonly readBytes: (path: string) => Promise<Uint8Array>
  readonly openFile: (path: string) => DataFile
}

/**
 * A dataset on a Hub. What can't be read itself (rows made by Python code, formats without a decoder) is taken from the Hub's own
 * conversion to parquet, with a warning.
 */
export async function openHubDataset(dataset: DatasetReference, deps: DatasetDeps): Promise<Source> {
  const { path: id, name, kwargs } = dataset
  const hub = deps.hubOf('dataset', id)
  const revision = typeof kwargs['revision'] === 'string' ? kwargs['revision'] : 'main'
  const snapshot = await hub.snapshot('dataset', id, revision, deps.signal)
  const watchedFor = (file: RepoFile): Watched => {
    const onBytes = (loaded: number): void => {
      deps.onBytes?.(`${id}/${file.path}`, loaded, file.bytes)
    }
    return { onBytes, ...(deps.signal === undefined ? {} : { signal: deps.signal }) }
  }
  const title = `Dataset '${id}'`
  const find = (path: string): RepoFile => {
    const file = snapshot.files.find((one) => one.path === path)
    if (file === undefined) throw new EvalError('dataset/not-found', `${title} has no file '${path}'.`)
    return file
  }
  const repository: Repository = {
    title,
    commit: snapshot.commit,
    ...(snapshot.isRestricted === true ? { isRestricted: true } : {}),
    paths: snapshot.files.map(({ path }) => path),
    readBytes: (path) => {
      const file = find(path)
      return hub.fetchFile('dataset', id, snapshot.commit, file, watchedFor(file))
    },
    openFile: (path) => {
      const file = find(path)
      return hubFile(hub, { id, commit: snapshot.commit, file }, watchedFor(file))
    },
  }
  const script = `${id.split('/').at(-1) ?? ''}.py`
  const isScript = repository.paths.includes(script) && dataset.dataFiles === null
  const source = isScript ? null : await openRepository(repository, dataset)
  if (source !== null) return source
  const where = `${title}${name === null ? '' : `, config '${name}'`}`
  const why = isScript
    ? `its rows are made by Python code (${script})`
    : `none of its ${repository.paths.length} files can be read (jsonl, json, csv, tsv, parquet, txt)`
  if (dataset.dataFiles !== null || kwargs['data_dir'] !== undefined || revision !== 'main') throw noFiles(where, why, id)
  const exported = await openExport(hub, { id, name, where, why }, deps)
  if (exported === null) throw noFiles(where, `${why}, and the Hub has no parquet version of it`, id)
  return exported
}

function noFiles(where: string, why: string, id: string): EvalError {
  return new EvalError('dataset/not-found', `${where}: no data files, as ${why}.`, { details: { id } })
}

/** The splits of one config. Null when the repository holds nothing that can be read. Throws as `loadSplits` does. */
export async function openRepository(repository: Repository, dataset: DatasetReference): Promise<Source | null> {
  const { name, kwargs } = dataset
  const { title, paths } = repository
  const read = async (path: string): Promise<string | null> =>
    paths.includes(path) ? decodeUtf8(await repository.readBytes(path), path) : null
  const readme = (await read('README.md')) ?? ''
  const configs = readConfigs(readme, title)
  const infos = await read('dataset_infos.json')
  const declared = new Map([
    ...(infos === null ? [] : readInfosFile(infos, title)),
    ...readReadmeFeatures(readFrontMatter(readme, title), title),
  ])
  const where = `${title}${name === null ? '' : `, config '${name}'`}`
  // With files or a folder of the task's own, the repository's configs say nothing about files.
  const asked = typeof kwargs['data_dir'] === 'string' ? kwargs['data_dir'].replace(/^\.?\/+|\/+$/g, '') : null
  const config = pickConfig(configs, name, title)
  const splits = splitsOf(dataset, paths, config, { asked, where })
  const files = [...splits.values()].flat()
  // Nothing, or nothing but formats without a decoder.
  if (files.length === 0) return null
  const format = commonFormat(files, where)
  return {
    where,
    commit: repository.commit,
    splits,
    options: { ...pickLoaderOptions(config.options, format), ...textColumns(config, format), ...ownOptions(kwargs, format) },
    declared: declaredFor(declared, config, configs.length > 0),
    warnings: [],
    ...(repository.isRestricted === true ? { isRestricted: true } : {}),
    formatOf: (paths) => commonFormat(paths, where),
    openFile: (path) => repository.openFile(path),
  }
}

function splitsOf(
  dataset: DatasetReference,
  paths: readonly string[],
  config: DatasetConfig,
  { asked, where }: { readonly asked: string | null; readonly where: string },
): SplitFiles {
  const patterns = dataset.dataFiles ?? (asked === null ? config.dataFiles : null)
  const folder = asked ?? (dataset.dataFiles === null ? (config.dataDir ?? '') : '')
  if (patterns === null) return inferSplits(paths, folder, where)
  const address = Object.values(patterns).flat().find(isAddress)
  if (address !== undefined) refuseAddress(address, dataset.dataFiles === null ? `${where}: its README` : 'The task')
  return resolvePatterns(patterns, paths, folder, where)
}

/** The types that belong to the config; without configs the only ones there are. */
function declaredFor(declared: ReadonlyMap<string, DeclaredColumns>, config: DatasetConfig, hasConfigs: boolean): DeclaredColumns | null {
  if (config.features !== null) return config.features
  const [only] = declared.values()
  return declared.get(config.name) ?? (!hasConfigs && declared.size === 1 ? only : undefined) ?? null
}

/** The task's options. Of csv, `datasets` takes `delimiter` and `column_names` only where a config is made with them: of a repository, not at all. */
function ownOptions(kwargs: DatasetReference['kwargs'], format: Format): DatasetReference['kwargs'] {
  const options = readOptions(kwargs)
  checkLoaderOptions(options, format)
  return Object.fromEntries(Object.entries(options).filter(([key]) => key !== 'delimiter' && key !== 'column_names'))
}

/** Types that a config itself names reach pandas before it reads: a column of text keeps `007`. Those of dataset_info come too late for that. */
function textColumns({ features }: DatasetConfig, format: Format): { readonly features?: readonly string[] } {
  if (format !== 'csv' || features === null) return {}
  return { features: features.flatMap(([name, type]) => (type.kind === 'value' && isTextType(type.dtype) ? [name] : [])) }
}
