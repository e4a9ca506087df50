/**
 * A document's metric values from its filtered responses. lm_eval 0.4.13, `ConfigurableTask.process_results`; differs by `acc_tok`,
 * which is ours.
 */
import { EvalError, unreachable } from '../../base/errors.ts'
import type { ModelResponse } from '../../contracts/requests.ts'
import { compileWhenUsed } from '../../python/regex/compile.ts'
import { length } from '../../python/string.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { isInt, isList, pyEquals, pyFloat, pyTuple, repr, toNumber } from '../../python/value.ts'
import type { Task } from '../requests/task.ts'
import { generationScores } from './generation.ts'
import { argmax, softmax } from './means.ts'
import type { TaskMetric } from './metric-list.ts'

/** A task's own `process_results`, in place of everything here. */
export type ProcessResults = (doc: PyDict, results: readonly PyValue[]) => ReadonlyMap<string, PyValue>

interface DocResults {
  readonly doc: PyDict
  /** One filtered response per request, in request order. */
  readonly results: readonly PyValue[]
  /** Number of tokens of each request's continuation; needed for `acc_tok` only. */
  readonly tokenCounts: readonly number[] | null
}

/** A model's answer as the harness holds it: `(logprob, is_greedy)`, a float, or text. */
export function responseValue(response: ModelResponse): PyValue {
  switch (response.type) {
    case 'loglikelihood':
      return pyTuple([pyFloat(response.logprob), response.isGreedy])
    case 'loglikelihood_rolling':
      return pyFloat(response.logprob)
    case 'generate_until':
      return response.text
    default:
      return unreachable(response)
  }
}

/** Metric values by name, in the harness's order. Throws `metric/failed` where the harness raises. */
export function processResults(task: Task, metrics: readonly TaskMetric[], docResults: DocResults): ReadonlyMap<string, PyValue> {
  const names = new Set(metrics.map(({ name }) => name))
  const { doc, results } = docResults
  switch (task.outputType) {
    case 'loglikelihood': {
      const [{ logprob, isGreedy }] = [readLoglikelihood(results[0])]
      return pick(names, [
        ['perplexity', pyFloat(logprob)],
        ['acc', isGreedy ? 1 : 0],
      ])
    }
    case 'loglikelihood_rolling':
      return rollingScores(task, names, docResults)
    case 'multiple_choice':
      return choiceScores(task, names, docResults)
    case 'generate_until':
      return generationScores(task, metrics, doc, results[0] ?? null)
    default:
      return unreachable(task.outputType)
  }
}

function pick(names: ReadonlySet<string>, values: readonly (readonly [name: string, value: PyValue])[]): ReadonlyMap<string, PyValue> {
  return new Map(values.filter(([name]) => names.has(name)))
}

function readLoglikelihood(value: PyValue | undefined): { logprob: number; isGreedy: boolean } {
  const pair = value ?? null
  const [logprob, isGreedy] = isList(pair) && pair.length === 2 ? pair : []
  const number = toNumber(logprob ?? null)
  if (number === null || isGreedy === undefined)
    throw new EvalError(
      'metric/failed',
      `Wanted a (log-likelihood, is_greedy) pair after filtering, found ${repr(value ?? null).slice(0, 80)}.`,
    )
  return { logprob: number, isGreedy: isGreedy === true || isGreedy === 1 }
}

const whiteSpace = compileWhenUsed('\\s+')

function rollingScores(task: Task, names: ReadonlySet<string>, { doc, results }: DocResults): ReadonlyMap<string, PyValue> {
  const target = task.docToTarget(doc)
  const logprob = toNumber(results[0] ?? null)
  if (typeof target !== 'string')
    throw new EvalError('metric/failed', `${task.name} wants text as its target, found ${repr(target).slice(0, 80)}.`)
  if (logprob === null || results.length !== 1) throw new EvalError('metric/failed', `${task.name} wants one log-likelihood per doc.`)
  const words = whiteSpace.findall(target).length + 1
  const bytes = new TextEncoder().encode(target).length
  return pick(names, [
    ['word_perplexity', pyTuple([pyFloat(logprob), words])],
    ['byte_perplexity', pyTuple([pyFloat(logprob), bytes])],
    ['bits_per_byte', pyTuple([pyFloat(logprob), bytes])],
  ])
}

function choiceScores(task: Task, names: ReadonlySet<string>, { doc, results, tokenCounts }: DocResults): ReadonlyMap<string, PyValue> {
  const responses = results.map(readLoglikelihood)
  const choices = task.docToChoice(doc).map((choice) => {
    if (typeof choice !== 'string')
      throw new EvalError('metric/failed', `A choice of ${task.name} is ${repr(choice).slice(0, 80)}, wanted text.`)
    return choice
  })
  const hasUnconditional = names.has('acc_mutual_info') && responses.length === 2 * choices.length
  const all = responses.map(({ logprob }) => logprob)
  const logprobs = hasUnconditional ? all.slice(0, choices.length) : all
  const greedy = responses.map(({ isGreedy }) => isGreedy)
  const gold = readGold(task, doc, choices)
  const isRight = makeJudge(task, gold)
  const best = argmax(logprobs)
  const values: [string, PyValue][] = [
    ['acc', isRight(best)],
    ['f1', pyTuple([gold, best])],
    ['mcc', pyTuple([gold, best])],
    ['acc_norm', isRight(argmax(perLength(logprobs, choices.map(length))))],
    ['acc_bytes', isRight(argmax(perLength(logprobs, choices.map(utf8Length))))],
    ['exact_match', greedyMatch(task, gold, greedy)],
    ['brier_score', pyTuple([gold, softmax(logprobs).map(pyFloat)])],
    ['likelihood', pyTuple([gold, pyTuple(logprobs.map(pyFloat))])],
  ]
  if (names.has('acc_mutual_info')) {
    if (!hasUnconditional)
      throw new EvalError(
        'metric/failed',
        `acc_mutual_info of ${task.name} wants two requests per choice, found ${responses.length} for ${choices.length} choices.`,
      )
    const gains = logprobs.map((logprob, i) => logprob - (all[choices.length + i] ?? 0))
    values.push(['acc_mutual_info', pyFloat(pyEquals(argmax(gains), gold) ? 1 : 0)])
  }
  if (names.has('acc_tok')) values.push(['acc_tok', isRight(argmax(perLength(logprobs, readTokenCounts(task, tokenCounts, choices))))])
  return pick(names, values)
}

function readTokenCounts(task: Task, tokenCounts: readonly number[] | null, choices: readonly string[]): readonly number[] {
  if (tokenCounts === null || tokenCounts.length < choices.length)
    throw new EvalError('metric/failed', `acc_tok of ${task.name} wants the token counts of the choices.`)
  return tokenCounts.slice(0, choices.length)
}

function perLength(logprobs: readonly number[], lengths: readonly number[]): number[] {
  if (logprobs.length !== lengths.length && logprobs.length !== 1 && lengths.length !== 1)
    throw new EvalError('metric/failed', `There are ${logprobs.length} log-likelihoods for ${lengths.length} choices.`)
  const at = (list: readonly number[], i: number): number => list[list.length === 1 ? 0 : i] ?? NaN
  return Array.from({ length: Math.max(logprobs.length, lengths.length) }, (_, i) => at(logprobs, i) / at(lengths, i))
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}

/** The gold index, or the list of them, with -100 for what lies beyond the choices. */
function readGold(task: Task, doc: PyDict, choices: readonly string[]): PyValue {
  const gold = task.multipleInput > 0 ? task.docToText(doc) : task.docToTarget(doc)
  if (isList(gold)) return gold.map((index) => (readIndex(task, index) < choices.length ? index : -100))
  if (typeof gold === 'string') return choices.includes(gold) ? choices.indexOf(gold) : -100
  if (typeof gold === 'boolean' || isInt(gold)) return Number(gold) < choices.length ? gold : -100
  return gold
}

function readIndex(task: Task, value: PyValue): number {
  const number = toNumber(value)
  if (number === null) throw new EvalError('metric/failed', `A gold index of ${task.name} is ${repr(value).slice(0, 80)}, wanted an int.`)
  return number
}

function makeJudge(task: Task, gold: PyValue): (choice: number) => PyValue {
  if (task.multipleTarget === 0) return (choice) => pyFloat(pyEquals(choice, gold) ? 1 : 0)
  if (!isList(gold))
    throw new EvalError('metric/failed', `${task.name} has several targets, but this doc's gold is ${repr(gold).slice(0, 80)}.`)
  return (choice) => pyFloat(gold.some((index) => pyEquals(choice, index)) ? 1 : 0)
}

function greedyMatch(task: Task, gold: PyValue, greedy: readonly boolean[]): PyValue {
  const isGreedyAt = (index: PyValue): boolean => {
    if (pyEquals(index, -100)) return false
    const place = typeof index === 'boolean' || isInt(index) ? Number(index) : NaN
    const found = greedy.at(place)
    // Python indexes from the end with negative numbers, and raises outside.
    if (Number.isNaN(place) || found === undefined)
      throw new EvalError(
        'metric/failed',
        `The gold index ${repr(index).slice(0, 80)} of ${task.name} is outside ${greedy.length} choices.`,
      )
    return found
  }
  if (task.multipleTarget > 0 && isList(gold)) return gold.some(isGreedyAt) ? 1 : 0
  return isGreedyAt(gold) ? 1 : 0
}
