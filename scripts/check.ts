/**
 * `npm test`: every check, one summary line each; stops after the first stage in which one fails and shows its output. `npm test -- --long`
 * takes the long form of the tests that have one (CONTRIBUTING.md names them).
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../src/cli/browser/build.ts'

interface Check {
  readonly name: string
  readonly program: readonly string[]
}

const node = (script: string, ...args: string[]): string[] => [process.execPath, join(projectFolder, 'node_modules', script), ...args]
const tsx = (script: string): string[] => node('tsx/dist/cli.mjs', join('scripts', script))
/** TypeScript's own compiler in Go, which takes a fifth of the time; what needs the compiler as a library has the one in JavaScript. */
const tsgo = (project: string): string[] => node('@typescript/native-preview/bin/tsgo', '-p', project)

/** Checks that need nothing of each other: one more of them at once than there are cores, since one waits for the network. The longest first, so that none is waited for. */
const still: readonly Check[] = [
  { name: 'lint: components', program: node('eslint/bin/eslint.js', 'src', '--max-warnings', '0') },
  { name: 'real tokenizers', program: node('tsx/dist/cli.mjs', 'tests/tokenizers/fetch-tokenizers.ts') },
  { name: 'format: components', program: node('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', 'src/**/*.svelte') },
  {
    name: 'layers',
    program: node(
      'dependency-cruiser/bin/dependency-cruise.mjs',
      '--config',
      '.dependency-cruiser.js',
      'src',
      'workers',
      'scripts',
      'tools',
      'tests',
    ),
  },
  { name: 'lint: modules', program: node('oxlint/bin/oxlint', '--max-warnings', '0') },
  { name: 'format', program: node('oxfmt/bin/oxfmt', '--check') },
  { name: 'types: core', program: tsgo('tsconfig.core.json') },
  { name: 'types: workers', program: tsgo('tsconfig.workers.json') },
  { name: 'types: scripts and tests', program: tsgo('tsconfig.node.json') },
  {
    // The page's project, components and modules alike: tsgo -p tsconfig.json would look at the modules again.
    name: 'types: page',
    program: node('svelte-check/bin/svelte-check', '--tsgo', '--tsconfig', './tsconfig.json', '--fail-on-warnings', '--output', 'human'),
  },
  { name: 'licences', program: tsx('licences.ts') },
  // One thread for most of its time.
  { name: 'build', program: node('vite/bin/vite.js', 'build', '--logLevel', 'warn') },
]

/** Stages come one after the other: what is measured or driven in a browser has the machine for itself. */
const stages: readonly (readonly Check[])[] = [
  still,
  [{ name: 'unit tests', program: node('vitest/vitest.mjs', 'run') }],
  [{ name: 'size budget', program: tsx('size-budget.ts') }],
  [{ name: 'browser tests', program: tsx('browser-tests.ts') }],
]

interface Outcome {
  readonly check: Check
  readonly passed: boolean
  readonly output: string
  /** The last line that it printed. */
  readonly lastLine: string
  readonly seconds: number
}

/** Runs one check; its output is kept back unless it fails. */
function run(check: Check, isLong: boolean): Promise<Outcome> {
  const [file = '', ...args] = check.program
  const env = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1', ...(isLong ? { YARDSTICK_LONG: '1' } : {}) }
  const startMs = performance.now()
  const child = spawn(file, args, { cwd: projectFolder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part))
  child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part))
  return new Promise((settle) => {
    const end = (passed: boolean, failure: string): void => {
      const lines = stdout.split('\n').filter((line) => line.trim() !== '')
      const seconds = (performance.now() - startMs) / 1000
      settle({ check, passed, output: `${stdout}${stderr}${failure}`, lastLine: lines.at(-1)?.trim() ?? '', seconds })
    }
    child.on('error', ({ message }) => end(false, message))
    child.on('close', (status) => end(status === 0, ''))
  })
}

/** Runs the checks of a stage, a few at a time, and calls back as each ends. */
async function runStage(checks: readonly Check[], isLong: boolean, tell: (outcome: Outcome) => void): Promise<void> {
  const waiting = [...checks]
  const lane = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) tell(await run(check, isLong))
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism() + 1) }, lane))
}

/** Without the tests that passed: where a log is kept only from its beginning, the failures must stand there. */
function withoutPasses(output: string): string {
  return output
    .split('\n')
    .filter((line) => !/^\s*[✓-]\s/u.test(line))
    .join('\n')
}

/** Checks whose last line says more than that they passed. */
const telling = new Set(['size budget', 'licences', 'browser tests', 'layers', 'real tokenizers'])

function summaryLine({ check, passed, lastLine, seconds }: Outcome): string {
  const tells = passed && telling.has(check.name) ? `  ${lastLine}` : ''
  return `${passed ? 'ok    ' : 'FAILED'} ${check.name.padEnd(26)} ${seconds.toFixed(1).padStart(6)} s${tells}\n`
}

async function main(argv: readonly string[]): Promise<number> {
  const unknown = argv.find((arg) => arg !== '--long')
  if (unknown !== undefined) {
    process.stderr.write(`${unknown} is no flag of npm test: wanted --long or nothing\n`)
    return 2
  }
  let passed = 0
  for (const stage of stages) {
    const failed: Outcome[] = []
    await runStage(stage, argv.includes('--long'), (outcome) => {
      process.stdout.write(summaryLine(outcome))
      if (outcome.passed) passed += 1
      else failed.push(outcome)
    })
    if (failed.length > 0) {
      for (const { output } of failed) process.stdout.write(`${withoutPasses(output).trimEnd()}\n\n`)
      process.stdout.write(`${passed} passed, ${failed.length} failed\n`)
      return 1
    }
  }
  process.stdout.write(`${passed} passed, 0 failed\n`)
  return 0
}

process.exitCode = await main(process.argv.slice(2))
