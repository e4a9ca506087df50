import { describe, expect, test } from 'vitest'
import { dumpTaskConfig } from '../../../src/harness/results/config-entry.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { isDict, toNumber, jsonDumps } from '../../../src/python/value.ts'
import { get } from '../../conformance/values.ts'
import { readGoldenRuns } from '../../support/golden-runs.ts'
import { asDict } from '../../support/make-task.ts'

const configs = readGoldenRuns().flatMap(({ id, results }) =>
  [...asDict(get(results, 'configs'))].map(([name, config]) => [`${id}: ${name}`, asDict(config)] as const),
)

/** Functions stand as Python text in a golden file, which no task file can say. */
const withoutHelpers = configs.filter(([, config]) => !config.has('process_docs'))

describe.skipIf(configs.length === 0)('a dumped config reads and dumps as itself', () => {
  test.each(withoutHelpers)('%s', (_name, dumped) => {
    const config = readTaskConfig(dumped, 'golden.yaml')
    const kwargs = dumped.get('generation_kwargs') ?? null
    const again = dumpTaskConfig(config, {
      numFewshot: toNumber(dumped.get('num_fewshot') ?? null) ?? 0,
      generationKwargs: isDict(kwargs) ? kwargs : null,
      predictOnly: false,
    })
    expect(jsonDumps(again, { indent: 1 })).toBe(jsonDumps(dumped, { indent: 1 }))
  })
})
