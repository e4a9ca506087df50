/** Filter classes of `bbh/{zeroshot,cot_zeroshot}/utils.py`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { Filter } from '../../../harness/filters/filter.ts'
import type { FunctionFamily, MakeFilter } from '../../../harness/function-table.ts'
import { compilePython, compileWhenUsed, escapePython, type PythonRegex } from '../../../python/regex/compile.ts'
import { length, lower, split, strip } from '../../../python/string.ts'
import { isInt, isList, repr, str, type PyDict, type PyValue } from '../../../python/value.ts'
import { isConfigDict, toPlain, type ConfigDict } from '../../../python/yaml/yaml-value.ts'
import { parseNumberWords } from '../answers/number-words.ts'
import { isTruthy, textOf } from '../columns.ts'

interface Options {
  readonly pattern: string
  readonly groupSelect: number
  readonly fallback: PyValue
  /** Takes away what the task ignores. */
  readonly ignore: (text: string) => string
}

const shared = ['group_select', 'fallback', 'ignore_case', 'ignore_punctuation', 'regexes_to_ignore']
const defaultPattern = String.raw`#### (\-?[0-9\.\,]+)`

function readOptions(options: ConfigDict, own: string): Options {
  const unknown = [...options.keys()].find((key) => key !== own && !shared.includes(key))
  if (unknown !== undefined) throw new EvalError('filter/failed', `A filter has the option ${unknown}, which it does not know.`)
  const get = (key: string): PyValue => toPlain(options.get(key) ?? null)
  const groupSelect = get('group_select') ?? 0
  if (!isInt(groupSelect)) throw new EvalError('filter/failed', `group_select wants to be an int, found ${repr(groupSelect)}.`)
  const ignored = get('regexes_to_ignore')
  const regexes = isList(ignored) ? ignored.map((pattern) => compilePython(str(pattern))) : []
  const [ignoresCase, ignoresPunctuation] = [isTruthy(get('ignore_case')), isTruthy(get('ignore_punctuation'))]
  return {
    pattern: str(get('regex_pattern') ?? defaultPattern),
    groupSelect: Number(groupSelect),
    fallback: get('fallback') ?? '[invalid]',
    ignore(text) {
      const kept = regexes.reduce((current, regex) => regex.sub('', current), text)
      const cased = ignoresCase ? lower(kept) : kept
      return ignoresPunctuation ? cased.replace(/\p{P}/gu, '') : cased
    },
  }
}

/** The match that `group_select` picks, stripped; empty when nothing matches. Throws `filter/failed` beyond the last one. */
function findMatch(regex: PythonRegex, groupSelect: number, text: string): string {
  const matches = regex.findall(text)
  if (matches.length === 0) return ''
  const match = matches.at(groupSelect)
  const found = typeof match === 'string' ? match : match?.find((group) => group !== '')
  if (found === undefined)
    throw new EvalError('filter/failed', `group_select is ${groupSelect}, but there are only ${matches.length} matches with text.`)
  return strip(found)
}

/** A filter of one text and its doc. Throws `filter/failed` for responses that are no text. */
function eachResponse(change: (text: string, doc: PyDict) => PyValue): Filter {
  return (responses, docs) =>
    responses.map((response, i) => {
      if (!isList(response)) throw new EvalError('filter/failed', `A filter wants a list, found ${repr(response).slice(0, 80)}.`)
      return response.map((item) => {
        if (typeof item !== 'string') throw new EvalError('filter/failed', `A filter wants text, found ${repr(item).slice(0, 80)}.`)
        return change(item, docs[i] ?? new Map<string, PyValue>())
      })
    })
}

/** Finds any of the patterns and answers with the value of the first that matches what was found. */
const mapRegex: MakeFilter = (options) => {
  const values = options.get('regex_pattern_to_value') ?? new Map()
  if (!isConfigDict(values)) throw new EvalError('filter/failed', 'regex_pattern_to_value wants to be a mapping.')
  const { groupSelect, fallback, ignore } = readOptions(options, 'regex_pattern_to_value')
  const any = compilePython([...values.keys()].join('|'))
  const each = [...values].map(([pattern, value]) => ({ regex: compilePython(pattern), value: toPlain(value) }))
  return eachResponse((text) => {
    const found = findMatch(any, groupSelect, ignore(text))
    if (found === '') return fallback
    const mapped = each.find(({ regex }) => findMatch(regex, groupSelect, ignore(found)) !== '')?.value ?? fallback
    return isTruthy(mapped) ? mapped : fallback
  })
}

const numberWord =
  'zero|one|two|three|four|five|(?:twen|thir|for|fif|six|seven|nine)(?:teen|ty)|eight(?:een|y)|ten|eleven|twelve|fourteen|hundred|thousand|(?:m|b|tr)illion'
// Upstream's three copies of the words differ in which endings may be missing.
const leadWord = numberWord.replace('eight(?:een|y)', 'eight(?:|een|y)')
const innerWord = numberWord.replace('(?:teen|ty)', '(?:|teen|ty)')
const englishNumber = compileWhenUsed(String.raw`((?:(?:${leadWord})(?:${innerWord}|[^\S\r\n]|,|and|&)+)?(?:${numberWord}))`)

/** Finds a number, else one in English words. */
const numberParse: MakeFilter = (options) => {
  const { pattern, groupSelect, fallback } = readOptions(options, 'regex_pattern')
  const regex = compilePython(pattern)
  return eachResponse((text) => {
    const digits = findMatch(regex, groupSelect, text)
    if (digits !== '') return digits
    const words = findMatch(englishNumber, groupSelect, lower(text))
    return words === '' ? fallback : String(parseNumberWords(words))
  })
}

/** The words of the doc's list in the order of their last mention. */
const wordSort: MakeFilter = () =>
  eachResponse((text, doc) => {
    const list = split(textOf(doc, 'input'), 'List:')[1]
    if (list === undefined) throw new EvalError('filter/failed', `wanted 'List:' in the column 'input', found none`)
    const regex = compilePython(
      split(strip(list))
        .map((word) => String.raw`\b${word}\b`)
        .join('|'),
    )
    const mentioned = regex.findall(text).map((match) => (typeof match === 'string' ? match : ''))
    return [...new Set(mentioned.reverse())].reverse().join(' ')
  })

const choicePattern = compileWhenUsed(String.raw`\([A-Z]\)([^\n^(]*)`)

/** Finds a letter in brackets, else the text of a choice, else a letter behind a colon. */
const multiChoice: MakeFilter = (options) => {
  const { pattern, groupSelect, fallback, ignore } = readOptions(options, 'regex_pattern')
  const regex = compilePython(pattern)
  return eachResponse((text, doc) => {
    const choices = choicePattern.findall(textOf(doc, 'input')).map((match) => ignore(strip(typeof match === 'string' ? match : '')))
    const letters = choices.map((_, i) => String.fromCodePoint(65 + i))
    const letterOf = new Map(choices.map((choice, i) => [choice, `(${letters[i] ?? ''})`]))
    const byText = compilePython(
      choices
        .map(escapePython)
        .sort((a, b) => length(b) - length(a))
        .join('|'),
    )
    const byLetter = compilePython(String.raw`:[\s]*(${letters.join('|')})`)
    const direct = findMatch(regex, groupSelect, text)
    if (direct !== '') return direct
    const named = findMatch(byText, groupSelect, ignore(text))
    if (named !== '') return letterOf.get(named) ?? named
    const letter = findMatch(byLetter, groupSelect, text)
    return letter === '' ? fallback : `(${letter})`
  })
}

export const bbhFilters: readonly FunctionFamily[] = ['zeroshot', 'cot_zeroshot'].map((form) => ({
  folder: `bbh/${form}`,
  filter: {
    'utils.MapRegexFilter': mapRegex,
    'utils.NumberParseRegexFilter': numberParse,
    'utils.WordSortFilter': wordSort,
    'utils.MultiChoiceRegexFilter': multiChoice,
  },
}))
