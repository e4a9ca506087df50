/** From a task's dataset reference to tables: which files, from where, decoded. */
import { EvalError } from '../../base/errors.ts'
import type { DatasetOrigin, DatasetReference, Table } from '../../contracts/rows.ts'
import { decodeHere } from '../stream/decode-split.ts'
import type { DataFile } from './data-file.ts'
import { formats } from './formats.ts'
import { readJoin } from './join-settings.ts'
import { joinTables } from './join.ts'
import { nestedRowsNote } from './nested-rows.ts'
import { isGivenFolder, openGivenFiles, openGivenFolder } from './source-files.ts'
import { openHubDataset } from './source-repository.ts'
import type { DatasetDeps, Source } from './source.ts'
import { allSplits, cutSlices, isSlice, readSplitMapping } from './split-slices.ts'

export interface LoadedSplits {
  readonly tables: { readonly [split: string]: Table }
  readonly origin: DatasetOrigin
}

/**
 * The wanted splits of a dataset, as tables. A path that is one of the loaders `json`, `csv`, `parquet`, `text` reads `data_files` that were
 * handed over with the task; a folder that was handed over is read as a repository; any other path is a repository on a Hub. Each file is
 * fetched once, also when several splits share it. Tables are cast to the types that the repository declares, cut by `dataset_kwargs.split`,
 * and joined with another dataset by `dataset_kwargs.join`. What the user should know goes into `origin.warnings`.
 *
 * Throws `dataset/not-found` (config, split or file; with what there is), `dataset/malformed`, `dataset/schema`, `dataset/empty`,
 * `task/invalid` and `task/unsupported` for loader options, and the Hub's errors.
 */
export async function loadSplits(dataset: DatasetReference, splits: readonly string[], deps: DatasetDeps): Promise<LoadedSplits> {
  const join = readJoin(dataset.kwargs)
  if (join === null) return loadUnjoined(dataset, splits, deps)
  const left = await loadUnjoined(dataset, splits, { ...deps, maxRows: null })
  const right = await loadUnjoined(join.dataset, [join.split], { ...deps, maxRows: null })
  const rightTable = right.tables[join.split]
  if (rightTable === undefined) throw new EvalError('internal', `The split '${join.split}' of a join was not loaded.`)
  const joined = Object.entries(left.tables).map(([split, table]) => {
    const place = { left: `'${dataset.path}', split '${split}'`, right: `'${join.dataset.path}', split '${join.split}'` }
    return [split, joinTables(table, rightTable, join, place)] as const
  })
  const { origin } = left
  const files = [...origin.files, ...right.origin.files.map((file) => ({ ...file, path: `${join.dataset.path}: ${file.path}` }))]
  const warnings = [...(origin.warnings ?? []), ...(right.origin.warnings ?? []), ...joined.map(([, { summary }]) => summary)]
  const restricted = left.origin.isRestricted ?? right.origin.isRestricted
  return {
    tables: Object.fromEntries(joined.map(([split, { table }]) => [split, table])),
    origin: { ...origin, files, warnings, ...(restricted === true ? { isRestricted: true } : {}) },
  }
}

async function loadUnjoined(dataset: DatasetReference, splits: readonly string[], deps: DatasetDeps): Promise<LoadedSplits> {
  const source = await openSource(dataset, deps)
  const mapping = readSplitMapping(dataset.kwargs)
  const maxRows = mapping === null ? (deps.maxRows ?? null) : null
  const load = splitLoader(source, { ...deps, maxRows })
  const tables: { [split: string]: Table } = {}
  for (const split of new Set(splits)) {
    const slices = mapping === null ? null : mapping.get(split)
    if (slices === undefined) throw noSplit(source, split, [...(mapping?.keys() ?? [])])
    const table =
      slices === null
        ? await load.table(split)
        : cutSlices(slices, await load.tables(slices.map((slice) => slice.split)), [...source.splits.keys()])
    if (table.rows.length === 0) {
      const paths = source.splits.get(split) ?? [...source.splits.values()].flat()
      throw new EvalError('dataset/empty', `${source.where}, split '${split}': no rows in ${paths.join(', ')}.`, { details: { split } })
    }
    tables[split] = table
  }
  const nested = Object.entries(tables).flatMap(([split, table]) =>
    source.options['field'] === undefined ? (nestedRowsNote(`${source.where}, split '${split}',`, table) ?? []) : [],
  )
  // A first look doesn't know the files whole.
  const seen = maxRows === null ? [...load.opened] : []
  const files = await Promise.all(seen.map(async ([path, file]) => ({ path, ...(await file.facts()) })))
  const { isRestricted } = source
  const warnings = [...source.warnings, ...nested]
  const origin: DatasetOrigin = {
    path: dataset.path,
    name: dataset.name,
    commit: source.commit,
    files,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(isRestricted === true ? { isRestricted } : {}),
  }
  return { tables, origin }
}

function openSource(dataset: DatasetReference, deps: DatasetDeps): Promise<Source> | Source {
  const format = formats.find((known) => known === dataset.path)
  if (format !== undefined) return openGivenFiles(dataset, format, deps)
  return isGivenFolder(dataset.path, deps) ? openGivenFolder(dataset, deps) : openHubDataset(dataset, deps)
}

/** Decodes splits, each once. */
function splitLoader(source: Source, { decode = decodeHere, maxRows = null }: DatasetDeps) {
  const opened = new Map<string, DataFile>()
  const decoded = new Map<string, Promise<Table>>()
  const read = async (split: string): Promise<Table> => {
    const paths = source.splits.get(split)
    if (paths === undefined) throw noSplit(source, split, [...source.splits.keys()])
    const files = paths.map((path) => {
      const file = opened.get(path) ?? source.openFile(path)
      opened.set(path, file)
      return file
    })
    const format = source.formatOf(paths)
    const declared = source.declared === null ? null : { columns: source.declared, where: `${source.where}, split '${split}'` }
    return decode({ format, options: source.options, files, declared, maxRows })
  }
  const table = (split: string): Promise<Table> => {
    const known = decoded.get(split) ?? read(split)
    decoded.set(split, known)
    return known
  }
  return {
    opened,
    table,
    tables: async (asked: readonly string[]) => {
      const names = new Set(asked.includes(allSplits) ? source.splits.keys() : asked)
      return Object.fromEntries(await Promise.all([...names].map(async (name) => [name, await table(name)] as const)))
    },
  }
}

function noSplit({ where }: Source, split: string, known: readonly string[]): EvalError {
  const hint = isSlice(split)
    ? ` The harness looks a split up by its exact name, so a slice has to be named first: dataset_kwargs: {split: {part: ${JSON.stringify(split)}}}, then the split is 'part'.`
    : ''
  return new EvalError('dataset/not-found', `${where} has no split '${split}'; its splits: ${known.join(', ') || 'none'}.${hint}`, {
    details: { split, splits: [...known] },
  })
}
