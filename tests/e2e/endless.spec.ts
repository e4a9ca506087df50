/** A model whose graph never ends: it is stopped with what was tried, and the queue goes on with the next run. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from '../../src/cli/browser/serve.ts'
import { endlessModel } from '../engines/onnx-builder.ts'
import { appWithLine, pico, removeFolders, temporaryFolder } from './faults.ts'
import { expect, test } from './fixtures.ts'
import { embeddedFolder, hubHost, standInForHub } from './hub-stand-in.ts'

test.use({ allowedHosts: [hubHost] })
test.afterAll(removeFolders)

/** While the first model is being opened, four hundred times as much time passes in the run worker. */
const faster = `{
  const { postMessage, terminate } = Worker.prototype, set = globalThis.setTimeout, now = performance.now.bind(performance)
  let opening = null, opens = 0, pace = 1, from = now(), passed = from
  performance.now = () => passed + (now() - from) * pace
  globalThis.setTimeout = (run, ms, ...more) => set(run, ms / pace, ...more)
  const goAt = (next) => {
    passed = performance.now()
    from = now()
    pace = next
  }
  Worker.prototype.postMessage = function (message, ...more) {
    if (message?.path?.[0] === 'open' && opens++ === 0) {
      opening = this
      goAt(400)
    }
    return postMessage.call(this, message, ...more)
  }
  Worker.prototype.terminate = function () {
    if (this === opening) goAt(1)
    return terminate.call(this)
  }
}`

test('a model whose loop never ends fails after its deadline, and the queue goes on with the next run', async ({ page, context }) => {
  const folder = temporaryFolder()
  cpSync(embeddedFolder(), folder, { recursive: true })
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as { readonly vocab_size: number }
  writeFileSync(join(folder, 'onnx', 'model.onnx'), endlessModel(config.vocab_size))
  const hub = await standInForHub(context, { 'local-lab/Endless': folder })
  const server = await serve({ folder: appWithLine(faster), port: 0 })
  const queue = page.getByRole('region', { name: 'Queue of runs' })
  try {
    for (const [at, model] of ['local-lab/Endless', pico].entries()) {
      await page.goto(`${server.address}#/?model=${model}&device=wasm&dtype=fp32&tasks=yardstick_facts&limit=1`)
      await expect(page.getByRole('button', { name: /^Run/ })).toBeEnabled()
      await page.getByRole('button', { name: 'Add to queue' }).click()
      await expect(queue).toHaveAttribute('data-queue-left', String(at + 1))
    }
    await page.goto(`${server.address}#/runs`)
    await page.getByRole('button', { name: 'Go on with the queue' }).click()
    await expect(queue).toHaveAttribute('data-queue-left', '0', { timeout: 120_000 })
    const [endless, next] = [queue.locator('li').nth(0), queue.locator('li').nth(1)]
    await expect(endless).toContainText(
      /Opening local-lab\/Endless as fp32 \([\d.]+ MB\) on wasm was not done after 10 minutes and was stopped, while (making|scoring)/,
    )
    await expect(next).toContainText(': done')
  } finally {
    await server.close()
    await hub.close()
  }
})
