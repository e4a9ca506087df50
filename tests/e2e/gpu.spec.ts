/**
 * WebGPU on a software adapter. The embedded models: the harness's numbers, and transformers.js beside the engine. A tiny model, which opens in a
 * fifth of the time: both builds of the engine, and a command line on the same adapter.
 */
import type { Page } from '@playwright/test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunEvent } from '../../src/contracts/progress.ts'
import { isLong } from '../support/long.ts'
import { writeTinyRepository } from '../support/tiny-repository.ts'
import { runCommandLine } from './command-line.ts'
import { callDriver, expect, isSummary, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'
import { compareSamples, families, logprobsOf, readSamples, samplesOf, tasksOf } from './golden-samples.ts'
import { standInForHub } from './hub-stand-in.ts'
import { expectAgreement } from './opinion.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-gpu-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

const task = 'yardstick_facts'
const docs = 8

/** What a results file says of the engine; every field that is read below is compared. */
interface Own {
  readonly engine: string
  readonly adapter: unknown
  readonly browser_switches?: readonly string[]
}

interface Opened {
  readonly page: Page
  readonly events: RunEvent[]
  /** Bytes of WebAssembly that the page's workers asked for, by file. */
  readonly wasm: ReadonlyMap<string, number>
}

async function open(page: Page, address: string): Promise<Opened> {
  const wasm = new Map<string, number>()
  page.context().on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.endsWith('.wasm')) wasm.set(pathname, Number(response.headers()['content-length']))
  })
  return { page, wasm, events: await openDriver(page, address) }
}

/** As in a browser whose WebAssembly can't suspend its stack: the model worker forgets it before it looks. */
async function withoutSuspending(page: Page): Promise<void> {
  await page.route(/\/assets\/model\.worker-[^/]+\.js$/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `delete WebAssembly.Suspending;${await response.text()}` })
  })
}

/** The first docs of one task: their log-probabilities, and what the results say of the engine. */
async function scoreFirst({ page, events, wasm }: Opened, model: string, device: 'wasm' | 'webgpu') {
  const { runId, error } = await runToEnd(page, events, makeSettings({ model, device, tasks: [task], limit: docs, useCache: false }))
  expect(error).toBeNull()
  const { resultsFile } = await callDriver(page, 'loadResults', [runId], isSummary)
  return {
    runId,
    bytes: [...wasm.values()].reduce((sum, each) => sum + each, 0),
    logprobs: (await samplesOf(page, runId, task)).flatMap(logprobsOf),
    own: resultsFile['yardstick'] as unknown as Own,
  }
}

const largestOf = (a: readonly number[], b: readonly number[]) => Math.max(...a.map((value, i) => Math.abs(value - (b[i] ?? NaN))))

for (const model of families) {
  test.describe(model, () => {
    test.describe.configure({ mode: 'serial', timeout: 240_000 })
    test.skip(model === 'yardstick/pico' && !isLong, 'the other family has more kernels of its own: the long form has both')

    let main: Opened
    let runId: string

    test.beforeAll(async ({ browser, app }) => {
      main = await open(await browser.newPage(), app.address)
    })
    test.afterAll(() => main.page.close())

    test('gives the harness’s log-likelihoods and texts over a sample', async () => {
      const { page, events } = main
      const limit = 2
      // One run, as a model is opened for each.
      const tasks = ['yardstick', 'yardstick_wordproblems']
      const settings = makeSettings({ model, device: 'webgpu', limit, tasks, genKwargs: { max_gen_toks: 32 }, useCache: false })
      const { error, progress, events: own, ...run } = await runToEnd(page, events, settings)
      runId = run.runId
      expect(error).toBeNull()
      const engine = own.find((event) => event.type === 'engine')
      expect(engine?.facts.device).toBe('webgpu')
      let largest = 0
      for (const each of tasksOf('all')) {
        const rows = await samplesOf(page, runId, each)
        expect(rows).toHaveLength(limit)
        largest = Math.max(largest, compareSamples(rows, readSamples('all', each), 0))
      }
      console.log(
        `${model} on WebGPU: largest difference ${largest.toExponential(2)} nats in ${progress?.runs ?? 0} passes; ${engine?.facts.selfCheck.message ?? ''}`,
      )
      expect(largest).toBeLessThan(2e-3)
      expect(progress?.runs).toBeLessThanOrEqual(75)

      const [writing = ''] = tasksOf('wordproblems')
      const wanted = readSamples('wordproblems', writing).filter(({ doc_id: doc }) => doc < limit)
      expect(wanted.length).toBeGreaterThan(0)
      expect(await samplesOf(page, runId, writing)).toEqual(wanted)
      // The text that was told of last is the one that was written.
      const last = own.findLast((event) => event.type === 'generating')
      expect(wanted.some(({ resps }) => String(resps[0]?.[0]) === last?.tail)).toBe(true)
    })

    test('transformers.js agrees within 1e-3 nats on eight docs', async () => {
      await expectAgreement(main.page, runId, model, 'webgpu')
    })
  })
}

test.describe('a tiny model', () => {
  test.describe.configure({ mode: 'serial', timeout: 120_000 })
  const model = 'local-lab/tiny-llama'
  let scored: Awaited<ReturnType<typeof scoreFirst>>

  // Its heads are wide enough for the fused kernel.
  test.beforeAll(() => writeTinyRepository(join(folder, 'tiny'), 'llama-wide', 'seed'))

  test('both builds score alike, and as WASM does; the one without saved frames is 10 MB smaller', async ({ browser, app }) => {
    const context = await browser.newContext()
    const hub = await standInForHub(context, { [model]: join(folder, 'tiny') })
    const main = await open(await context.newPage(), app.address)
    scored = await scoreFirst(main, model, 'webgpu')
    const wasm = await scoreFirst(main, model, 'wasm')
    await main.page.close()
    const page = await context.newPage()
    await withoutSuspending(page)
    const asyncify = await scoreFirst(await open(page, app.address), model, 'webgpu')
    await hub.close()
    await context.close()

    expect([scored.own.engine, asyncify.own.engine, wasm.own.engine].map((name) => /\((.*)\)/.exec(name)?.[1])).toEqual([
      'jspi',
      'asyncify',
      'plain',
    ])
    const [builds, devices] = [largestOf(scored.logprobs, asyncify.logprobs), largestOf(scored.logprobs, wasm.logprobs)]
    console.log(`${model}: jspi ${scored.bytes} bytes, asyncify ${asyncify.bytes}; differences ${builds} and ${devices} nats`)
    expect(asyncify.bytes - scored.bytes).toBeGreaterThan(10_000_000)
    expect(scored.logprobs.length).toBeGreaterThan(16)
    expect(builds).toBe(0)
    expect(devices).toBeLessThan(2e-3)
  })

  test('a command line on the same adapter names the same build, kernels and limits', async () => {
    const { own, stderr } = await evaluate()
    expect(own.engine).toBe(scored.own.engine)
    expect(own.adapter).toEqual(scored.own.adapter)
    expect(own.adapter).toMatchObject({
      features: expect.arrayContaining(['subgroups']),
      limits: { max_workgroup_threads: expect.any(Number) },
    })
    // A page can't know them; the command line tells what it took.
    expect(scored.own.browser_switches).toBeUndefined()
    if (own.browser_switches?.includes('--enable-unsafe-webgpu') === true) {
      expect(own.browser_switches).toContainEqual(expect.stringMatching(/^--disable-dawn-features=allow_unsafe_apis/))
      expect(stderr).toContain('experimental features stay off')
    }

    if (!isLong) return
    const unsafe = await evaluate('--unsafe_webgpu', 'true')
    expect(unsafe.own.browser_switches).toContain('--enable-unsafe-webgpu')
    expect(unsafe.own.browser_switches?.join()).not.toContain('allow_unsafe_apis')
    expect(unsafe.stderr).toContain('experimental WebGPU features are on')
  })
})

/** One doc on WebGPU as `npm run eval` does it; what its results say of the engine, and what was said meanwhile. */
async function evaluate(...flags: readonly string[]): Promise<{ readonly own: Own; readonly stderr: string }> {
  const args = ['--model', './tiny', '--device', 'webgpu', '--tasks', task, '--limit', '1', '--json', ...flags]
  const { code, stdout, stderr } = await runCommandLine(args, { folder })
  expect(code, stderr).toBe(0)
  const { yardstick } = JSON.parse(stdout) as { readonly yardstick: Own }
  return { own: yardstick, stderr }
}
