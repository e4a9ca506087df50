/** A group's own keys, as the harness's GroupConfig checks them. */
import { EvalError } from '../../base/errors.ts'
import { isDict, str, type PyDict } from '../../python/value.ts'
import { FunctionRef, isConfigDict, isConfigList, toPlain, type ConfigDict, type ConfigValue } from '../../python/yaml/yaml-value.ts'

/** One entry of `aggregate_metric_list`. A callable aggregation is accepted and never called: the mean is taken. */
export interface AggregateMetric {
  readonly metric: string
  /** null = every filter that the leaf tasks have for the metric. */
  readonly filterList: readonly string[] | null
  readonly weightBySize: boolean
}

export interface GroupConfig {
  readonly group: string
  readonly groupAlias: string | null
  /** null = the group aggregates nothing. */
  readonly aggregateMetricList: readonly AggregateMetric[] | null
  readonly metadata: PyDict
  readonly file: string
}

/** Keys that describe a group; every other key of its file is pushed down to its members. */
export const groupKeys: readonly string[] = ['group', 'group_alias', 'task', 'aggregate_metric_list', 'metadata']

/** Reads a group's keys. Throws `task/invalid` with file and key. */
export function readGroupConfig(name: string, raw: ConfigDict, context: { readonly file: string; readonly metadata: PyDict }): GroupConfig {
  const alias = raw.get('group_alias') ?? null
  const metadata = toPlain(raw.get('metadata') ?? null)
  return {
    group: name,
    groupAlias: alias === null ? null : str(toPlain(alias)),
    aggregateMetricList: readAggregates(name, raw.get('aggregate_metric_list') ?? null, context.file),
    metadata: new Map([...(isDict(metadata) ? metadata : []), ...context.metadata]),
    file: context.file,
  }
}

function readAggregates(group: string, value: ConfigValue, file: string): readonly AggregateMetric[] | null {
  if (value === null) return null
  const entries = isConfigList(value) ? value : [value]
  return entries.map((entry) => readAggregate(group, entry, file))
}

function readAggregate(group: string, entry: ConfigValue, file: string): AggregateMetric {
  const fail = (problem: string): never => {
    throw new EvalError('task/invalid', `${file}: group '${group}', aggregate_metric_list: ${problem}`, { details: { file, group } })
  }
  if (!isConfigDict(entry)) return fail(`wanted a mapping, found ${str(toPlain(entry))}`)
  const known = ['metric', 'filter_list', 'aggregation', 'weight_by_size']
  const unknown = [...entry.keys()].find((key) => !known.includes(key))
  if (unknown !== undefined) fail(`unknown key '${unknown}'; the keys are ${known.join(', ')}`)
  const metric = entry.get('metric')
  if (typeof metric !== 'string') return fail("wanted a metric's name under 'metric'")
  const aggregation = entry.get('aggregation') ?? 'mean'
  if (aggregation !== 'mean' && !(aggregation instanceof FunctionRef))
    fail(`the only aggregation is 'mean', found '${str(toPlain(aggregation))}'`)
  const filters = entry.get('filter_list') ?? null
  return {
    metric,
    filterList: filters === null ? null : isConfigList(filters) ? filters.map((filter) => str(toPlain(filter))) : [str(toPlain(filters))],
    weightBySize: entry.get('weight_by_size') !== false && entry.get('weight_by_size') !== 0,
  }
}
