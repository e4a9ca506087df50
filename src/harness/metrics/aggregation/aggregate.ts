/**
 * From the values of all documents to one number and its standard error. lm_eval 0.4.13: the aggregations of `lm_eval/api/metrics.py`
 * and the choice of standard error in `_compute_task_aggregations`.
 */
import { EvalError } from '../../../base/errors.ts'
import type { PyValue } from '../../../python/value.ts'
import { pyFloat, repr, toNumber } from '../../../python/value.ts'
import { accAll, accAllStderr } from '../acc-all.ts'
import { bleu } from '../bleu.ts'
import { brierScore } from '../brier.ts'
import { chrf, chrfPlusPlus } from '../chrf.ts'
import { binaryF1, matthews, weightedF1 } from '../classification.ts'
import { corpusStatistic } from '../corpus-items.ts'
import type { CorpusMetric } from '../corpus-metric.ts'
import { codeLabels, readPair } from '../label-pairs.ts'
import { mean, meanStderr, pairwiseSum, sum } from '../means.ts'
import { preciseExp } from '../precise-exp.ts'
import type { AggregationName } from '../registry.ts'
import { corpusRouge } from '../rouge-corpus.ts'
import { tokenizeUnicode } from '../rouge.ts'
import { ter } from '../ter.ts'
import type { BootstrapHooks, Statistic } from './bootstrap.ts'
import { bootstrapStderr } from './bootstrap.ts'

/** A registered aggregation by name, or a task's own function of all documents' values. */
export type Aggregation = AggregationName | ((items: readonly PyValue[]) => PyValue)

/** `stderr` is `'N/A'` where the harness gives none. */
export interface Aggregate {
  readonly value: PyValue
  readonly stderr: number | 'N/A'
}

interface AggregateOptions extends BootstrapHooks {
  /** The metric's name: bleu, chrf, chrf++ and ter are resampled 100 times at most. */
  readonly metric: string
  readonly aggregation: Aggregation
  /** 0 = no standard errors at all. */
  readonly bootstrapIters: number
}

const corpusMetrics: ReadonlyMap<string, CorpusMetric> = new Map([
  ['bleu', bleu],
  ['chrf', chrf],
  ['chrf++', chrfPlusPlus],
  ['ter', ter],
])

/** Value and standard error of one metric under one filter. Throws `metric/failed` where the harness raises. */
export function aggregateMetric(items: readonly PyValue[], options: AggregateOptions): Aggregate {
  return { value: aggregate(items, options.aggregation), stderr: estimateStderr(items, options) }
}

/** The aggregated value: a float, but for `bypass` (999), `median` (one of the items) and what a task's own function returns. */
export function aggregate(items: readonly PyValue[], aggregation: Aggregation): PyValue {
  if (typeof aggregation === 'function') return aggregation(items)
  if (items.length === 0 && aggregation !== 'bypass' && aggregation !== 'nanmean')
    throw new EvalError('metric/failed', `There are no values to aggregate by ${aggregation}.`)
  switch (aggregation) {
    case 'bypass':
      return 999
    case 'median':
      return sortedMiddle(items)
    case 'mean':
      return pyFloat(mean(readNumbers(items, aggregation)))
    case 'weighted_perplexity':
      return pyFloat(exp(-weightedMean(items, aggregation)))
    case 'bits_per_byte':
      return pyFloat(-weightedMean(items, aggregation) / Math.LN2)
    case 'brier_score':
      return pyFloat(brierScore(items))
    case 'weighted_f1_score':
      return pyFloat(weightedF1(codeLabels(items)))
    case 'acc_all':
      return pyFloat(accAll(items))
    case 'rouge1_unicode':
      return pyFloat(corpusRouge('rouge1', items, tokenizeUnicode))
    case 'rouge2_unicode':
      return pyFloat(corpusRouge('rouge2', items, tokenizeUnicode))
    case 'rougeL_unicode':
      return pyFloat(corpusRouge('rougeL', items, tokenizeUnicode))
    case 'rougeLsum_unicode':
      return pyFloat(corpusRouge('rougeLsum', items, tokenizeUnicode))
    default:
      return pyFloat(makeStatistic(items, aggregation)(Int32Array.from(items, (_, i) => i)))
  }
}

/** The standard error: analytic for `mean` and `acc_all`, bootstrap for those that the harness resamples, else `'N/A'`. */
export function estimateStderr(items: readonly PyValue[], options: AggregateOptions): number | 'N/A' {
  const { aggregation, bootstrapIters, metric } = options
  if (bootstrapIters <= 0 || items.length < 2 || typeof aggregation === 'function') return 'N/A'
  const iterations = corpusMetrics.has(metric) ? Math.min(bootstrapIters, 100) : bootstrapIters
  switch (aggregation) {
    case 'mean':
      return meanStderr(readNumbers(items, aggregation))
    case 'acc_all':
      return accAllStderr(items)
    case 'median':
    case 'perplexity':
    case 'nanmean':
    case 'f1':
    case 'matthews_corrcoef':
    case 'bleu':
    case 'chrf':
    case 'chrf++':
    case 'ter':
      // One resample has no spread: numpy's floats give NaN, Python's own raise.
      if (iterations === 1 && aggregation !== 'f1' && aggregation !== 'nanmean')
        throw new EvalError('metric/failed', 'A bootstrap wants at least two resamples; bootstrap_iters 0 means no standard errors.')
      return bootstrapStderr(makeStatistic(items, aggregation), items.length, iterations, options)
    default:
      return 'N/A'
  }
}

type Resampled = 'median' | 'perplexity' | 'nanmean' | 'f1' | 'matthews_corrcoef' | 'bleu' | 'chrf' | 'chrf++' | 'ter'

/** The aggregation over a choice of the items. What can be counted once per item is. */
function makeStatistic(items: readonly PyValue[], aggregation: Resampled): Statistic {
  switch (aggregation) {
    case 'perplexity': {
      const values = readNumbers(items, aggregation)
      return (indices) => {
        let total = 0
        for (let i = 0; i < indices.length; i++) total += values[indices[i] ?? 0] ?? 0
        return exp(-(total / indices.length))
      }
    }
    case 'median':
      return medianStatistic(readNumbers(items, aggregation))
    case 'nanmean': {
      const values = readNumbers(items, aggregation)
      const drawn = new Float64Array(items.length)
      return (indices) => {
        for (let i = 0; i < indices.length; i++) drawn[i] = values[indices[i] ?? 0] ?? 0
        return nanmean(drawn)
      }
    }
    case 'f1': {
      const pairs = codeLabels(items)
      const positive = pairs.labels.indexOf(1)
      if (pairs.labelCount > 2)
        throw new EvalError('metric/failed', `f1 is for two classes, found ${pairs.labelCount}: ${pairs.labels.slice(0, 8).join(', ')}.`)
      if (pairs.labelCount === 2 && positive < 0)
        throw new EvalError('metric/failed', `f1 scores the label 1, found only ${pairs.labels.join(' and ')}.`)
      return (indices) => binaryF1(pairs, positive, indices)
    }
    case 'matthews_corrcoef': {
      const pairs = codeLabels(items)
      return (indices) => matthews(pairs, indices)
    }
    default: {
      const metric = corpusMetrics.get(aggregation)
      if (metric === undefined) throw new EvalError('internal', `No corpus metric ${aggregation}.`)
      return corpusStatistic(items, metric)
    }
  }
}

function readNumbers(items: readonly PyValue[], aggregation: string): Float64Array {
  return Float64Array.from(items, (item) => {
    const number = toNumber(item)
    if (number === null) throw new EvalError('metric/failed', `${aggregation} wants numbers, found ${repr(item).slice(0, 80)}.`)
    return number
  })
}

function weightedMean(items: readonly PyValue[], aggregation: string): number {
  const pairs = items.map(readPair)
  const total = sum(
    readNumbers(
      pairs.map(([value]) => value),
      aggregation,
    ),
  )
  const weight = sum(
    readNumbers(
      pairs.map(([, itemWeight]) => itemWeight),
      aggregation,
    ),
  )
  if (weight === 0) throw new EvalError('metric/failed', `${aggregation} divides by the sum of weights, which is 0.`)
  return total / weight
}

/** Python's `math.exp`, which refuses to overflow. */
function exp(value: number): number {
  const result = preciseExp(value)
  if (result === Infinity && value !== Infinity) throw new EvalError('metric/failed', `exp(${value}) is too large for a float.`)
  return result
}

/** Overwrites NaN by 0 in `values`. */
function nanmean(values: Float64Array): number {
  let known = 0
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i])) values[i] = 0
    else known++
  }
  return known === 0 ? NaN : pairwiseSum(values) / known
}

/** Python's `sorted(items)[n // 2]`: the upper middle item itself. */
function sortedMiddle(items: readonly PyValue[]): PyValue {
  const values = readNumbers(items, 'median')
  const order = items.map((_, i) => i).sort((i, j) => compareNumbers(values[i] ?? 0, values[j] ?? 0))
  return items[order[Math.floor(order.length / 2)] ?? 0] ?? null
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : b < a ? 1 : 0
}

function medianStatistic(values: Float64Array): Statistic {
  if (values.some(Number.isNaN)) {
    return (indices) => {
      const sorted = Array.from(indices, (i) => values[i] ?? 0).sort(compareNumbers)
      return sorted[Math.floor(sorted.length / 2)] ?? NaN
    }
  }
  // Counting by rank: a resample of n costs n steps rather than a sort.
  const ranked = Float64Array.from(new Set(values)).sort()
  const rankOf = new Map(Array.from(ranked, (value, rank) => [value, rank]))
  const ranks = Int32Array.from(values, (value) => rankOf.get(value) ?? 0)
  const counts = new Int32Array(ranked.length)
  return (indices) => {
    counts.fill(0)
    for (let i = 0; i < indices.length; i++) {
      const rank = ranks[indices[i] ?? 0] ?? 0
      counts[rank] = (counts[rank] ?? 0) + 1
    }
    let below = Math.floor(indices.length / 2)
    let rank = 0
    while (below >= (counts[rank] ?? 0)) below -= counts[rank++] ?? 0
    return ranked[rank] ?? NaN
  }
}
