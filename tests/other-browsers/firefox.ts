/** Firefox over WebDriver BiDi, which it speaks itself: Debian has no geckodriver. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { guarded, unguard, type BrowserKind, type OtherBrowser } from './other-browser.ts'

/** The newest that passed; README.md names it. */
export const testedFirefox = 'Firefox ESR 153.7'

const programs = ['firefox-esr', 'firefox']

/** What a profile needs to be left alone by the browser's own pages and network. */
const preferences: { readonly [name: string]: boolean | number | string } = {
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.page': 0,
  'browser.aboutwelcome.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'app.normandy.enabled': false,
  'services.settings.server': 'data:,',
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'remote.prefs.recommended': true,
}

const automation = ['--remote-debugging-port', '0', '--remote-allow-system-access']

/**
 * Takes the session's listener for worker debuggers away. While one listens, a worker that starts a worker waits for the main thread on a
 * condition variable that the new worker's thread waits on as well, and the main thread wakes one of the two: beside busy processes one of
 * five to nine openings stood still for good (decision 0088).
 */
const unlistenToWorkers = `ChromeUtils.importESModule(
  'chrome://remote/content/shared/js-process-actors/WebDriverWorkerListenerActor.sys.mjs'
).unregisterWebDriverWorkerListenerActor()`

const startDeadlineMs = 120_000

function findProgram(): string | null {
  return programs.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0) ?? null
}

export function firefox(): BrowserKind {
  const program = findProgram()
  const hasSocket = typeof WebSocket !== 'undefined'
  const missing =
    program === null
      ? 'no firefox-esr here: apt-get install firefox-esr'
      : hasSocket
        ? null
        : 'this Node has no WebSocket: run it by npm run browser, or take Node 22'
  return { name: 'Firefox', missing, start: () => startFirefox(program ?? '') }
}

interface Reply {
  readonly id?: number
  readonly type?: string
  readonly method?: string
  readonly params?: { readonly level?: string; readonly text?: string | null; readonly type?: string }
  readonly result?: unknown
  readonly message?: string
}

async function startFirefox(program: string): Promise<OtherBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'yardstick-firefox-'))
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
  writeFileSync(join(profile, 'user.js'), lines.join(''))
  const child = spawn(program, ['--headless', '--no-remote', '--profile', profile, ...automation, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errors: string[] = []
  const waiting = new Map<number, (reply: Reply) => void>()
  let ids = 0
  const socket = await connect(`${await addressOf(child)}/session`)
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply // The browser's own protocol.
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply)
    else if (reply.method === 'log.entryAdded' && reply.params?.level === 'error') errors.push(reply.params.text ?? '')
  })
  const call = async <T>(method: string, params: object): Promise<T> => {
    const id = (ids += 1)
    const answered = new Promise<Reply>((resolve) => waiting.set(id, resolve))
    socket.send(JSON.stringify({ id, method, params }))
    const reply = await answered
    waiting.delete(id)
    if (reply.type === 'error') throw new Error(`${method}: ${reply.message ?? 'failed'}`)
    return reply.result as T // What the protocol says of the method.
  }
  const session = await call<{ capabilities: { browserName: string; browserVersion: string } }>('session.new', { capabilities: {} })
  await call('session.subscribe', { events: ['log.entryAdded'] })
  const firstContext = async (scope: object): Promise<string> => {
    const { contexts } = await call<{ contexts: readonly { context: string }[] }>('browsingContext.getTree', scope)
    return contexts[0]?.context ?? ''
  }
  const target = { context: await firstContext({ 'moz:scope': 'chrome' }) }
  const { type } = await call<{ type: string }>('script.evaluate', { expression: unlistenToWorkers, target, awaitPromise: false })
  if (type !== 'success') console.log('This Firefox keeps its listener for workers, and may stand still.')
  const context = await firstContext({})
  const { browserName, browserVersion } = session.capabilities
  return {
    version: `${browserName} ${browserVersion}`,
    errors,
    open: async (url) => {
      await call('browsingContext.navigate', { context, url, wait: 'complete' })
    },
    evaluate: async <T>(expression: string) => {
      const outcome = await call<{ result?: { value?: unknown }; exceptionDetails?: { text: string } }>('script.evaluate', {
        expression: guarded(expression),
        target: { context },
        awaitPromise: true,
      })
      // What `guarded` can't catch: an expression that doesn't parse.
      if (outcome.exceptionDetails !== undefined) throw new Error(`${outcome.exceptionDetails.text} in ${expression}`)
      return unguard<T>(outcome.result?.value)
    },
    close: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      await Promise.race([call('browser.close', {}).catch(() => undefined), gone])
      socket.close()
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await gone
      clearTimeout(timer)
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** The address that the browser prints once it listens. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`Firefox gave no address within ${startDeadlineMs / 1000} s:\n${text}`))
    }, startDeadlineMs)
    child.stderr?.on('data', (part: Buffer) => {
      text += part.toString()
      const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(text) ?? []
      if (address === undefined) return
      clearTimeout(timer)
      resolve(address)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`Firefox ended with code ${String(code)} before it listened:\n${text}`)))
  })
}

function connect(address: string): Promise<WebSocket> {
  const socket = new WebSocket(address)
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socket))
    socket.addEventListener('error', () => reject(new Error(`no connection to ${address}`)))
  })
}
