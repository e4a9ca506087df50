/** The embedded models in a real browser against the lm-evaluation-harness (float32) and against Python's ONNX Runtime (q4, q8). */
import type { Page } from '@playwright/test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { isLong } from '../support/long.ts'
import { quickCompiler } from './compiler.ts'
import { expect, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'
import { compareTexts, families, folder, logprobsOf, readGolden, runGolden, samplesOf, type Golden } from './golden-samples.ts'

// The numbers are those of a user's browser, which compiles twice.
test.use({
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, args: (launchOptions.args ?? []).filter((arg) => !quickCompiler.includes(arg)) }),
})

// Two families, each on a page of its own, for which V8 optimises the engine once: these are the longest of the suite, and no worker is left with both.
test.describe.configure({ mode: 'parallel' })

/** Every number of every results row, ours beside the harness's: acc, acc_norm, stderr, sizes; perplexities to a relative 1e-4. */
function compareResults(found: Golden, wanted: Golden): void {
  for (const [name, row] of Object.entries(wanted.results)) {
    const own = found.results[name] ?? {}
    expect({ name, keys: Object.keys(own) }).toEqual({ name, keys: Object.keys(row) })
    for (const [key, value] of Object.entries(row)) {
      if (typeof value !== 'number') expect({ name, key, value: own[key] }).toEqual({ name, key, value })
      else
        expect(Math.abs(Number(own[key]) - value) / Math.max(1, Math.abs(value)), `${name} ${key}`).toBeLessThan(
          /perplexity|bits/.test(key) ? 1e-4 : 1e-12,
        )
    }
  }
}

/** Swahili with unconditional requests as well, as the golden's `overrides` say. */
const mutualInfo = {
  path: 'mutual_info.yaml',
  text: [
    'include: yardstick/yardstick_swahili.yaml',
    'metric_list:',
    ...['acc', 'acc_norm', 'acc_mutual_info'].flatMap((metric) => [
      `  - metric: ${metric}`,
      '    aggregation: mean',
      '    higher_is_better: true',
    ]),
  ].join('\n'),
}

const goldens: readonly { readonly id: string; readonly changes: Partial<RunSettings> & Pick<RunSettings, 'tasks'> }[] = [
  { id: 'all', changes: { tasks: ['yardstick'] } },
  { id: 'letters', changes: { tasks: ['yardstick_letters'] } },
  { id: 'facts_3shot', changes: { tasks: ['yardstick_facts'], numFewshot: 3 } },
  { id: 'words_chat_2shot', changes: { tasks: ['yardstick_words'], numFewshot: 2, applyChatTemplate: true, fewshotAsMultiturn: true } },
  { id: 'swahili_mutual_info', changes: { tasks: ['yardstick_swahili'], taskFiles: [mutualInfo] } },
  { id: 'text', changes: { tasks: ['yardstick_text'] } },
]

/** Of the second family, every output type once, and a part of the docs: neither prompts nor metrics depend on the graph. */
const ofBothFamilies = ['all', 'text']
const docsOfSecond = 20

const cutFromTheLeft = { max_gen_toks: 400, until: ['Question: M', '\n#### 4'] }

interface OrtGolden {
  readonly requests: readonly {
    readonly task: string
    readonly doc_id: number
    readonly idx: number
    readonly logprob: number
    readonly greedy: boolean
  }[]
}

/** One for each kind of weights that no harness golden is of. */
const inBrowser = ['pico-gqa_q4.json', 'pico_q8.json']

for (const model of families) {
  test.describe(model, () => {
    test.describe.configure({ mode: 'serial' })
    const isFirst = model === 'yardstick/pico'

    let page: Page
    let events: RunEvent[]
    test.beforeAll(async ({ browser, app }) => {
      page = await browser.newPage()
      events = await openDriver(page, app.address)
    })
    test.afterAll(() => page.close())

    for (const { id, changes } of goldens.filter((one) => isFirst || isLong || ofBothFamilies.includes(one.id))) {
      test(`on WASM gives the harness's numbers: ${id}`, async () => {
        const limit = id === 'all' && !isFirst && !isLong ? docsOfSecond : null
        const settings = { model, dtype: 'fp32', device: 'wasm', useCache: false, limit, ...changes } as const
        const { largest, resultsFile } = await runGolden(page, events, id, settings)
        console.log(`${model} ${id}: largest difference ${largest.toExponential(2)} nats`)
        // A sum over a whole text's windows adds up its tokens' differences.
        expect(largest).toBeLessThan(id === 'text' ? 2e-2 : 2e-3)
        if (limit === null) compareResults(resultsFile, readGolden(id))
      })
    }

    if (isFirst)
      test('texts on WASM are the harness’s, and are told of while they are written', async () => {
        const settings = { model, device: 'wasm', numFewshot: 5, limit: 3, genKwargs: cutFromTheLeft } as const
        const told = await compareTexts(page, events, 'wordproblems_5shot_cut', settings)
        const written = told.filter((event) => event.type === 'generating')
        // They are written together, and the first that goes on is told of.
        expect(written[0]?.docId).toBe(0)
        expect(written.every(({ docId }) => [0, 1, 2].includes(docId))).toBe(true)
        expect(written.every(({ maxTokens, tokens }) => maxTokens === 400 && tokens <= 400)).toBe(true)
      })

    for (const name of readdirSync(join(folder, 'ort')).filter((one) => model === `yardstick/${one.split('_')[0] ?? ''}`)) {
      const [, dtype = ''] = name.replace('.json', '').split('_')
      test(`${dtype} on WASM agrees with the same graph in Python's ONNX Runtime`, async () => {
        test.skip(!inBrowser.includes(name) && !isLong, 'tests/engines/engine.embedded.test.ts has it in Node: the long form has it')
        // The file's shape is its writer's, tools/embedded-model/ort_scores.py.
        const golden = JSON.parse(readFileSync(join(folder, 'ort', name), 'utf8')) as OrtGolden
        const tasks = [...new Set(golden.requests.map((request) => request.task))].filter((task) => task !== 'yardstick_text')
        const limit = Math.max(...golden.requests.map((request) => request.doc_id)) + 1
        const { runId, error } = await runToEnd(page, events, makeSettings({ model, dtype, device: 'wasm', tasks, limit, useCache: false }))
        expect(error).toBeNull()
        let largest = 0
        for (const task of tasks) {
          const rows = await samplesOf(page, runId, task)
          for (const request of golden.requests.filter((one) => one.task === task)) {
            const row = rows.find((one) => one.doc_id === request.doc_id)
            const logprob = row === undefined ? NaN : logprobsOf(row)[request.idx]
            largest = Math.max(largest, Math.abs((logprob ?? NaN) - request.logprob))
          }
        }
        console.log(`${model} ${dtype}: largest difference ${largest.toExponential(2)} nats`)
        expect(largest).toBeLessThan(dtype === 'fp32' ? 2e-3 : 1e-2)
      })
    }
  })
}
