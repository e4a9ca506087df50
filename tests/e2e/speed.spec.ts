/** Prompt and writing speed: the command's table, and a run's results that keep it. Speeds are this machine's and not looked at. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeviceSpeed } from '../../src/contracts/device-speed.ts'
import { runCommandLine } from './command-line.ts'
import { callDriver, expect, isSummary, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-speed-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

const isSpeed = (value: unknown): value is DeviceSpeed => typeof value === 'object' && value !== null && 'tests' in value

test('npm run eval -- speed prints llama-bench’s table', async () => {
  const args = ['speed', '--model', 'yardstick/pico-gqa', '--dtype', 'q4', '--device', 'wasm']
  const { code, stdout, stderr } = await runCommandLine(args, { folder })
  expect(code, stderr).toBe(0)
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
    pass_times: { passes: expect.any(Number), inside_share: expect.any(Number) },
  })
  await page.goto(`${app.address}#/run/${runId}`)
  await expect(page.getByText(/\| pp512 \|/)).toBeVisible()
})
