/** One driver page of the killable browser, and a run in it followed to its end, whatever that is. */
import type { BrowserContext, Page } from '@playwright/test'
import { fromWire } from '../../src/base/errors.ts'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import type { RunRow } from '../../src/contracts/runs.ts'
import type { DriverApi } from '../../src/driver.ts'

/** How a life of a run ended: by an event, by a refusal to begin, or without a word. */
export type End =
  | { readonly type: 'done'; readonly status: string; readonly code: string | null; readonly message: string | null }
  | { readonly type: 'refused'; readonly code: string; readonly message: string }
  | { readonly type: 'died' }

export interface Tab {
  readonly page: Page
  readonly events: RunEvent[]
  call<Name extends keyof DriverApi>(name: Name, ...args: Parameters<DriverApi[Name]>): Promise<Awaited<ReturnType<DriverApi[Name]>>>
  /** Starts (settings) or resumes (run id), and waits for the end. `onStarted` is called once the run is stored and taken. */
  run(what: RunSettings | string, onStarted?: () => void): Promise<End>
  /** Newest first. */
  unfinished(): Promise<RunRow | null>
}

export async function openTab(context: BrowserContext, address: string, page?: Page): Promise<Tab> {
  const own = page ?? (await context.newPage())
  const events: RunEvent[] = []
  const listeners = new Set<(event: RunEvent) => void>()
  let onDeath: () => void = () => undefined
  const death = new Promise<void>((done) => {
    onDeath = done
  })
  own.on('crash', onDeath)
  own.on('close', onDeath)
  context.on('close', onDeath)
  // The runner's compiler wraps functions that have names into this, also those that run in the page.
  await own.addInitScript('globalThis.__name ??= (named) => named')
  await own.exposeFunction('yardstickEvent', (event: RunEvent) => {
    events.push(event)
    for (const listener of listeners) listener(event)
  })
  await own.goto(`${address}driver.html`)
  await own.waitForFunction(() => globalThis.yardstick !== undefined, undefined, { timeout: 120_000 })

  const call = async <Name extends keyof DriverApi>(
    name: Name,
    ...args: Parameters<DriverApi[Name]>
  ): Promise<Awaited<ReturnType<DriverApi[Name]>>> => {
    const reply = await own.evaluate(async (message) => await globalThis.yardstick?.call(message.name, message.args), {
      name: String(name),
      args: [...args],
    })
    if (reply === undefined) throw new Error('the driver page has gone')
    if (!reply.ok) throw fromWire(reply.error)
    // The driver answers `name` with what DriverApi says; the wire between has no types.
    return reply.value as Awaited<ReturnType<DriverApi[Name]>>
  }
  return {
    page: own,
    events,
    call,
    run: async (what, onStarted = () => undefined) => {
      const done = new Promise<End>((resolve) => {
        listeners.clear()
        listeners.add((event) => {
          if (event.type === 'started') onStarted()
          if (event.type === 'done')
            resolve({ type: 'done', status: event.status, code: event.error?.code ?? null, message: event.error?.message ?? null })
        })
      })
      const begun = (typeof what === 'string' ? call('resume', what) : call('start', what)).then(
        () => done,
        (error: unknown): Promise<End> | End => {
          if (error instanceof Error && 'code' in error) return { type: 'refused', code: String(error.code), message: error.message }
          return death.then(() => ({ type: 'died' }))
        },
      )
      return Promise.race([begun, done, death.then((): End => ({ type: 'died' }))])
    },
    unfinished: async () => (await call('listRuns')).find(({ status }) => status === 'interrupted' || status === 'running') ?? null,
  }
}
