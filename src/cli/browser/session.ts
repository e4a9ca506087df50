/** One use of the built app by the command line: profile lock, build, server, browser, driver page. */
import type { BrowserContext, Page } from '@playwright/test'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromWire } from '../../base/errors.ts'
import type { HubAccess } from '../../contracts/hub-access.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import type { DriverApi } from '../../driver.ts'
import { complain } from '../output/terminal.ts'
import { launchProfile } from './browser.ts'
import { buildIfStale, distFolder } from './build.ts'
import { describeMachine, gpuStarts, type GpuStart, type GpuWish } from './gpu-switches.ts'
import { belowSecret, commandLineHost, commandLineOrigin } from './origin.ts'
import { lockProfile, profileFolder } from './profile.ts'
import { serve } from './serve.ts'

export interface SessionOptions {
  readonly gpu: GpuWish
  readonly access: HubAccess
  readonly localHub: RequestListener | null
  readonly localFiles: ReadonlyMap<string, string>
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

export interface Session {
  call<Name extends keyof DriverApi>(name: Name, ...args: Parameters<DriverApi[Name]>): Promise<Awaited<ReturnType<DriverApi[Name]>>>
  /** Where the events of a run go. */
  onEvent(listener: (event: RunEvent) => void): void
  /** Rejects when the page or the browser dies. */
  readonly died: Promise<never>
  close(): Promise<void>
}

/** Opens the driver page; whatever was opened is closed again when a later step fails. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { gpu, access, localHub, localFiles, say, signal } = options
  const folder = profileFolder()
  const closers: (() => unknown)[] = []
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    closers.push(await lockProfile(folder, say, signal))
    buildIfStale(say)
    // The browser maps the name, so no other is ever asked for.
    const answersTo = (host: string): boolean => host === commandLineHost
    const server = await serve({ folder: distFolder, port: 0, hub: access.base, localHub, localFiles, answersTo })
    closers.push(() => server.close())
    const listeners: ((event: RunEvent) => void)[] = []
    const tell = (event: RunEvent) => listeners.forEach((listener) => listener(event))
    const { context, page, switches } = await startOffering(gpuStarts(gpu, describeMachine()), say, async (wanted) => {
      const started = await launch(join(folder, 'browser'), wanted, server.port, say)
      return { context: started, page: await openDriverPage(started, tell), switches: wanted }
    })
    closers.push(() => context.close().catch(() => undefined))
    const session: Session = {
      call: (name, ...args) => callDriver(page, name, args),
      onEvent: (listener) => listeners.push(listener),
      died: watchDeath(page),
      close,
    }
    await session.call('configure', { ...belowSecret(access, server.secret), switches })
    return session
  } catch (error) {
    await close()
    throw error
  }
}

interface Started {
  readonly context: BrowserContext
  readonly page: Page
  readonly switches: readonly string[]
}

/** Starts the browser in one way after the other until it offers an adapter; the last is kept as it is. Says what it took. */
async function startOffering(
  starts: readonly GpuStart[],
  say: (line: string) => void,
  start: (switches: readonly string[]) => Promise<Started>,
): Promise<Started> {
  for (const [index, { switches, note }] of starts.entries()) {
    const started = await start(switches)
    if (index === starts.length - 1 || (await started.page.evaluate(hasAdapter))) {
      if (note !== null) say(`WebGPU: ${note}`)
      return started
    }
    await started.context.close()
  }
  throw new Error('no way to start the browser')
}

/** Runs in the page. */
async function hasAdapter(): Promise<boolean> {
  // Absent where the browser has no WebGPU, whatever the types say.
  const gpu = navigator.gpu as GPU | undefined
  return (await gpu?.requestAdapter().catch(() => null)) != null
}

/** A browser that was killed a moment ago may still hold the folder; it lets go within seconds. */
async function launch(folder: string, gpu: readonly string[], port: number, say: (line: string) => void): Promise<BrowserContext> {
  const args = [`--host-resolver-rules=MAP ${commandLineHost} 127.0.0.1:${port}`]
  for (let attempt = 1; ; attempt++) {
    try {
      return await launchProfile(folder, { gpu, say, args })
    } catch (error) {
      const isHeld =
        error instanceof Error &&
        /ProcessSingleton|SingletonLock|profile.*(in use|being used)|existing browser session/i.test(error.message)
      if (!isHeld || attempt === 20) throw error
      await sleep(500)
    }
  }
}

async function openDriverPage(context: BrowserContext, onEvent: (event: RunEvent) => void): Promise<Page> {
  const page = context.pages()[0] ?? (await context.newPage())
  if (process.env['YARDSTICK_DEBUG'] !== undefined) {
    page.on('console', (message) => complain(`[page] ${message.text()}\n`))
    page.on('pageerror', (error) => complain(`[page] ${error.stack ?? error.message}\n`))
  }
  await context.exposeBinding('yardstickEvent', (_source, event: RunEvent) => onEvent(event))
  await page.goto(`${commandLineOrigin}/driver.html`)
  await page.waitForFunction(() => globalThis.yardstick !== undefined, undefined, { timeout: 60_000 })
  return page
}

async function callDriver<Name extends keyof DriverApi>(
  page: Page,
  name: Name,
  args: Parameters<DriverApi[Name]>,
): Promise<Awaited<ReturnType<DriverApi[Name]>>> {
  const reply = await page.evaluate(async (message) => await globalThis.yardstick?.call(message.name, message.args), {
    name: String(name),
    args: [...args],
  })
  if (reply === undefined) throw new Error('The driver page has gone.')
  if (!reply.ok) throw fromWire(reply.error)
  // The driver answers `name` with what DriverApi says; the wire between has no types.
  return reply.value as Awaited<ReturnType<DriverApi[Name]>>
}

function watchDeath(page: Page): Promise<never> {
  const died = new Promise<never>((_, reject) => {
    page.on('crash', () => reject(new Error('The page crashed (out of memory, most often); --resume goes on with the run.')))
    page.on('close', () => reject(new Error('The browser ended before the run did; --resume goes on with it.')))
  })
  // Nobody may be listening when the session closes in peace.
  died.catch(() => undefined)
  return died
}
