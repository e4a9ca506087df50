/** The arms of the benchmark as its driver sees them: opened, fed with blocks of docs, watched, closed. */
import type { Browser, Page } from '@playwright/test'
import type { EngineFacts } from '../../src/contracts/engine.ts'
import type { ArmModel, ArmOptions, PlainItem, Scored, Written } from './page/arm-api.ts'
import type {} from './page/page.ts'
import { processorMs, rendererPids, residentBytes, watchPeak } from './renderer-memory.ts'

/** One arm with its model open. */
export interface RunningArm {
  /** Of our engine; null for the others. */
  readonly facts: EngineFacts | null
  score(items: readonly PlainItem[], prefixes: readonly number[]): Promise<Scored>
  write(prompts: readonly (readonly number[])[], newTokens: number, prefixes: readonly number[]): Promise<Written>
  /** Resident bytes now; null where the system doesn't tell. */
  memory(): number | null
  /** Milliseconds of processor time so far; null where the system doesn't tell. */
  processor(): number | null
  /** Largest resident bytes while the model was opened; null where nobody looked. */
  readonly openingPeak: number | null
  close(): Promise<void>
}

/**
 * Opens the model in a page of a new context, which is a process of its own, so that the arm's memory can be told from the others'.
 * Arms of a browser must be started one after the other.
 */
export async function startBrowserArm(browser: Browser, address: string, model: ArmModel, options: ArmOptions): Promise<RunningArm> {
  const before = new Set(await rendererPids(browser))
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    if (process.env['YARDSTICK_DEBUG'] === '1') page.on('console', (message) => process.stderr.write(`${options.arm}: ${message.text()}\n`))
    // A machine that is measured is often busy.
    page.setDefaultTimeout(120_000)
    await page.goto(address)
    await page.waitForFunction(() => 'arm' in window)
    const pids = (await rendererPids(browser)).filter((pid) => !before.has(pid))
    const watch = watchPeak(() => residentBytes(pids))
    const facts = await page.evaluate(async ([m, o]) => window.arm.open(m, o), [model, options] as const).finally(() => watch.stop())
    return armOfPage(page, { pids, facts, openingPeak: watch.stop(), close: async () => context.close() })
  } catch (error) {
    await context.close()
    throw new Error(`The arm ${options.arm} did not start: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

/** The arm of a page that has a model open. `pids`: its processes, none where they aren't its own. */
export function armOfPage(
  page: Page,
  { pids, ...known }: { readonly pids: readonly number[] } & Pick<RunningArm, 'facts' | 'openingPeak' | 'close'>,
): RunningArm {
  return {
    ...known,
    score: async (items, prefixes) => page.evaluate(async ([i, p]) => window.arm.score(i, p), [items, prefixes] as const),
    write: async (prompts, newTokens, prefixes) =>
      page.evaluate(async ([t, n, p]) => window.arm.write(t, n, p), [prompts, newTokens, prefixes] as const),
    memory: () => residentBytes(pids),
    processor: () => processorMs(pids),
  }
}
