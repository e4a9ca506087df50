/** What a dataset repository says about itself: its configs, and which files make up which split. */
import { parse } from 'yaml'
import { EvalError, type Json } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { DeclaredColumns } from '../../contracts/declared-columns.ts'
import { columnsOfYaml } from './features.ts'

/** One config: patterns per split, or none, and options for the loader (`sep`, `field` …). */
export interface DatasetConfig {
  readonly name: string
  readonly isDefault: boolean
  /** Null = by file names. */
  readonly dataFiles: { readonly [split: string]: readonly string[] } | null
  readonly dataDir: string | null
  readonly options: { readonly [key: string]: Json }
  /** Column types that the config itself names; null for none. */
  readonly features: DeclaredColumns | null
}

/** The data of a README's front matter; null when it has none. Throws `dataset/malformed` for broken YAML. */
export function readFrontMatter(readme: string, where: string): unknown {
  const front = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(readme)?.[1]
  if (front === undefined) return null
  try {
    return parse(front)
  } catch (cause) {
    throw new EvalError('dataset/malformed', `The README of ${where} has a front matter that is no YAML.`, { cause })
  }
}

/** The configs of a README's front matter, in its order; none when it lists none. Throws `dataset/malformed` for broken YAML. */
export function readConfigs(readme: string, where: string): DatasetConfig[] {
  const data = readFrontMatter(readme, where)
  const configs: unknown = isRecord(data) ? data['configs'] : null
  if (!Array.isArray(configs)) return []
  const read = configs.filter(isRecord).map((config) => {
    if (config['config_name'] === undefined)
      throw new EvalError('dataset/malformed', `The README of ${where} has a config without a config_name.`, {
        details: { keys: Object.keys(config) },
      })
    const {
      config_name: name,
      default: isDefault,
      data_files: dataFiles,
      data_dir: dataDir,
      drop_labels: _labels,
      features,
      ...options
    } = config
    return {
      name: typeof name === 'string' ? name : JSON.stringify(name),
      isDefault: isDefault === true,
      dataFiles: dataFiles === undefined || dataFiles === null ? null : readDataFiles(dataFiles, where),
      dataDir: typeof dataDir === 'string' ? dataDir : null,
      options: options as { readonly [key: string]: Json }, // What YAML gives is JSON, but for dates, which no loader option is.
      features: Array.isArray(features) ? columnsOfYaml(features, where) : null,
    }
  })
  return read
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
  const defaults = configs.filter((config) => configs.length === 1 || config.isDefault || config.name === 'default')
  const [found, another] = defaults
  if (another !== undefined)
    throw new EvalError('dataset/malformed', `${where} has several default configs: ${defaults.map((config) => config.name).join(', ')}.`)
  if (found !== undefined) return found
  if (configs.length === 0) return unnamed
  throw new EvalError(
    'dataset/not-found',
    `${where} has several configs and no default; dataset_name must be one of: ${names.join(', ')}.`,
    { details: { configs: names } },
  )
}

const unnamed: DatasetConfig = { name: 'default', isDefault: true, dataFiles: null, dataDir: null, options: {}, features: null }
