/** A fan's task files are the harness's own: lm_eval 0.4.13 ran them unchanged (golden), and asks and picks what we do. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clusterTasks } from '../../../src/analysis/cluster/task-files.ts'
import { styleVariants } from '../../../src/analysis/prompt-variants/variants.ts'
import type { Json } from '../../../src/base/errors.ts'
import { readTaskFolder } from '../../../src/cli/files/task-folder.ts'
import { walkRequests } from '../../../src/harness/requests/output-types.ts'
import { buildTask } from '../../../src/harness/requests/task.ts'
import { buildRegistry } from '../../../src/harness/tasks/registry.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { bundledRoot } from '../../../src/harness/tasks/task-files.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { fromJson, isDict } from '../../../src/python/value.ts'
import { embeddedFolder } from '../../engines/embedded.ts'
import { openAsked, readHarness } from '../../engines/held-to-harness.ts'
import { plainSettings } from '../../requirements/run-task.ts'
import { tableOf } from '../../support/tables.ts'

const golden = 'tests/goldens/fan'
const styles = ['continuation', 'letters', 'hybrid'] as const
const roots = [{ name: bundledRoot, files: readTaskFolder('public/tasks') }]

/** A task of numbers as targets in each native style. */
function variantsOf(task: string) {
  const [source] = buildRegistry(roots).resolve([task]).tasks
  if (source === undefined) throw new Error(`no task ${task}`)
  return styleVariants(source, styles).filter(({ file }) => file !== null)
}

const variants = [...variantsOf('yardstick_swahili'), ...variantsOf('yardstick_facts_letters')]
const files = variants.flatMap(({ file }) => file ?? [])
const resolved = buildRegistry([...roots, { name: 'fan', files }]).resolve(variants.map(({ task }) => task))

function rowsOf(subset: string, split: string) {
  const data = 'public/hub/datasets/yardstick/bench/resolve'
  const text = readFileSync(join(data, readdirSync(data)[0] ?? '', subset, `${split}.jsonl`), 'utf8')
  return tableOf(
    text
      .trim()
      .split('\n')
      // What JSON.parse gives is JSON.
      .map((line) => fromJson(JSON.parse(line) as Json))
      .filter(isDict),
  )
}

describe('the task files of a fan', () => {
  it('are what lm_eval was given', () => {
    const made = clusterTasks(resolved, {}).files
    if (process.env['YARDSTICK_WRITE'] !== undefined) {
      mkdirSync(`${golden}/tasks`, { recursive: true })
      for (const { path, text } of made) writeFileSync(`${golden}/tasks/${path}`, text)
    }
    expect(made.map(({ path }) => path).sort()).toEqual(readdirSync(`${golden}/tasks`).sort())
    for (const { path, text } of made) expect(text).toBe(readFileSync(`${golden}/tasks/${path}`, 'utf8'))
  })

  it.skipIf(embeddedFolder('pico') === null)(
    'give its prompts, choices, targets, picks and accuracy',
    async () => {
      const harness = readHarness(golden)
      const asked = await openAsked(embeddedFolder('pico') ?? '')
      const settings = { ...plainSettings, numFewshot: harness.num_fewshot, limit: harness.limit }
      expect(Object.keys(harness.tasks)).toHaveLength(4)
      for (const { name, config, file } of resolved.tasks) {
        const read = readTaskConfig(config, file)
        const data = { test: rowsOf(read.datasetName ?? '', 'test'), fewshot: rowsOf(read.datasetName ?? '', 'fewshot') }
        await asked.hold([...walkRequests(buildTask(read, data, { functions: functionTable() }), settings)], harness.tasks[name], 1e-3)
      }
      await asked.close()
    },
    120_000,
  )
})
