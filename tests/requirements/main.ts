/**
 * `npx tsx tests/requirements/main.ts`: the items of docs/requirements.md, each with the tests that name it, and what is missing.
 *
 * An item is the first cell of a row below a heading `## A. …`. A test names it when its title contains `A: Item`, as written there but
 * for backticks, backslashes and runs of blanks. The exit code is 1 when an item has no test.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'

interface NamedItem {
  /** `A: Item`, in plain text. */
  readonly name: string
  /** Paths of the tests that name it. */
  readonly tests: readonly string[]
}

/** The names of every lettered section's items, in order; headings and rulers of the tables left out. */
export function readItems(markdown: string): string[] {
  const names: string[] = []
  let section: string | null = null
  for (const line of markdown.split('\n')) {
    const heading = /^## (.*)$/.exec(line)
    if (heading !== null) section = /^([A-Z])\. /.exec(heading[1] ?? '')?.[1] ?? null
    // A bar inside a cell is written `\|`.
    const item = /^\|((?:\\.|[^|\\])*)\|/.exec(line)?.[1]?.trim()
    if (section === null || item === undefined || item === 'Item' || /^-+$/.test(item)) continue
    names.push(`${section}: ${plainText(item)}`)
  }
  return names
}

/** The text by which an item and a test's title are compared. */
function plainText(text: string): string {
  return text.replace(/[`\\]/g, '').replace(/\s+/g, ' ').trim()
}

/** Every item of docs/requirements.md with the tests of this project that name it. */
export function findTests(): NamedItem[] {
  const tests = readdirSync(join(projectFolder, 'tests'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|spec)\.ts$/.test(name))
    .map((name) => join(projectFolder, 'tests', name))
    .sort()
    .map((path) => ({ path: relative(projectFolder, path), text: plainText(readFileSync(path, 'utf8')) }))
  return readItems(readFileSync(join(projectFolder, 'docs/requirements.md'), 'utf8')).map((name) => ({
    name,
    tests: tests.filter(({ text }) => text.includes(name)).map(({ path }) => path),
  }))
}

function main(): number {
  const items = findTests()
  const missing = items.filter(({ tests }) => tests.length === 0)
  for (const { name, tests } of items) process.stdout.write(`${name}\n    ${tests.join(', ') || 'no test names it'}\n`)
  process.stdout.write(`\n${items.length - missing.length} of ${items.length} items have a test\n`)
  return missing.length > 0 ? 1 : 0
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === resolve(projectFolder, 'tests/requirements/main.ts'))
  process.exitCode = main()
