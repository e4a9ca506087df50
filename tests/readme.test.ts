/** What the documents say of the project, held to what decides it: commands, flags, benchmarks, paths and limits. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lessonSteps } from '../src/analysis/lab/lesson.ts'
import { benchmarks } from '../src/app/setup/benchmarks.ts'
import { errorCodes } from '../src/base/errors.ts'
import { projectFolder } from '../src/cli/browser/build.ts'
import { allFlags, commands, fileFlags } from '../src/cli/flags/flags.ts'
import { wasmHeapBytes } from '../src/engines/memory.ts'
import { batchItems } from '../src/planning/plan.ts'
import { mostTextsTogether } from '../src/planning/token-tree.ts'
import { en } from '../src/ui/i18n/en.ts'
import { makeTaskPack } from '../tools/build/task-pack.ts'
import { testedFirefox } from './other-browsers/firefox.ts'
import { testedWebKit } from './other-browsers/webkit.ts'
import { formatParityHelp } from './parity/args.ts'
import { equalShare, followingShare, logprobTolerance, rollingShare } from './parity/compare.ts'

const read = (path: string): string => readFileSync(join(projectFolder, path), 'utf8')
const markdownIn = (folder: string): string[] =>
  readdirSync(join(projectFolder, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)

const guides = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'] as const
const documents = [...guides, ...markdownIn('docs'), ...markdownIn('docs/decisions')]
const readme = read('README.md')
/** README.md on one line, for sentences that are broken somewhere. */
const flowing = readme.replace(/\s+/g, ' ')
const { scripts, engines } = JSON.parse(read('package.json')) as { scripts: Record<string, string>; engines: { node: string } }

/** Every match's first group. */
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, group = '']) => group)

describe('commands', () => {
  test.each(guides)('every npm script that %s names is in package.json', (path) => {
    const named = found(read(path), /npm run ([\w:-]+)/g)
    expect(named).not.toEqual([])
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  test('every flag in README.md is one of the command line or of npm run parity', () => {
    const known = [...[...allFlags, ...fileFlags].map(({ name }) => name), ...found(formatParityHelp(), /^ {2}--(\w+)/gm)]
    expect(found(readme, /--([a-z][\w-]*)/g).filter((name) => !known.includes(name))).toEqual([])
  })

  test('every command of npm run eval in README.md exists', () => {
    const named = found(readme, /npm run eval -- ([a-z]+)/g)
    expect(named).toContain('compare')
    expect(named.filter((name) => !commands.some((command) => command === name))).toEqual([])
  })
})

describe('benchmarks', () => {
  const names = makeTaskPack(join(projectFolder, 'public/tasks')).listing.map(({ name }) => name)
  const [, list = ''] = /## Known benchmarks\n([\s\S]*?)Their rows come from the Hub/.exec(readme) ?? []
  const rows = found(read('docs/benchmarks.md'), /^\| (?!benchmark|---)(.*) \|$/gm).map((row) => {
    const [titles = '', cell = ''] = row.split(' | ')
    return { titles: titles.split(',').map((title) => title.replace(/\(.*\)/, '').trim()), tasks: found(cell, /`([^`]+)`/g) }
  })

  test('README.md lists those of docs/benchmarks.md, whose names are tasks that are here', () => {
    const listed = list
      .replace(/\([^)]*\)|`[^`]*`/g, '')
      .split(/,|\band\b|\.\s/)
      .map((part) => /^\s*(?:so do )?([A-Z][\w-]*(?: [A-Z][\w-]*)*)/.exec(part)?.[1] ?? '')
      .filter((title) => title !== '')
    expect(listed.length).toBeGreaterThan(25)
    expect(listed.filter((title) => !rows.some(({ titles }) => titles.includes(title)))).toEqual([])
    // `<1-5>` stands for something that differs.
    const matches = (name: string): boolean => {
      const pattern = new RegExp(`^${name.replace(/<[^>]*>/g, '.+')}$`)
      return names.some((one) => pattern.test(one))
    }
    expect(rows.flatMap(({ tasks }) => tasks).filter((name) => !matches(name))).toEqual([])
  })

  test('every task that README.md names in a command is here, but for the made-up one', () => {
    const asked = [...found(readme, /--tasks ([\w,]+)/g).flatMap((tasks) => tasks.split(',')), ...found(list, /`(\w+)`/g)]
    expect(asked.filter((name) => !names.includes(name) && !['bundled', 'my_task'].includes(name))).toEqual([])
  })

  test("the cards of the page are named in README.md's list, and their tasks are here", () => {
    for (const { id, tasks } of benchmarks) {
      expect(list).toContain(en[`bench.${id}`])
      expect(tasks.filter((name) => !names.includes(name))).toEqual([])
    }
  })
})

describe('paths', () => {
  const rooms = readdirSync(join(projectFolder, 'src'))
  const tops = ['src', 'tests', 'tools', 'docs', 'scripts', 'public', 'workers', 'stubs']
  const paths = tops.flatMap((top) => [
    top,
    ...readdirSync(join(projectFolder, top), { recursive: true, encoding: 'utf8' }).map((path) => `${top}/${path.replaceAll('\\', '/')}`),
  ])
  /** Every end of a path that begins after a slash: what ARCHITECTURE.md calls a file by within a room. */
  const ends = new Set(paths.flatMap((path) => path.split('/').map((_, at, parts) => parts.slice(at).join('/'))))

  /** Names of other projects, of made files and of examples. */
  const foreign = [
    'data/stream/x-rows.ts',
    'data/test.jsonl',
    'categories.py',
    'evaluate.py',
    'prepare_meta_eval.py',
    'leaderboard/ifeval/utils.py',
    'list-models.ts',
    'transformers.js',
  ]

  /** Whether a word is meant as a path of this repository, of code or of a folder; templates, globs and error codes aren't. */
  function isPath(word: string): boolean {
    if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(word) || foreign.includes(word) || errorCodes.some((code) => code === word)) return false
    // A model's repository has a folder of the same name as our room `onnx`.
    if (/(^|\/)(P|NAME|FOLDER)\b|\.onnx$/.test(word)) return false
    const [first = ''] = word.split('/')
    return /\.(ts|svelte|js|py|sh|md)$/.test(word) || (word.includes('/') && [...tops, ...rooms].includes(first))
  }

  const exists = (word: string): boolean => ends.has(word.replace(/\/$/, '')) || existsSync(join(projectFolder, word))

  test.each(documents)('every path and link in %s leads somewhere', (path) => {
    const text = read(path)
    const words = found(text, /`([^`\n]+)`/g).flatMap((code) => code.split(/\s+/))
    expect(words.filter((word) => isPath(word) && !exists(word))).toEqual([])
    const links = found(text, /\]\(([^)#\s]+)(?:#[^)]*)?\)/g).filter((link) => !/^https?:/.test(link))
    expect(links.filter((link) => !existsSync(join(projectFolder, normalize(join(dirname(path), link)))))).toEqual([])
  })

  test('a path that is gone is found', () => {
    expect(['src/core', 'surgery/wire.ts', 'engines/nowhere/'].map((word) => isPath(word) && !exists(word))).toEqual([true, true, true])
    expect(['engines/graph/', 'packing.ts', 'graph-rewriting/packing.ts'].map((word) => isPath(word) && exists(word))).toEqual([
      true,
      true,
      true,
    ])
    expect(isPath('storage/fenced')).toBe(false)
  })
})

describe('limits in README.md are those of the code', () => {
  const word = (count: number): string => ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'][count] ?? String(count)

  test.each([
    ['Node', `You need Node ${engines.node.replace('>=', '')} or later`],
    ['what a batch holds', `${word(batchItems)} questions each`],
    ['texts written together', `the last second of the ${word(mostTextsTogether)} texts being written`],
    ['Firefox', `are tested in ${testedFirefox} and`],
    ['WebKit', `and ${testedWebKit} too`],
    ['memory of WASM', `WASM's ${wasmHeapBytes / 2 ** 30} GB`],
    ["the lesson's steps", `a lesson in ${word(lessonSteps.length)} steps`],
    ['log-probabilities', `every log-probability within ${logprobTolerance.toExponential()} nats`],
    ['rolling log-probabilities', `within ${rollingShare.toExponential()} of its size`],
    ['metrics', `metrics equal to ${equalShare.toExponential()}`],
    ['metrics that follow', `such as perplexity, to a ${followingShare === 1e-3 ? 'thousandth' : String(followingShare)}`],
  ])('%s', (_, sentence) => {
    expect(flowing).toContain(sentence)
  })
})
