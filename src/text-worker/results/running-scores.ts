/** Scores over the docs that are finished so far, for the live view; the results are computed anew at the end. */
import { hasFailed } from '../../analysis/scores/answer-failures.ts'
import { isEvalError } from '../../base/errors.ts'
import { wilsonInterval } from '../../base/wilson-interval.ts'
import type { RunningScore } from '../../contracts/progress.ts'
import { collectSamples, type AnsweredDoc, type SampleWatch } from '../../harness/results/samples-file.ts'
import { toNumber } from '../../python/value.ts'
import type { TaskScorer } from '../task-scorer.ts'

/** Means of one task's metrics; only those with aggregation `mean` and values between 0 and 1, where an interval means something. */
export class RunningScores {
  readonly #scorer: TaskScorer
  readonly #watched: SampleWatch | undefined
  readonly #sums = new Map<string, { sum: number; n: number }>()
  /** What the first filter leaves where it finds no answer; null when it doesn't search. */
  readonly #fallback: string | null
  #failed = 0
  #isGivenUp = false

  constructor(scorer: TaskScorer, watched?: SampleWatch, fallback: string | null = null) {
    this.#scorer = scorer
    this.#fallback = fallback
    this.#watched = watched
  }

  add(docs: readonly AnsweredDoc[]): void {
    const [first] = this.#scorer.pipelines
    if (first === undefined || this.#isGivenUp || docs.length === 0) return
    try {
      const { lines, values } = collectSamples(docs, [first], this.#scorer.score, this.#watched)
      const fallback = this.#fallback
      if (fallback !== null) this.#failed += lines.filter((line) => hasFailed(line, fallback)).length
      for (const { metric, items } of values) {
        if (!this.#scorer.isMean(metric)) continue
        const known = this.#sums.get(metric) ?? { sum: 0, n: 0 }
        for (const item of items) {
          known.sum += toNumber(item) ?? NaN
          known.n += 1
        }
        this.#sums.set(metric, known)
      }
    } catch (error) {
      // A doc that can't be scored fails the run where its results are made, with the doc named; here it only ends the preview.
      if (!isEvalError(error)) throw error
      this.#isGivenUp = true
    }
  }

  read(task: string): RunningScore[] {
    const failures = this.#fallback === null ? {} : { failed: this.#failed }
    return [...this.#sums].flatMap(([metric, { sum, n }]) => {
      const value = sum / n
      return value >= 0 && value <= 1 ? [{ task, metric, value, n, ...wilsonInterval(sum, n), ...failures }] : []
    })
  }
}
