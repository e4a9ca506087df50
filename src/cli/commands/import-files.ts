/** `npm run eval -- import FILE…`: opens results files as the page does, and prints their tables. No browser is needed. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { openFiles } from '../../app/open/open-files.ts'
import { limits, type Note, type OpenedRun } from '../../app/open/opened-run.ts'
import type { NamedFile } from '../../app/open/read-lines.ts'
import { append } from '../../base/arrays.ts'
import { UsageError } from '../flags/flag-values.ts'
import { judgeFolder } from '../flags/judge-flags.ts'

/** Where relative paths start, and where words go: `print` is the command's answer, `say` what is said on the way. */
export interface Output {
  readonly from: string
  readonly json: boolean
  readonly say: (text: string) => void
  readonly print: (text: string) => void
}

/** Opens the files; a folder stands for the result files in it, or in the folders below it. `say` gets what isn't a result. Throws UsageError and `results/invalid`. */
export async function importFiles(paths: readonly string[], { from, json, say, print }: Output): Promise<void> {
  if (paths.length === 0) throw new UsageError('import wants files: results_*.json with samples_*.jsonl, or a run saved as one file')
  let next = 0
  const newId = (): string => `import-${(next += 1)}`
  const groups = paths.map((path) => (isFolder(path, from) ? filesOf(path, from) : [readNamed(path, from)]))
  // Files that are named one by one belong together; a folder of folders holds a run in each.
  const isTogether = paths.some((path) => !isFolder(path, from))
  const runs: OpenedRun[] = []
  for (const files of isTogether ? [unique(groups.flat(2))] : groups.flat()) append(runs, await openFiles(files, newId))
  for (const run of runs) {
    say(`${run.files.join(', ')}: ${countText(run)}; reported by whoever made it, not verified.`)
    for (const note of run.notes) say(noteText(note))
    for (const warning of run.summary.warnings) say(`Warning: ${warning}`)
    if (!json) print(run.summary.tableText)
  }
  if (json)
    print(
      JSON.stringify(
        runs.map(({ files, kind, summary, samples, notes }) => ({
          files,
          kind,
          table: summary.table,
          docs: Object.fromEntries([...samples].map(([task, views]) => [task, views.length])),
          notes,
        })),
        null,
        2,
      ),
    )
}

function unique(files: readonly NamedFile[]): readonly NamedFile[] {
  return [...new Map(files.map((file) => [file.name, file])).values()]
}

function isFolder(path: string, from: string): boolean {
  const place = resolve(from, path)
  return existsSync(place) && statSync(place).isDirectory()
}

/** The file, or the result files of a folder, not of those in it. Throws UsageError. */
function readNamed(path: string, from: string): readonly NamedFile[] {
  const place = resolve(from, path)
  if (!existsSync(place)) throw new UsageError(`there is no file ${path}`)
  const facts = statSync(place)
  if (facts.isDirectory()) {
    const names = readdirSync(place)
      .filter((name) => /\.(?:jsonl?|gz)$/.test(name))
      .sort()
    if (names.length === 0) throw new UsageError(`the folder ${path} holds no result files (*.json, *.jsonl, *.gz)`)
    return names.flatMap((name) => readNamed(join(path, name), from))
  }
  if (facts.size > limits.unpackedBytes) throw new UsageError(`${path} is larger than any result: ${facts.size} bytes`)
  return [{ name: path, file: new Blob([readFileSync(place)]) }]
}

/**
 * What a path stands for, as lists of files that are opened together: a results file brings the samples of its date along; a folder
 * without result files stands for the folders in it, as `--output_path` makes them.
 */
export function filesOf(path: string, from: string): readonly (readonly NamedFile[])[] {
  const place = resolve(from, path)
  if (!existsSync(place)) throw new UsageError(`there is no file ${path}`)
  if (statSync(place).isDirectory()) {
    const entries = readdirSync(place, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    if (entries.some((entry) => entry.isFile() && /\.(?:jsonl?|gz)$/.test(entry.name))) return [readNamed(path, from)]
    // What judges said lies beside the runs, and is none.
    const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== judgeFolder)
    if (folders.length === 0) throw new UsageError(`the folder ${path} holds no result files (*.json, *.jsonl, *.gz)`)
    return folders.flatMap(({ name }) => filesOf(join(path, name), from))
  }
  const date = /^results_(.+)\.json$/.exec(basename(place))?.[1]
  const companions =
    date === undefined
      ? []
      : readdirSync(dirname(place)).filter(
          (name) => name.startsWith('samples_') && /\.jsonl(?:\.gz)?$/.test(name) && name.includes(`_${date}.`),
        )
  return [[path, ...companions.sort().map((name) => join(dirname(path), name))].flatMap((each) => readNamed(each, from))]
}

function countText({ kind, samples }: OpenedRun): string {
  const docs = [...samples.values()].reduce((sum, views) => sum + new Set(views.map(({ docId }) => docId)).size, 0)
  return `${{ 'whole-run': 'a whole run', 'own-results': 'results of Yardstick', harness: 'a run of lm_eval' }[kind]}, samples of ${docs} docs`
}

function noteText(note: Note): string {
  switch (note.kind) {
    case 'no-samples':
      return 'There are no samples with it.'
    case 'no-results':
      return 'There is no results file with it: the scores are plain means of the samples.'
    case 'opencompass':
      return 'Predictions of OpenCompass: a prediction that is the gold answer to the letter counts as right.'
    case 'meta-evals':
      return 'Rows that Meta published: whether a reply is right is what is_correct says there.'
    case 'text-withheld':
      return 'The text of gated or private rows is left out.'
    case 'tasks-without-samples':
      return `No samples came for ${note.tasks.join(', ')}.`
  }
}
