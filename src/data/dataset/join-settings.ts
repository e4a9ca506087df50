/** `dataset_kwargs.join`: a second dataset whose columns are added to the rows of the first. Ours; the plain harness has nothing like it. */
import { EvalError, type Json } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { DatasetReference } from '../../contracts/rows.ts'
import { readDataFiles } from './dataset-configs.ts'

export interface JoinSettings {
  readonly dataset: DatasetReference
  /** Split of the second dataset. */
  readonly split: string
  /** Pairs of columns whose values must be equal. */
  readonly on: readonly (readonly [left: string, right: string])[]
  /** Columns to add; null = all but those joined on. */
  readonly columns: readonly string[] | null
  /** `inner` leaves rows without a partner out, `left` keeps them with nulls. */
  readonly how: 'inner' | 'left'
  /** `exact` compares texts as they are, `trimmed` in Unicode form NFC without white space at the ends. */
  readonly match: 'exact' | 'trimmed'
  /** Left columns whose texts hold JSON, by the way to the value that is compared: names of keys and places in lists. */
  readonly jsonPath: ReadonlyMap<string, readonly (string | number)[]>
}

const known = ['dataset_path', 'dataset_name', 'dataset_kwargs', 'split', 'on', 'columns', 'how', 'match', 'json_path']

/** The join that a task asks for, or null. Throws `task/invalid`, saying which key wants what. */
export function readJoin(kwargs: { readonly [key: string]: Json }): JoinSettings | null {
  const { join } = kwargs
  if (join === undefined || join === null) return null
  if (!isRecord(join)) throw invalid('wants a mapping with dataset_path, split and on', join)
  // YAML 1.1 reads a bare `on` as true, also where it is a key.
  const on = join['on'] ?? join['true']
  const odd = Object.keys(join).find((key) => !known.includes(key) && key !== 'true')
  if (odd !== undefined) throw invalid(`has the key '${odd}'; its keys are ${known.join(', ')}`, join)
  const { dataset_path: path, dataset_name: name = null, dataset_kwargs: inner = {}, split } = join
  if (typeof path !== 'string') throw invalid('needs dataset_path, the name of the second dataset', path)
  if (name !== null && typeof name !== 'string') throw invalid('wants a text for dataset_name', name)
  if (typeof split !== 'string') throw invalid('needs split, a split of the second dataset', split)
  if (!isRecord(inner)) throw invalid('wants a mapping for dataset_kwargs', inner)
  if (inner['join'] !== undefined) throw invalid('can not hold another join', inner)
  const { data_files: dataFiles, ...rest } = inner
  return {
    dataset: {
      path,
      name,
      kwargs: rest,
      dataFiles: dataFiles === undefined || dataFiles === null ? null : readDataFiles(dataFiles, 'dataset_kwargs.join'),
    },
    split,
    on: readPairs(on),
    columns: readColumns(join['columns']),
    how: oneOf('how', join['how'] ?? 'inner', ['inner', 'left']),
    match: oneOf('match', join['match'] ?? 'exact', ['exact', 'trimmed']),
    jsonPath: readPaths(join['json_path']),
  }
}

/** `{column: [dialog, 0, body]}`. */
function readPaths(paths: Json | undefined): JoinSettings['jsonPath'] {
  if (paths === undefined || paths === null) return new Map()
  if (!isRecord(paths)) throw invalid('wants a mapping from left columns to lists for json_path', paths)
  return new Map(
    Object.entries(paths).map(([column, path]) => {
      if (!isList(path) || !path.every((step) => typeof step === 'string' || typeof step === 'number'))
        throw invalid('wants lists of keys and places in json_path', paths)
      return [column, path] as const
    }),
  )
}

/** `question`, `[question, id]`, or `{question: problem}` from left to right. */
function readPairs(on: Json | undefined): JoinSettings['on'] {
  if (typeof on === 'string') return [[on, on]]
  if (isList(on) && on.length > 0 && on.every((name) => typeof name === 'string')) return on.map((name) => [name, name] as const)
  if (isRecord(on) && Object.keys(on).length > 0) {
    return Object.entries(on).map(([left, right]) => {
      if (typeof right !== 'string') throw invalid("wants names of columns in 'on'", on)
      return [left, right] as const
    })
  }
  throw invalid('needs on: a column, a list of columns, or a mapping from left to right columns', on)
}

function readColumns(columns: Json | undefined): readonly string[] | null {
  if (columns === undefined || columns === null) return null
  if (isList(columns) && columns.every((name) => typeof name === 'string')) return columns
  throw invalid('wants a list of names for columns', columns)
}

function oneOf<T extends string>(key: string, value: Json, options: readonly T[]): T {
  const found = options.find((option) => option === value)
  if (found === undefined) throw invalid(`wants ${options.join(' or ')} for ${key}`, value)
  return found
}

function invalid(what: string, found: Json | undefined): EvalError {
  return new EvalError('task/invalid', `dataset_kwargs.join ${what}; found ${JSON.stringify(found ?? null).slice(0, 200)}.`, {
    details: { key: 'join' },
  })
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
