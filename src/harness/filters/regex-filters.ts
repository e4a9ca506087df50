/** The filters that extract answers by pattern: `regex` and `multi_choice_regex`. lm_eval 0.4.13, `lm_eval/filters/extraction.py`. */
import { EvalError } from '../../base/errors.ts'
import type { PythonRegex } from '../../python/regex/compile.ts'
import { compilePython, escapePython } from '../../python/regex/compile.ts'
import { codePoints, length, lower, strip } from '../../python/string.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { isInt, isList, repr } from '../../python/value.ts'
import type { Filter } from './filter.ts'

interface Extraction {
  readonly regex: PythonRegex
  readonly groupSelect: number
  readonly fallback: PyValue
}

const defaultPattern = '#### (\\-?[0-9\\.\\,]+)'

/** `regex`: the chosen match of every response, stripped, or the fallback. */
export function makeRegexFilter(options: PyDict): Filter {
  checkOptions(options, ['regex_pattern', 'group_select', 'fallback'])
  const extraction = readExtraction(options)
  return (responses) => responses.map((repeats) => iterate(repeats).map((response) => extract(extraction, response)))
}

function extract({ regex, groupSelect, fallback }: Extraction, response: PyValue): PyValue {
  const matches = regex.findall(typeof response === 'string' ? response : '')
  if (matches.length === 0) return fallback
  const match = select(matches, groupSelect)
  if (typeof match === 'string') return strip(match)
  const found = match.find((group) => group !== '') ?? fallback
  if (typeof found !== 'string')
    throw new EvalError('filter/failed', `The filter regex strips its fallback, which is ${repr(found)} and no text.`)
  return strip(found)
}

/** `multi_choice_regex`: the chosen match, else a choice's text in the response, else a letter after a colon; as `(A)`, `(B)`, …. */
export function makeMultiChoiceFilter(options: PyDict): Filter {
  checkOptions(options, ['regex_pattern', 'group_select', 'fallback', 'ignore_case', 'ignore_punctuation', 'regexes_to_ignore'])
  const extraction = readExtraction(options)
  const normalise = makeNormaliser(options)
  return (responses, docs) => {
    if (responses.length !== docs.length)
      throw new EvalError('filter/failed', `There are ${responses.length} requests for ${docs.length} docs.`)
    return responses.map((repeats, i) => {
      const { byText, byLetter, letterOfText } = readChoices(docs[i] ?? new Map<string, PyValue>(), normalise)
      const { regex, groupSelect, fallback } = extraction
      return iterate(repeats).map((response) => {
        const raw = typeof response === 'string' ? response : ''
        const direct = findMatch(regex, groupSelect, raw)
        if (direct !== '') return direct
        if (typeof response !== 'string' && normalise.needsText)
          throw new EvalError('filter/failed', `multi_choice_regex wants text, found ${repr(response).slice(0, 80)}.`)
        const text = findMatch(byText, groupSelect, typeof response === 'string' ? normalise.apply(response) : '')
        const named = letterOfText.get(text) ?? text
        if (named !== '') return named
        const letter = findMatch(byLetter, groupSelect, raw)
        return letter === '' ? fallback : `(${letter})`
      })
    })
  }
}

interface Normaliser {
  readonly needsText: boolean
  apply(text: string): string
}

function makeNormaliser(options: PyDict): Normaliser {
  const patterns = options.get('regexes_to_ignore') ?? null
  const regexes = patterns === null ? [] : iterate(patterns).map((pattern) => compilePython(readText(pattern, 'regexes_to_ignore')))
  const ignoresCase = options.get('ignore_case') === true
  const ignoresPunctuation = options.get('ignore_punctuation') === true
  return {
    needsText: regexes.length > 0 || ignoresCase || ignoresPunctuation,
    apply(text) {
      const kept = regexes.reduce((current, regex) => regex.sub('', current), text)
      const cased = ignoresCase ? lower(kept) : kept
      return ignoresPunctuation ? cased.replace(/\p{P}/gu, '') : cased
    },
  }
}

function readChoices(
  doc: PyDict,
  normalise: Normaliser,
): { byText: PythonRegex; byLetter: PythonRegex; letterOfText: ReadonlyMap<string, string> } {
  const choices = doc.get('choices')
  if (choices === undefined) throw new EvalError('filter/failed', 'multi_choice_regex wants docs with a column choices.')
  const texts = iterate(choices).map((choice) => normalise.apply(strip(readText(choice, 'choices'))))
  const letters = texts.map((_, i) => String.fromCodePoint(65 + i))
  const alternatives = texts.map(escapePython)
  const longestFirst = [...alternatives].sort((a, b) => length(b) - length(a))
  return {
    byText: compilePython(longestFirst.join('|')),
    // Letters past Z are characters like [ that the harness doesn't escape either.
    byLetter: compilePython(`:[\\s]*(${letters.join('|')})`),
    letterOfText: new Map(texts.map((text, i) => [text, `(${letters[i] ?? ''})`])),
  }
}

function findMatch(regex: PythonRegex, groupSelect: number, text: string): string {
  const matches = regex.findall(text)
  if (matches.length === 0) return ''
  const match = select(matches, groupSelect)
  return strip(typeof match === 'string' ? match : (match.find((group) => group !== '') ?? ''))
}

function select<T>(matches: readonly T[], index: number): T {
  const match = matches.at(index)
  if (match === undefined || index < -matches.length)
    throw new EvalError('filter/failed', `group_select is ${index}, but there are only ${matches.length} matches.`)
  return match
}

function readExtraction(options: PyDict): Extraction {
  const groupSelect = options.get('group_select') ?? 0
  if (!isInt(groupSelect)) throw new EvalError('filter/failed', `group_select wants to be an int, found ${repr(groupSelect)}.`)
  return {
    regex: compilePython(readText(options.get('regex_pattern') ?? defaultPattern, 'regex_pattern')),
    groupSelect: Number(groupSelect),
    // A null that is written out stays null.
    fallback: options.has('fallback') ? (options.get('fallback') ?? null) : '[invalid]',
  }
}

function readText(value: PyValue, what: string): string {
  if (typeof value !== 'string') throw new EvalError('filter/failed', `${what} wants text, found ${repr(value).slice(0, 80)}.`)
  return value
}

function iterate(value: PyValue): readonly PyValue[] {
  if (isList(value)) return value
  if (typeof value === 'string') return codePoints(value)
  throw new EvalError('filter/failed', `A filter wants a list, found ${repr(value).slice(0, 80)}.`)
}

function checkOptions(options: PyDict, known: readonly string[]): void {
  const unknown = [...options.keys()].find((key) => !known.includes(key))
  if (unknown !== undefined) throw new EvalError('filter/failed', `A regex filter has the option ${unknown}, which it does not know.`)
}
