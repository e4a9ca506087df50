/** A fan's task files are the harness's own: lm_eval 0.4.13 ran them unchanged (golden), and asks and picks what we do. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { clusterTasks } from '../../../src/core/cluster/task-files.ts'
import type { Json } from '../../../src/core/errors.ts'
import { styleVariants } from '../../../src/core/fan/variants.ts'
import { walkRequests } from '../../../src/core/output-types.ts'
import { fromJson, isDict, str } from '../../../src/core/python/value.ts'
import { buildRegistry } from '../../../src/core/registry.ts'
import { bundledRoot } from '../../../src/core/task-files.ts'
import { readTaskConfig } from '../../../src/core/task-config.ts'
import { buildTask } from '../../../src/core/task.ts'
import { ModelEngine } from '../../../src/engines/engine.ts'
import { encodeLoglikelihood } from '../../../src/text/encode.ts'
import { loadTokenizer } from '../../../src/text/tokenizer.ts'
import { readTaskFolder } from '../../../scripts/lib/task-folder.ts'
import { embeddedFolder, readEmbedded } from '../../engines/embedded.ts'
import { loadNodeOrt } from '../../engines/node-runtime.ts'
import { plainSettings } from '../../requirements/run-task.ts'
import { tableOf } from '../tables.ts'

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

interface Golden {
  readonly limit: number
  readonly num_fewshot: number
  readonly tasks: {
    readonly [task: string]: {
      readonly acc: number
      readonly docs: readonly {
        readonly target: string
        readonly acc: number
        readonly requests: readonly (readonly [context: string, continuation: string, logprob: number])[]
      }[]
    }
  }
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
      // Our own script wrote the file; a missing key shows as a failing test.
      const harness = JSON.parse(readFileSync(`${golden}/harness.json`, 'utf8')) as Golden
      const folder = embeddedFolder('pico') ?? ''
      const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
      const tokenizer = loadTokenizer({
        ...{ tokenizerJson: read('tokenizer.json'), tokenizerConfig: read('tokenizer_config.json'), config: read('config.json') },
        ...{ specialTokensMap: null, chatTemplate: null, generationConfig: null },
      })
      const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
      await engine.open(readEmbedded(folder, 'fp32'), { device: 'wasm', dtype: 'fp32', scoring: 'reference', threads: 1 })
      const settings = { ...plainSettings, numFewshot: harness.num_fewshot, limit: harness.limit }
      expect(Object.keys(harness.tasks)).toHaveLength(4)
      for (const { name, config, file } of resolved.tasks) {
        const read = readTaskConfig(config, file)
        const data = { test: rowsOf(read.datasetName ?? '', 'test'), fewshot: rowsOf(read.datasetName ?? '', 'fewshot') }
        const docs = [...walkRequests(buildTask(read, data), settings)]
        const wanted = harness.tasks[name]
        expect(docs.map(({ target }) => str(target))).toEqual(wanted?.docs.map(({ target }) => target))
        let right = 0
        for (const [place, { requests, target }] of docs.entries()) {
          const texts = requests.map((request) => (request.type === 'loglikelihood' ? [request.context, request.continuation] : []))
          expect(texts).toEqual(wanted?.docs[place]?.requests.map(([context, continuation]) => [context, continuation]))
          const items = texts.map(([context = '', continuation = '']) => {
            const encoded = encodeLoglikelihood(tokenizer, context, continuation)
            return { input: Int32Array.from(encoded.input), targets: [Int32Array.from(encoded.target)] }
          })
          const sums = (await engine.score(items)).map(({ answers }) => answers[0]?.logprob ?? NaN)
          for (const [choice, sum] of sums.entries())
            expect(Math.abs(sum - (wanted?.docs[place]?.requests[choice]?.[2] ?? NaN))).toBeLessThan(1e-3)
          const isRight = sums.indexOf(Math.max(...sums)) === Number(str(target))
          expect(isRight).toBe(wanted?.docs[place]?.acc === 1)
          right += isRight ? 1 : 0
        }
        expect(right / docs.length).toBe(wanted?.acc)
      }
      await engine.close()
    },
    120_000,
  )
})
