/** Progress events: at most ten a second, with the running score of every task. */
import type { AnswerBook } from './answers.ts'
import type { Evaluation } from './ports.ts'

const everyMs = 100

export interface ProgressReporter {
  /** Says how many requests were answered from the store. */
  kept(requests: number): void
  /** Says how many forward runs the model has made. */
  ran(runs: number): void
  report(): Promise<void>
  /** Reports when the last report is old enough. */
  reportSometimes(): Promise<void>
}

export function progressReporter({ emit, text, clock }: Evaluation, book: AnswerBook, requestsTotal: number): ProgressReporter {
  let requestsKept = 0
  let runs = 0
  let lastMs = -Infinity
  async function report(): Promise<void> {
    lastMs = clock()
    const scores = await text.runningScores()
    emit({
      type: 'progress',
      docsDone: book.docsDone,
      docsTotal: book.docsTotal,
      requestsDone: book.requestsDone,
      requestsTotal,
      requestsKept,
      runs,
      scores,
    })
  }
  return {
    kept(requests) {
      requestsKept = requests
    },
    ran(count) {
      runs = count
    },
    report,
    async reportSometimes() {
      if (clock() - lastMs >= everyMs) await report()
    },
  }
}
