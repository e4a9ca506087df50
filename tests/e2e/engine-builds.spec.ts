/** Both builds of the engine that run on WebGPU: what each downloads, that their scores are equal, and what results say of them. */
import type { Page } from '@playwright/test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunningServer } from '../../src/cli/browser/serve.ts'
import { isLong } from '../support/long.ts'
import { runCommandLine } from './command-line.ts'
import { callDriver, expect, isSummary, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-builds-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

const task = 'yardstick_facts'

/** Bytes of WebAssembly that the page's workers ask for from now on, by file. */
function countWasm(page: Page): Map<string, number> {
  const bytes = new Map<string, number>()
  page.context().on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (pathname.endsWith('.wasm')) bytes.set(pathname, Number(response.headers()['content-length']))
  })
  return bytes
}

/** As in a browser whose WebAssembly can't suspend its stack: the model worker forgets it before it looks. */
async function withoutSuspending(page: Page): Promise<void> {
  await page.route(/\/assets\/model\.worker-[^/]+\.js$/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `delete WebAssembly.Suspending;${await response.text()}` })
  })
}

async function runOn(page: Page, app: RunningServer, model: string, device: 'wasm' | 'webgpu') {
  const bytes = countWasm(page)
  const events = await openDriver(page, app.address)
  const settings = makeSettings({ model, device, tasks: [task], limit: 2, useCache: false })
  const { runId, error } = await runToEnd(page, events, settings)
  expect(error).toBeNull()
  const summary = await callDriver(page, 'loadResults', [runId], isSummary)
  const lines = await callDriver(
    page,
    'sampleLines',
    [runId, task, 0, 10],
    (value): value is { readonly text: string } => typeof value === 'object' && value !== null && 'text' in value,
  )
  // Every field that is read below is compared.
  const own = summary.resultsFile['yardstick']
  return { bytes: [...bytes.values()].reduce((sum, each) => sum + each, 0), logprobs: logprobsOf(lines.text), own: own as unknown as Own }
}

interface Own {
  readonly engine: string
  readonly adapter: unknown
  readonly browser_switches?: readonly string[]
}

function logprobsOf(lines: string): number[] {
  return lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      // Written by the page a moment ago.
      const { resps } = JSON.parse(line) as { readonly resps: readonly (readonly (readonly string[])[])[] }
      return resps.flat().map(([logprob]) => Number(logprob))
    })
}

const largestOf = (a: readonly number[], b: readonly number[]) => Math.max(...a.map((value, i) => Math.abs(value - (b[i] ?? NaN))))

for (const model of ['yardstick/pico', 'yardstick/pico-gqa']) {
  test(`${model} scores alike with both builds and on WASM, and the one without saved frames is 10 MB smaller`, async ({
    browser,
    app,
  }) => {
    test.skip(model !== 'yardstick/pico' && !isLong, 'the other family takes the same builds: the long form has it')
    const jspi = await runOn(await browser.newPage(), app, model, 'webgpu')
    const older = await browser.newPage()
    await withoutSuspending(older)
    const asyncify = await runOn(older, app, model, 'webgpu')
    const wasm = await runOn(await browser.newPage(), app, model, 'wasm')

    expect([jspi.own.engine, asyncify.own.engine, wasm.own.engine].map((name) => /\((.*)\)/.exec(name)?.[1])).toEqual([
      'jspi',
      'asyncify',
      'plain',
    ])
    console.log(
      `${model}: jspi ${jspi.bytes} bytes, asyncify ${asyncify.bytes}, plain ${wasm.bytes}; differences ${largestOf(jspi.logprobs, asyncify.logprobs)} and ${largestOf(jspi.logprobs, wasm.logprobs)} nats`,
    )
    expect(asyncify.bytes - jspi.bytes).toBeGreaterThan(10_000_000)
    expect(jspi.logprobs.length).toBeGreaterThan(4)
    expect(largestOf(jspi.logprobs, asyncify.logprobs)).toBe(0)
    expect(largestOf(jspi.logprobs, wasm.logprobs)).toBeLessThan(2e-3)
    for (const page of browser.contexts().flatMap((context) => context.pages())) await page.close()
  })
}

test('a page and a command line on the same adapter name the same build, kernels and limits', async ({ page, app }) => {
  const onPage = (await runOn(page, app, 'yardstick/pico', 'webgpu')).own
  const { own, stderr } = await evaluate()
  expect(own.engine).toBe(onPage.engine)
  expect(own.adapter).toEqual(onPage.adapter)
  expect(own.adapter).toMatchObject({
    features: expect.arrayContaining(['subgroups']),
    limits: { max_workgroup_threads: expect.any(Number) },
  })
  // A page can't know them; the command line tells what it took.
  expect(onPage.browser_switches).toBeUndefined()
  if (own.browser_switches?.includes('--enable-unsafe-webgpu') === true) {
    expect(own.browser_switches).toContain('--disable-dawn-features=allow_unsafe_apis')
    expect(stderr).toContain('experimental features stay off')
  }

  if (!isLong) return
  const unsafe = await evaluate('--unsafe_webgpu', 'true')
  expect(unsafe.own.browser_switches).toContain('--enable-unsafe-webgpu')
  expect(unsafe.own.browser_switches).not.toContain('--disable-dawn-features=allow_unsafe_apis')
  expect(unsafe.stderr).toContain('experimental WebGPU features are on')
})

/** The main job on WebGPU as `npm run eval` does it; what its results say of the engine, and what was said meanwhile. */
async function evaluate(...flags: readonly string[]): Promise<{ readonly own: Own; readonly stderr: string }> {
  const args = ['--model', 'yardstick/pico', '--dtype', 'fp32', '--device', 'webgpu', '--tasks', task, '--limit', '1', '--json', ...flags]
  const { code, stdout, stderr } = await runCommandLine(args, { folder })
  expect(code, stderr).toBe(0)
  const { yardstick } = JSON.parse(stdout) as { readonly yardstick: Own }
  return { own: yardstick, stderr }
}
