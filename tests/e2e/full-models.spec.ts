/**
 * Full shapes of real models on the page: downloaded through a Hub, scored on WASM, the memory of every process of the browser watched. Takes minutes a
 * model, so only where YARDSTICK_FULL_MODELS names a folder that `tools/model-matrix/make.py` wrote; samples files are left in YARDSTICK_FULL_OUT for
 * `tools/model-matrix/check_samples.py`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findShared } from '../data/shared.ts'
import { expect, test, waitForEnd } from './fixtures.ts'
import { hubHost, standInForHub } from './hub-stand-in.ts'

const folder = process.env['YARDSTICK_FULL_MODELS']
const out = process.env['YARDSTICK_FULL_OUT'] ?? 'test-results'
const datasets = findShared('hub/datasets')
const names = folder === undefined ? [] : readdirSync(join(folder, 'matrix')).filter((name) => !name.includes('narrow'))

/** Address space of WASM, which a model's tab has to get by with as a whole. */
const mostMiB = 4096

/** MiB that a process has of its own, not counting mapped files; null when it is gone. */
function ownMiB(pid: string): { readonly mib: number; readonly kind: string } | null {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    if (!line.includes('chrom')) return null
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0)
    return { mib: (kib('RssAnon') + kib('RssShmem')) / 1024, kind: /--type=([\w-]+)/.exec(line)?.[1] ?? 'browser' }
  } catch {
    return null
  }
}

/** Looks twice a second, and keeps the most that any process of each kind had. */
function watchMemory(): { readonly peaks: Map<string, number>; stop(): void } {
  const peaks = new Map<string, number>()
  const timer = setInterval(() => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const found = ownMiB(pid)
      if (found !== null) peaks.set(found.kind, Math.max(found.mib, peaks.get(found.kind) ?? 0))
    }
  }, 500)
  return { peaks, stop: () => clearInterval(timer) }
}

test.use({ allowedHosts: [hubHost] })
test.describe('full shapes', () => {
  test.skip(names.length === 0 || datasets === null, 'needs YARDSTICK_FULL_MODELS and the shared datasets')
  for (const name of names.length === 0 ? ['none'] : names)
    test(`${name}: 20 docs of arc_easy in q4, within ${mostMiB} MiB`, async ({ page, app, context }) => {
      test.setTimeout(40 * 60_000)
      const hub = await standInForHub(context, { [`matrix/${name}`]: join(folder ?? '', 'matrix', name) }, [datasets ?? ''])
      await page.goto(`${app.address}#/?model=matrix/${name}&tasks=arc_easy&limit=20&device=wasm&dtype=q4`)
      const memory = watchMemory()
      const started = Date.now()
      await page.getByRole('button', { name: /^Run/ }).click()
      await expect(page.locator('main')).toHaveAttribute('data-run-status', /complete|interrupted|failed/, { timeout: 38 * 60_000 })
      memory.stop()
      await waitForEnd(page, 'complete')
      const seconds = Math.round((Date.now() - started) / 1000)
      console.log(`${name}: ${seconds} s; MiB at most: ${[...memory.peaks].map(([kind, mib]) => `${kind} ${Math.round(mib)}`).join(', ')}`)
      await page.getByText('More formats').click()
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^samples_arc_easy/ }).click()])
      await download.saveAs(join(out, `${name}.jsonl`))
      for (const [kind, mib] of memory.peaks) expect({ kind, fits: mib < mostMiB }).toEqual({ kind, fits: true })
      await hub.close()
    })
})
