/** Prompt and writing speed: the command's table, and a run's results that keep it. Speeds are this machine's and not looked at. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import type { DeviceSpeed } from '../../src/contracts/device-speed.ts'
import { quickBrowser } from './compiler.ts'
import { callDriver, expect, isSummary, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-speed-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isSpeed = (value: unknown): value is DeviceSpeed => typeof value === 'object' && value !== null && 'tests' in value

test('npm run eval -- speed prints llama-bench’s table', async () => {
  const args = ['speed', '--model', 'yardstick/pico-gqa', '--dtype', 'q4', '--device', 'wasm']
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: projectFolder,
    env: { ...process.env, INIT_CWD: folder, YARDSTICK_CHROMIUM: quickBrowser(), YARDSTICK_PROFILE: join(folder, 'profile') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString()
  })
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString()
  })
  expect(await new Promise((done) => child.on('close', done)), stderr).toBe(0)
  console.log(stdout)
  const [head, , prompt, text] = stdout.trim().split('\n')
  expect(head).toBe('| model | size | backend | engine | threads | test | t/s |')
  expect(prompt).toMatch(
    /^\| yardstick\/pico-gqa q4 \| [\d.]+ MiB \| WASM \| onnxruntime-web 1\.30\.0 \(plain\) \| \d+ \| pp512 \| [\d.]+ ± [\d.]+ \|$/,
  )
  expect(text).toMatch(/\| tg128 \| [\d.]+ ± [\d.]+ \|$/)
})

test('measured for a run, it stays in the run’s results', async ({ page, app }) => {
  const events = await openDriver(page, app.address)
  const { runId } = await runToEnd(page, events, makeSettings({ model: 'yardstick/pico', tasks: ['yardstick_facts'], limit: 2 }))
  const speed = await callDriver(page, 'measureSpeed', [{ runId }], isSpeed)
  expect(speed.tests.map(({ name, samples }) => [name, samples.length])).toEqual([
    ['pp512', 5],
    ['tg128', 5],
  ])
  const { resultsFile } = await callDriver(page, 'loadResults', [runId], isSummary)
  expect(resultsFile['yardstick']).toMatchObject({
    schema_version: 1,
    device_speed: { device: 'wasm', tests: [{ name: 'pp512' }, { name: 'tg128' }] },
  })
  await page.goto(`${app.address}#/run/${runId}`)
  await expect(page.getByText(/\| pp512 \|/)).toBeVisible()
})
