/** A task asked in other styles and words: task files of its own over the same docs, for our runs and for lm_eval alike. */
import { EvalError } from '../../base/errors.ts'
import type { TaskFile } from '../../contracts/run-settings.ts'
import type { TaskSource } from '../../harness/tasks/registry-expand.ts'
import { repr } from '../../python/value.ts'
import { yamlText } from '../../python/yaml/write.ts'
import { FunctionRef, isConfigDict, toPlain, type ConfigDict, type ConfigValue } from '../../python/yaml/yaml-value.ts'
import { fanStyles, readAsking, type Asking, type FanStyle } from './asking.ts'
import { singleExpression } from './prompt-parts.ts'

export interface FanVariant {
  readonly task: string
  readonly style: FanStyle
  /** The task whose words it asks with; null for its own. */
  readonly wording: string | null
  /** Null for the task itself, which is asked as it stands. */
  readonly file: TaskFile | null
}

/** The keys that say how a task is worded; all others say what it asks about. */
const wordingKeys = ['doc_to_text', 'doc_to_choice', 'doc_to_target', 'description', 'gen_prefix', 'target_delimiter'] as const

/**
 * The task in these styles, itself where it is asked in its own. Files include the task's, so that functions are found where they were. Throws
 * `task/unsupported` for a task whose styles can't be made.
 */
export function styleVariants(source: TaskSource, styles: readonly FanStyle[]): readonly FanVariant[] {
  const asking = readAsking(source)
  return fanStyles
    .filter((style) => styles.includes(style))
    .map((style) => {
      if (style === asking.style) return { task: source.name, style, wording: null, file: null }
      return variantOf(source, style, null, styleKeys(source, asking, style))
    })
}

/**
 * The task's docs asked with other tasks' words, in the style that they ask in; two with the same words are one, and the task's own none. Throws
 * `task/unsupported` for words that are Python functions.
 */
export function wordingVariants(source: TaskSource, others: readonly TaskSource[]): readonly FanVariant[] {
  const seen = new Set([wordsOf(source)])
  return others.flatMap((other) => {
    const words = wordsOf(other)
    if (seen.has(words)) return []
    seen.add(words)
    const keys = wordingKeys.map((key) => [key, other.config.get(key) ?? defaults[key] ?? null] as const)
    const python = keys.find(([, value]) => value instanceof FunctionRef)
    if (python !== undefined)
      throw new EvalError(
        'task/unsupported',
        `${other.file}: the words of '${other.name}' can't be taken for '${source.name}': ${python[0]} is a Python function.`,
        {
          details: { file: other.file, task: other.name, key: python[0] },
        },
      )
    const stated = keys.filter(([key]) => other.config.has(key) || source.config.has(key))
    return [variantOf(source, readAsking(other).style, other.name, new Map(stated))]
  })
}

/** What a key that isn't there stands for, where null is something else. */
const defaults: { readonly [key: string]: ConfigValue } = { target_delimiter: ' ', description: '' }

/** Tasks of the same folder and dataset whose questions and choices are worded otherwise: most often in other languages. */
export function siblingWordings(source: TaskSource, tasks: readonly TaskSource[]): readonly TaskSource[] {
  const folder = folderOf(source.file)
  const key = (task: TaskSource, name: string): string => repr(toPlain(task.config.get(name) ?? null))
  return tasks.filter(
    (task) =>
      folderOf(task.file) === folder &&
      ['dataset_path', 'output_type'].every((name) => key(task, name) === key(source, name)) &&
      key(task, 'dataset_name') !== key(source, 'dataset_name') &&
      styleOf(task) === styleOf(source) &&
      !wordingKeys.some((name) => task.config.get(name) instanceof FunctionRef),
  )
}

function styleOf(source: TaskSource): FanStyle | null {
  try {
    return readAsking(source).style
  } catch (error) {
    if (error instanceof EvalError && error.code === 'task/unsupported') return null
    throw error
  }
}

/** Descriptions may differ by the subject alone. */
function wordsOf({ config }: TaskSource): string {
  return repr(['doc_to_text', 'doc_to_choice'].map((key) => toPlain(config.get(key) ?? null)))
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1)
}

function styleKeys({ config }: TaskSource, asking: Asking, style: FanStyle): ConfigDict {
  const isListed = style !== 'continuation'
  const scoresLetters = style === 'letters'
  const changesChoices = scoresLetters !== (asking.style === 'letters')
  return new Map<string, ConfigValue>([
    ['doc_to_text', isListed ? asking.listed : asking.bare],
    ['doc_to_choice', scoresLetters ? asking.letters : asking.texts],
    ...(changesChoices ? [['doc_to_target', indexTarget(config)] as const] : []),
    ...(isListed && asking.listedDelimiter !== null ? [['target_delimiter', asking.listedDelimiter] as const] : []),
  ])
}

/**
 * `doc_to_target` as a choice's number, because a target may also be the text of the task's own choices: a text among them stands for its place,
 * as in the harness's `process_results`; anything else stays what it is.
 */
function indexTarget(config: ConfigDict): ConfigValue {
  const target = config.get('doc_to_target') ?? null
  const choices = config.get('doc_to_choice') ?? null
  if (typeof target !== 'string' || isIndex(target)) return target
  const list =
    typeof choices === 'string'
      ? (singleExpression(choices) ?? choices)
      : repr(toPlain(isConfigDict(choices) ? [...choices.values()] : choices))
  // A column is taken as it is; a template's digits are a number before they are a choice.
  if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(target)) return `{{ (${list}).index(${target}) if ${target} in ${list} else ${target} }}`
  return `{% set asked_target %}${target}{% endset %}{{ (${list}).index(asked_target) if asked_target in ${list} and not asked_target.isdigit() else asked_target }}`
}

/** A number, or a template that looks a place up. */
function isIndex(target: string): boolean {
  return /^\d+$/.test(target) || /\.index\(/.test(singleExpression(target) ?? '')
}

function variantOf(source: TaskSource, style: FanStyle, wording: string | null, keys: ConfigDict): FanVariant {
  const task = wording === null ? `${source.name}_${style}` : `${source.name}_worded_as_${wording}`
  const alias = source.config.get('task_alias') ?? null
  const cut = source.file.lastIndexOf('/') + 1
  const config = new Map<string, ConfigValue>([
    ['include', source.file.slice(cut)],
    ['task', task],
    // Else it would join the groups of tags that the task is in.
    ['tag', []],
    ...(typeof alias === 'string' ? [['task_alias', `${alias} (${wording ?? style})`] as const] : []),
    ...keys,
  ])
  const text = yamlText(config, (ref) => ref.name)
  return { task, style, wording, file: { path: `${source.file.slice(0, cut)}${task}.yaml`, text } }
}
