/** Which files of a repository make up which split: by patterns, or by the names of files and folders, as `datasets` finds them. */
import { EvalError } from '../../base/errors.ts'
import { formatOf, type Format } from './formats.ts'
import { globToRegex, hasWildcards } from './glob.ts'

/** Files of each split. */
export type SplitFiles = ReadonlyMap<string, readonly string[]>

/**
 * Files of each split: in order of paths within a pattern, patterns in their order; a file that two patterns match is there twice. Files in
 * formats without a decoder are left out, and a split of nothing else is empty. Throws `dataset/not-found` when nothing matches at all.
 */
export function resolvePatterns(
  dataFiles: { readonly [split: string]: readonly string[] },
  paths: readonly string[],
  folder: string,
  where: string,
): SplitFiles {
  return new Map(
    Object.entries(dataFiles).map(([split, patterns]) => {
      checkSplitName(split, where)
      const found = patterns.map((pattern) => ({ pattern, files: matchPattern(joinPath(folder, pattern), paths, where) }))
      // A pattern may match nothing beside others, a path may not.
      const missing = found.find(
        ({ pattern, files }) => files.length === 0 && (!hasWildcards(pattern) || found.every((one) => one.files.length === 0)),
      )
      if (missing !== undefined)
        throw new EvalError('dataset/not-found', `${where}, split '${split}': no file matches '${missing.pattern}'.`, {
          details: { split, pattern: missing.pattern },
        })
      return [split, found.flatMap(({ files }) => files).filter((path) => formatOf(path) !== null)] as const
    }),
  )
}

/** The form that `datasets` allows, as its files are named after splits. */
function checkSplitName(split: string, where: string): void {
  if (/^\w+(\.\w+)*$/.test(split)) return
  const message = `${where}: '${split}' is no name for a split; letters, digits, '_' and single dots may be in one.`
  throw new EvalError('dataset/malformed', message, { details: { split } })
}

function joinPath(folder: string, path: string): string {
  const clean = path.replace(/^\.?\//, '')
  return folder === '' ? clean : `${folder.replace(/\/$/, '')}/${clean}`
}

const neverData = new Set(['README.md', 'config.json', 'dataset_info.json', 'dataset_infos.json', 'dummy_data.zip', 'dataset_dict.json'])

/** Sorted. Hidden files and `__special__` folders are seen only by patterns that say so. */
function matchPattern(pattern: string, paths: readonly string[], where: string): readonly string[] {
  if (!hasWildcards(pattern)) return paths.filter((path) => path === pattern)
  if (pattern.split('/').some((part) => part !== '**' && part.includes('**')))
    throw new EvalError('dataset/malformed', `${where}: in the pattern '${pattern}', '**' has to stand for whole folders.`)
  const regex = globToRegex(pattern)
  const hidden = countHidden(pattern)
  return paths.filter((path) => regex.test(path) && !neverData.has(baseName(path)) && isSame(countHidden(path), hidden)).toSorted()
}

interface HiddenParts {
  readonly dotted: number
  readonly special: number
}

function countHidden(path: string): HiddenParts {
  const parts = path.split('/')
  return {
    dotted: parts.filter((part) => part.startsWith('.') && !/^\.+$/.test(part)).length,
    special: parts.slice(0, -1).filter((part) => part.startsWith('__')).length,
  }
}

function isSame(a: HiddenParts, b: HiddenParts): boolean {
  return a.dotted === b.dotted && a.special === b.special
}

function baseName(path: string): string {
  return path.split('/').at(-1) ?? ''
}

/** Names of splits as files and folders use them, by `datasets`' own list. */
const splitKeywords: readonly (readonly [split: string, keywords: readonly string[]])[] = [
  ['train', ['train', 'training']],
  ['validation', ['validation', 'valid', 'dev', 'val']],
  ['test', ['test', 'testing', 'eval', 'evaluation']],
]
const separator = '[-._ 0-9]'
const folderPatterns = (keyword: string): readonly string[] => [
  `**/${keyword}/**`,
  `**/${keyword}${separator}*/**`,
  `**/*${separator}${keyword}/**`,
  `**/*${separator}${keyword}${separator}*/**`,
]
const filePatterns = (keyword: string): readonly string[] => [`**/${keyword}${separator}*`, `**/*${separator}${keyword}${separator}*`]

/**
 * Splits by file names, for repositories that don't say: `data/<split>-00000-of-00001.*`, else folders named after splits, else files named
 * after splits, else everything is `train`. All files are of the format that is commonest in the first split.
 * Throws `dataset/malformed` when the commonest format of another split differs.
 */
export function inferSplits(paths: readonly string[], folder: string, where = 'The repository'): SplitFiles {
  const root = folder === '' ? '' : `${folder.replace(/\/$/, '')}/`
  const inside = paths.flatMap((path) => (path.startsWith(root) ? [path.slice(root.length)] : []))
  const find = (patterns: readonly string[]): readonly string[] => patterns.flatMap((pattern) => matchPattern(pattern, inside, where))
  const byKeywords = (patternsOf: (keyword: string) => readonly string[]): SplitFiles =>
    new Map(splitKeywords.map(([split, keywords]) => [split, find(keywords.flatMap(patternsOf))] as const))
  const ways = [
    () => sharded(find(['data/*-[0-9][0-9][0-9][0-9][0-9]-of-[0-9][0-9][0-9][0-9][0-9]*.*']), where),
    () => byKeywords(folderPatterns),
    () => byKeywords(filePatterns),
    () => new Map([['train', find(['**'])]]),
  ]
  for (const way of ways) {
    const splits = new Map([...way()].map(([split, files]) => [split, files.filter((path) => formatOf(path) !== null)] as const))
    const filled = new Map([...splits].filter(([, files]) => files.length > 0))
    if (filled.size > 0) return new Map([...ofOneFormat(filled, where)].map(([split, files]) => [split, files.map((path) => root + path)]))
  }
  return new Map()
}

function sharded(paths: readonly string[], where: string): SplitFiles {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    const split = /^(.*)-\d{5}-of-\d{5}/.exec(baseName(path))?.[1] ?? ''
    checkSplitName(split, where)
    groups.set(split, [...(groups.get(split) ?? []), path])
  }
  return groups
}

function ofOneFormat(splits: SplitFiles, where: string): SplitFiles {
  const formats = new Map([...splits].map(([split, files]) => [split, commonestFormat(files)] as const))
  const [first] = formats.values()
  if ([...formats.values()].some((format) => format !== first)) {
    const found = [...formats].map(([split, format]) => `${split}: ${String(format)}`).join(', ')
    throw new EvalError('dataset/malformed', `${where}: its splits are of different formats (${found}).`)
  }
  return new Map([...splits].map(([split, files]) => [split, files.filter((path) => formatOf(path) === first)] as const))
}

const preference = ['parquet', 'jsonl', 'json', 'csv']

/** Of the commonest extension; parquet, then jsonl, json and csv where two are equally common. */
export function commonestFormat(paths: readonly string[]): Format | null {
  const counts = new Map<string, number>()
  for (const path of paths) {
    const extension = baseName(path.replace(/\.gz$/, '')).split('.').at(-1)?.toLowerCase() ?? ''
    if (formatOf(path) !== null) counts.set(extension, (counts.get(extension) ?? 0) + 1)
  }
  const rank = (extension: string): number => (preference.includes(extension) ? preference.indexOf(extension) : preference.length)
  const [best] = [...counts].sort(([a, countA], [b, countB]) => countB - countA || rank(a) - rank(b) || (a < b ? 1 : -1))
  return best === undefined ? null : formatOf(`x.${best[0]}`)
}
