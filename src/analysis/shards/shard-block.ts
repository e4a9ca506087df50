/** What a shard's results file says, under `yardstick.shard`, so that the whole can be made of the parts without task files or rows. */
import type { Shard } from '../../contracts/shard.ts'
import { aggregationNames, type TaskMetric } from '../../harness/metrics/metric-list.ts'
import type { AggregationName } from '../../harness/metrics/registry.ts'
import type { ResultGroup, ResultNode } from '../../harness/results/results-file.ts'
import { isDict, isList, str, toNumber, type PyDict, type PyValue } from '../../python/value.ts'
import type { OwnValues } from '../scores/normalized-scores.ts'

export interface ShardBlock extends Shard {
  /** Ids of the docs that all shards ask together, by task, in the order of the samples file. */
  readonly docs: ReadonlyMap<string, readonly number[]>
  /** Of each task's metrics in order; null for a function of the task's own. */
  readonly aggregations: ReadonlyMap<string, ReadonlyMap<string, AggregationName | null>>
  readonly groups: readonly ResultGroup[]
  /** Our own verdicts on each doc of this shard, by task: what they rest on (the choices' tokens) is in no samples file. */
  readonly values: ReadonlyMap<string, OwnValues>
}

/** The block as it stands in the file. */
export function shardBlock({ index, count, overlap, docs, aggregations, groups, values }: ShardBlock): PyDict {
  return new Map<string, PyValue>([
    ['index', index],
    ['count', count],
    ['overlap', overlap],
    ['docs', new Map([...docs].map(([task, ids]) => [task, packIds(ids)]))],
    ['aggregations', new Map([...aggregations].map(([task, names]) => [task, new Map(names)]))],
    ['groups', groups.map(groupDict)],
    ['own_verdicts', new Map([...values].filter(([, own]) => own.size > 0).map(([task, own]) => [task, packVerdicts(own)]))],
  ])
}

/** A digit a doc; a metric that says anything but right and wrong is left out. */
function packVerdicts(own: OwnValues): PyDict {
  return new Map(
    [...own].filter(([, items]) => items.every((item) => item === 0 || item === 1)).map(([metric, items]) => [metric, items.join('')]),
  )
}

/** The aggregations of a task's metrics, by name. */
export function aggregationsOf(metrics: readonly TaskMetric[]): ReadonlyMap<string, AggregationName | null> {
  return new Map(metrics.map(({ name, aggregation }) => [name, typeof aggregation === 'string' ? aggregation : null]))
}

/** The block of a results file; null for a file without one, or with another than this program writes. */
export function readShardBlock(results: PyDict): ShardBlock | null {
  const own = results.get('yardstick') ?? null
  const block = isDict(own) ? (own.get('shard') ?? null) : null
  if (!isDict(block)) return null
  const [index, count, overlap] = ['index', 'count', 'overlap'].map((key) => toNumber(block.get(key) ?? null))
  if (index == null || count == null || overlap == null || index < 1 || index > count) return null
  return {
    index,
    count,
    overlap,
    docs: new Map(dictEntries(block.get('docs')).map(([task, ids]) => [task, unpackIds(ids)])),
    aggregations: new Map(
      dictEntries(block.get('aggregations')).map(([task, names]) => [
        task,
        new Map(dictEntries(names).map(([metric, name]) => [metric, aggregationNames.find((known) => known === name) ?? null])),
      ]),
    ),
    groups: itemsOf(block.get('groups')).flatMap(readGroup),
    values: new Map(
      dictEntries(block.get('own_verdicts')).map(([task, own]) => [
        task,
        new Map(dictEntries(own).map(([metric, digits]) => [metric, [...str(digits)].map(Number)])),
      ]),
    ),
  }
}

/** Runs of ids that follow each other as [first, how many]: a whole task is one pair. */
function packIds(ids: readonly number[]): PyValue {
  const runs: [number, number][] = []
  for (const id of ids) {
    const last = runs.at(-1)
    if (last !== undefined && last[0] + last[1] === id) last[1] += 1
    else runs.push([id, 1])
  }
  return runs
}

function unpackIds(runs: PyValue): readonly number[] {
  return itemsOf(runs).flatMap((run) => {
    const [first, length] = itemsOf(run).map((item) => toNumber(item) ?? 0)
    return Array.from({ length: Math.min(length ?? 0, 1_000_000) }, (_, offset) => (first ?? 0) + offset)
  })
}

function groupDict({ name, alias, metrics, version, children }: ResultGroup): PyDict {
  return new Map<string, PyValue>([
    ['name', name],
    ['alias', alias],
    ['version', version],
    [
      'metrics',
      metrics?.map(
        ({ metric, filterList, weightBySize }) =>
          new Map<string, PyValue>([
            ['metric', metric],
            ['filter_list', filterList],
            ['weight_by_size', weightBySize],
          ]),
      ) ?? null,
    ],
    ['children', children.map((child) => (child.kind === 'task' ? child.name : groupDict(child.group)))],
  ])
}

function readGroup(value: PyValue): readonly ResultGroup[] {
  if (!isDict(value)) return []
  const metrics = value.get('metrics') ?? null
  const alias = value.get('alias') ?? null
  return [
    {
      name: str(value.get('name') ?? ''),
      alias: alias === null ? null : str(alias),
      version: str(value.get('version') ?? ''),
      metrics: isList(metrics)
        ? metrics.filter(isDict).map((entry) => {
            const filters = entry.get('filter_list') ?? null
            return {
              metric: str(entry.get('metric') ?? ''),
              filterList: isList(filters) ? filters.map(str) : null,
              weightBySize: entry.get('weight_by_size') === true,
            }
          })
        : null,
      children: itemsOf(value.get('children')).flatMap((child): readonly ResultNode[] =>
        typeof child === 'string' ? [{ kind: 'task', name: child }] : readGroup(child).map((group) => ({ kind: 'group', group })),
      ),
    },
  ]
}

function itemsOf(value: PyValue | undefined): readonly PyValue[] {
  return value !== undefined && isList(value) ? value : []
}

function dictEntries(value: PyValue | undefined): readonly (readonly [string, PyValue])[] {
  return value !== undefined && isDict(value) ? [...value] : []
}
