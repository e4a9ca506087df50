/** A WebGPU whose kernels are wrong, as a driver's may be: the model worker's shaders are changed on their way to the compiler. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeTinyRepository } from '../support/tiny-repository.ts'
import { expect, makeSettings, openDriver, runToEnd, test } from './fixtures.ts'
import { hubHost, standInForHub } from './hub-stand-in.ts'

const model = 'local-lab/tiny-llama'
const folder = mkdtempSync(join(tmpdir(), 'yardstick-wrong-gpu-'))
test.use({ allowedHosts: [hubHost] })
test.beforeAll(() => writeTinyRepository(folder, 'llama-wide', 'seed'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Norms come out a hundredth too large: finite numbers, and picks that look like answers. */
const wrongShaders = `
const compile = GPUDevice.prototype.createShaderModule
GPUDevice.prototype.createShaderModule = function (descriptor) {
  const code = descriptor.code.replaceAll(/\\b(inverseSqrt|sqrt)\\(/g, '1.01 * $1(')
  if (code !== descriptor.code) console.info('a shader was changed')
  return compile.call(this, { ...descriptor, code })
}
`

test('a WebGPU that answers wrongly is refused by the self-check, and WASM is offered', async ({ page, context, app }) => {
  const hub = await standInForHub(context, { [model]: folder })
  let changed = 0
  page.on('console', (message) => (changed += message.text() === 'a shader was changed' ? 1 : 0))
  await context.route(/\/model\.worker-[^/]*\.js$/, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: `${wrongShaders}${await response.text()}` })
  })
  const events = await openDriver(page, app.address)
  const settings = makeSettings({ model, tasks: ['yardstick_facts'], useCache: false })
  const onGpu = await runToEnd(page, events, { ...settings, device: 'webgpu' }).catch((error: unknown) => String(error))
  expect(String(typeof onGpu === 'string' ? onGpu : onGpu.error)).toMatch(/self-check|differ/i)
  expect(changed).toBeGreaterThan(0)
  const onWasm = await runToEnd(page, events, settings)
  expect([onWasm.status, onWasm.error]).toEqual(['complete', null])
  await hub.close()
})
