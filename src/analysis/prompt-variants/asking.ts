/**
 * How a multiple-choice task asks, taken apart into what its other styles are made of: the prompt without its options, the prompt with
 * them, the options as texts and as letters. Everything stays a template over the task's own rows, so that the docs are the same ones.
 */
import { EvalError } from '../../base/errors.ts'
import type { TaskSource } from '../../harness/tasks/registry-expand.ts'
import { repr } from '../../python/value.ts'
import { FunctionRef, isConfigDict, isConfigList, toPlain, type ConfigDict, type ConfigValue } from '../../python/yaml/yaml-value.ts'
import { styles as labStyles } from '../lab/styles.ts'
import { cutCue, findOptionLines, listTexts, singleExpression, type OptionLines } from './prompt-parts.ts'

/** The lab's two, and `hybrid`: the options are shown under letters, and their texts are scored. */
export const fanStyles = [...labStyles, 'hybrid'] as const
export type FanStyle = (typeof fanStyles)[number]

export interface Asking {
  /** How the task itself asks. */
  readonly style: FanStyle
  /** `doc_to_text` without options, and with them under letters. */
  readonly bare: string
  readonly listed: string
  /** `doc_to_choice` of the answers' texts, and of their letters. */
  readonly texts: ConfigValue
  readonly letters: ConfigValue
  /** What stands between the prompt with options and a choice where that isn't the task's own; null where it is. */
  readonly listedDelimiter: string | null
}

const marks = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** What the prompt ends with when it shows options and the task has no such line. */
const ownCue = 'Answer:'

/** Takes a task apart. Throws `task/unsupported` where its choices or its prompt can't be read out of its file, with the reason. */
export function readAsking({ name, file, config }: TaskSource): Asking {
  const refuse = (key: string, reason: string): never => {
    throw new EvalError('task/unsupported', `${file}: task '${name}' can't be asked in other styles: ${key} ${reason}.`, {
      details: { file, task: name, key },
    })
  }
  const type = config.get('output_type') ?? 'generate_until'
  if (type !== 'multiple_choice')
    refuse('output_type', `is ${repr(toPlain(type))}, which has no choices that could be listed or scored; wanted multiple_choice`)
  if (config.has('yardstick')) refuse('yardstick', 'belongs to a procedure that lays down how it asks')
  if ((config.get('use_prompt') ?? null) !== null) refuse('use_prompt', 'takes the place of the prompt in the file')
  const fewshot = config.get('fewshot_config') ?? null
  if (isConfigDict(fewshot) && [...fewshot.keys()].some((key) => key.startsWith('doc_to_')))
    refuse('fewshot_config', 'words the examples otherwise than the question')
  const text = readText(config, refuse)
  const choices = config.get('doc_to_choice') ?? null
  const given = isConfigList(choices) && choices.every((choice) => typeof choice === 'string') ? choices : null
  if (given !== null && given.length > 1 && given.every((choice) => markOf(choice) !== null)) {
    const lines = findOptionLines(
      text,
      given.map((choice) => markOf(choice) ?? ''),
    )
    if (lines === null) return refuse('doc_to_text', 'doesn’t show, one below the other, the texts behind the letters of doc_to_choice')
    return { ...asksWithLines(text, lines), style: 'letters', letters: choices }
  }
  const lines = findOptionLines(text, [...marks.slice(0, 2)])
  if (lines !== null) return { ...asksWithLines(text, longest(text, lines)), style: 'hybrid', texts: choices }
  const list = listOf(choices, refuse)
  if (given !== null && given.length > marks.length)
    refuse('doc_to_choice', `has more than ${marks.length} choices, and there are no more letters`)
  return {
    ...{ style: 'continuation', bare: text, texts: choices },
    ...listOptions(text, list, config),
    letters: given === null ? `{{ "${marks}"[:(${list})|length]|list }}` : [...marks.slice(0, given.length)],
  }
}

type Refuse = (key: string, reason: string) => never

/** `doc_to_text` as a template; a column's name as one. */
function readText(config: ConfigDict, refuse: Refuse): string {
  const text = config.get('doc_to_text') ?? ''
  if (text instanceof FunctionRef) return refuse('doc_to_text', `is the Python function ${text.name}, which no option can be put into`)
  if (typeof text !== 'string') return refuse('doc_to_text', 'is no template: each choice has a prompt of its own')
  return isColumn(text) ? `{{ ${text} }}` : text
}

/** A Jinja expression of the choices' texts. */
function listOf(choices: ConfigValue, refuse: Refuse): string {
  if (choices instanceof FunctionRef)
    return refuse('doc_to_choice', `is the Python function ${choices.name}, whose choices no template can name`)
  if (isConfigDict(choices)) return listOf([...choices.values()], refuse)
  if (isConfigList(choices)) {
    const texts = choices.filter((choice) => typeof choice === 'string')
    return texts.length === choices.length && texts.length > 1
      ? listLiteral(texts)
      : refuse('doc_to_choice', 'is a list of something else than two or more texts')
  }
  if (typeof choices !== 'string') return refuse('doc_to_choice', 'is missing')
  const expression = isColumn(choices) ? choices : singleExpression(choices)
  return expression ?? refuse('doc_to_choice', 'is neither a list, nor a column, nor one expression in {{ }}')
}

/** A text without tags that may name a column. The harness takes it as a constant text where there is no such column: nobody asks so. */
function isColumn(text: string): boolean {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(text)
}

/** The letter of a choice such as `A`, ` (B)` or `C.`; null for a text. */
function markOf(choice: string): string | null {
  return /^\s*[([]?([A-Z]|[1-9])[)\]]?[.:]?\s*$/.exec(choice)?.[1] ?? null
}

/** The prompt shows its options already. */
function asksWithLines(text: string, lines: OptionLines): Pick<Asking, 'bare' | 'listed' | 'texts' | 'letters' | 'listedDelimiter'> {
  return {
    bare: lines.before + lines.after,
    listed: text,
    texts: `{{ ${listTexts(lines.options)} }}`,
    letters: [...marks.slice(0, lines.options.length)],
    listedDelimiter: null,
  }
}

/** All options that stand below one another under A, B, C, … */
function longest(text: string, two: OptionLines): OptionLines {
  let found = two
  for (let count = 3; count <= marks.length; count += 1) {
    const more = findOptionLines(text, [...marks.slice(0, count)])
    if (more === null) break
    found = more
  }
  return found
}

/** Puts the options, one a line, before the line that asks for the answer. */
function listOptions(text: string, list: string, config: ConfigDict): Pick<Asking, 'listed' | 'listedDelimiter'> {
  const { before, gap, cue } = cutCue(text)
  const options = `{% for option in ${list} %}${before === '' ? '{% if not loop.first %}\n{% endif %}' : '\n'}{{ "${marks}"[loop.index0] }}. {{ option }}{% endfor %}`
  if (cue !== null) return { listed: before + options + gap + cue, listedDelimiter: null }
  const prefix = config.get('gen_prefix') ?? ''
  if (prefix !== '') return { listed: `${before}${options}\n`, listedDelimiter: null }
  return { listed: `${before}${options}\n${ownCue}`, listedDelimiter: ' ' }
}

/** Jinja reads JSON's texts as Python does. */
function listLiteral(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`
}
