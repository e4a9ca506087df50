/**
 * Compares the newest results file of the default run with the numbers stored in `tests/goldens/embedded/default-run.json`, exactly.
 * `--write` stores what the newest file says instead. Arguments: [--write] [FOLDER with results files, default results/].
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { projectFolder } from '../src/cli/browser/build.ts'

const goldenFile = join(projectFolder, 'tests', 'goldens', 'embedded', 'default-run.json')

type Scores = { readonly [task: string]: { readonly [metric: string]: unknown } }

/** What must be equal: every number of every task, and how many docs it is over. */
function readScores(file: string): Scores {
  const results = asRecord(asRecord(JSON.parse(readFileSync(file, 'utf8')))['results'])
  return Object.fromEntries(
    Object.entries(results).map(([task, row]) => [
      task,
      Object.fromEntries(
        Object.entries(asRecord(row)).filter(([key, value]) => key.includes(',') || (key === 'sample_len' && typeof value === 'number')),
      ),
    ]),
  )
}

function newestResults(folder: string): string | null {
  const files = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /(^|[/\\])results_[^/\\]*\.json$/.test(name))
    : []
  const paths = files.map((name) => join(folder, name)).sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  return paths[0] ?? null
}

function differences(found: Scores, wanted: Scores): string[] {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
  return names.flatMap((task) => {
    const keys = [...new Set([...Object.keys(wanted[task] ?? {}), ...Object.keys(found[task] ?? {})])]
    const differing = keys.filter((key) => JSON.stringify(found[task]?.[key]) !== JSON.stringify(wanted[task]?.[key]))
    return differing.map(
      (key) => `${task} ${key}: wanted ${JSON.stringify(wanted[task]?.[key])}, found ${JSON.stringify(found[task]?.[key])}`,
    )
  })
}

function main(argv: readonly string[]): number {
  const folder = argv.find((arg) => !arg.startsWith('--')) ?? join(projectFolder, 'results')
  const file = newestResults(folder)
  if (file === null) {
    process.stdout.write(`There is no results_*.json below ${folder}: npm run eval writes one.\n`)
    return 1
  }
  const found = readScores(file)
  if (argv.includes('--write')) {
    writeFileSync(goldenFile, `${JSON.stringify(found, null, 2)}\n`)
    process.stdout.write(`Stored the scores of ${relative(projectFolder, file)}.\n`)
    return 0
  }
  if (!existsSync(goldenFile)) {
    process.stdout.write(`${relative(projectFolder, goldenFile)} is missing: check the scores by hand, then store them with --write.\n`)
    return 1
  }
  const wanted: Scores = JSON.parse(readFileSync(goldenFile, 'utf8')) as Scores // written by this script
  const differing = differences(found, wanted)
  for (const line of differing) process.stdout.write(`${line}\n`)
  const count = Object.values(wanted).reduce((sum, row) => sum + Object.keys(row).length, 0)
  process.stdout.write(`${relative(projectFolder, file)}: ${count - differing.length} of ${count} expected numbers are equal\n`)
  return differing.length === 0 && count > 0 ? 0 : 1
}

function asRecord(value: unknown): { readonly [key: string]: unknown } {
  // A record of unknown values is the weakest claim about an object that isn't null.
  return typeof value === 'object' && value !== null ? (value as { readonly [key: string]: unknown }) : {}
}

process.exitCode = main(process.argv.slice(2))
