/** The embedded models in a real browser against the lm-evaluation-harness (float32) and against Python's ONNX Runtime (q4, q8). */
import type { Page } from '@playwright/test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { projectFolder } from '../../src/cli/browser/build.ts'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { isLong } from '../support/long.ts'
import { quickCompiler } from './compiler.ts'
import { callDriver, expect, isSummary, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'

// The numbers are those of a user's browser, which compiles twice.
test.use({
  launchOptions: async ({ launchOptions }, use) =>
    use({ ...launchOptions, args: (launchOptions.args ?? []).filter((arg) => !quickCompiler.includes(arg)) }),
})

// Each test is a page of its own, and these are the longest of the suite: no worker is left with all of them.
test.describe.configure({ mode: 'parallel' })

const folder = join(projectFolder, 'tests/goldens/embedded')
const families = ['yardstick/pico', 'yardstick/pico-gqa']

interface Golden {
  readonly results: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly groups?: Readonly<Record<string, unknown>>
}

interface SampleRow {
  readonly doc_id: number
  readonly doc_hash: string
  readonly prompt_hash: string
  readonly target_hash: string
  readonly target: string
  readonly metrics: readonly string[]
  readonly resps: readonly (readonly (string | readonly string[])[])[]
  readonly [metric: string]: unknown
}

function parseLines(text: string): SampleRow[] {
  // Written by the harness or by the page; every field read below is compared.
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SampleRow)
}

const readGolden = (id: string): Golden => JSON.parse(readFileSync(join(folder, id, 'results.json'), 'utf8')) as Golden

function readSamples(id: string, task: string): SampleRow[] {
  return parseLines(gunzipSync(readFileSync(join(folder, id, `samples_${task}.jsonl.gz`))).toString('utf8'))
}

const tasksOf = (id: string): string[] => readdirSync(join(folder, id)).flatMap((name) => /^samples_(.+)\.jsonl\.gz$/.exec(name)?.[1] ?? [])

async function samplesOf(page: Page, runId: string, task: string): Promise<SampleRow[]> {
  const lines: string[] = []
  for (let offset = 0; ;) {
    const part = await callDriver(
      page,
      'sampleLines',
      [runId, task, offset, 500],
      (value): value is { readonly text: string; readonly next: number; readonly total: number } =>
        typeof value === 'object' && value !== null && 'text' in value,
    )
    lines.push(part.text)
    offset = part.next
    if (offset >= part.total || part.text === '') return parseLines(lines.join(''))
  }
}

/** Log-probabilities of a sample's requests: `["-1.5", "False"]` or, of a rolling request, `"-1.5"`. */
const logprobsOf = (row: SampleRow): number[] =>
  row.resps.flat().map((response) => Number(typeof response === 'string' ? response : response[0]))

/** Largest log-probability difference; everything that isn't a float is compared for equality. */
function compareSamples(found: readonly SampleRow[], wanted: readonly SampleRow[], mayFlip: number): number {
  let largest = 0
  const differing: string[] = []
  expect(found.length).toBeGreaterThan(0)
  for (const row of found) {
    const golden = wanted.find((one) => one.doc_id === row.doc_id)
    if (golden === undefined) throw new Error(`no golden for doc ${row.doc_id}`)
    expect([row.doc_hash, row.prompt_hash, row.target_hash, row.target, row.metrics]).toEqual([
      golden.doc_hash,
      golden.prompt_hash,
      golden.target_hash,
      golden.target,
      golden.metrics,
    ])
    const [own, theirs] = [logprobsOf(row), logprobsOf(golden)]
    expect(own.length).toBe(theirs.length)
    own.forEach((logprob, index) => {
      largest = Math.max(largest, Math.abs(logprob - (theirs[index] ?? NaN)))
    })
    for (const metric of row.metrics) {
      const isNumber = typeof row[metric] === 'number'
      if (isNumber && row[metric] !== golden[metric])
        differing.push(`doc ${row.doc_id} ${metric}: ${String(row[metric])}, golden ${String(golden[metric])}`)
    }
  }
  expect(differing.slice(mayFlip)).toEqual([])
  return largest
}

async function runGolden(page: Page, events: RunEvent[], id: string, changes: Partial<RunSettings> & Pick<RunSettings, 'model' | 'tasks'>) {
  const { runId, error, progress } = await runToEnd(page, events, makeSettings({ limit: null, ...changes }))
  expect(error).toBeNull()
  const largest: number[] = []
  for (const task of tasksOf(id)) largest.push(compareSamples(await samplesOf(page, runId, task), readSamples(id, task), 0))
  const { resultsFile } = await callDriver(page, 'loadResults', [runId], isSummary)
  return { largest: Math.max(...largest), resultsFile: resultsFile as unknown as Golden, runs: progress?.runs ?? 0 }
}

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

/** Of the second family, every output type once: how prompts are made doesn't depend on the graph. */
const ofBothFamilies = ['all', 'text']

for (const model of families) {
  for (const { id, changes } of goldens) {
    test(`${model} on WASM gives the harness's numbers: ${id}`, async ({ page, app }) => {
      test.skip(model !== 'yardstick/pico' && !ofBothFamilies.includes(id) && !isLong, 'the other family’s prompts: the long form has it')
      const events = await openDriver(page, app.address)
      const { largest, resultsFile } = await runGolden(page, events, id, {
        model,
        dtype: 'fp32',
        device: 'wasm',
        useCache: false,
        ...changes,
      })
      console.log(`${model} ${id}: largest difference ${largest.toExponential(2)} nats`)
      // A sum over a whole text's windows adds up its tokens' differences.
      expect(largest).toBeLessThan(id === 'text' ? 2e-2 : 2e-3)
      compareResults(resultsFile, readGolden(id))
    })
  }

  test(`${model} on WebGPU gives the harness's log-likelihoods and texts over a sample`, async ({ page, app }) => {
    test.skip(model === 'yardstick/pico' && !isLong, 'engine-builds.spec.ts holds it to WASM: the long form has it')
    const events = await openDriver(page, app.address)
    const limit = 2
    const {
      runId,
      error,
      progress,
      events: own,
    } = await runToEnd(page, events, makeSettings({ model, dtype: 'fp32', device: 'webgpu', limit, tasks: ['yardstick'], useCache: false }))
    expect(error).toBeNull()
    const engine = own.find((event) => event.type === 'engine')
    expect(engine?.facts.device).toBe('webgpu')
    let largest = 0
    for (const task of tasksOf('all')) {
      const rows = await samplesOf(page, runId, task)
      expect(rows).toHaveLength(limit)
      largest = Math.max(largest, compareSamples(rows, readSamples('all', task), 0))
    }
    console.log(
      `${model} on WebGPU: largest difference ${largest.toExponential(2)} nats in ${progress?.runs ?? 0} runs; ${engine?.facts.selfCheck.message ?? ''}`,
    )
    expect(largest).toBeLessThan(2e-3)
    expect(progress?.runs).toBeLessThanOrEqual(75)

    // On the same page, which keeps the self-check.
    const told = await compareTexts(page, events, 'wordproblems', { model, device: 'webgpu', limit: 1, genKwargs: { max_gen_toks: 32 } })
    expect(told.find((event) => event.type === 'engine')?.facts.device).toBe('webgpu')
    // The text that was told of last is the one that was written.
    const last = told.findLast((event) => event.type === 'generating')
    expect(last?.tail).toContain('3 * 7 =')
  })
}

/** Runs a task that writes texts and holds every response, filtered response and metric against the harness's. */
async function compareTexts(
  page: Page,
  events: RunEvent[],
  id: string,
  changes: Partial<RunSettings> & Pick<RunSettings, 'model'>,
): Promise<readonly RunEvent[]> {
  const tasks = tasksOf(id)
  const run = await runToEnd(page, events, makeSettings({ limit: null, dtype: 'fp32', useCache: false, tasks, ...changes }))
  expect(run.error).toBeNull()
  for (const task of tasks) {
    const wanted = readSamples(id, task).filter(({ doc_id: doc }) => doc < (changes.limit ?? Infinity))
    const found = await samplesOf(page, run.runId, task)
    expect(found.length).toBeGreaterThan(0)
    expect(found).toEqual(wanted)
  }
  return run.events
}

const cutFromTheLeft = { max_gen_toks: 400, until: ['Question: M', '\n#### 4'] }

test('texts on WASM are the harness’s, and are told of while they are written', async ({ page, app }) => {
  const events = await openDriver(page, app.address)
  const settings = { model: 'yardstick/pico', device: 'wasm' } as const
  const told = await compareTexts(page, events, 'wordproblems_5shot_cut', {
    ...settings,
    numFewshot: 5,
    limit: 3,
    genKwargs: cutFromTheLeft,
  })
  const written = told.filter((event) => event.type === 'generating')
  // They are written together, and the first that goes on is told of.
  expect(written[0]?.docId).toBe(0)
  expect(written.every(({ docId }) => [0, 1, 2].includes(docId))).toBe(true)
  expect(written.every(({ maxTokens, tokens }) => maxTokens === 400 && tokens <= 400)).toBe(true)
})

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

for (const name of readdirSync(join(folder, 'ort'))) {
  const [repo = '', dtype = ''] = name.replace('.json', '').split('_')
  test(`${repo} ${dtype} on WASM agrees with the same graph in Python's ONNX Runtime`, async ({ page, app }) => {
    test.skip(!inBrowser.includes(name) && !isLong, 'tests/engines/engine.embedded.test.ts has it in Node: the long form has it')
    // The file's shape is its writer's, tools/embedded-model/ort_scores.py.
    const golden = JSON.parse(readFileSync(join(folder, 'ort', name), 'utf8')) as OrtGolden
    const tasks = [...new Set(golden.requests.map((request) => request.task))].filter((task) => task !== 'yardstick_text')
    const limit = Math.max(...golden.requests.map((request) => request.doc_id)) + 1
    const events = await openDriver(page, app.address)
    const settings = makeSettings({ model: `yardstick/${repo}`, dtype, device: 'wasm', tasks, limit, useCache: false })
    const { runId, error } = await runToEnd(page, events, settings)
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
    console.log(`${repo} ${dtype}: largest difference ${largest.toExponential(2)} nats`)
    expect(largest).toBeLessThan(dtype === 'fp32' ? 2e-3 : 1e-2)
  })
}
