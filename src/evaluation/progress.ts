/** Progress events: at most ten a second, with the running score of every task. */
import type { AnswerBook } from './answers.ts'
import type { Evaluation } from './ports.ts'
import { tokenRate } from './token-rate.ts'

const everyMs = 100

export interface ProgressReporter {
  /** Says how many requests were answered from the store. */
  kept(requests: number): void
  /** Says how many forward runs the model has made. */
  ran(runs: number): void
  report(): Promise<void>
  /** Follows a text of a doc; tells of it as often as of the rest. */
  writing(task: string, docId: number, maxTokens: number): WritingReporter
  /** Reports when the last report is old enough. */
  reportSometimes(): Promise<void>
}

export interface WritingReporter {
  /** The prompt was read. */
  begin(): void
  /** So many tokens are there, and the text ends so. */
  reached(tokens: number, tail: string): void
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
    writing(task, docId, maxTokens) {
      const rate = tokenRate(clock)
      let toldMs = -Infinity
      const tell = (tokens: number, tail: string): void => {
        toldMs = clock()
        emit({ type: 'generating', task, docId, tail, tokens, maxTokens, tokensPerSecond: rate.perSecond(tokens) })
      }
      return {
        begin() {
          rate.begin()
          tell(0, '')
        },
        reached(tokens, tail) {
          if (clock() - toldMs >= everyMs) tell(tokens, tail)
        },
      }
    },
    async reportSometimes() {
      if (clock() - lastMs >= everyMs) await report()
    },
  }
}
