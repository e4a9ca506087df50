/** Flags that name several: a run for each. */
import type { CommandLine } from './args.ts'
import { UsageError } from './flag-values.ts'

/** The dtypes of a sweep; null for none or one. Throws UsageError for one that is named twice, and for a sweep over revisions as well. */
export function sweptDtypes({ dtypeAsked, revision }: CommandLine): readonly string[] | null {
  if (!dtypeAsked?.includes(',')) return null
  if (revision?.includes(',')) throw new UsageError('--dtype and --revision both name several: give a list to one of them')
  const names = namesOnce(dtypeAsked, 'dtype')
  if (names.includes('auto')) throw new UsageError('--dtype: auto is the model’s default, and stands for no dtype of a list')
  return names
}

/** The revisions of a sweep; null for none or one. Throws UsageError for one that is named twice. */
export function sweptRevisions({ revision }: CommandLine): readonly string[] | null {
  return revision?.includes(',') ? namesOnce(revision, 'revision') : null
}

/** The names in a flag's list. Throws UsageError for one that stands there twice. */
function namesOnce(list: string, flag: string): readonly string[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new UsageError(`--${flag} names ${JSON.stringify(twice)} twice`)
  return names
}
