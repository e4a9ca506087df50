/** The model worker in a real browser: WASM and WebGPU (in software), both graph families, with and without cross-origin isolation. */
import { chromium, expect, test, type Browser, type Page } from '@playwright/test'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { embeddedFiles, embeddedFolder, readGoldens, type Golden } from '../engines/embedded.ts'
import type { Harness, PlainResult } from './engine-harness/page.ts'
import { buildHarness, serve, type Server } from './engine-harness/serve.ts'

const executablePath = process.env.YARDSTICK_CHROMIUM ?? '/usr/bin/chromium'
const flags = [
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

let site = ''
let browser: Browser
const servers: Server[] = []

test.describe.configure({ mode: 'serial' })
test.skip(embeddedFolder('pico') === null, 'the embedded models are not built')

test.beforeAll(async () => {
  test.setTimeout(120_000)
  site = await buildHarness()
  browser = await chromium.launch({ executablePath, args: flags })
})

test.afterAll(async () => {
  await browser.close()
  await Promise.all(servers.map(async (server) => server.close()))
  rmSync(site, { recursive: true })
})

async function openPage(isIsolated: boolean): Promise<{ page: Page; server: Server; complaints: string[] }> {
  const server = await serve(site, resolve('public/hub/yardstick'), isIsolated)
  servers.push(server)
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('favicon')) complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(server.address) && !request.url().startsWith('blob:')) complaints.push(`foreign request ${request.url()}`)
  })
  await page.goto(server.address)
  await page.waitForFunction(() => 'harness' in window)
  return { page, server, complaints }
}

type Options = Parameters<Harness['open']>[3]

async function openModel(page: Page, model: string, dtype: string, options: Partial<Options>) {
  const folder = embeddedFolder(model) ?? ''
  const { graph, external } = embeddedFiles(folder, dtype)
  const address = `/models/${folder.slice(folder.indexOf(`${model}/`))}`
  const all: Options = { device: 'wasm', dtype, scoring: 'reference', threads: null, ...options }
  return value(await page.evaluate(async ([a, g, e, o]) => window.harness.open(a, g, e, o), [address, graph, external, all] as const))
}

async function largestDifference(page: Page, goldens: readonly Golden[]): Promise<number> {
  const items = goldens.map(({ item }) => ({ input: [...item.input], targets: item.targets.map((target) => [...target]) }))
  const answers = value(await page.evaluate(async (list) => window.harness.score(list), items))
  return Math.max(...goldens.map((golden, i) => Math.abs((answers[i]?.sums[0] ?? NaN) - golden.logprob)))
}

function value<T>(result: PlainResult<T>): T {
  if ('error' in result) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result.value
}

for (const isIsolated of [true, false]) {
  test(`WASM scores equal Python's ${isIsolated ? 'with' : 'without'} cross-origin isolation, under the app's CSP`, async () => {
    test.setTimeout(180_000)
    const { page, server, complaints } = await openPage(isIsolated)
    for (const [model, dtype, tolerance] of [
      ['pico', 'fp32', 1e-4],
      ['pico', 'q4', 1e-2],
      ['pico-gqa', 'fp32', 1e-4],
    ] as const) {
      const facts = await openModel(page, model, dtype, {})
      expect(facts).toMatchObject({ device: 'wasm', dtype, scoring: 'reference', chunkTokens: 128 })
      expect(facts.threads > 1).toBe(isIsolated)
      expect(await largestDifference(page, readGoldens(model, dtype))).toBeLessThan(tolerance)
    }
    expect(complaints).toEqual([])
    // The WebGPU build isn't fetched for WASM.
    expect(server.requests.filter((path) => /asyncify|jspi/.test(path))).toEqual([])
    await page.close()
  })
}

for (const [model, dtype, tolerance, limit] of [
  ['pico', 'fp32', 1e-3, null],
  ['pico-gqa', 'fp32', 1e-3, 31],
  ['pico', 'q4', 1e-2, null],
  ['pico-gqa', 'q4', 1e-2, 31],
] as const) {
  test(`WebGPU on SwiftShader: ${model} ${dtype} passes its self-check ${limit === null ? 'at every length' : `up to ${limit} tokens`} and scores as Python does`, async () => {
    test.setTimeout(240_000)
    const { page, complaints } = await openPage(true)
    const facts = await openModel(page, model, dtype, { device: 'webgpu' })
    console.log(facts.selfCheck.message)
    expect(facts).toMatchObject({
      device: 'webgpu',
      selfCheck: { status: limit === null ? 'passed' : 'limited', maxRunTokens: limit, reference: 'wasm' },
    })
    expect(facts.adapter?.isFallback).toBe(true)
    // The longest prompts, so that pieces are continued, and a few short ones.
    const goldens = readGoldens(model, dtype).sort((a, b) => b.item.input.length - a.item.input.length)
    const difference = await largestDifference(page, [...goldens.slice(0, 4), ...goldens.slice(-2)])
    console.log(`${model} ${dtype}: largest difference ${difference} nats`)
    expect(difference).toBeLessThan(tolerance)
    expect(complaints).toEqual([])
    await page.close()
  })
}

for (const [model, dtype, limit] of [
  ['pico', 'fp32', 128],
  ['pico-gqa', 'fp32', 31],
  ['pico-gqa', 'q4', 31],
] as const) {
  test(`WebGPU on SwiftShader: the rewritten graph of ${model} ${dtype} packs branches, keeps prefixes and scores as Python does`, async () => {
    test.setTimeout(240_000)
    const { page, complaints } = await openPage(true)
    const facts = await openModel(page, model, dtype, { device: 'webgpu', scoring: 'fast' })
    console.log(JSON.stringify(facts.fast))
    expect(facts.scoringReason).toBeUndefined()
    expect(facts).toMatchObject({
      device: 'webgpu',
      scoring: 'fast',
      fast: { cut: 'hidden', layout: { tokens: limit, packs: true, shares: true, ...(limit === 31 ? { inPlace: true } : {}) } },
    })
    expect(facts.fast?.check.maxAbsDiff).toBeLessThan(1e-4)
    const goldens = readGoldens(model, dtype).sort((a, b) => b.item.input.length - a.item.input.length)
    const difference = await largestDifference(page, [...goldens.slice(0, 2), ...goldens.slice(-2)])
    console.log(`${model} ${dtype}: largest difference ${difference} nats`)
    expect(difference).toBeLessThan(dtype === 'fp32' ? 1e-3 : 1e-2)
    if (dtype === 'fp32') {
      // Different lengths and a common start: each is hidden from the others.
      const prompts = goldens.slice(-3).map(({ item }, index) => [...item.input].slice(0, 12 + index))
      const write = async (list: readonly (readonly number[])[], begun: readonly (readonly number[])[] = []) =>
        value(await page.evaluate(async ([wanted, have]) => window.harness.write(wanted, 5, have), [list, begun] as const))
      const alone: (readonly number[])[] = []
      for (const prompt of prompts) alone.push(...(await write([prompt])))
      expect(await write(prompts)).toEqual(alone)
      // Texts that were cut off go on, each from another place.
      const begun = alone.map((text, index) => text.slice(0, 1 + (index % 4)))
      expect(await write(prompts, begun)).toEqual(alone)
    }
    if (limit === 31) {
      // The second branch needs more room than the first took, after a prefix that stays.
      const drawn = Array.from({ length: 300 }, (_, i) => 5 + ((i * 97 + ((i * i) % 89)) % 400))
      const branches = [260, 300].map((length) => ({ input: drawn.slice(0, length), targets: [[7], [8]] }))
      const scoreAll = async (prefixes: readonly number[]) =>
        value(await page.evaluate(async ([list, kept]) => window.harness.score(list, kept), [branches, prefixes] as const))
      const inPlace = [...(await scoreAll([240])), ...(await scoreAll([240]))]
      await openModel(page, model, dtype, {})
      const reference = await scoreAll([])
      const differences = inPlace.map((answer, i) => Math.abs((answer.sums[0] ?? NaN) - (reference[i % 2]?.sums[0] ?? NaN)))
      console.log(`${model} ${dtype}: after growing, largest difference ${Math.max(...differences)} nats`)
      expect(Math.max(...differences)).toBeLessThan(dtype === 'fp32' ? 1e-4 : 1e-3)
    }
    expect(complaints).toEqual([])
    await page.close()
  })
}

test('WebGPU on SwiftShader: runs longer than the self-check’s are tried when asked for, and score as Python does', async () => {
  test.setTimeout(240_000)
  const { page, complaints } = await openPage(true)
  const facts = await openModel(page, 'pico', 'fp32', { device: 'webgpu', scoring: 'fast', calibratesSoftware: true })
  console.log(JSON.stringify(facts.fast))
  expect([32, 64, 128, 256, 512]).toContain(facts.fast?.layout.tokens)
  expect(facts.fast?.costs).toBeDefined()
  // An earlier run’s length is taken as it is. A worker has one device, which went with its last session.
  await page.evaluate(() => {
    window.harness.restart()
  })
  const again = await openModel(page, 'pico', 'fp32', { device: 'webgpu', scoring: 'fast', calibratesSoftware: true, runTokens: 256 })
  expect(again.fast?.layout.tokens).toBe(256)
  const goldens = readGoldens('pico', 'fp32').sort((a, b) => b.item.input.length - a.item.input.length)
  const difference = await largestDifference(page, goldens.slice(0, 3))
  console.log(`pico fp32 in runs of 256 tokens: largest difference ${difference} nats`)
  expect(difference).toBeLessThan(1e-3)
  expect(complaints).toEqual([])
  await page.close()
})

test('auto prefers WASM over a software adapter and says so', async () => {
  test.setTimeout(60_000)
  const { page } = await openPage(true)
  const facts = await openModel(page, 'pico', 'q4', { device: 'auto' })
  expect([facts.device, facts.selfCheck.status]).toEqual(['wasm', 'skipped'])
  expect(facts.deviceReason).toContain('software')
  await page.close()
})

test('memory stays flat over 4,000 runs on WASM', async () => {
  test.setTimeout(280_000)
  const { page } = await openPage(true)
  await openModel(page, 'pico', 'q4', { longestRun: 2 })
  const before = await residentKilobytesAfter(page, 500)
  const after = await residentKilobytesAfter(page, 1500)
  console.log(`WASM: ${before} kB after 1,000 runs, ${after} kB after 4,000`)
  expect((await page.evaluate(async () => window.harness.stats())).runs).toBe(4000)
  expect(after - before).toBeLessThan(40_000)
  await page.close()
})

test('memory stays flat over 2,000 questions on the fast path', async () => {
  test.setTimeout(280_000)
  const { page } = await openPage(true)
  const facts = await openModel(page, 'pico', 'q4', { scoring: 'fast' })
  expect(facts.fast?.layout).toMatchObject({ packs: true, shares: true })
  const residentAfter = async (batches: number): Promise<number> => {
    expect(value(await page.evaluate(async (count) => window.harness.scoreQuestions(count, 8), batches))).toBe(batches * 8)
    const session = await browser.newBrowserCDPSession()
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    return largestProcessKilobytes(processInfo.map((process) => process.id))
  }
  const before = await residentAfter(63)
  const after = await residentAfter(187)
  const { runs, tokens, bytesReadBack } = await page.evaluate(async () => window.harness.stats())
  console.log(`fast path: ${before} kB after 504 questions, ${after} kB after 2,000`)
  // The prefix once, a run a batch, three tokens a question or fewer, four log-probabilities and a pick for each.
  expect(runs).toBe(251)
  expect(tokens).toBeLessThanOrEqual(40 + 2000 * 3)
  expect(bytesReadBack).toBe(2000 * 20)
  expect(after - before).toBeLessThan(40_000)
  await page.close()
})

test('memory stays flat over WebGPU runs that continue caches', async () => {
  test.setTimeout(280_000)
  const { page } = await openPage(true)
  await openModel(page, 'pico-gqa', 'fp32', { device: 'webgpu', longestRun: 2, selfCheck: 'skip' })
  const before = await residentKilobytesAfter(page, 20)
  const after = await residentKilobytesAfter(page, 60)
  console.log(`WebGPU: ${before} kB after 40 runs, ${after} kB after 160`)
  expect(after - before).toBeLessThan(40_000)
  await page.close()
})

/** The largest memory of the browser's processes after scoring so many prompts of two runs each. */
async function residentKilobytesAfter(page: Page, prompts: number): Promise<number> {
  const items = Array.from({ length: prompts }, (_, i) => ({ input: [1, 2, 3, (i % 200) + 4], targets: [[5]] }))
  value(await page.evaluate(async (list) => window.harness.score(list), items))
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  return largestProcessKilobytes(processInfo.map((process) => process.id))
}

test('a lost GPU device rejects the run that was going on, and a fresh worker goes on', async () => {
  test.setTimeout(200_000)
  const { page } = await openPage(true)
  await openModel(page, 'pico', 'fp32', { device: 'webgpu', selfCheck: 'skip' })
  const items = Array.from({ length: 200 }, () => ({ input: [1, 2, 3, 4], targets: [[5]] }))
  const scoring = page.evaluate(async (list) => window.harness.score(list), items)
  await page.waitForTimeout(3000)
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const gpu = processInfo.find((one) => one.type === 'GPU')
  expect(gpu).toBeDefined()
  if (gpu !== undefined) process.kill(gpu.id, 'SIGKILL')
  expect(await scoring).toMatchObject({ error: { code: 'engine/device-lost' } })
  expect(await page.evaluate(async (list) => window.harness.score(list), items)).toMatchObject({ error: { code: 'engine/device-lost' } })
  await page.evaluate(() => {
    window.harness.restart()
  })
  await openModel(page, 'pico', 'fp32', { device: 'wasm' })
  expect(await largestDifference(page, readGoldens('pico', 'fp32').slice(0, 3))).toBeLessThan(1e-4)
  await page.close()
})

async function largestProcessKilobytes(ids: readonly number[]): Promise<number> {
  const { readFile } = await import('node:fs/promises')
  const sizes = await Promise.all(
    ids.map(async (id) => {
      const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
    }),
  )
  return Math.max(...sizes)
}
