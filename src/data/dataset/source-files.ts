/** Data files that were handed over with a task: for the loaders `json`, `csv`, `parquet`, `text`, or a folder that is a dataset repository. */
import { EvalError } from '../../base/errors.ts'
import type { DatasetReference } from '../../contracts/rows.ts'
import { addressFile } from '../hub/address-file.ts'
import { blobFile, type DataFile } from './data-file.ts'
import type { Format } from './formats.ts'
import { globToRegex, hasWildcards } from './glob.ts'
import { checkLoaderOptions } from './loader-options.ts'
import { openRepository } from './source-repository.ts'
import { isAddress, readOptions, refuseAddress, type DatasetDeps, type Source } from './source.ts'

/** The files that a loader's `data_files` name. Throws `task/invalid` without any, `local/missing` for one that wasn't handed over. */
export function openGivenFiles(dataset: DatasetReference, format: Format, deps: DatasetDeps): Source {
  const where = `The ${format} loader`
  if (dataset.dataFiles === null)
    throw new EvalError('task/invalid', `${where} needs 'data_files' in dataset_kwargs.`, { details: { loader: format } })
  const folder = typeof dataset.kwargs['data_dir'] === 'string' ? `${dataset.kwargs['data_dir'].replace(/\/+$/, '')}/` : ''
  const options = readOptions(dataset.kwargs)
  checkLoaderOptions(options, format)
  const splits = Object.entries(dataset.dataFiles).map(([split, paths]) => {
    const found = paths.flatMap((path) => findGiven(Object.hasOwn(deps.dataFiles, path) ? path : folder + path, deps))
    return [split, found] as const
  })
  return {
    where,
    commit: null,
    splits: new Map(splits),
    options,
    declared: null,
    warnings: [],
    formatOf: () => format,
    openFile: (path) => openGiven(path, deps),
  }
}

/** True when the files under `path` were handed over, so that it is a folder and no repository on a Hub. */
export function isGivenFolder(path: string, { dataFiles }: DatasetDeps): boolean {
  return Object.keys(dataFiles).some((file) => file.startsWith(folderOf(path)))
}

/** A folder that was handed over as a whole, read as a repository on a Hub would be. */
export async function openGivenFolder(dataset: DatasetReference, deps: DatasetDeps): Promise<Source> {
  const folder = folderOf(dataset.path)
  const paths = Object.keys(deps.dataFiles).flatMap((file) => (file.startsWith(folder) ? [file.slice(folder.length)] : []))
  const open = (path: string): DataFile => openGiven(folder + path, deps)
  const title = `The folder '${dataset.path}'`
  const source = await openRepository(
    {
      title,
      commit: null,
      paths,
      openFile: open,
      readBytes: async (path) => {
        const file = open(path)
        return file.read(0, await file.length())
      },
    },
    dataset,
  )
  if (source !== null) return source
  const message = `${title}: no data files that can be read (jsonl, json, csv, tsv, parquet, txt) among ${paths.length} files.`
  throw new EvalError('dataset/not-found', message, { details: { path: dataset.path } })
}

function folderOf(path: string): string {
  return `${path.replace(/\/+$/, '')}/`
}

/** The files that a path or pattern means; one that isn't there stays, to be refused when it is opened: a task may name more than it reads. */
function findGiven(path: string, { dataFiles }: DatasetDeps): readonly string[] {
  if (Object.hasOwn(dataFiles, path) || isAddress(path) || !hasWildcards(path)) return [path]
  const pattern = globToRegex(path)
  const found = Object.keys(dataFiles).filter((file) => pattern.test(file.replace(/^\.\//, '')))
  return found.length === 0 ? [path] : found.toSorted()
}

function openGiven(path: string, { dataFiles, fetch, onBytes, signal }: DatasetDeps): DataFile {
  const given = Object.hasOwn(dataFiles, path) ? dataFiles[path] : undefined
  if (given === undefined) {
    if (isAddress(path)) refuseAddress(path, 'The task')
    const message = `The data file '${path}' was not given. A task may only read files that are handed over with it; addresses in a task are never fetched.`
    throw new EvalError('local/missing', message, { details: { file: path } })
  }
  if (typeof given !== 'string') return blobFile(path, () => Promise.resolve(given))
  const watched = { onBytes: (loaded: number) => onBytes?.(path, loaded, null), ...(signal === undefined ? {} : { signal }) }
  return addressFile(path, given, fetch, watched)
}
