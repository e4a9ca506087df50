/** Whatever a user may bring that can't work: a clear sentence with place and remedy, and nothing lost. */
import type { Page, Route } from '@playwright/test'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { distFolder, projectFolder } from '../../src/cli/browser/build.ts'
import { createHubHandler } from '../../src/cli/browser/hub-server.ts'
import { localFilesPath, localHubPath, serve, type RunningServer } from '../../src/cli/browser/serve.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { callDriver, expect, intervals, isText, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'

const pico = 'yardstick/pico'
let folder = ''
let server: RunningServer

const goodLines = [
  { question: 'What is the capital of Kenya?', choices: ['Nairobi', 'Lagos'], answer: 0 },
  { question: 'What is the capital of Ghana?', choices: ['Cairo', 'Accra'], answer: 1 },
].map((row) => JSON.stringify(row))

const dataFiles = {
  'good.jsonl': goodLines.join('\n'),
  'torn.jsonl': `${goodLines[0] ?? ''}\n{"question": "x", "choices": ["a", }\n`,
  'empty.jsonl': '',
  'other.jsonl': JSON.stringify({ text: 'no such columns', label: 1 }),
}

/** A task over one of the data files. */
function taskOver(file: string, text = '{{question}}'): { readonly path: string; readonly text: string } {
  const lines = [
    'task: local_mc',
    'dataset_path: json',
    `dataset_kwargs: {data_files: {test: ${file}}}`,
    'output_type: multiple_choice',
    'test_split: test',
    `doc_to_text: "${text}"`,
    'doc_to_choice: "{{choices}}"',
    'doc_to_target: "{{answer}}"',
  ]
  return { path: 'local_mc.yaml', text: lines.join('\n') }
}

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'yardstick-bad-'))
  const resolved = join(projectFolder, 'public/hub', pico, 'resolve')
  const commits = readdirSync(resolved).filter((commit) => readdirSync(join(resolved, commit)).includes('model.safetensors'))
  const source = join(resolved, commits[0] ?? '')
  for (const name of ['no-onnx', 'torn-tokenizer', 'torn-graph']) {
    for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_q4.onnx']) {
      if (name === 'no-onnx' && file.startsWith('onnx/')) continue
      mkdirSync(dirname(join(folder, name, file)), { recursive: true })
      cpSync(join(source, file), join(folder, name, file))
    }
  }
  const tokenizer = readFileSync(join(source, 'tokenizer.json'), 'utf8')
  writeFileSync(join(folder, 'torn-tokenizer/tokenizer.json'), tokenizer.slice(0, tokenizer.length >> 1))
  const graph = readFileSync(join(source, 'onnx/model_q4.onnx'))
  writeFileSync(join(folder, 'torn-graph/onnx/model_q4.onnx'), graph.subarray(0, 20_000))
  const localFiles = new Map<string, string>()
  for (const [name, text] of Object.entries(dataFiles)) {
    writeFileSync(join(folder, name), text)
    localFiles.set(`${localFilesPath}/0/${name}`, join(folder, name))
  }
  const models = Object.fromEntries(['no-onnx', 'torn-tokenizer', 'torn-graph'].map((name) => [`local/${name}`, join(folder, name)]))
  server = await serve({ folder: distFolder, port: 0, localHub: createHubHandler({ models }), localFiles })
})

test.afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Where local folders and files are. */
const localAddress = (): string => new URL(server.secret, server.address).href

const settingsFor = (changes: Partial<RunSettings>): RunSettings =>
  makeSettings({
    model: pico,
    dtype: null,
    tasks: ['local_mc'],
    dataFiles: Object.fromEntries(Object.keys(dataFiles).map((name) => [name, `${localAddress()}${localFilesPath}/0/${name}`])),
    taskFiles: [taskOver('good.jsonl')],
    ...changes,
  })

/** The sentence that a run's start is refused with. */
async function refusal(page: Page, settings: RunSettings): Promise<string> {
  try {
    await callDriver(page, 'start', [settings], isText)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'the run was started'
}

/** Answers with a worker's code after a line of the test's. */
async function putBefore(route: Route, line: string): Promise<void> {
  const response = await route.fetch()
  await route.fulfill({ response, body: `${line}\n${await response.text()}` })
}

async function open(page: Page) {
  const events = await openDriver(page, server.address)
  const localModels = Object.fromEntries(
    ['no-onnx', 'torn-tokenizer', 'torn-graph', 'missing'].map((name) => [
      `local/${name}`,
      { base: `${localAddress()}${localHubPath}`, id: `local/${name}` },
    ]),
  )
  await callDriver(page, 'configure', [{ base: null, token: null, localModels }], (value): value is unknown => value !== undefined)
  return events
}

const cases: readonly { readonly what: string; readonly changes: () => Partial<RunSettings>; readonly says: readonly RegExp[] }[] = [
  { what: 'an unknown model', changes: () => ({ model: 'local/missing' }), says: [/hub\/not-found/, /local\/missing/] },
  { what: 'an unknown dtype', changes: () => ({ dtype: 'q3' }), says: [/model\/unknown-dtype/, /q3/, /fp32.*q4/] },
  { what: 'an unknown task', changes: () => ({ tasks: ['yardstick_fact'] }), says: [/task\/unknown/, /yardstick_facts/] },
  { what: 'a repository without ONNX files', changes: () => ({ model: 'local/no-onnx' }), says: [/model\/no-onnx/, /onnx\/model/] },
  {
    what: 'a torn tokenizer',
    changes: () => ({ model: 'local/torn-tokenizer' }),
    says: [/tokenizer\/broken/, /tokenizer\.json/, /line \d+/],
  },
  { what: 'a torn graph', changes: () => ({ model: 'local/torn-graph' }), says: [/model\/corrupt/] },
  {
    what: 'malformed YAML',
    changes: () => ({ taskFiles: [{ path: 'local_mc.yaml', text: 'task: local_mc\ndoc_to_choice: [a, b\ntest_split: test\n' }] }),
    says: [/yaml\/invalid/, /local_mc\.yaml/, /(line |:)[23]/],
  },
  {
    what: 'an unknown key in a task file',
    changes: () => ({ taskFiles: [{ path: 'local_mc.yaml', text: `${taskOver('good.jsonl').text}\ndoc_to_txet: x\n` }] }),
    says: [/task\/invalid/, /doc_to_txet/, /local_mc\.yaml/],
  },
  {
    what: 'a column that the data lacks',
    changes: () => ({ taskFiles: [taskOver('other.jsonl')] }),
    says: [/template\/undefined|dataset\/schema/, /question/, /text/, /label/],
  },
  {
    what: 'malformed jsonl',
    changes: () => ({ taskFiles: [taskOver('torn.jsonl')] }),
    says: [/dataset\/malformed/, /torn\.jsonl/, /line 2/, /column \d+/],
  },
  { what: 'an empty split', changes: () => ({ taskFiles: [taskOver('empty.jsonl')] }), says: [/dataset\/empty/, /empty\.jsonl/] },
  {
    what: 'a data file that nobody gave',
    changes: () => ({ taskFiles: [taskOver('absent.jsonl')] }),
    says: [/local\/missing/, /absent\.jsonl/],
  },
  {
    what: 'a way of generating that is not here',
    changes: () => ({ tasks: ['yardstick_wordproblems'], genKwargs: { num_beams: 4 } }),
    says: [/task\/unsupported/, /num_beams/],
  },
]

/** As on a machine without a GPU: the model worker is offered no adapter. */
const withoutAdapter = 'GPU.prototype.requestAdapter = async () => null;'

test('each kind of bad input is refused with its place, WebGPU without an adapter too, and the next run works on WASM and says why', async ({
  page,
}) => {
  const events = await open(page)
  for (const { what, changes, says } of cases) {
    const sentence = await refusal(page, settingsFor(changes()))
    for (const pattern of says) expect.soft(sentence, what).toMatch(pattern)
  }

  await page.route(/\/assets\/model\.worker-[^/]+\.js$/, (route) => putBefore(route, withoutAdapter))
  const onGpu = settingsFor({ tasks: ['yardstick_facts'], device: 'webgpu' })
  expect.soft(await refusal(page, onGpu)).toContain('WebGPU is not available here')
  const good = await runToEnd(page, events, settingsFor({ device: 'auto', limit: null }))
  expect(good).toMatchObject({ status: 'complete', error: null })
  const engine = good.events.find((event) => event.type === 'engine')
  expect(engine?.facts).toMatchObject({ device: 'wasm', deviceReason: expect.stringMatching(/WebGPU/) })
})

/** Five seconds of the run worker's pass in one, so that its deadlines come sooner. */
const faster = `{
  const set = globalThis.setTimeout, now = performance.now.bind(performance)
  performance.now = () => 5 * now()
  globalThis.setTimeout = (run, ms, ...more) => set(run, ms / 5, ...more)
}`

test('a pattern in a template that never ends on one doc is stopped after ten seconds, with the doc', async ({ page }) => {
  await page.route(/\/assets\/run\.worker-[^/]+\.js$/, (route) => putBefore(route, faster))
  await open(page)
  const text = "{{question | regex_replace('(?=.*Ghana)(((.)+)+)+#', 'x')}}"
  const sentence = await refusal(page, settingsFor({ limit: null, taskFiles: [taskOver('good.jsonl', text)] }))
  for (const pattern of [/template\/budget/, /local_mc, doc 1/, /10 s/]) expect(sentence).toMatch(pattern)
})

test('a full store ends the run as interrupted with the reason, and it goes on once there is room', async ({ page, context }) => {
  const events = await open(page)
  const session = await context.newCDPSession(page)
  const origin = new URL(server.address).origin
  const settings = settingsFor({ tasks: ['yardstick'], limit: 30, useCache: false })
  // Set before the first write: the browser remembers for a while how much room it saw.
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 100_000 })
  const runId = await callDriver(page, 'start', [settings], isText)
  const done = () => events.find((event) => event.type === 'done')
  await expect.poll(() => done()?.status, { timeout: 60_000, intervals }).toBe('interrupted')
  expect(done()?.error?.code).toBe('storage/quota')
  await session.send('Storage.overrideQuotaForOrigin', { origin })

  const before = events.length
  await callDriver(page, 'resume', [runId], (value): value is unknown => value !== undefined)
  await expect
    .poll(() => events.slice(before).find((event) => event.type === 'done')?.status, { timeout: 60_000, intervals })
    .toBe('complete')
})
