/** The filters of sequence-labelling tasks: `regex_pos` and `format_span`. lm_eval 0.4.13, `extraction.py` and `transformation.py`. */
import { EvalError } from '../../base/errors.ts'
import { compilePython, compileWhenUsed } from '../../python/regex/compile.ts'
import { lower, rstrip, strip } from '../../python/string.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { isInt, isList, repr, str } from '../../python/value.ts'
import type { Filter } from './filter.ts'

const taggedToken = compileWhenUsed("\\('([^']*)', '([^']*)'\\)")
const labelledSpan = compileWhenUsed('\\b(PER|LOC|ORG|DATE):\\s*([^$]+)')
/** Label words in the order in which the harness rewrites them. */
const labels = (
  [
    ['person', 'PER'],
    ['location', 'LOC'],
    ['organization', 'ORG'],
    ['counties', 'LOC'],
    ['places', 'LOC'],
    ['people', 'PER'],
    ['persons', 'PER'],
    ['company', 'ORG'],
    ['country', 'LOC'],
    ['continent', 'LOC'],
    ['time', 'DATE'],
    ['date', 'DATE'],
    ['per', 'PER'],
    ['loc', 'LOC'],
    ['org', 'ORG'],
  ] as const
).map(([word, label]) => ({ pattern: compileWhenUsed(`\\b${word}\\s*:`), label }))

/** `regex_pos`: the tags of `('token', 'TAG')` pairs, or the fallback list. Its pattern option has no effect, but must compile. */
export function makePosFilter(options: PyDict): Filter {
  const unknown = [...options.keys()].find((key) => !['regex_pattern', 'group_select', 'fallback'].includes(key))
  if (unknown !== undefined) throw new EvalError('filter/failed', `regex_pos has the option ${unknown}, which it does not know.`)
  const pattern = options.get('regex_pattern')
  if (pattern !== undefined) compilePython(str(pattern))
  if (!isInt(options.get('group_select') ?? 0)) throw new EvalError('filter/failed', 'group_select wants to be an int.')
  const fallback = options.get('fallback') ?? ['invalid']
  return (responses) =>
    responses.map((repeats) =>
      iterate(repeats).map((response) => {
        const tags = typeof response === 'string' ? tagsOfText(response) : tagsOfPairs(response)
        return tags.length > 0 ? tags : fallback
      }),
    )
}

function tagsOfText(text: string): readonly PyValue[] {
  return taggedToken.findall(text).map((groups) => groups[1] ?? '')
}

function tagsOfPairs(value: PyValue): readonly PyValue[] {
  return iterate(value).map((pair) => {
    const parts = iterate(pair)
    if (parts.length !== 2) throw new EvalError('filter/failed', `regex_pos wants (token, tag) pairs, found ${repr(pair).slice(0, 80)}.`)
    return parts[1] ?? null
  })
}

/** `format_span`: named entities as `label: value` joined by ` $ `, with label words unified and `none` dropped. */
export function makeFormatSpanFilter(): Filter {
  return (responses) =>
    responses.map((repeats) =>
      iterate(repeats).map((response) => {
        if (typeof response !== 'string')
          throw new EvalError('filter/failed', `format_span wants text, found ${repr(response).slice(0, 80)}.`)
        return formatEntities(unifyLabels(lower(response)))
      }),
    )
}

function unifyLabels(text: string): string {
  const renamed = labels.reduce((current, { pattern, label }) => pattern.sub(`${label}:`, current), lower(text))
  return rstrip(renamed.split('$$').join('$'), '$')
}

function formatEntities(text: string): string {
  const entities = labelledSpan.findall(strip(text.replaceAll('\n', '$'))).flatMap(([label = '', values = '']) =>
    values
      .split(',')
      .map((value) => strip(value))
      .filter((value) => lower(value) !== 'none')
      .map((value) => `${lower(label)}: ${value}`),
  )
  return entities.join(' $ ')
}

function iterate(value: PyValue): readonly PyValue[] {
  if (isList(value)) return value
  if (typeof value === 'string') return Array.from(value)
  throw new EvalError('filter/failed', `A filter wants a list, found ${repr(value).slice(0, 80)}.`)
}
