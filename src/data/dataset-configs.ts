/** What a dataset repository says about itself: its configs, and which files make up which split. */
import { parse } from 'yaml'
import { EvalError, type Json } from '../core/errors.ts'
import { formatOf } from './formats.ts'
import { globToRegex, isGlob } from './glob.ts'

/** One config: patterns per split, or none, and options for the loader (`sep`, `field` …). */
export interface DatasetConfig {
  readonly name: string
  readonly isDefault: boolean
  /** Null = by file names. */
  readonly dataFiles: { readonly [split: string]: readonly string[] } | null
  readonly dataDir: string | null
  readonly options: { readonly [key: string]: Json }
}

/** The configs of a README's front matter, in its order; none when it lists none. Throws `dataset/malformed` for broken YAML. */
export function readConfigs(readme: string, where: string): DatasetConfig[] {
  const front = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(readme)?.[1]
  if (front === undefined) return []
  let data: unknown
  try {
    data = parse(front)
  } catch (cause) {
    throw new EvalError('dataset/malformed', `The README of ${where} has a front matter that is no YAML.`, { cause })
  }
  const configs: unknown = isRecord(data) ? data['configs'] : null
  if (!Array.isArray(configs)) return []
  return configs.filter(isRecord).map((config) => {
    const { config_name: name, default: isDefault, data_files: dataFiles, data_dir: dataDir, drop_labels: _labels, ...options } = config
    return {
      name: typeof name === 'string' || typeof name === 'number' ? String(name) : 'default',
      isDefault: isDefault === true,
      dataFiles: dataFiles === undefined || dataFiles === null ? null : readDataFiles(dataFiles, where),
      dataDir: typeof dataDir === 'string' ? dataDir : null,
      options: options as { readonly [key: string]: Json }, // What YAML gives is JSON, but for dates, which no loader option is.
    }
  })
}

/** `data_files` in all its forms: a path, paths, a mapping from splits, or a list of `{split, path}`. */
export function readDataFiles(value: unknown, where: string): { readonly [split: string]: readonly string[] } {
  if (typeof value === 'string') return { train: [value] }
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === 'string')) return { train: value }
    const entries = value.map((item: unknown) =>
      isRecord(item) && typeof item['split'] === 'string' ? ([item['split'], pathsOf(item['path'], where)] as const) : badDataFiles(where),
    )
    return Object.fromEntries(entries)
  }
  if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([split, paths]) => [split, pathsOf(paths, where)]))
  return badDataFiles(where)
}

function pathsOf(value: unknown, where: string): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : badDataFiles(where)
}

function badDataFiles(where: string): never {
  throw new EvalError('dataset/malformed', `${where}: 'data_files' names no files per split.`)
}

/** The config asked for. Throws `dataset/not-found` with the names there are. */
export function pickConfig(configs: readonly DatasetConfig[], name: string | null, where: string): DatasetConfig {
  const names = configs.map((config) => config.name)
  if (name !== null) {
    const found = configs.find((config) => config.name === name)
    if (found !== undefined) return found
    // Without configs of its own a repository is its one config, `default`.
    if (configs.length === 0 && name === 'default') return unnamed
    const known = configs.length === 0 ? 'default' : names.join(', ')
    throw new EvalError('dataset/not-found', `${where} has no config '${name}'; its configs: ${known}.`, {
      details: { config: name, configs: names },
    })
  }
  const found =
    configs.find((config) => config.isDefault) ??
    configs.find((config) => config.name === 'default') ??
    (configs.length === 1 ? configs[0] : undefined)
  if (found !== undefined) return found
  if (configs.length === 0) return unnamed
  throw new EvalError(
    'dataset/not-found',
    `${where} has several configs and no default; dataset_name must be one of: ${names.join(', ')}.`,
    { details: { configs: names } },
  )
}

const unnamed: DatasetConfig = { name: 'default', isDefault: true, dataFiles: null, dataDir: null, options: {} }

/** Files of each split, in order of paths within a pattern. A split whose patterns match nothing is an error (`dataset/not-found`). */
export function resolvePatterns(
  dataFiles: { readonly [split: string]: readonly string[] },
  paths: readonly string[],
  folder: string,
  where: string,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(dataFiles).map(([split, patterns]) => {
      const found = patterns.flatMap((pattern) => {
        const whole = joinPath(folder, pattern)
        const regex = globToRegex(whole)
        const matches = paths.filter((path) => (isGlob(whole) ? regex.test(path) && isVisible(path) : path === whole))
        if (matches.length === 0)
          throw new EvalError('dataset/not-found', `${where}, split '${split}': no file matches '${pattern}'.`, {
            details: { split, pattern },
          })
        return matches.toSorted()
      })
      return [split, [...new Set(found)]] as const
    }),
  )
}

function joinPath(folder: string, path: string): string {
  const clean = path.replace(/^\.?\//, '')
  return folder === '' ? clean : `${folder.replace(/\/$/, '')}/${clean}`
}

/** Names of splits as files and folders use them, by `datasets`' own list. */
const splitKeywords: readonly (readonly [split: string, keywords: readonly string[]])[] = [
  ['train', ['train', 'training']],
  ['validation', ['validation', 'valid', 'dev', 'val']],
  ['test', ['test', 'testing', 'eval', 'evaluation']],
]
const separators = '[-._ 0-9]'

/**
 * Splits by file names, for repositories that don't say: `data/<split>-00000-of-00001.*`, else folders named after splits, else files named
 * after splits, else everything is `train`.
 */
export function inferSplits(paths: readonly string[], folder: string): ReadonlyMap<string, readonly string[]> {
  const root = folder === '' ? '' : `${folder.replace(/\/$/, '')}/`
  const inside = paths.filter(
    (path) =>
      path.startsWith(root) && isVisible(path.slice(root.length)) && formatOf(path) !== null && !notData.has(path.split('/').at(-1) ?? ''),
  )
  const relative = inside.map((path) => path.slice(root.length)).sort()
  const sharded = groupBy(relative, (path) => /^data\/([^/]*?)-\d{5}-of-\d{5}[^/]*\.[^/]*$/.exec(path)?.[1] ?? null)
  const byFolder = (): ReadonlyMap<string, readonly string[]> =>
    groupByKeywords(relative, (keyword) => new RegExp(`(^|/)([^/]*${separators})?${keyword}(${separators}[^/]*)?/`))
  const byFile = (): ReadonlyMap<string, readonly string[]> =>
    groupByKeywords(relative, (keyword) => new RegExp(`(^|/)([^/]*${separators})?${keyword}${separators}[^/]*$`))
  const found =
    [() => sharded, byFolder, byFile].map((find) => find()).find((splits) => splits.size > 0) ??
    new Map(relative.length === 0 ? [] : [['train', relative]])
  return new Map([...found].map(([split, files]) => [split, files.map((path) => root + path)]))
}

const notData = new Set(['README.md', 'config.json', 'dataset_info.json', 'dataset_infos.json', 'dataset_dict.json'])

function isVisible(path: string): boolean {
  return !path.split('/').some((part) => part.startsWith('.') || part.startsWith('__'))
}

function groupBy(paths: readonly string[], splitOf: (path: string) => string | null): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    const split = splitOf(path)
    if (split !== null) groups.set(split, [...(groups.get(split) ?? []), path])
  }
  return groups
}

function groupByKeywords(paths: readonly string[], patternOf: (keyword: string) => RegExp): ReadonlyMap<string, readonly string[]> {
  const found = splitKeywords.map(([split, keywords]) => {
    const patterns = keywords.map(patternOf)
    return [split, paths.filter((path) => patterns.some((pattern) => pattern.test(path)))] as const
  })
  return new Map(found.filter(([, files]) => files.length > 0))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
