import { describe, expect, test } from 'vitest'
import { isDict, toNumber } from '../../src/core/python/value.ts'
import { dumpTaskConfig } from '../../src/core/results-config.ts'
import { readTaskConfig } from '../../src/core/task-config.ts'
import { jsonDumps } from '../../src/core/python/value.ts'
import { get } from '../../scripts/lib/conformance/values.ts'
import { readGoldenRuns } from './golden-runs.ts'
import { asDict } from './make-task.ts'

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
