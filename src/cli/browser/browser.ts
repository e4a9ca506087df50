/** The one place that finds, installs and starts the browser: for the command line and for every browser test. */
import { chromium, type Browser, type BrowserContext } from '@playwright/test'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment } from './child-environment.ts'
import { describeMachine, gpuStarts, type GpuUse } from './gpu-switches.ts'

/** No browser, or none that starts; the message is one sentence that says what to do. */
class BrowserError extends Error {}

interface FoundBrowser {
  readonly path: string
  readonly version: string
}

type Say = (line: string) => void

/**
 * A browser that starts: `YARDSTICK_CHROMIUM`, then Playwright's own, then a system Chrome, Chromium or Edge; if there is none,
 * one is installed and `say` is told. An explicit `YARDSTICK_CHROMIUM` that doesn't start is an error. Throws BrowserError.
 */
export function findBrowser(say: Say): FoundBrowser {
  const explicit = process.env['YARDSTICK_CHROMIUM']
  if (explicit !== undefined && explicit !== '') {
    const version = probe(explicit)
    if (typeof version !== 'string') throw new BrowserError(`YARDSTICK_CHROMIUM=${explicit} does not start: ${version.reason}`)
    return { path: explicit, version }
  }
  return firstThatStarts(say) ?? installBrowser(say)
}

function firstThatStarts(say: Say): FoundBrowser | null {
  for (const path of [chromium.executablePath(), ...otherPlaywrightBrowsers(), ...systemBrowsers()]) {
    if (!existsSync(path)) continue
    const version = probe(path)
    if (typeof version === 'string') return { path, version }
    say(`${path} does not start (${version.reason}); looking further`)
  }
  return null
}

/** The version line of the browser, or why it can't start (a missing system library, most often). */
function probe(path: string): string | { readonly reason: string } {
  if (process.platform === 'win32') return existsSync(path) ? 'unknown version' : { reason: 'no such file' }
  const { status, stdout, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 20_000, env: childEnvironment() })
  if (status === 0 && stdout.trim() !== '') return stdout.trim()
  return { reason: error?.message ?? stderr.trim().split('\n').at(-1) ?? `exit code ${String(status)}` }
}

/** Full Chromium builds that another Playwright version downloaded. */
function otherPlaywrightBrowsers(): string[] {
  const folder = process.env['PLAYWRIGHT_BROWSERS_PATH'] ?? join(homedir(), '.cache', 'ms-playwright')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort()
    .reverse()
    .flatMap((name) => ['chrome-linux64/chrome', 'chrome-linux/chrome'].map((file) => join(folder, name, file)))
}

function systemBrowsers(): string[] {
  const programs = [process.env['PROGRAMFILES'], process.env['PROGRAMFILES(X86)'], process.env['LOCALAPPDATA']].filter(
    (each) => each !== undefined,
  )
  if (process.platform === 'win32') {
    return programs.flatMap((folder) =>
      ['Google/Chrome/Application/chrome.exe', 'Chromium/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe'].map((file) =>
        join(folder, file),
      ),
    )
  }
  if (process.platform === 'darwin') {
    return ['Google Chrome', 'Chromium', 'Microsoft Edge'].flatMap((name) =>
      ['/Applications', join(homedir(), 'Applications')].map((folder) => `${folder}/${name}.app/Contents/MacOS/${name}`),
    )
  }
  const names = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'microsoft-edge', 'microsoft-edge-stable']
  const folders = [...new Set([...(process.env['PATH'] ?? '').split(':'), '/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome'])]
  return [
    ...names.flatMap((name) => folders.filter((folder) => folder !== '').map((folder) => join(folder, name))),
    '/opt/google/chrome/chrome',
  ]
}

/** Playwright's download, else Debian's package as root; says what it does. Throws BrowserError when neither works. */
function installBrowser(say: Say): FoundBrowser {
  say("No Chromium found: installing Playwright's (a download of about 170 MB)")
  // Quick to fail where there is no network: ten seconds to connect instead of Playwright's thirty.
  const env = childEnvironment({ PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000' })
  const cli = createRequire(import.meta.url).resolve('@playwright/test/cli')
  run(process.execPath, [cli, 'install', 'chromium', '--no-shell'], env)
  const downloaded = firstThatStarts(say)
  if (downloaded !== null) return downloaded
  if (process.platform === 'linux' && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
    say("Playwright's browser could not be used: installing Debian's package (apt-get update && apt-get install -y chromium)")
    const quiet = childEnvironment({ DEBIAN_FRONTEND: 'noninteractive' })
    run('apt-get', ['update'], quiet)
    run('apt-get', ['install', '-y', 'chromium'], quiet)
    const packaged = firstThatStarts(say)
    if (packaged !== null) return packaged
  }
  throw new BrowserError(
    'No browser was found and none could be installed: install Chromium, Chrome or Edge, or set YARDSTICK_CHROMIUM to the path of one.',
  )
}

/** Runs a program with its output on standard error, so that standard output stays the results'. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): boolean {
  return spawnSync(program, args, { env, stdio: ['ignore', process.stderr, process.stderr], timeout: 10 * 60_000 }).status === 0
}

/**
 * Of several such switches Chromium obeys the last alone, so those that Playwright disables are named again. The first three draw what drops down from the
 * address bar: two hidden pages with every window, at 0.65 s of processor time (Chromium 156).
 */
const disabledFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
  // Requests that nobody asked for.
  ...['AimEnabled', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PreconnectToSearch', 'LensOverlay', 'MediaRouter'],
  ...['HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'PaintHolding', 'ThirdPartyStoragePartitioning', 'TcpPortRandomizationWin', 'msForceBrowserSignIn'],
]

/** Arguments that every start of the browser gets; `gpu` adds those for a WebGPU adapter, or is the switches themselves. */
export function browserArguments(gpu: GpuUse | readonly string[]): string[] {
  const common = [
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // A hidden tab is all that we have: it must not be slowed down.
    '--disable-background-timer-throttling',
    '--disable-renderer-backgrounding',
    `--disable-features=${disabledFeatures.join(',')}`,
  ]
  return [...common, ...gpuArguments(gpu)]
}

/** The last way is the surest to offer an adapter, and has an ordinary page's kernels too. */
function gpuArguments(gpu: GpuUse | readonly string[]): readonly string[] {
  if (typeof gpu !== 'string') return gpu
  return gpuStarts({ use: gpu, unsafe: false, float16: false }, describeMachine()).at(-1)?.switches ?? []
}

interface LaunchOptions {
  readonly gpu: GpuUse | readonly string[]
  readonly say: Say
  /** Further arguments, such as a host mapping. */
  readonly args?: readonly string[]
}

/** Starts headless Chromium on a folder that keeps its storage. Signals are the caller's to handle. */
export async function launchProfile(folder: string, { gpu, say, args = [] }: LaunchOptions): Promise<BrowserContext> {
  const { path } = findBrowser(say)
  return await chromium.launchPersistentContext(folder, {
    ...playwrightOptions(path, gpu, args),
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
}

/** Starts headless Chromium without memory of its own, for tests. */
export async function launchBrowser({ gpu, say, args = [] }: LaunchOptions): Promise<Browser> {
  const { path } = findBrowser(say)
  return await chromium.launch(playwrightOptions(path, gpu, args))
}

/** What Playwright is started with; `--no-sandbox` (its default) only as root, where Chromium has no sandbox. */
export function playwrightOptions(
  path: string,
  gpu: GpuUse | readonly string[],
  args: readonly string[] = [],
): {
  executablePath: string
  headless: boolean
  chromiumSandbox: boolean
  args: string[]
  ignoreDefaultArgs: string[]
  env: { [name: string]: string }
} {
  return {
    executablePath: path,
    headless: true,
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...browserArguments(gpu), ...args],
    // Playwright's own switch would offer a software adapter that nobody asked for.
    ignoreDefaultArgs: ['--enable-unsafe-swiftshader'],
    env: childEnvironment(),
  }
}
