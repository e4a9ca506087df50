/** WebKitGTK's MiniBrowser by WebKitWebDriver, over WebDriver's HTTP protocol, on a screen of Xvfb's. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { guarded, unguard, type BrowserKind, type OtherBrowser } from './other-browser.ts'

/** The newest that passed; README.md names it. */
export const testedWebKit = 'WebKitGTK 2.50.6'

const libraries = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/libexec']
const startDeadlineMs = 60_000
/** Longer than any expression of a test may take. */
const scriptDeadlineMs = 240_000

function findMiniBrowser(): string | null {
  const folders = libraries
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => name.startsWith('webkit2gtk-'))
        .map((name) => join(folder, name)),
    )
  return folders.map((folder) => join(folder, 'MiniBrowser')).find((path) => existsSync(path)) ?? null
}

const isInstalled = (program: string): boolean => spawnSync('which', [program], { stdio: 'ignore' }).status === 0

export function webkit(): BrowserKind {
  const browser = findMiniBrowser()
  const lacking = [
    ...(isInstalled('WebKitWebDriver') && browser !== null ? [] : ['webkit2gtk-driver']),
    ...(isInstalled('Xvfb') || process.env['DISPLAY'] !== undefined ? [] : ['xvfb']),
  ]
  const missing = lacking.length === 0 ? null : `no ${lacking.join(' and no ')} here: apt-get install ${lacking.join(' ')}`
  return { name: 'WebKitGTK', missing, start: () => startWebKit(browser ?? '') }
}

async function startWebKit(browser: string): Promise<OtherBrowser> {
  const errors: string[] = []
  const { screen, display } = await openScreen()
  const port = await freePort()
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], {
    // The tests run as any user, in containers too, where the sandbox of bubblewrap can't be made.
    env: {
      ...process.env,
      DISPLAY: display,
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
      GSK_RENDERER: 'cairo',
      LIBGL_ALWAYS_SOFTWARE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  // The browser's console comes out of the driver's own streams.
  for (const stream of [driver.stdout, driver.stderr])
    stream.on('data', (part: Buffer) => {
      for (const line of part.toString().split('\n')) if (/^CONSOLE .*ERROR/.test(line)) errors.push(line)
    })
  const stop = async (): Promise<void> => {
    for (const child of [driver, screen]) if (child !== null) await end(child)
  }
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    })
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } } // WebDriver's envelope.
    if (!response.ok) throw new Error(`${path}: ${value.error ?? response.status}: ${value.message ?? ''}`)
    return value
  }
  try {
    await listening(ask)
    const args = ['--automation', '--enable-write-console-messages-to-stdout=true']
    const { sessionId, capabilities } = await ask<{
      sessionId: string
      capabilities: { browserName: string; browserVersion: string }
    }>('POST', '/session', {
      capabilities: {
        alwaysMatch: { 'webkitgtk:browserOptions': { binary: browser, args }, timeouts: { script: scriptDeadlineMs, pageLoad: 120_000 } },
      },
    })
    const path = `/session/${sessionId}`
    return {
      version: `WebKitGTK ${capabilities.browserVersion}`,
      errors,
      open: async (url) => {
        await ask('POST', `${path}/url`, { url })
      },
      evaluate: async <T>(expression: string) => {
        const script = `const done = arguments[arguments.length - 1]; ${guarded(expression)}.then(done)`
        return unguard<T>(await ask<unknown>('POST', `${path}/execute/async`, { script, args: [] }))
      },
      close: async () => {
        await ask('DELETE', path).catch(() => undefined)
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A screen of our own; the one that is there where Xvfb isn't installed. */
async function openScreen(): Promise<{ readonly screen: ChildProcess | null; readonly display: string }> {
  if (!isInstalled('Xvfb')) return { screen: null, display: process.env['DISPLAY'] ?? ':0' }
  const screen = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const number = await new Promise<string>((resolve, reject) => {
    let text = ''
    screen.stdout.on('data', (part: Buffer) => {
      text += part.toString()
      if (text.includes('\n')) resolve(text.trim())
    })
    screen.once('error', reject)
    screen.once('exit', (code) => reject(new Error(`Xvfb ended with code ${String(code)}`)))
  })
  return { screen, display: `:${number}` }
}

async function listening(ask: (method: string, path: string) => Promise<unknown>): Promise<void> {
  const untilMs = performance.now() + startDeadlineMs
  for (;;) {
    try {
      await ask('GET', '/status')
      return
    } catch (error) {
      if (performance.now() > untilMs) throw error
      await sleep(100)
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** Ends a process and its children, which are a group of their own. */
async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    return
  }
  await gone
}
