/** Which answers of a plan are known, and which docs are complete by them. */
import { append } from '../base/arrays.ts'
import { EvalError } from '../base/errors.ts'
import type { RequestAnswer } from '../contracts/built-task.ts'
import { isGenerated, isGeneration, type ItemAnswer } from '../contracts/items.ts'
import type { Plan } from '../planning/plan.ts'

/** A doc whose requests are all answered, ready for the text worker. */
export interface FinishedDoc {
  readonly task: number
  readonly answers: readonly RequestAnswer[]
}

/**
 * Collects answers by plan position and tells which docs they complete.
 *
 * A request of several pieces (a rolling log-likelihood's windows) is answered by their sum in order, as the harness sums windows,
 * and is greedy when every piece is. A text's pieces are its repeats.
 */
export class AnswerTracker {
  readonly #plan: Plan
  readonly #answers: (ItemAnswer | null)[]
  /** Requests still open, per doc; docs are keyed `task:docId`. */
  readonly #open = new Map<string, number>()
  readonly #requestsOfDoc = new Map<string, number[]>()
  /** Per item: requests that wait for it. */
  readonly #requestsOfItem: number[][]
  readonly #missingPieces: number[]
  requestsDone = 0
  docsDone = 0

  constructor(plan: Plan) {
    this.#plan = plan
    this.#answers = plan.items.map(() => null)
    this.#requestsOfItem = plan.items.map(() => [])
    this.#missingPieces = plan.requests.map((request) => request.pieces.length)
    plan.requests.forEach((request, index) => {
      const doc = `${request.task}:${request.docId}`
      this.#open.set(doc, (this.#open.get(doc) ?? 0) + 1)
      const others = this.#requestsOfDoc.get(doc)
      if (others === undefined) this.#requestsOfDoc.set(doc, [index])
      else others.push(index)
      for (const piece of request.pieces) this.#requestsOfItem[piece.item]?.push(index)
    })
  }

  get docsTotal(): number {
    return this.#open.size
  }

  isAnswered(item: number): boolean {
    return this.#answers[item] !== null
  }

  /** Requests without any piece (an empty rolling text scores 0) complete their docs at once. */
  finishEmpty(): FinishedDoc[] {
    return this.#plan.requests.flatMap((request, index) => (request.pieces.length === 0 ? this.#finishRequest(index) : []))
  }

  /** Enters the answers of one item and gives the docs that they complete. */
  enter(item: number, answer: ItemAnswer): FinishedDoc[] {
    const planned = this.#plan.items[item]
    if (planned === undefined) throw new RangeError(`no plan item ${item}`)
    if (isGeneration(planned) !== isGenerated(answer))
      throw new EvalError('engine/failed', `Item ${item} was answered with another kind of answer than it asked for.`)
    if (!isGeneration(planned) && !isGenerated(answer) && answer.answers.length !== planned.targets.length) {
      throw new EvalError('engine/failed', `Item ${item} has ${planned.targets.length} targets, but ${answer.answers.length} answers came.`)
    }
    if (this.isAnswered(item)) return []
    this.#answers[item] = answer
    const finished: FinishedDoc[] = []
    for (const request of this.#requestsOfItem[item] ?? []) {
      const missing = (this.#missingPieces[request] ?? 0) - 1
      this.#missingPieces[request] = missing
      if (missing === 0) append(finished, this.#finishRequest(request))
    }
    return finished
  }

  #finishRequest(index: number): FinishedDoc[] {
    const request = this.#plan.requests[index]
    if (request === undefined) throw new RangeError(`no request ${index}`)
    this.requestsDone += 1
    const doc = `${request.task}:${request.docId}`
    const open = (this.#open.get(doc) ?? 0) - 1
    this.#open.set(doc, open)
    if (open > 0) return []
    this.docsDone += 1
    const answers = (this.#requestsOfDoc.get(doc) ?? []).map((one) => this.#answerOf(one))
    return [{ task: request.task, answers }]
  }

  #answerOf(index: number): RequestAnswer {
    const request = this.#plan.requests[index]
    if (request === undefined) throw new RangeError(`no request ${index}`)
    const generated: Int32Array[] = []
    let logprob = 0
    let isGreedy = true
    let tokenLogprobs: readonly number[] | null = null
    for (const { item, target } of request.pieces) {
      const whole = this.#answers[item]
      if (whole !== undefined && whole !== null && isGenerated(whole)) {
        generated.push(whole.tokens)
        continue
      }
      const answer = whole?.answers[target]
      if (answer === undefined) throw new EvalError('internal', `Request ${index} is counted as answered, but item ${item} is not.`)
      logprob += answer.logprob
      isGreedy &&= answer.isGreedy
      // A copy: a message takes the whole buffer of a view along.
      tokenLogprobs = request.pieces.length === 1 ? Array.from(whole?.tokenLogprobs[target] ?? []) : null
    }
    if (generated.length > 0) return { request: request.request, generated }
    return { request: request.request, logprob, isGreedy, ...(tokenLogprobs === null ? {} : { tokenLogprobs }) }
  }
}
