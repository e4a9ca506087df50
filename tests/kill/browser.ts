/** A Chromium on a profile that stays, in a process group of its own, so that it can be killed as a whole and at once. */
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page } from '@playwright/test'
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { browserArguments, findBrowser } from '../../src/cli/browser/browser.ts'

export interface KillableBrowser {
  readonly context: BrowserContext
  readonly connection: Browser
  isAlive(): boolean
  /** SIGKILL to the whole group: no process of it gets to say anything. */
  kill(): void
  /** SIGSTOP, then SIGCONT, to the whole group. */
  freeze(ms: number): Promise<void>
  /** Ends in order, as when the user closes the window. */
  quit(): Promise<void>
  /** Resolves when the processes are gone. */
  readonly gone: Promise<void>
}

const startDeadlineMs = 120_000

/** A process group of its own outlives a test that is cut off, unless it is ended with it. */
const groups = new Set<number>()
process.once('exit', () => {
  for (const group of groups) signalGroup(group, 'SIGKILL')
})

function signalGroup(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name)
  } catch {
    // It is gone already.
  }
}

export async function startBrowser(profile: string): Promise<KillableBrowser> {
  const { path } = findBrowser(() => undefined)
  const args = [
    ...browserArguments('hardware'),
    '--headless=new',
    '--disable-gpu',
    '--password-store=basic',
    '--use-mock-keychain',
    '--no-default-browser-check',
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    `--user-data-dir=${profile}`,
    '--remote-debugging-port=0',
    'about:blank',
  ]
  const child = spawn(path, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const { pid } = child
  if (pid === undefined) throw new Error(`${path} did not start`)
  groups.add(pid)
  const gone = new Promise<void>((done) => {
    child.once('exit', () => {
      groups.delete(pid)
      done()
    })
  })
  const signal = (name: NodeJS.Signals): void => {
    signalGroup(pid, name)
  }
  const endpoint = await new Promise<string>((done, fail) => {
    let text = ''
    const timer = setTimeout(() => {
      signal('SIGKILL')
      fail(new Error(`Chromium gave no address within ${startDeadlineMs / 1000} s:\n${text}`))
    }, startDeadlineMs)
    child.stderr.on('data', (part: Buffer) => {
      text += part.toString()
      const match = /DevTools listening on (ws:\S+)/.exec(text)
      if (match?.[1] === undefined) return
      clearTimeout(timer)
      done(match[1])
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      fail(new Error(`Chromium ended with code ${String(code)} before it listened:\n${text}`))
    })
  })
  const connection = await chromium.connectOverCDP(endpoint)
  const [context] = connection.contexts()
  if (context === undefined) throw new Error('Chromium has no context')
  let isAlive = true
  const onGone = (): void => {
    isAlive = false
  }
  gone.then(onGone, onGone)
  return {
    context,
    connection,
    gone,
    isAlive: () => isAlive,
    kill: () => {
      isAlive = false
      signal('SIGKILL')
    },
    freeze: async (ms) => {
      signal('SIGSTOP')
      await sleep(ms)
      signal('SIGCONT')
    },
    quit: async () => {
      isAlive = false
      const session = await connection.newBrowserCDPSession()
      await session.send('Browser.close').catch(() => undefined)
      await Promise.race([gone, sleep(10_000)])
      signal('SIGKILL')
      await gone
    },
  }
}

/** A session that speaks the devtools protocol with one page. */
export function devtools(page: Page): Promise<CDPSession> {
  return page.context().newCDPSession(page)
}
