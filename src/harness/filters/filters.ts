/**
 * Filters between responses and metrics. lm_eval 0.4.13, `lm_eval/filters`. A pipeline works on all of a task's requests at once:
 * `responses[i]` belongs to request i, whose doc is `docs[i]`; it starts as the list of that request's repeats.
 */
import { EvalError } from '../../base/errors.ts'
import { lower, strip, upper } from '../../python/string.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { dictGet, encodeKey, isDict, isList, repr, toNumber } from '../../python/value.ts'
import type { ConfigDict, ConfigValue } from '../../python/yaml/yaml-value.ts'
import { FunctionRef, isConfigDict, isConfigList, isPlain, toPlain } from '../../python/yaml/yaml-value.ts'
import type { Filter } from './filter.ts'
import { makeMultiChoiceFilter, makeRegexFilter } from './regex-filters.ts'
import { makeFormatSpanFilter, makePosFilter } from './sequence-labelling.ts'

export interface FilterPipeline {
  readonly name: string
  apply: Filter
  readonly steps: readonly FilterStep[]
}

/** One filter of a pipeline. */
export interface FilterStep {
  /** As the task file names it. */
  readonly name: string
  readonly apply: Filter
  /** True when it can be applied to a part of the requests with the same outcome for them. */
  readonly isPerRequest: boolean
  /** True when it runs patterns or functions that a task file names. */
  readonly isForeign: boolean
  /** Its regular expression; null when it has none. */
  readonly pattern: string | null
}

/** Makes filters that are not built in: `!function` classes, the function of `custom`, and names that tasks register. Null = unknown. */
type FilterFunctions = (reference: FunctionRef | string, options: ConfigDict) => Filter | null

/** The pipelines of a task's `filter_list`, in order; `none: [take_first]` without one. Throws `filter/failed`, `task/unknown-function`, `regex/unsupported`. */
export function buildPipelines(
  filterList: readonly ConfigDict[] | null,
  functions: FilterFunctions = () => null,
): readonly FilterPipeline[] {
  if (filterList === null) {
    return [
      {
        name: 'none',
        apply: takeFirst,
        steps: [{ name: 'take_first', apply: takeFirst, isPerRequest: true, isForeign: false, pattern: null }],
      },
    ]
  }
  return filterList.map((entry) => {
    const name = entry.get('name')
    const steps = entry.get('filter')
    if (typeof name !== 'string' || !isConfigList(steps))
      throw new EvalError('task/invalid', 'An entry of filter_list wants a name and a list of filters.')
    const built = buildSteps(steps, functions)
    return { name, apply: chain(built), steps: built }
  })
}

/** One pipeline from its `[{function, …parameters}]` list. */
export function buildPipeline(steps: readonly ConfigValue[], functions: FilterFunctions = () => null): Filter {
  return chain(buildSteps(steps, functions))
}

function chain(steps: readonly FilterStep[]): Filter {
  return (responses, docs) => steps.reduce((current, { apply }) => apply(current, docs), responses)
}

/** Filters of our own that run no pattern. */
const plainFilters: readonly unknown[] = [
  'take_first',
  'take_first_k',
  'majority_vote',
  'remove_whitespace',
  'lowercase',
  'uppercase',
  'map',
]

function buildSteps(steps: readonly ConfigValue[], functions: FilterFunctions): readonly FilterStep[] {
  return steps.map((step) => {
    if (!isConfigDict(step)) throw new EvalError('task/invalid', 'A filter wants to be a mapping with a function.')
    const name = step.get('function') ?? null
    const pattern = step.get('regex_pattern') ?? null
    return {
      name: name instanceof FunctionRef ? name.name : typeof name === 'string' ? name : 'filter',
      apply: buildFilter(step, functions),
      // Only `take_first_k` looks at another request than its own: it checks the length of the first.
      isPerRequest: name !== 'take_first_k',
      isForeign: !plainFilters.includes(name),
      pattern: typeof pattern === 'string' ? pattern : null,
    }
  })
}

function buildFilter(step: ConfigDict, functions: FilterFunctions): Filter {
  const name = step.get('function') ?? null
  const entries = new Map([...step].filter(([key]) => key !== 'function'))
  const plain = toPlain(entries)
  const options: PyDict = isDict(plain) ? plain : new Map()
  switch (name) {
    case 'take_first':
      return refuseOptions(options, [], takeFirst)
    case 'take_first_k':
      return makeTakeFirstK(options)
    case 'majority_vote':
      return refuseOptions(options, [], (responses) => responses.map((response) => [majority(readList(response))]))
    case 'regex':
      return makeRegexFilter(options)
    case 'multi_choice_regex':
      return makeMultiChoiceFilter(options)
    case 'regex_pos':
      return makePosFilter(options)
    case 'format_span':
      return refuseOptions(options, [], makeFormatSpanFilter())
    case 'remove_whitespace':
      return eachText((text) => strip(text))
    case 'lowercase':
      return refuseOptions(options, [], eachText(lower))
    case 'uppercase':
      return refuseOptions(options, [], eachText(upper))
    case 'map':
      return makeMapFilter(options)
    case 'custom':
      return findPorted(entries.get('filter_fn') ?? null, entries, functions)
    default:
      return findPorted(name, entries, functions)
  }
}

/** The port of a filter that is not built in: a class or function of the task's, or a name that the task registers. */
function findPorted(name: ConfigValue, options: ConfigDict, functions: FilterFunctions): Filter {
  const ported = name instanceof FunctionRef || typeof name === 'string' ? functions(name, options) : null
  if (ported !== null) return ported
  if (name instanceof FunctionRef)
    throw new EvalError('task/unknown-function', `The filter ${name.name} of ${name.file} is not known here.`)
  throw new EvalError('filter/failed', `There is no filter ${isPlain(name) ? repr(name) : 'of that kind'}.`)
}

/** The filter, unless an option is none of `known`. */
function refuseOptions(options: PyDict, known: readonly string[], filter: Filter): Filter {
  const unknown = [...options.keys()].find((key) => !known.includes(key))
  if (unknown !== undefined) throw new EvalError('filter/failed', `A filter has the option ${unknown}, which it does not know.`)
  return filter
}

/** Applies a function to every response of every request. Throws `filter/failed` for a response that is no text. */
function eachText(change: (text: string) => PyValue): Filter {
  return (responses) =>
    responses.map((response) =>
      readList(response).map((item) => {
        if (typeof item !== 'string') throw new EvalError('filter/failed', `A filter wants text, found ${repr(item).slice(0, 80)}.`)
        return change(item)
      }),
    )
}

/** What Python iterates over: a list's items, a string's characters. Throws `filter/failed` for anything else. */
export function readList(value: PyValue): readonly PyValue[] {
  if (isList(value)) return value
  if (typeof value === 'string') return Array.from(value)
  throw new EvalError('filter/failed', `A filter wants a list of responses, found ${repr(value).slice(0, 80)}.`)
}

function takeFirst(responses: readonly PyValue[]): readonly PyValue[] {
  return responses.map((response) => {
    const [first] = readList(response)
    if (first === undefined) throw new EvalError('filter/failed', 'take_first wants at least one response.')
    return first
  })
}

function makeTakeFirstK(options: PyDict): Filter {
  const k = toNumber(options.get('k') ?? null)
  if (k === null) throw new EvalError('filter/failed', 'take_first_k wants a number k.')
  return (responses) => {
    const first = readList(responses[0] ?? null)
    if (first.length < k)
      throw new EvalError('filter/failed', `take_first_k wants ${k} responses per request, found ${first.length}; raise repeats.`)
    return responses.map((response) =>
      typeof response === 'string' ? Array.from(response).slice(0, k).join('') : readList(response).slice(0, k),
    )
  }
}

/** The most frequent item; of equally frequent ones the first seen. */
function majority(items: readonly PyValue[]): PyValue {
  const votes = new Map<string, { readonly item: PyValue; count: number }>()
  for (const item of items) {
    const number = typeof item === 'string' ? null : toNumber(item)
    const key = encodeKey(number === null ? item : number)
    const vote = votes.get(key) ?? { item, count: 0 }
    vote.count++
    votes.set(key, vote)
  }
  const [winner] = [...votes.values()].sort((a, b) => b.count - a.count)
  if (winner === undefined) throw new EvalError('filter/failed', 'majority_vote wants at least one response.')
  return winner.item
}

function makeMapFilter(options: PyDict): Filter {
  const mapping = options.get('mapping_dict') ?? new Map<string, PyValue>()
  const fallback = options.get('default_value') ?? null
  if (!isDict(mapping)) throw new EvalError('filter/failed', 'The filter map wants a mapping as its mapping_dict.')
  const look: Filter = (responses) =>
    responses.map((response) =>
      readList(response).map((item) => {
        if (isList(item) || isDict(item)) throw new EvalError('filter/failed', `The filter map can't look up ${repr(item).slice(0, 80)}.`)
        return dictGet(mapping, item) ?? fallback
      }),
    )
  return refuseOptions(options, ['mapping_dict', 'default_value'], look)
}
