/** The machine of `--gpu`: its card, and a browser that offers it. */
import type { BrowserContext, Page } from '@playwright/test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launchProfile } from '../../../src/cli/browser/browser.ts'
import { childEnvironment } from '../../../src/cli/browser/child-environment.ts'
import { describeMachine, gpuStarts, type GpuWish } from '../../../src/cli/browser/gpu-switches.ts'
import type { GpuReport } from './report.ts'

/** A browser with a profile on disk: without one it keeps weights that a page has fetched in memory, and at most two gigabytes of them. */
export interface GpuBrowser {
  readonly context: BrowserContext
  readonly version: string
  readonly switches: readonly string[]
  readonly note: string | null
  close(): Promise<void>
}

/** Starts the browser in one way after the other until it offers `address` an adapter; the last is kept as it is. */
export async function startGpuBrowser(
  address: string,
  { unsafe, float16, args, say }: Pick<GpuWish, 'unsafe' | 'float16'> & { args: readonly string[]; say: (line: string) => void },
): Promise<GpuBrowser> {
  const starts = gpuStarts({ use: 'hardware-or-software', unsafe, float16 }, describeMachine())
  for (const [index, { switches, note }] of starts.entries()) {
    const profile = mkdtempSync(join(tmpdir(), 'yardstick-gpu-'))
    const context = await launchProfile(profile, { gpu: switches, say, args })
    const close = async (): Promise<void> => {
      await context.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    }
    try {
      const page = context.pages()[0] ?? (await context.newPage())
      await page.goto(address)
      const isOffered = await offersAdapter(page)
      if (index < starts.length - 1 && !isOffered) {
        await close()
        continue
      }
      // A program that stands for the browser may add switches of its own.
      const added = (process.env['YARDSTICK_GPU_FLAGS'] ?? '').split(/\s+/).filter((flag) => flag !== '')
      return { context, version: context.browser()?.version() ?? 'unknown', switches: [...switches, ...args, ...added], note, close }
    } catch (error) {
      await close()
      throw error
    }
  }
  throw new Error('no way to start the browser')
}

async function offersAdapter(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    // Absent where the browser has no WebGPU, whatever the types say.
    const gpu = navigator.gpu as GPU | undefined
    return (await gpu?.requestAdapter().catch(() => null)) != null
  })
}

/** The first card that nvidia-smi names; null without it. */
export function readCard(): GpuReport['card'] {
  const { status, stdout } = spawnSync('nvidia-smi', ['--query-gpu=name,driver_version', '--format=csv,noheader'], {
    encoding: 'utf8',
    env: childEnvironment(),
    timeout: 20_000,
  })
  return status === 0 ? parseCard(stdout) : null
}

/** Of nvidia-smi's lines, `name, version`, the first. */
export function parseCard(text: string): GpuReport['card'] {
  const [name, driver] = (text.split('\n')[0] ?? '').split(',').map((part) => part.trim())
  return name === undefined || name === '' || driver === undefined ? null : { name, driver }
}
