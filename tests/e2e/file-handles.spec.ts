/** The store of files in a browser that collects garbage all the time: Chromium forgets what a collected handle was asked for (base/holding.ts). */
import { expect, test } from '@playwright/test'
import { join } from 'node:path'
import { build } from 'vite'
import { launchBrowser } from '../../src/cli/browser/browser.ts'
import { projectFolder } from '../../src/cli/browser/build.ts'

const origin = 'http://localhost:4173'

async function bundleWorker(): Promise<string> {
  const output = await build({
    root: projectFolder,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    define: { __FAIL_POINTS__: 'false' },
    build: {
      write: false,
      target: 'esnext',
      lib: { entry: join(projectFolder, 'tests/e2e/file-handles-worker.ts'), formats: ['es'], fileName: 'worker' },
    },
  })
  const [first] = Array.isArray(output) ? output : [output]
  if (first === undefined || !('output' in first)) throw new Error('wanted a bundle, found none')
  return first.output[0].code
}

test('files are written and read back while garbage is collected all the time', async () => {
  test.setTimeout(120_000)
  const code = await bundleWorker()
  const browser = await launchBrowser({ gpu: 'hardware', say: () => undefined, args: ['--js-flags=--expose-gc'] })
  try {
    const page = await browser.newPage()
    await page.route(`${origin}/**`, (route) =>
      route.request().url().endsWith('.js')
        ? route.fulfill({ contentType: 'text/javascript', body: code })
        : route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Files</title>' }),
    )
    await page.goto(`${origin}/`)
    const found = await page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const started = new Worker('/worker.js', { type: 'module' })
          started.onmessage = (event) => resolve(event.data)
          started.onerror = (event) => reject(new Error(event.message))
        }),
    )
    expect(found).toEqual({ writes: 600, settled: 600, same: 600 })
  } finally {
    await browser.close()
  }
})
