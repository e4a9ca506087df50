/** A curve over training checkpoints that exist as safetensors alone, from the command line and from the page. */
import { spawn } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { createHubHandler } from '../../src/cli/browser/hub-server.ts'
import { openToAll } from '../mock-hub/open-to-all.ts'
import { isLong } from '../support/long.ts'
import { writeTinyRepository } from '../support/tiny-repository.ts'
import { quickBrowser } from './compiler.ts'
import { expect, test } from './fixtures.ts'
import { hubHost, standInForHub } from './hub-stand-in.ts'

test.use({ allowedHosts: [hubHost] })

const model = 'local-lab/tiny-pythia'
/** Of the made weights the first two have other scores. */
const steps = ['step0', 'step2000', ...(isLong ? ['step3000', 'step4000', 'step5000'] : [])]
const asked = { tasks: 'yardstick_facts', limit: '12' }

let folder: string
let hub: Server
const models = () => ({ [model]: join(folder, steps.at(-1) ?? '') })
const revisions = () => ({ [model]: Object.fromEntries(steps.map((step) => [step, join(folder, step)])) })

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'without-onnx-'))
  for (const step of steps) writeTinyRepository(join(folder, step), 'gpt-neox', step)
  const handler = openToAll(createHubHandler({ models: models(), revisions: revisions() }))
  hub = createServer((request, response) => {
    if (!handler(request, response)) response.writeHead(404).end()
  })
  await new Promise<void>((ready) => hub.listen(0, '127.0.0.1', ready))
})
test.afterAll(() => {
  hub.close()
  rmSync(folder, { recursive: true, force: true })
})

function evaluate(args: readonly string[]): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const address = hub.address()
  const port = typeof address === 'object' ? address?.port : null
  const flags = [
    '--hub',
    `http://127.0.0.1:${String(port)}`,
    '--model',
    model,
    '--tasks',
    asked.tasks,
    '--limit',
    asked.limit,
    '--device',
    'wasm',
  ]
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...flags, ...args], {
    cwd: projectFolder,
    env: { ...process.env, INIT_CWD: folder, YARDSTICK_CHROMIUM: quickBrowser(), YARDSTICK_PROFILE: join(folder, 'profile') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString()
  })
  return new Promise((done) => {
    child.on('close', (code) => done({ code, stdout }))
  })
}

/** `acc` and `acc_norm` by revision, of a curve's CSV file. */
function pointsOf(csv: string): { readonly [revision: string]: string } {
  const [head = '', ...lines] = csv.trim().split('\n')
  const columns = head.split(',')
  const points: { [revision: string]: string } = {}
  for (const line of lines) {
    const cells = line.split(',')
    const cell = (name: string) => cells[columns.indexOf(name)] ?? ''
    points[cell('revision')] = `${points[cell('revision')] ?? ''} ${cell('metric')}=${cell('value')}`
  }
  return points
}

test('revisions of a Pythia-like repository without ONNX files make one curve on both, each point that of a run of its own', async ({
  page,
  context,
  app,
}) => {
  test.setTimeout(300_000)
  const swept = join(folder, 'swept')
  const { code } = await evaluate(['--revision', steps.join(','), '--output_path', swept, '--json'])
  expect(code).toBe(0)
  const place = join(swept, 'local-lab__tiny-pythia')
  const curves = readdirSync(place).find((name) => name.startsWith('checkpoints_')) ?? ''
  const csv = readFileSync(join(place, curves, 'scores.csv'), 'utf8')
  const points = pointsOf(csv)
  expect(Object.keys(points)).toEqual(steps)
  // Other weights, other scores.
  expect(new Set(Object.values(points)).size).toBeGreaterThan(1)

  for (const name of readdirSync(place).filter((one) => one.startsWith('results_')))
    expect(JSON.parse(readFileSync(join(place, name), 'utf8'))).toMatchObject({ yardstick: { model_format: 'safetensors', dtype: 'fp32' } })

  // Single runs of another browser, which has none of these answers.
  const standIn = await standInForHub(context, models(), [], revisions())
  await page.goto(`${app.address}#/compare`)
  await page.getByRole('textbox', { name: 'Model' }).fill(model)
  await page.getByRole('textbox', { name: 'Tasks' }).fill(asked.tasks)
  await page.getByRole('textbox', { name: 'Docs a task' }).fill(asked.limit)
  await page.getByRole('textbox', { name: 'Revisions' }).fill('')
  await page.getByRole('button', { name: 'List branches and tags' }).click()
  for (const step of steps) await page.getByRole('checkbox', { name: step, exact: true }).check()
  await page.getByRole('button', { name: 'Start the queue' }).click()
  await expect(page.getByRole('img', { name: /by training step/ })).toBeVisible({ timeout: 200_000 })
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save CSV' }).click()])
  expect(pointsOf(readFileSync(await saved.path(), 'utf8'))).toEqual(points)
  await standIn.close()
})

test('the queue’s form of the weights is what its runs take, where each revision has two', async ({ page, context, app }) => {
  test.setTimeout(200_000)
  const [first = '', second = ''] = steps
  const both = 'local-lab/two-forms'
  const places = Object.fromEntries([first, second].map((step) => [step, join(folder, `two-forms-${step}`)]))
  for (const [step, place] of Object.entries(places)) {
    writeTinyRepository(place, 'gpt-neox', step)
    // A run that took it would end with an error.
    mkdirSync(join(place, 'onnx'))
    writeFileSync(join(place, 'onnx', 'model.onnx'), 'no graph')
  }
  const standIn = await standInForHub(context, { [both]: places[second] ?? '' }, [], { [both]: places })
  await page.goto(`${app.address}#/compare`)
  await page.getByRole('textbox', { name: 'Model' }).fill(both)
  await page.getByRole('textbox', { name: 'Tasks' }).fill(asked.tasks)
  await page.getByRole('textbox', { name: 'Docs a task' }).fill(asked.limit)
  await page.getByRole('textbox', { name: 'Revisions' }).fill(`${first},${second}`)
  await page.getByRole('combobox', { name: 'Form of the weights' }).selectOption('safetensors')
  await page.getByRole('button', { name: 'Start the queue' }).click()
  await expect(page.getByRole('img', { name: /by training step/ })).toBeVisible({ timeout: 100_000 })
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save CSV' }).click()])
  expect(Object.keys(pointsOf(readFileSync(await saved.path(), 'utf8')))).toEqual([first, second])
  await standIn.close()
})
