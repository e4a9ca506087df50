/**
 * `npx tsx tests/requirements/main.ts [--sections A,B] [--strict]`: holds the rows of a requirements file against the tests that name them.
 *
 * A row is `| Item | Done means | … |` below a heading `## A. …`. A test names it when its title contains `A: Item`, as written there but
 * for backticks, backslashes and runs of blanks. Prints each row with its tests, then what is missing; with `--strict` a missing one
 * makes the exit code 1. The file is `--file`, by default the one beside the project; without it there is nothing to say.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { projectFolder } from '../../src/cli/browser/build.ts'

interface Row {
  readonly section: string
  readonly item: string
}

/** The rows of every lettered section, in order; headings and rulers of the tables left out. */
export function readRows(markdown: string): Row[] {
  const rows: Row[] = []
  let section: string | null = null
  for (const line of markdown.split('\n')) {
    const heading = /^## (.*)$/.exec(line)
    if (heading !== null) section = /^([A-Z])\. /.exec(heading[1] ?? '')?.[1] ?? null
    // A bar inside a cell is written `\|`.
    const item = /^\|((?:\\.|[^|\\])*)\|/.exec(line)?.[1]?.trim()
    if (section === null || item === undefined || item === 'Item' || /^-+$/.test(item)) continue
    rows.push({ section, item })
  }
  return rows
}

/** The text by which a row and a test's title are compared. */
export function plainText(text: string): string {
  return text.replace(/[`\\]/g, '').replace(/\s+/g, ' ').trim()
}

/** Files below `folder` that hold tests. */
function listTests(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(test|spec)\.ts$/.test(name))
    .map((name) => join(folder, name))
    .sort()
}

function main(): number {
  const { values } = parseArgs({
    options: { file: { type: 'string' }, sections: { type: 'string' }, strict: { type: 'boolean', default: false } },
  })
  const file = resolve(values.file ?? join(projectFolder, '../shared/reference/requirements.md'))
  if (!existsSync(file)) {
    process.stdout.write(`There is no requirements file at ${file}: nothing is checked.\n`)
    return 0
  }
  const wanted = values.sections?.split(',')
  const rows = readRows(readFileSync(file, 'utf8')).filter(({ section }) => wanted?.includes(section) ?? true)
  const tests = listTests(join(projectFolder, 'tests')).map((path) => ({
    path: relative(projectFolder, path),
    text: plainText(readFileSync(path, 'utf8')),
  }))
  const missing: Row[] = []
  for (const row of rows) {
    const name = `${row.section}: ${plainText(row.item)}`
    const named = tests.filter(({ text }) => text.includes(name)).map(({ path }) => path)
    if (named.length === 0) missing.push(row)
    else process.stdout.write(`${name}\n    ${named.join(', ')}\n`)
  }
  if (missing.length > 0) process.stdout.write(`\nNo test names these:\n`)
  for (const { section, item } of missing) process.stdout.write(`  ${section}: ${plainText(item)}\n`)
  process.stdout.write(`\n${rows.length - missing.length} of ${rows.length} rows have a test\n`)
  return values.strict && missing.length > 0 ? 1 : 0
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === resolve(projectFolder, 'tests/requirements/main.ts'))
  process.exitCode = main()
