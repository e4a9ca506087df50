/** `npm test`: every check in order, one summary line each; stops at the first that fails and shows its output. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { projectFolder } from './lib/build.ts'

interface Check {
  readonly name: string
  readonly program: readonly string[]
}

const node = (script: string, ...args: string[]): string[] => [process.execPath, join(projectFolder, 'node_modules', script), ...args]
const tsx = (script: string): string[] => node('tsx/dist/cli.mjs', join('scripts', script))
const tsc = (project: string): string[] => node('typescript/bin/tsc', '-p', project)

const checks: readonly Check[] = [
  { name: 'format', program: node('prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.') },
  { name: 'lint', program: node('eslint/bin/eslint.js', '.', '--max-warnings', '0') },
  { name: 'layers', program: node('dependency-cruiser/bin/dependency-cruise.mjs', '--config', '.dependency-cruiser.js', 'src', 'workers') },
  { name: 'types: page', program: tsc('tsconfig.json') },
  { name: 'types: core', program: tsc('tsconfig.core.json') },
  { name: 'types: workers', program: tsc('tsconfig.workers.json') },
  { name: 'types: scripts and tests', program: tsc('tsconfig.node.json') },
  {
    name: 'types: components',
    program: node('svelte-check/bin/svelte-check', '--tsconfig', './tsconfig.json', '--fail-on-warnings', '--output', 'human'),
  },
  { name: 'unit tests', program: node('vitest/vitest.mjs', 'run') },
  { name: 'build', program: node('vite/bin/vite.js', 'build', '--logLevel', 'warn') },
  { name: 'size budget', program: tsx('size-budget.ts') },
  { name: 'licences', program: tsx('licences.ts') },
  { name: 'browser tests', program: tsx('browser-tests.ts') },
]

/** Runs one check; its output is kept back unless it fails. `lastLine` is the last line that it printed. */
function run({ program }: Check): { readonly passed: boolean; readonly output: string; readonly lastLine: string } {
  const [file = '', ...args] = program
  const env = { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' }
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd: projectFolder,
    env,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  const output = `${stdout}${stderr}${error === undefined ? '' : error.message}`
  const lines = stdout.split('\n').filter((line) => line.trim() !== '')
  return { passed: status === 0, output, lastLine: lines.at(-1)?.trim() ?? '' }
}

/** Without the tests that passed: where a log is kept only from its beginning, the failures must stand there. */
function withoutPasses(output: string): string {
  return output
    .split('\n')
    .filter((line) => !/^\s*[✓-]\s/u.test(line))
    .join('\n')
}

/** Checks whose last line says more than that they passed. */
const telling = new Set(['size budget', 'licences', 'browser tests', 'layers'])

function main(): number {
  let passed = 0
  for (const check of checks) {
    const startMs = performance.now()
    const result = run(check)
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1)
    process.stdout.write(
      `${result.passed ? 'ok    ' : 'FAILED'} ${check.name.padEnd(26)} ${seconds.padStart(6)} s${result.passed && telling.has(check.name) ? `  ${result.lastLine}` : ''}\n`,
    )
    if (!result.passed) {
      process.stdout.write(`${withoutPasses(result.output).trimEnd()}\n\n${passed} passed, 1 failed\n`)
      return 1
    }
    passed++
  }
  process.stdout.write(`${passed} passed, 0 failed\n`)
  return 0
}

process.exitCode = main()
