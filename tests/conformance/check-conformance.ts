/** What `npm run conformance` does with its arguments. */
import { UsageError } from '../../src/cli/flags/flag-values.ts'
import { complain } from '../../src/cli/output/terminal.ts'
import { readCorpusLines, type CorpusLine } from './read-lines.ts'
import { runCorpus } from './run-corpus.ts'
import { formatFailure } from './verdict.ts'

const defaultDeadlineSeconds = 60
const usage = 'npm run conformance -- [--deadline SECONDS] FILE…'

function readArguments(argv: readonly string[]): { readonly files: readonly string[]; readonly deadlineMs: number } {
  const files: string[] = []
  let deadlineSeconds = defaultDeadlineSeconds
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] ?? ''
    if (arg === '--deadline') deadlineSeconds = Number(argv[++i])
    else if (arg.startsWith('-')) throw new UsageError(`There is no flag ${arg}: ${usage}`)
    else files.push(arg)
  }
  if (!(deadlineSeconds > 0)) throw new UsageError(`--deadline wants a number of seconds above 0: ${usage}`)
  if (files.length === 0) throw new UsageError(`No corpus file was given: ${usage}`)
  const corpora = files.filter((file) => /\.jsonl(?:\.gz)?$/.test(file))
  // A folder's `*` also names what describes the corpora.
  for (const file of files) if (!corpora.includes(file)) complain(`left out: ${file} is no .jsonl or .jsonl.gz\n`)
  if (corpora.length === 0) throw new UsageError(`None of the files is a .jsonl or .jsonl.gz: ${usage}`)
  return { files: corpora, deadlineMs: deadlineSeconds * 1000 }
}

function readAll(files: readonly string[]): readonly CorpusLine[] {
  return files.flatMap((file) => {
    try {
      return [...readCorpusLines(file)]
    } catch (error) {
      throw new UsageError(`${file} can't be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  })
}

/** The exit code. Rejects with a UsageError where the arguments or a file are wrong. */
export async function checkConformance(argv: readonly string[], print: (line: string) => void): Promise<number> {
  const { files, deadlineMs } = readArguments(argv)
  let [passed, failed] = [0, 0]
  await runCorpus(readAll(files), {
    deadlineMs,
    report: (verdict) => {
      if (verdict.difference === null) passed++
      else {
        failed++
        print(formatFailure(verdict))
      }
    },
  })
  print(`${passed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}
