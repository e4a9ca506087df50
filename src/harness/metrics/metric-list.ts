/** A task's metrics with their aggregations and directions resolved. lm_eval 0.4.13, `ConfigurableTask.__init__`. */
import { EvalError } from '../../base/errors.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { str } from '../../python/value.ts'
import type { ConfigDict, ConfigValue } from '../../python/yaml/yaml-value.ts'
import { FunctionRef, toPlain } from '../../python/yaml/yaml-value.ts'
import type { TaskConfig } from '../tasks/task-config.ts'
import type { Aggregation } from './aggregation/aggregate.ts'
import type { AggregationName } from './registry.ts'
import { defaultMetrics, registeredMetrics } from './registry.ts'

/** A metric that a task reports; `kwargs` are what the metric function gets besides predictions and references. */
export interface TaskMetric {
  readonly name: string
  readonly aggregation: Aggregation
  readonly higherIsBetter: PyValue
  readonly kwargs: PyDict
  /** The task's own metric function, called with predictions and references; null for registered metrics. */
  readonly score: MetricFunction | null
}

/** A task's own metric: a value, or a dict of several. */
export type MetricFunction = (references: readonly PyValue[], predictions: readonly PyValue[], kwargs: PyDict) => PyValue

/** Ports of the functions that tasks name with `!function`; null = not ported. */
interface MetricFunctions {
  aggregation(reference: FunctionRef): Aggregation | null
  metric(reference: FunctionRef): MetricFunction | null
}

/** The aggregations that a task file may name. */
export const aggregationNames: readonly AggregationName[] = [
  'bypass',
  'nanmean',
  'mean',
  'median',
  'perplexity',
  'weighted_perplexity',
  'bits_per_byte',
  'f1',
  'matthews_corrcoef',
  'bleu',
  'chrf',
  'chrf++',
  'ter',
  'brier_score',
  'rouge1_unicode',
  'rouge2_unicode',
  'rougeL_unicode',
  'rougeLsum_unicode',
]
const notKwargs = new Set(['metric', 'aggregation', 'higher_is_better', 'hf_evaluate'])

/**
 * The metrics of `metric_list`, or the output type's defaults, in order. With `predictOnly`, `bypass` alone. Throws `task/invalid`
 * for entries without a name, `task/unknown-function` for helpers that are not ported, `task/unsupported` for names that are
 * registered neither as metric nor with an aggregation.
 */
export function resolveMetrics(config: TaskConfig, functions: MetricFunctions, predictOnly = false): readonly TaskMetric[] {
  if (predictOnly) return [registered('bypass')]
  if (config.metricList === null) return defaultMetrics[config.outputType].map(registered)
  return config.metricList.map((entry) => resolveEntry(entry, config, functions))
}

function registered(name: string): TaskMetric {
  const known = registeredMetrics.get(name)
  if (known === undefined) throw new EvalError('internal', `No registered metric ${name}.`)
  return { name, ...known, kwargs: new Map(), score: null }
}

function resolveEntry(entry: ConfigDict, config: TaskConfig, functions: MetricFunctions): TaskMetric {
  const metric = entry.get('metric')
  if (metric === undefined) throw new EvalError('task/invalid', `An entry of metric_list in ${config.file} has no metric.`)
  const name = metric instanceof FunctionRef ? (metric.name.split('.').at(-1) ?? metric.name) : str(toPlain(metric))
  const known = registeredMetrics.get(name)
  const kwargs = new Map([...entry].filter(([key]) => !notKwargs.has(key)).map(([key, value]) => [key, toPlain(value)]))
  const direction = entry.get('higher_is_better')
  return {
    name,
    aggregation: resolveAggregation(entry.get('aggregation'), name, config, functions),
    higherIsBetter: direction === undefined ? (known?.higherIsBetter ?? null) : toPlain(direction),
    kwargs: config.processResults === null ? kwargs : new Map(),
    score:
      config.processResults === null && metric instanceof FunctionRef
        ? portOf(metric, functions.metric(metric))
        : requireKnown(name, entry, config),
  }
}

function requireKnown(name: string, entry: ConfigDict, config: TaskConfig): null {
  // The other output types never call a metric's function; only its aggregation matters there.
  if (config.processResults !== null || config.outputType !== 'generate_until') return null
  if (entry.get('hf_evaluate') === true || !registeredMetrics.has(name))
    throw new EvalError('task/unsupported', `The metric ${name} of ${config.file} comes from the evaluate library, which can't run here.`)
  return null
}

function resolveAggregation(value: ConfigValue | undefined, metric: string, config: TaskConfig, functions: MetricFunctions): Aggregation {
  if (value instanceof FunctionRef) return portOf(value, functions.aggregation(value))
  const name = value === undefined ? registeredMetrics.get(metric)?.aggregation : str(toPlain(value))
  if (name !== undefined && isAggregationName(name)) return name
  throw new EvalError(
    'task/unsupported',
    `The metric ${metric} of ${config.file} has no aggregation that is known here (${name ?? 'none named'}).`,
  )
}

function isAggregationName(name: string): name is AggregationName {
  return aggregationNames.some((known) => known === name)
}

function portOf<T>(reference: FunctionRef, port: T | null): T {
  if (port === null) throw new EvalError('task/unknown-function', `The function ${reference.name} of ${reference.file} is not known here.`)
  return port
}
