/** Progress events: at most ten a second, with the running score of every task. */
import type { AnswerTracker } from './answers.ts'
import { tokenRate } from './model/token-rate.ts'
import type { Evaluation } from './ports.ts'

const everyMs = 100

export interface ProgressReporter {
  /** Says how many requests were answered from the store. */
  kept(requests: number): void
  /** Says how much work there is for the model, in planned tokens. */
  planned(work: number): void
  /** Says how many forward runs the model has made, and how much of the work the last ones did. */
  ran(runs: number, work: number): void
  report(): Promise<void>
  /** Follows the texts of a batch; tells of one of them as often as of the rest. */
  writing(texts: readonly WrittenText[]): WritingReporter
  /** Reports when the last report is old enough. */
  reportSometimes(): Promise<void>
}

export interface WrittenText {
  readonly task: string
  readonly docId: number
  readonly maxTokens: number
  /** Tokens that were written in an earlier session. */
  readonly tokens: number
}

export interface WritingReporter {
  /** The prompts were read. */
  begin(): void
  /** So many tokens of text `index` are there, and it ends so. */
  reached(index: number, tokens: number, tail: string, isDone: boolean): void
}

export function progressReporter({ emit, text, clock }: Evaluation, book: AnswerTracker, requestsTotal: number): ProgressReporter {
  let requestsKept = 0
  let runs = 0
  let work = { done: 0, total: 0 }
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
      work,
      scores,
    })
  }
  return {
    kept(requests) {
      requestsKept = requests
    },
    planned(total) {
      work = { done: 0, total }
    },
    ran(count, done) {
      runs = count
      work = { ...work, done: work.done + done }
    },
    report,
    writing(texts) {
      const rate = tokenRate(clock)
      let toldMs = -Infinity
      const counts = texts.map(({ tokens }) => tokens)
      const before = counts.reduce((sum, count) => sum + count, 0)
      const done = new Set<number>()
      const tell = (index: number, tail: string): void => {
        const text = texts[index]
        if (text === undefined) return
        toldMs = clock()
        const written = counts.reduce((sum, count) => sum + count, 0) - before
        emit({ type: 'generating', ...text, tail, tokens: counts[index] ?? 0, tokensPerSecond: rate.perSecond(written) })
      }
      return {
        begin() {
          rate.begin()
          tell(0, '')
        },
        // Of several the first that goes on is shown, so that one can read along.
        reached(index, tokens, tail, isDone) {
          counts[index] = tokens
          const shown = texts.findIndex((_, at) => !done.has(at))
          if (index === shown && clock() - toldMs >= everyMs) tell(index, tail)
          if (isDone || tokens >= (texts[index]?.maxTokens ?? 0)) done.add(index)
        },
      }
    },
    async reportSometimes() {
      if (clock() - lastMs >= everyMs) await report()
    },
  }
}
