/**
 * White space and doubled tokens in prompts that change scores without anybody meaning them to. A finding names the key at fault, shows
 * the place, and leaves it to the reader: benchmarks have such quirks on purpose, and their scores depend on them.
 */
import { codePoints, isSpace } from '../../python/string.ts'

export type LintCode =
  /** The question ends with white space and the delimiter begins with it. */
  | 'double-space'
  /** The delimiter ends with white space and the choice or target begins with it. */
  | 'double-space-answer'
  /** Nothing stands between question and answer. */
  | 'no-space'
  | 'text-trailing-newline'
  | 'text-trailing-space'
  | 'text-leading-space'
  | 'answer-trailing-space'
  | 'answer-empty'
  | 'tab'
  | 'space-before-newline'
  | 'inner-spaces'
  | 'blank-lines'
  | 'carriage-return'
  | 'unusual-space'
  | 'same-choices'
  | 'doubled-bos'
  | 'doubled-template'

export interface Finding {
  readonly code: LintCode
  /** The key of the task file at fault: `doc_to_text`, `doc_to_choice`, `doc_to_target`, `target_delimiter`, … */
  readonly key: string
  /** Where it shows: a piece of the text with the place in the middle. */
  readonly excerpt: string
  /** How many docs of those looked at show it. */
  readonly docs: number
}

/** One doc's parts as the task words them, before they are put together. */
export interface LintedDoc {
  readonly text: string
  /** The choices, or the target alone for tasks without choices. */
  readonly answers: readonly string[]
  /** What answers come from: `doc_to_choice` or `doc_to_target`. */
  readonly answerKey: string
  /** What stands between question and answer as it is asked: with a chat template nothing does. */
  readonly delimiter: string
  /** True when a reply was begun (`gen_prefix`) or a chat template parts the two: the seam is elsewhere then. */
  readonly isSeamElsewhere: boolean
}

const unusual = /[\u00a0\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]/

/** All findings over some docs, each code and key once, with its first place. Order: the seam first, then the question, then answers. */
export function lintDocs(docs: readonly LintedDoc[]): readonly Finding[] {
  const found = new Map<string, Finding>()
  for (const doc of docs) {
    const seen = new Set<string>()
    for (const finding of [...seamFindings(doc), ...textFindings(doc), ...answerFindings(doc)]) {
      const id = `${finding.code} ${finding.key}`
      if (seen.has(id)) continue
      seen.add(id)
      const before = found.get(id)
      found.set(id, before === undefined ? { ...finding, docs: 1 } : { ...before, docs: before.docs + 1 })
    }
  }
  return [...found.values()]
}

type Place = Omit<Finding, 'docs'>

function seamFindings({ text, answers, answerKey, delimiter, isSeamElsewhere }: LintedDoc): Place[] {
  const [answer] = answers
  if (isSeamElsewhere || text === '' || answer === undefined) return []
  const places: Place[] = []
  const joined = text + delimiter + answer
  const show = (at: number): string => around(joined, at)
  const last = codePoints(text).at(-1) ?? ''
  const first = answers.map((one) => codePoints(one)[0] ?? '')
  if (delimiter !== '' && isSpace(last) && last !== '\n' && isSpace(delimiter.charAt(0)))
    places.push({ code: 'double-space', key: 'doc_to_text', excerpt: show(text.length) })
  if (delimiter !== '' && last === '\n' && isSpace(delimiter.charAt(0)) && delimiter.charAt(0) !== '\n')
    places.push({ code: 'text-trailing-newline', key: 'doc_to_text', excerpt: show(text.length) })
  const spaced = first.findIndex((character) => character !== '' && isSpace(character))
  if (spaced >= 0 && delimiter !== '' && isSpace(delimiter.at(-1) ?? ''))
    places.push({
      code: 'double-space-answer',
      key: answerKey,
      excerpt: around(text + delimiter + (answers[spaced] ?? ''), text.length + delimiter.length),
    })
  const touches = first.some((character) => isWordly(character))
  if (delimiter === '' && touches && (isWordly(last) || /[:.?!)\]"'”’]/.test(last)))
    places.push({ code: 'no-space', key: 'target_delimiter', excerpt: show(text.length) })
  return places
}

function textFindings({ text, delimiter, isSeamElsewhere }: LintedDoc): Place[] {
  const key = 'doc_to_text'
  const places: Place[] = []
  const add = (code: LintCode, pattern: RegExp): void => {
    const at = text.search(pattern)
    if (at >= 0) places.push({ code, key, excerpt: around(text, at) })
  }
  if (text !== '' && isSpace(codePoints(text)[0] ?? '')) places.push({ code: 'text-leading-space', key, excerpt: around(text, 0) })
  // Where the delimiter is white space too, the seam says it.
  const isTold = !isSeamElsewhere && delimiter !== '' && isSpace(delimiter.charAt(0))
  if (!isTold && isSpace(codePoints(text).at(-1) ?? ''))
    places.push({ code: 'text-trailing-space', key, excerpt: around(text, text.length - 1) })
  add('space-before-newline', /[ \t]+\n/)
  add('inner-spaces', /\S {2,}(?=\S)/)
  add('blank-lines', /\n[ \t]*\n[ \t]*\n/)
  add('tab', /\t/)
  add('carriage-return', /\r/)
  add('unusual-space', unusual)
  return places
}

function answerFindings({ answers, answerKey: key }: LintedDoc): Place[] {
  const places: Place[] = []
  const add = (code: LintCode, isFault: (answer: string) => boolean, at: (answer: string) => number): void => {
    const faulty = answers.find(isFault)
    if (faulty !== undefined) places.push({ code, key, excerpt: around(faulty, at(faulty)) })
  }
  add(
    'answer-empty',
    (answer) => answer.trim() === '',
    () => 0,
  )
  add(
    'answer-trailing-space',
    (answer) => answer.trim() !== '' && isSpace(codePoints(answer).at(-1) ?? ''),
    (answer) => answer.length - 1,
  )
  add(
    'tab',
    (answer) => answer.includes('\t'),
    (answer) => answer.indexOf('\t'),
  )
  add(
    'unusual-space',
    (answer) => unusual.test(answer),
    (answer) => answer.search(unusual),
  )
  const same = answers.find((answer, index) => answers.indexOf(answer) < index)
  if (same !== undefined) places.push({ code: 'same-choices', key, excerpt: around(same, 0) })
  return places
}

/** Letters and digits of scripts that part words with spaces: those without don't miss one. */
function isWordly(character: string): boolean {
  return (
    /[\p{L}\p{N}]/u.test(character) &&
    !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u.test(
      character,
    )
  )
}

/** Some characters before and after a place. */
function around(text: string, at: number): string {
  const start = Math.max(0, at - 16)
  const end = Math.min(text.length, at + 16)
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

/** A prompt without surplus white space: every line stripped, empty lines gone. `stripInTemplate` does the same within a task file. */
export function stripPrompt(text: string): string {
  return text.replace(/\s*\n\s*/g, '\n').trim()
}

/**
 * A `doc_to_text` that gives what `stripPrompt` gives for the original's. It stays a template of the harness, whose `regex_replace` and
 * `trim` it uses, so lm_eval runs the stripped task too. `isColumn`: the original is a column's name.
 */
export function stripInTemplate(template: string, isColumn: boolean): string {
  const body = isColumn ? `{{ ${template} }}` : template
  return `{% set prompt %}${body}{% endset %}{{ prompt | regex_replace('\\\\s*\\\\n\\\\s*', '\\n') | trim }}`
}
