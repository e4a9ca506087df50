/** A GGUF file on the command line scores as the safetensors that it was made of. */
import { expect, test } from '@playwright/test'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { writeTinyGguf, writeTinyRepository } from '../support/tiny-repository.ts'
import { quickBrowser } from './compiler.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-gguf-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Outcome {
  /** Of each doc, what the harness calls `resps`. */
  readonly answers: readonly unknown[]
  readonly results: { readonly yardstick: { readonly [key: string]: unknown } }
}

async function evaluate(output: string, ...args: readonly string[]): Promise<Outcome> {
  const flags = ['--tasks', 'yardstick_facts', '--limit', '4', '--device', 'wasm', '--log_samples', '--output_path', output]
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...flags, ...args], {
    cwd: projectFolder,
    env: { ...process.env, INIT_CWD: folder, YARDSTICK_CHROMIUM: quickBrowser(), YARDSTICK_PROFILE: join(folder, 'profile') },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (part: Buffer) => {
    said += part.toString()
  })
  const code = await new Promise((done) => child.on('close', done))
  expect(code, said).toBe(0)
  const [model = ''] = readdirSync(join(folder, output))
  const place = join(folder, output, model)
  const fileOf = (start: string) => readFileSync(join(place, readdirSync(place).find((name) => name.startsWith(start)) ?? ''), 'utf8')
  const samples = fileOf('samples_').trim().split('\n')
  return {
    answers: samples.map((line) => (JSON.parse(line) as { resps: unknown }).resps),
    results: JSON.parse(fileOf('results_')) as Outcome['results'],
  }
}

test('model-F32.gguf has the bits of its safetensors, and says what it is', async () => {
  writeTinyRepository(join(folder, 'tiny'), 'qwen2', 'seed')
  writeTinyGguf(join(folder, 'packed'), 'seed')
  const wanted = await evaluate('wanted', '--model', './tiny')
  const found = await evaluate('found', '--model', './packed/model-F32.gguf')
  expect(found.answers).toHaveLength(4)
  expect(found.answers).toEqual(wanted.answers)
  expect(wanted.results.yardstick).toMatchObject({ model_format: 'safetensors' })
  expect(found.results.yardstick).toMatchObject({ model_format: 'gguf', dtype: 'F32' })
})
