/** `npm run eval -- import FILE…`: opens results files as the page does, and prints their tables. No browser is needed. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openFiles } from '../../src/app/open/open-files.ts'
import { limits, type Note, type OpenedRun } from '../../src/app/open/opened-run.ts'
import type { NamedFile } from '../../src/app/open/read-lines.ts'
import { UsageError } from './args.ts'

/** Where relative paths start, and where words go: `print` is the command's answer, `say` what is said on the way. */
export interface Output {
  readonly from: string
  readonly json: boolean
  readonly say: (text: string) => void
  readonly print: (text: string) => void
}

/** Opens the files; a folder stands for the result files in it. `say` gets what isn't a result. Throws UsageError and `results/invalid`. */
export async function importFiles(paths: readonly string[], { from, json, say, print }: Output): Promise<void> {
  if (paths.length === 0) throw new UsageError('import wants files: results_*.json with samples_*.jsonl, or a run saved as one file')
  let next = 0
  const runs = await openFiles(
    paths.flatMap((path) => readNamed(path, from)),
    () => `import-${(next += 1)}`,
  )
  for (const run of runs) {
    say(`${run.files.join(', ')}: ${countText(run)}; reported by whoever made it, not verified.`)
    for (const note of run.notes) say(noteText(note))
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

/** The file, or the result files of a folder, not of those in it. Throws UsageError. */
export function readNamed(path: string, from: string): readonly NamedFile[] {
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

function countText({ kind, samples }: OpenedRun): string {
  const docs = [...samples.values()].reduce((sum, views) => sum + new Set(views.map(({ docId }) => docId)).size, 0)
  return `${kind === 'whole-run' ? 'a whole run' : 'a run of lm_eval'}, samples of ${docs} docs`
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
