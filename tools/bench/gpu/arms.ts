/** Arms on the adapter: a page each, in one browser. */
import type { BrowserContext, Page } from '@playwright/test'
import type { EngineFacts } from '../../../src/contracts/engine.ts'
import type { AdapterFacts } from '../../../src/contracts/model-session.ts'
import { armOfPage, type RunningArm } from '../arms.ts'
import type { BrowserArmName, MmluUsage } from '../page/arm-api.ts'
import type {} from '../page/page.ts'
import { rendererPids, residentBytes, watchPeak } from '../renderer-memory.ts'
import type { MmluSize } from './mmlu-docs.ts'
import type { GpuModel } from './models/gpu-model.ts'

export interface GpuArm extends RunningArm {
  readonly openingMs: number
  scoreMmlu(size: MmluSize): Promise<MmluUsage>
}

/** An error of the engine, with its code. */
export class ArmError extends Error {
  readonly code: string | null

  constructor(message: string, code: string | null) {
    super(message)
    this.code = code
  }
}

/** As `ArmOptions`. */
interface ArmSettings {
  readonly threads: number
  readonly switches: readonly string[]
  readonly longestRun?: number
}

/** Pages with arms, in a browser that is open. */
export class ArmPages {
  readonly #context: BrowserContext
  readonly #address: string
  readonly #hub: string
  readonly #settings: ArmSettings

  constructor(
    context: BrowserContext,
    {
      address,
      hub,
      ...settings
    }: { readonly address: string; readonly hub: string; readonly threads: number; readonly switches: readonly string[] },
  ) {
    this.#context = context
    this.#address = address
    this.#hub = hub
    this.#settings = settings
  }

  /** WebGPU as a worker of the page sees it. */
  async describeAdapter(): Promise<AdapterFacts | null> {
    const { page } = await this.#openPage()
    try {
      return await page.evaluate(async () => window.arm.describeAdapter())
    } finally {
      await page.close()
    }
  }

  /** Opens a model. Throws ArmError as the engine does. */
  async open(arm: BrowserArmName, model: GpuModel): Promise<GpuArm> {
    const { page, pids } = await this.#openPage()
    const close = async (): Promise<void> => {
      if (!page.isClosed()) await page.close()
    }
    const files = { hub: this.#hub, folder: model.key, dtype: model.dtype, file: model.file, externalFiles: model.externalFiles }
    const options = { arm, device: 'webgpu', selfCheck: null, ...this.#settings } as const
    const watch = watchPeak(() => residentBytes(pids))
    const start = performance.now()
    try {
      const answer = await page.evaluate(tryOpen, [files, options] as const)
      if ('error' in answer) throw new ArmError(answer.error, answer.code)
      const running = armOfPage(page, { pids, facts: answer.facts, openingPeak: watch.stop(), close })
      return {
        ...running,
        openingMs: performance.now() - start,
        scoreMmlu: async (size) => page.evaluate(async (given) => window.arm.scoreMmlu(given), size),
      }
    } catch (error) {
      watch.stop()
      await close()
      throw error
    }
  }

  async #openPage(): Promise<{ readonly page: Page; readonly pids: readonly number[] }> {
    const browser = this.#context.browser()
    const before = new Set(browser === null ? [] : await rendererPids(browser))
    const page = await this.#context.newPage()
    if (process.env['YARDSTICK_DEBUG'] === '1') page.on('console', (message) => process.stderr.write(`${message.text()}\n`))
    page.setDefaultTimeout(120_000)
    await page.goto(this.#address)
    await page.waitForFunction(() => 'arm' in window)
    const pids = browser === null ? [] : (await rendererPids(browser)).filter((pid) => !before.has(pid))
    return { page, pids }
  }
}

/** Runs in the page. Of an error that crosses to here only its text would be left. */
async function tryOpen([model, options]: readonly [Parameters<typeof window.arm.open>[0], Parameters<typeof window.arm.open>[1]]): Promise<
  { readonly facts: EngineFacts | null } | { readonly error: string; readonly code: string | null }
> {
  try {
    return { facts: await window.arm.open(model, options) }
  } catch (error) {
    const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
    return { error: error instanceof Error ? error.message : String(error), code: typeof code === 'string' ? code : null }
  }
}
