/** A task between its requests and its results: docs with text requests, their encoding, and the answers as they come. */
import { EvalError, unreachable } from '../core/errors.ts'
import { requestArguments, type DocRequests } from '../core/output-types.ts'
import type { PyDict } from '../core/python/value.ts'
import { responseValue } from '../core/process-results.ts'
import type { AnsweredDoc, AnsweredRequest } from '../core/results-samples.ts'
import type { Task } from '../core/task.ts'
import { unwatched, type Watch } from '../core/watch.ts'
import type { EncodedRequest, ModelResponse, RequestAnswer, TextRequest } from '../core/types.ts'
import { ownSampleOf } from '../core/own-samples.ts'
import { encodeChoiceToken } from './choice-tokens.ts'
import { encodeLoglikelihood, encodeRolling } from './encode.ts'
import { RunningScores } from './running-scores.ts'
import type { TaskScorer } from './task-scorer.ts'
import type { Tokenizer } from './tokenizer.ts'

export interface BuiltTaskOptions {
  readonly task: Task
  readonly scorer: TaskScorer
  readonly docs: readonly DocRequests[]
  readonly numFewshot: number
  readonly generationKwargs: PyDict | null
  /** Ids of docs that are asked but not scored, because a filter or metric never ended on them. */
  readonly leftOut?: readonly number[]
  readonly watch?: Watch
}

export class BuiltTextTask {
  readonly task: Task
  readonly scorer: TaskScorer
  readonly numFewshot: number
  readonly generationKwargs: PyDict | null
  readonly running: RunningScores
  readonly watch: Watch
  readonly #leftOut: ReadonlySet<number>
  readonly #docs: readonly DocRequests[]
  /** Position of each doc's first request. */
  readonly #starts: readonly number[]
  readonly #answers: (RequestAnswer | undefined)[]
  readonly #tokenCounts: number[] = []

  constructor({ task, scorer, docs, numFewshot, generationKwargs, leftOut = [], watch = unwatched }: BuiltTaskOptions) {
    this.task = task
    this.scorer = scorer
    this.numFewshot = numFewshot
    this.generationKwargs = generationKwargs
    this.watch = watch
    this.running = new RunningScores(scorer, { task: task.name, watch })
    this.#leftOut = new Set(leftOut)
    this.#docs = docs
    let next = 0
    this.#starts = docs.map((doc) => {
      const start = next
      next += doc.requests.length
      return start
    })
    this.#answers = Array.from({ length: next })
  }

  /** Every request as text, in order. */
  get texts(): readonly TextRequest[] {
    return this.#docs.flatMap(({ requests }) => requests)
  }

  get docCount(): number {
    return this.#docs.length
  }

  /** Of each doc, the examples that its prompt shows. */
  get shots(): readonly Pick<DocRequests, 'shots' | 'fits'>[] {
    return this.#docs
  }

  /** Every request as token ids, in order. Throws `engine/prompt-too-long`, and `task/unsupported` for generation. */
  encode(tokenizer: Tokenizer): EncodedRequest[] {
    return this.#docs.flatMap((doc) =>
      doc.requests.map((request, idx) => {
        const pieces = encodePieces(this.task, doc.docId, request, tokenizer)
        this.#tokenCounts.push(pieces.reduce((sum, piece) => sum + piece.target.length, 0))
        return { docId: doc.docId, idx, pieces }
      }),
    )
  }

  /** Enters answers of whole docs. */
  answer(answers: readonly RequestAnswer[]): void {
    for (const answer of answers) {
      if (answer.request < 0 || answer.request >= this.#answers.length) {
        throw new EvalError(
          'worker/message',
          `Task ${this.task.name} has ${this.#answers.length} requests, but an answer came for number ${answer.request}.`,
        )
      }
      this.#answers[answer.request] = answer
    }
    const touched = new Set(answers.map((answer) => answer.request))
    const isScored = (index: number): boolean => touched.has(this.#starts[index] ?? -1) && !this.#isLeftOut(index)
    this.running.add(this.#docs.flatMap((_, index) => (isScored(index) ? [this.#answered(index)] : [])))
  }

  /** All docs with their answers, but for those left out. Throws when an answer is missing, or when no doc is left. */
  answered(): AnsweredDoc[] {
    const answered = this.#docs.flatMap((_, index) => (this.#isLeftOut(index) ? [] : [this.#answered(index)]))
    if (answered.length === 0)
      throw new EvalError('regex/timeout', `Task ${this.task.name} has no doc left to score: its filters or metrics end on none.`)
    return answered
  }

  #isLeftOut(index: number): boolean {
    const docId = this.#docs[index]?.docId
    return docId !== undefined && this.#leftOut.has(docId)
  }

  #answered(index: number): AnsweredDoc {
    const doc = this.#docs[index]
    const start = this.#starts[index]
    if (doc === undefined || start === undefined) throw new RangeError(`no doc ${index}`)
    const logprobs = doc.requests.map((_request, idx) => this.#answers[start + idx]?.logprob ?? NaN)
    const own = ownSampleOf(this.task.config.own, doc, logprobs)
    return {
      ...(own === null ? {} : { own }),
      docId: doc.docId,
      doc: doc.doc,
      target: doc.target,
      requests: doc.requests.map((request, idx) => this.#answeredRequest(request, start + idx)),
    }
  }

  #answeredRequest(request: TextRequest, position: number): AnsweredRequest {
    const answer = this.#answers[position]
    if (answer === undefined) throw new EvalError('internal', `Request ${position} of ${this.task.name} has no answer.`)
    const response = responseValue(responseOf(request, answer))
    return {
      args: requestArguments(request),
      // Scoring is deterministic: every repeat gives the same answer.
      responses: Array.from({ length: this.task.config.repeats }, () => response),
      tokenCount: this.#tokenCounts[position] ?? null,
    }
  }
}

function encodePieces(task: Task, docId: number, request: TextRequest, tokenizer: Tokenizer): EncodedRequest['pieces'] {
  try {
    switch (request.type) {
      case 'loglikelihood':
        return task.config.own.choiceTokens === 'continuation'
          ? [encodeLoglikelihood(tokenizer, request.context, request.continuation)]
          : [encodeChoiceToken(tokenizer, request.context, request.continuation)]
      case 'loglikelihood_rolling':
        return encodeRolling(tokenizer, request.text)
      case 'generate_until':
        throw new EvalError(
          'task/unsupported',
          `Task ${task.name} asks for generated text (generate_until), which this version can't make yet; tasks of the other output types run.`,
        )
      default:
        return unreachable(request)
    }
  } catch (cause) {
    if (!(cause instanceof EvalError) || cause.code === 'task/unsupported') throw cause
    throw new EvalError(cause.code, `Task ${task.name}, doc ${docId}: ${cause.message}`, { cause, details: { ...cause.details, docId } })
  }
}

function responseOf(request: TextRequest, { logprob, isGreedy }: RequestAnswer): ModelResponse {
  return request.type === 'loglikelihood_rolling'
    ? { type: 'loglikelihood_rolling', logprob }
    : { type: 'loglikelihood', logprob, isGreedy }
}
