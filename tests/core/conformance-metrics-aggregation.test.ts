import { describe, expect, test } from 'vitest'
import type { Aggregation } from '../../src/core/aggregate.ts'
import { aggregate, estimateStderr } from '../../src/core/aggregate.ts'
import type { GroupMetric, LeafMetrics } from '../../src/core/groups.ts'
import { aggregateGroup } from '../../src/core/groups.ts'
import type { PyValue } from '../../src/core/python/value.ts'
import { isDict, isList, str, toNumber } from '../../src/core/python/value.ts'
import { get, list, readCorpus, reviveFloats } from './corpus.ts'
import { expectClose } from './expect-close.ts'

const aggregations = readCorpus('C_aggregation.jsonl')
const groups = readCorpus('C_groups.jsonl')

const named = new Map<string, Aggregation>(
  (
    [
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
      'weighted_f1_score',
      'acc_all',
    ] as const
  ).map((name) => [name, name]),
)

describe.skipIf(aggregations.length === 0)('aggregations and their standard errors are those of the harness', () => {
  test.each(aggregations)('%s', (_id, row) => {
    const items = list(reviveFloats(get(row, 'input', 'items')))
    const aggregation = named.get(str(get(row, 'input', 'aggregation'))) ?? 'bypass'
    const metric = str(get(row, 'input', 'metric'))
    const bootstrapIters = toNumber(get(row, 'input', 'bootstrap_iters')) ?? 0
    const expected = get(row, 'expected')
    const has = (key: string) => isDict(expected) && expected.has(key)
    if (has('error')) expect(() => aggregate(items, aggregation)).toThrow()
    else expectClose(aggregate(items, aggregation), reviveFloats(get(expected, 'value')))
    const stderr = () => estimateStderr(items, { metric, aggregation, bootstrapIters })
    if (has('stderr_error')) expect(stderr).toThrow()
    else if (has('stderr')) expectClose(stderr(), reviveFloats(get(expected, 'stderr')))
  })
})

describe.skipIf(groups.length === 0)('group rows are those of the harness', () => {
  test.each(groups)('%s', (_id, row) => {
    const leaves = leafNames(get(row, 'input', 'tree')).map((name) => readLeaf(get(row, 'input', 'task_metrics', name)))
    const listed = get(row, 'input', 'aggregate_metric_list')
    const run = () => aggregateGroup((isList(listed) ? listed : []).map(readMetric), leaves)
    const expected = get(row, 'expected')
    if (isDict(expected) && expected.has('error')) {
      expect(run).toThrow()
      return
    }
    const { sampleLen, values, sampleCount } = run()
    const found = new Map<string, PyValue>([...(sampleLen === null ? [] : [['sample_len', sampleLen] as const]), ...values])
    if (sampleCount.size > 0) found.set('sample_count', new Map(sampleCount))
    const wanted = get(expected, 'group_metrics')
    const wantedMap = isDict(wanted)
      ? new Map([...wanted].filter(([key]) => key !== 'alias' && key !== 'name'))
      : new Map<string, PyValue>()
    expect([...found.keys()]).toEqual([...wantedMap.keys()])
    for (const [key, value] of wantedMap) expectClose(found.get(key) ?? null, value)
  })
})

function leafNames(tree: PyValue): readonly string[] {
  return isDict(tree) ? [...tree].flatMap(([name, child]) => (child === null ? [name] : leafNames(child))) : []
}

function readLeaf(metrics: PyValue): LeafMetrics | null {
  if (!isDict(metrics)) return null
  const values = new Map(
    [...metrics].filter(([key]) => key !== 'sample_len').map(([key, value]) => [key, toNumber(value) ?? ('N/A' as const)]),
  )
  return { sampleLen: toNumber(metrics.get('sample_len') ?? null) ?? 0, values }
}

function readMetric(entry: PyValue): GroupMetric {
  const filters = get(entry, 'filter_list')
  const weight = isDict(entry) ? entry.get('weight_by_size') : undefined
  return {
    metric: str(get(entry, 'metric')),
    filterList: filters === null ? null : (isList(filters) ? filters : [filters]).map(str),
    weightBySize: weight === undefined || weight === true,
  }
}
