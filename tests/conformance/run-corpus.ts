/** Runs the lines of corpora on a few processes and reports them in order. */
import { availableParallelism } from 'node:os'
import { CaseProcess } from './case-process.ts'
import type { CorpusLine } from './read-lines.ts'
import { readCase, type Verdict } from './verdict.ts'

const maxProcesses = 4

export interface RunOptions {
  /** How long one case may take, in milliseconds. */
  readonly deadlineMs: number
  /** Told of every line, in the order of the lines. */
  readonly report: (verdict: Verdict) => void
}

/** Every line gets exactly one verdict. Rejects only when no process can be started. */
export async function runCorpus(lines: readonly CorpusLine[], { deadlineMs, report }: RunOptions): Promise<void> {
  const verdicts = new Map<number, Verdict>()
  let [next, reported] = [0, 0]
  const settle = (index: number, verdict: Verdict): void => {
    verdicts.set(index, verdict)
    for (let known = verdicts.get(reported); known !== undefined; known = verdicts.get(++reported)) {
      verdicts.delete(reported)
      report(known)
    }
  }
  const work = async (): Promise<void> => {
    const child = new CaseProcess(deadlineMs)
    try {
      while (next < lines.length) {
        const index = next++
        const at = lines[index]
        if (at === undefined) return
        const found = readCase(at)
        settle(index, 'at' in found ? found : { at, id: found.id, difference: await child.check(found.text) })
      }
    } finally {
      await child.close()
    }
  }
  const processes = Math.max(1, Math.min(maxProcesses, availableParallelism(), lines.length))
  await Promise.all(Array.from({ length: processes }, work))
}
