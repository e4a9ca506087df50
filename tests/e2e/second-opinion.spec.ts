/** transformers.js beside the engine: where both agree, on the page and on the command line, and an engine that is wrong. */
import type { Page } from '@playwright/test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLong } from '../support/long.ts'
import { runCommandLine } from './command-line.ts'
import { callDriver, expect, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'
import { expectAgreement, isOpinion } from './opinion.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-opinion-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

const task = 'yardstick_facts'
async function runOn(page: Page, address: string, model: string): Promise<string> {
  const events = await openDriver(page, address)
  const { runId, error } = await runToEnd(page, events, makeSettings({ model, device: 'wasm', tasks: [task], limit: 8 }))
  expect(error).toBeNull()
  return runId
}

for (const model of ['yardstick/pico', 'yardstick/pico-gqa']) {
  test(`${model} on WASM: both stacks agree within 1e-3 nats on eight docs`, async ({ page, app }) => {
    test.skip(!isLong, 'the page and the command line below ask on WASM, gpu.spec.ts on WebGPU: the long form has both families')
    const runId = await runOn(page, app.address, model)
    await expectAgreement(page, runId, model, 'wasm')
  })
}

/** After every check of its own: each log-probability that leaves the model worker is a hundredth too high. */
const wrongEngine = `{
  const post = globalThis.postMessage.bind(globalThis)
  const wrong = ({ answers, tokenLogprobs }) => ({
    answers: answers.map((one, at) => ({ ...one, logprob: one.logprob + 0.01 * tokenLogprobs[at].length })),
    tokenLogprobs: tokenLogprobs.map((list) => list.map((value) => value + 0.01)),
  })
  globalThis.postMessage = (message, ...more) => {
    const value = message?.value
    post(Array.isArray(value) && value[0]?.tokenLogprobs ? { ...message, value: value.map(wrong) } : message, ...more)
  }
}`

test('an engine that is off by a hundredth of a nat is caught', async ({ page, app }) => {
  await page.route(/\/assets\/model\.worker-[^/]+\.js$/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `${wrongEngine}\n${await response.text()}` })
  })
  const runId = await runOn(page, app.address, 'yardstick/pico')
  const opinion = await callDriver(page, 'secondOpinion', [runId, 8], isOpinion)
  expect(opinion).toMatchObject({ agrees: false })
  expect(opinion.maxAbsDiff).toBeGreaterThan(0.009)
  expect(opinion.maxAbsDiff).toBeLessThan(0.012)
})

test('the run page asks on a button and shows the answer, again after a reload', async ({ page, app }) => {
  const events = await openDriver(page, app.address)
  const { runId } = await runToEnd(page, events, makeSettings({ model: 'yardstick/pico', device: 'wasm', tasks: [task], limit: 8 }))
  await page.goto(`${app.address}#/run/${runId}`)
  await page.getByRole('button', { name: /Ask transformers.js/ }).click()
  await expect(page.getByText(/Both stacks agree within 0.001 nats/)).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText(/0 of 8 picks differ/)).toBeVisible()
  await page.reload()
  await expect(page.getByText(/Both stacks agree within 0.001 nats/)).toBeVisible()
})

test('--second_opinion prints the comparison and keeps it in the result file', async () => {
  const args = [
    '--model',
    'yardstick/pico',
    '--dtype',
    'fp32',
    '--device',
    'wasm',
    '--tasks',
    task,
    '--limit',
    '8',
    '--second_opinion',
    '8',
  ]
  const { code, stdout, stderr } = await runCommandLine([...args, '--output_path', join(folder, 'out')], { folder })
  expect(code, stdout + stderr).toBe(0)
  expect(stdout + stderr).toMatch(/Second opinion by transformers\.js .*, 8 docs, .*: the stacks agree within 0\.001 nats a token/)
  const [file = ''] = readdirSync(join(folder, 'out'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /results_.*\.json$/.test(name),
  )
  expect(JSON.parse(readFileSync(join(folder, 'out', file), 'utf8'))).toMatchObject({ yardstick: { second_opinion: { agrees: true } } })
})
