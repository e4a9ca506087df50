/** GGUF files on the command line and on the page: one scores as the safetensors that it was made of, several of a repository are a matrix, and one can be a judge. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { writeTinyGguf, writeTinyRepository } from '../support/tiny-repository.ts'
import { quickBrowser } from './compiler.ts'
import { expect, test, waitForEnd } from './fixtures.ts'
import { hubHost, standInForHub } from './hub-stand-in.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-gguf-'))
test.use({ allowedHosts: [hubHost] })
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Outcome {
  /** Of each doc, what the harness calls `resps`. */
  readonly answers: readonly unknown[]
  readonly results: { readonly yardstick: { readonly [key: string]: unknown } }
}

const asked = ['--limit', '4', '--device', 'wasm', '--log_samples']

/** What the command line wrote to standard output. */
async function run(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: projectFolder,
    env: { ...process.env, INIT_CWD: folder, YARDSTICK_CHROMIUM: quickBrowser(), YARDSTICK_PROFILE: join(folder, 'profile') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (part: Buffer) => (said.out += part.toString()))
  child.stderr.on('data', (part: Buffer) => (said.err += part.toString()))
  const code = await new Promise((done) => child.on('close', done))
  expect(code, said.err).toBe(0)
  return said.out
}

/** The answers to `yardstick_facts` and the results below an output folder; of several runs those of a dtype. */
function outcomeOf(output: string, dtype: string | null = null): Outcome {
  const [model = ''] = readdirSync(join(folder, output)).filter((name) => name !== 'judge')
  const place = join(folder, output, model)
  const found = readdirSync(place)
    .filter((name) => name.startsWith('results_'))
    .map((name) => ({ name, results: JSON.parse(readFileSync(join(place, name), 'utf8')) as Outcome['results'] }))
    .find(({ results }) => dtype === null || results.yardstick['dtype'] === dtype)
  const time = found?.name.slice('results_'.length, -'.json'.length) ?? ''
  const samples = readdirSync(place).find((name) => name.startsWith('samples_yardstick_facts') && name.includes(time)) ?? ''
  return { answers: answersIn(readFileSync(join(place, samples), 'utf8')), results: found?.results ?? { yardstick: {} } }
}

function answersIn(samples: string): readonly unknown[] {
  return samples
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { resps: unknown }).resps)
}

test('model-F32.gguf has the bits of its safetensors, says what it is, and judges answers', async () => {
  writeTinyRepository(join(folder, 'tiny'), 'qwen2', 'seed')
  writeTinyGguf(join(folder, 'packed'), 'seed')
  const file = './packed/model-F32.gguf'
  await run('--output_path', 'wanted', ...asked, '--model', './tiny', '--tasks', 'yardstick_facts')
  const judged = ['--tasks', 'yardstick_facts,yardstick_wordproblems', '--judge_model', file, '--judge_by', 'loglikelihood']
  await run('--output_path', 'found', ...asked, '--model', file, ...judged)
  const [wanted, found] = [outcomeOf('wanted'), outcomeOf('found')]
  expect(found.answers).toHaveLength(4)
  expect(found.answers).toEqual(wanted.answers)
  expect(wanted.results.yardstick).toMatchObject({ model_format: 'safetensors' })
  expect(found.results.yardstick).toMatchObject({ model_format: 'gguf', dtype: 'F32' })
  // lm_eval would load the same file by this argument.
  expect(found.results).toMatchObject({ config: { model_args: { gguf_file: 'model-F32.gguf' } } })

  const [time = ''] = readdirSync(join(folder, 'found', 'judge'))
  const place = join(folder, 'found', 'judge', time)
  const summary = readdirSync(place).find((name) => name.endsWith('.md')) ?? ''
  expect(readFileSync(join(place, summary), 'utf8')).toContain('model-F32.gguf')
})

test('a repository’s quantisations: listed with sizes and chosen on the page, a matrix on the command line, with the same bits', async ({
  page,
  context,
  app,
}) => {
  const repository = join(folder, 'quantised')
  for (const type of ['Q8_0', 'Q4_0'] as const) writeTinyGguf(repository, 'seed', type)
  const hub = await standInForHub(context, { 'local-lab/tiny-gguf': repository })
  await page.goto(`${app.address}#/?model=local-lab/tiny-gguf&tasks=yardstick_facts&limit=4&device=wasm&dtype=Q4_0`)
  await page.getByRole('button', { name: 'Look up' }).click()
  const dtype = page.getByRole('combobox', { name: 'Weights (dtype)' })
  await expect(dtype.getByRole('option', { name: /^Q8_0, \d+ kB/ })).toBeAttached()
  await expect(dtype).toHaveValue('Q4_0')
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')
  await expect(page.getByText('Measured: the GGUF file model-Q4_0.gguf').first()).toBeVisible()
  await page.getByText('More formats').click()
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^samples_yardstick_facts/ }).click()])
  const alone = answersIn(readFileSync(await saved.path(), 'utf8'))
  await hub.close()

  await run('--output_path', 'swept', ...asked, '--model', './quantised', '--tasks', 'yardstick_facts', '--dtype', 'Q8_0,Q4_0')
  const [first, second] = [outcomeOf('swept', 'Q8_0'), outcomeOf('swept', 'Q4_0')]
  // The matrix's second run is that of its file alone.
  expect(second.answers).toEqual(alone)
  expect(first.answers).toHaveLength(4)
  expect(first.answers).not.toEqual(second.answers)
  expect(first.results.yardstick).toMatchObject({ model_format: 'gguf', dtype: 'Q8_0' })
  expect(second.results.yardstick).toMatchObject({ model_format: 'gguf', dtype: 'Q4_0' })
  const [model = ''] = readdirSync(join(folder, 'swept'))
  const own = readdirSync(join(folder, 'swept', model)).find((name) => name.startsWith('dtypes_')) ?? ''
  const matrix = JSON.parse(readFileSync(join(folder, 'swept', model, own, 'matrix.json'), 'utf8')) as unknown
  expect(matrix).toMatchObject({ dtypes: ['Q8_0', 'Q4_0'] })
})
