import { describe, expect, test } from 'vitest'
import { aggregateMetric } from '../../src/core/aggregate.ts'
import { resolveMetrics } from '../../src/core/metrics/metric-list.ts'
import { processResults } from '../../src/core/process-results.ts'
import type { PyDict, PyValue } from '../../src/core/python/value.ts'
import { isDict, toNumber } from '../../src/core/python/value.ts'
import { get, list, readCorpus, reviveFloats } from './corpus.ts'
import { expectClose } from './expect-close.ts'
import { asDict, makeTask } from './make-task.ts'

const cases = readCorpus('C_metrics.jsonl')
const noFunctions = { aggregation: () => null, metric: () => null }

describe.skipIf(cases.length === 0)('values per doc, aggregates and directions are those of the harness', () => {
  test.each(cases)('%s', (_id, row) => {
    const docs = list(get(row, 'input', 'dataset', 'test')).map(asDict)
    const task = makeTask(asDict(get(row, 'input', 'config')), docs)
    const metrics = resolveMetrics(task.config, noFunctions)
    const perDoc = list(get(row, 'expected', 'per_doc'))
    const collected = new Map<string, PyValue[]>()
    list(get(row, 'input', 'results')).forEach((results, i) => {
      const wanted = asDict(perDoc[i] ?? null)
      const run = (): PyDict =>
        processResults(task, metrics, {
          doc: docs[i] ?? new Map<string, PyValue>(),
          results: list(reviveFloats(results)),
          tokenCounts: null,
        })
      if (wanted.has('error')) {
        expect(run).toThrow()
        return
      }
      const found = run()
      expect([...found.keys()]).toEqual([...wanted.keys()])
      for (const [name, value] of found) {
        expectClose(value, reviveFloats(wanted.get(name) ?? null))
        collected.set(name, [...(collected.get(name) ?? []), value])
      }
    })
    const aggregated = asDict(get(row, 'expected', 'aggregated'))
    expect([...collected.keys()].sort()).toEqual([...aggregated.keys()].sort())
    for (const [name, items] of collected) {
      const wanted = aggregated.get(name) ?? null
      const metric = metrics.find((known) => known.name === name)
      const bootstrapIters = toNumber(get(row, 'input', 'bootstrap_iters')) ?? 0
      const run = () => aggregateMetric(items, { metric: name, aggregation: metric?.aggregation ?? 'mean', bootstrapIters })
      if (isDict(wanted) && wanted.has('error')) {
        expect(run).toThrow()
        continue
      }
      const { value, stderr } = run()
      expectClose(value, reviveFloats(get(wanted, 'value')))
      expectClose(stderr, reviveFloats(get(wanted, 'stderr')))
      expect(items.length).toBe(toNumber(get(wanted, 'n')))
    }
    expectClose(new Map(metrics.map(({ name, higherIsBetter }) => [name, higherIsBetter])), get(row, 'expected', 'higher_is_better'))
  })
})
