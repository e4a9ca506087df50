/** Downloads in a real browser: what is kept by its private file system, over page deaths, tabs and a network that is down. */
import type { BrowserContext, Page } from '@playwright/test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { distFolder } from '../../src/cli/browser/build.ts'
import { serve, type RunningServer } from '../../src/cli/browser/serve.ts'
import type { FileVerdict, StorageReport } from '../../src/contracts/kept-files.ts'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { startMockHub, type MockHub } from '../mock-hub/mock-hub.ts'
import { callDriver, expect, intervals, isListOf, isText, makeSettings, openDriver, readBundled, runToEnd, test } from './fixtures.ts'

const chunk = 8 * 1024 * 1024
const weights = 'model.onnx_data'
/** Three chunks, the last one short. */
const weightsBytes = 2 * chunk + 1_000_000

let folder: string
let hub: MockHub
let server: RunningServer
let commit: string
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'model-'))
  const revision: unknown = JSON.parse(
    readFileSync(join('public', 'hub', 'api', 'models', 'yardstick', 'pico', 'revision', 'main'), 'utf8'),
  )
  const sha = typeof revision === 'object' && revision !== null && 'sha' in revision ? String(revision.sha) : ''
  cpSync(join('public', 'hub', 'yardstick', 'pico', 'resolve', sha), folder, { recursive: true })
  // The graph needs no such file, but nothing says so before it is opened: a large download for a small model.
  writeFileSync(join(folder, 'onnx', weights), Buffer.alloc(weightsBytes, 'not so random bytes '))
})
test.beforeEach(async () => {
  hub = await startMockHub({ models: { 'o/pico': folder }, largeFromBytes: 100_000 })
  server = await serve({ folder: distFolder, port: 0, hub: hub.address })
  const answer: unknown = await (await fetch(`${hub.address}/api/models/o/pico/revision/main`)).json()
  commit = typeof answer === 'object' && answer !== null && 'sha' in answer ? String(answer.sha) : ''
  hub.requests.length = 0
})
test.afterEach(async () => {
  await server.close()
  await hub.close()
})
test.afterAll(() => {
  rmSync(folder, { recursive: true })
})

interface Driver {
  readonly page: Page
  readonly events: RunEvent[]
  readonly settings: RunSettings
}

const isNothing = (value: unknown): value is null => value === null
const isReport = (value: unknown): value is StorageReport => typeof value === 'object' && value !== null && 'files' in value

async function open(context: BrowserContext): Promise<Driver> {
  const page = await context.newPage()
  const events = await openDriver(page, server.address)
  await callDriver(page, 'configure', [{ base: hub.address, token: null, localModels: {} }], isNothing)
  const { task } = await readBundled(page)
  return { page, events, settings: makeSettings({ model: 'o/pico', revision: commit, tasks: [task], useCache: false }) }
}

const run = ({ page, events, settings }: Driver) => runToEnd(page, events, settings)
const contentRequests = () => hub.requestsOf(/\/o\/pico\/resolve\//)

async function keptWeights(page: Page) {
  const { files } = await callDriver(page, 'storageReport', [], isReport)
  return files.find(({ uses }) => uses.some(({ path }) => path.endsWith(weights))) ?? null
}

/** Starts a run of which two requests for chunks of the weights stall; gives the bytes that are kept once the other one is. */
async function stallAfterOneChunk(driver: Driver, observer: Page): Promise<number> {
  hub.script(weights, [null, { kind: 'stall', afterBytes: 0 }, { kind: 'stall', afterBytes: 0 }])
  // It never comes to an end here: the page is closed, or stopped, before.
  callDriver(driver.page, 'start', [driver.settings], isText).catch(() => undefined)
  // The chunks may come in any order, and the last one is short.
  const oneChunk = [chunk, weightsBytes % chunk]
  await expect
    .poll(async () => oneChunk.includes((await keptWeights(observer))?.bytesKept ?? 0), { timeout: 60_000, intervals: [100] })
    .toBe(true)
  return (await keptWeights(observer))?.bytesKept ?? 0
}

test('a download goes on where it was when its page was closed, and costs nothing the next time', async ({ context }) => {
  const first = await open(context)
  const second = await open(context)
  const kept = await stallAfterOneChunk(first, second.page)
  expect(await keptWeights(second.page)).toMatchObject({ bytes: weightsBytes, isComplete: false })
  await first.page.close()
  hub.heal()
  hub.requests.length = 0

  const outcome = await run(second)
  expect(outcome).toMatchObject({ status: 'complete', error: null })
  expect(hub.bytesOf(weights)).toBe(weightsBytes - kept)
  const shown = outcome.events.flatMap((event) => (event.type === 'bytes' && event.file.endsWith(weights) ? [event.loaded] : []))
  expect(shown).toEqual([...shown].sort((a, b) => a - b))
  expect([shown[0], shown.at(-1)]).toEqual([0, weightsBytes])
  expect(await keptWeights(second.page)).toMatchObject({ bytesKept: weightsBytes, isComplete: true })

  hub.requests.length = 0
  const branch = { ...second, settings: { ...second.settings, revision: 'main' } }
  expect(await run(branch)).toMatchObject({ status: 'complete', error: null })
  expect(contentRequests()).toEqual([])
  hub.goDown()
  hub.requests.length = 0
  expect(await run(second)).toMatchObject({ status: 'complete', error: null })
  expect(hub.requests).toEqual([])
  const offline = await run(branch)
  expect(offline).toMatchObject({ status: 'complete', error: null })
  expect(offline.events.some((event) => event.type === 'warning' && event.message.includes(commit.slice(0, 12)))).toBe(true)
})

test('one changed byte in what is kept is noticed and fetched again', async ({ context }) => {
  const driver = await open(context)
  expect(await run(driver)).toMatchObject({ status: 'complete' })
  const { key } = (await keptWeights(driver.page)) ?? { key: '' }
  await driver.page.evaluate(async (name) => {
    const origin = await navigator.storage.getDirectory()
    const file = await (await (await origin.getDirectoryHandle('yardstick-files')).getDirectoryHandle(name)).getFileHandle('1')
    const byte = new Uint8Array(await (await file.getFile()).slice(4321, 4322).arrayBuffer())
    const stream = await file.createWritable({ keepExistingData: true })
    await stream.write({ type: 'write', position: 4321, data: byte.map((value) => value ^ 1) })
    await stream.close()
  }, key)
  const isVerdicts = isListOf<FileVerdict>('key')
  expect(await callDriver(driver.page, 'verifyFiles', [[key]], isVerdicts)).toEqual([{ key, isIntact: false }])
  hub.requests.length = 0
  expect(await run(driver)).toMatchObject({ status: 'complete' })
  expect(contentRequests().map(({ range, bytesSent }) => [range, bytesSent])).toEqual([[`bytes=${chunk}-${2 * chunk - 1}`, chunk]])
  expect(await callDriver(driver.page, 'verifyFiles', [[key]], isVerdicts)).toEqual([{ key, isIntact: true }])
})

test('two pages share one download, and nobody deletes a file that is in use', async ({ context }) => {
  const first = await open(context)
  const second = await open(context)
  await stallAfterOneChunk(first, second.page)
  const { key } = (await keptWeights(second.page)) ?? { key: '' }
  await expect(callDriver(second.page, 'deleteFiles', [[key]], isNothing)).rejects.toThrow(/run\/busy/)
  const both = run(second)
  await expect
    .poll(() => second.events.some((event) => event.type === 'waiting' && event.message.includes('another tab')), { intervals })
    .toBe(true)
  hub.heal()
  // The stalled run is stopped; the one that waited takes over what it left.
  await first.page.close()
  expect(await both).toMatchObject({ status: 'complete', error: null })
  const sent = hub.requestsOf(weights).filter(({ bytesSent }) => bytesSent > 0)
  expect(sent.map(({ range }) => range).sort()).toEqual([...new Set(sent.map(({ range }) => range))].sort())
  expect(hub.bytesOf(weights)).toBe(weightsBytes)

  await callDriver(second.page, 'deleteFiles', [[key]], isNothing)
  expect(await keptWeights(second.page)).toBeNull()
})

test('a host behind the redirect that lets no page read is told apart from the Hub', async ({ context }) => {
  const driver = await open(context)
  hub.always(weights, { kind: 'no-cors', missing: 'origin' })
  const message = await callDriver(driver.page, 'start', [driver.settings], isText).catch((error: unknown) => String(error))
  expect(message).toContain('hub/unreachable')
  expect(message).toContain('from another host')
  expect(message).toContain('CORS')
})

test('answers whose headers a page may not see are as good as others', async ({ context }) => {
  const driver = await open(context)
  hub.always(weights, { kind: 'no-cors', missing: 'exposed' })
  expect(await run(driver)).toMatchObject({ status: 'complete', error: null })
})
