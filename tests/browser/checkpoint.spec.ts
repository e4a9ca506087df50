/** Graphs of our own in a real browser, on WebGPU (in software) and on WASM, against transformers' scores of the same tiny weights. */
import { chromium, expect, test, type Browser, type Page } from '@playwright/test'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { tinyModel, tinySequences } from '../architectures/tiny-models.ts'
import { floatsTensor, safetensorsFile } from '../support/safetensors-file.ts'
import type { Harness } from './engine-harness/page.ts'
import { buildHarness, serve, type Server } from './engine-harness/serve.ts'

const executablePath = process.env.YARDSTICK_CHROMIUM ?? '/usr/bin/chromium'
const flags = ['--no-sandbox', '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--no-first-run']

/** Shapes that differ in what the GPU runs, and whether its fused kernel takes their heads. */
const models = [
  ['llama-wide', true],
  ['llama', false],
  ['qwen3-window', true],
  ['gpt-neox-wide', true],
] as const

let site = ''
let browser: Browser
let server: Server
let page: Page

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  test.setTimeout(180_000)
  site = await buildHarness()
  browser = await chromium.launch({ executablePath, args: flags })
  server = await serve(site, resolve('public/hub/yardstick'), true)
  page = await browser.newPage()
  await page.goto(server.address)
  await page.waitForFunction(() => 'harness' in window)
})

test.afterAll(async () => {
  await browser.close()
  await server.close()
  rmSync(site, { recursive: true })
})

type Options = Parameters<Harness['openCheckpoint']>[2]

/** What the engine says of the model, and the largest difference of a token's log-probability from transformers', in nats. */
async function measure(name: string, options: Partial<Options>) {
  const { config, tensors, logprobs } = tinyModel(name)
  const file = safetensorsFile(
    tensors.names.map((tensor) => {
      const { shape, values } = tensors.read(tensor)
      return floatsTensor(tensor, shape, values)
    }),
  )
  const all: Options = { device: 'webgpu', dtype: 'fp32', scoring: 'fast', threads: null, ...options }
  // ONNX Runtime destroys its device with the last session.
  await page.evaluate(() => window.harness.restart())
  const weights = Buffer.from(file).toString('base64')
  const opened = await page.evaluate(async ([c, w, o]) => window.harness.openCheckpoint(c, w, o), [
    JSON.stringify(config),
    weights,
    all,
  ] as const)
  if ('error' in opened) throw new Error(`${name}: ${opened.error.code}: ${opened.error.message}`)
  const items = tinySequences.map((tokens) => ({ input: [...tokens.slice(0, -1)], targets: [[...tokens.slice(1)]] }))
  const scored = await page.evaluate(async (list) => window.harness.score(list), items)
  if ('error' in scored) throw new Error(`${name}: ${scored.error.code}: ${scored.error.message}`)
  const differences = logprobs.flatMap((wanted, at) =>
    Array.from(wanted, (value, token) => Math.abs(value - (scored.value[at]?.logprobs[0]?.[token] ?? NaN))),
  )
  return { facts: opened.value, difference: Math.max(...differences) }
}

for (const [name, isGrouped] of models) {
  test(`WebGPU on SwiftShader: ${name} from safetensors scores as transformers does, ${isGrouped ? 'by the fused kernel, in place' : 'by split attention'}`, async () => {
    test.setTimeout(240_000)
    const { facts, difference } = await measure(name, {})
    console.log(`${name}: ${difference.toExponential(1)} nats; ${facts.selfCheck.message}`)
    expect(facts).toMatchObject({ device: 'webgpu', scoring: 'fast', family: isGrouped ? 'gqa' : 'decomposed' })
    expect(facts.fast?.layout.inPlace ?? false).toBe(isGrouped)
    expect(difference).toBeLessThan(1e-3)
  })
}

test('WebGPU on SwiftShader: keys and values in place write the texts that WASM writes', async () => {
  test.setTimeout(240_000)
  const texts: unknown[] = []
  const prompts = tinySequences.slice(3, 5).map((tokens) => [...tokens])
  for (const device of ['wasm', 'webgpu'] as const) {
    await measure('llama-wide', { device })
    texts.push(await page.evaluate(async (list) => window.harness.write(list, 8), prompts))
  }
  expect(texts[0]).toMatchObject({ value: [expect.any(Array), expect.any(Array)] })
  expect(texts[1]).toEqual(texts[0])
})

test('WASM: rounded weights of a graph of our own are unpacked once', async () => {
  const { facts } = await measure('llama-wide', { device: 'wasm', dtype: 'q4' })
  expect(facts).toMatchObject({ device: 'wasm', family: 'decomposed' })
  expect(facts.unpackedProducts?.products).toBeGreaterThan(0)
  expect(facts.unpackedProducts?.unpacked).toBe(facts.unpackedProducts?.products)
})
