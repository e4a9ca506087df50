/** A task between its requests and its results: docs with text requests, their encoding, and the answers as they come. */
import type { DocHashes } from '../analysis/cluster/expected.ts'
import { fallbacksOf } from '../analysis/scores/answer-failures.ts'
import { EvalError, unreachable } from '../base/errors.ts'
import { sha256 } from '../base/sha256.ts'
import { unwatched, type Watch } from '../base/watched-step.ts'
import type { EncodedRequest, RequestAnswer, ScoredRequest } from '../contracts/built-task.ts'
import type { GenerationItem } from '../contracts/items.ts'
import type { ModelResponse, TextRequest } from '../contracts/requests.ts'
import type { CutPrompts, GoldsOutside } from '../contracts/yardstick-results.ts'
import { responseValue } from '../harness/metrics/process-results.ts'
import { generationWarnings } from '../harness/requests/generation-settings.ts'
import { requestArguments, type DocRequests } from '../harness/requests/output-types.ts'
import type { Task } from '../harness/requests/task.ts'
import type { AnsweredDoc, AnsweredRequest } from '../harness/results/samples-file.ts'
import { ownSampleOf } from '../harness/results/yardstick-sample.ts'
import { hashDoc, hashTask } from '../harness/sample-hashes.ts'
import { str, type PyDict, type PyValue } from '../python/value.ts'
import { encodeChoiceToken } from '../tokenizing/choice-tokens.ts'
import { encodeLoglikelihood, encodeRolling } from '../tokenizing/encode.ts'
import { encodeGeneration, textOfGeneration, type GenerationModel } from '../tokenizing/generation.ts'
import { RunningScores } from './results/running-scores.ts'
import type { TaskScorer } from './task-scorer.ts'

interface BuiltTaskOptions {
  readonly task: Task
  readonly scorer: TaskScorer
  readonly docs: readonly DocRequests[]
  readonly numFewshot: number
  readonly generationKwargs: PyDict | null
  /** Ids of docs that are asked but not scored, because a filter or metric never ended on them. */
  readonly excluded?: readonly number[]
  readonly watch?: Watch
  /** Ids of the docs that all shards ask together. */
  readonly wholeDocIds: readonly number[]
  /** Decides, with the doc, the draws of sampled texts. */
  readonly seed: number
}

export class BuiltTextTask {
  readonly task: Task
  readonly scorer: TaskScorer
  readonly numFewshot: number
  readonly generationKwargs: PyDict | null
  readonly wholeDocIds: readonly number[]
  readonly running: RunningScores
  readonly watch: Watch
  readonly #excluded: ReadonlySet<number>
  readonly #docs: readonly DocRequests[]
  /** Position of each doc's first request. */
  readonly #starts: readonly number[]
  readonly #answers: (RequestAnswer | undefined)[]
  readonly #tokenCounts: number[] = []
  /** What is scored of each request that is one forward pass, by its position. */
  readonly #targets: (ScoredTarget | null)[] = []
  readonly #seed: number
  /** Docs of which a prompt was cut from the left, and the most tokens that one lost. */
  readonly #cutDocs = new Map<number, number>()
  /** Stop strings of each generation, by the position of its request. */
  readonly #stops = new Map<number, readonly string[]>()
  #model: GenerationModel | null = null

  constructor({ task, scorer, docs, numFewshot, generationKwargs, seed, wholeDocIds, excluded = [], watch = unwatched }: BuiltTaskOptions) {
    this.task = task
    this.scorer = scorer
    this.numFewshot = numFewshot
    this.generationKwargs = generationKwargs
    this.watch = watch
    this.wholeDocIds = wholeDocIds
    const [first] = scorer.pipelines
    const fallback = task.outputType === 'generate_until' ? fallbacksOf(task.config.filterList).get(first?.name ?? '') : null
    this.running = new RunningScores(scorer, { task: task.name, watch }, fallback ?? null)
    this.#excluded = new Set(excluded)
    this.#docs = docs
    this.#seed = seed
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

  /** What the harness's sample lines say of each doc whatever the answers are, and what its results file makes of them: a line a filter. */
  hashes(): { readonly taskHash: string; readonly docs: readonly DocHashes[] } {
    const docs = this.#docs.map(({ docId, doc, target, requests: [first] }): DocHashes => {
      const prompt = first === undefined ? '' : (requestArguments(first)[0] ?? '')
      return { docId, docHash: hashDoc(doc), promptHash: sha256(str(prompt)), targetHash: sha256(str(target)) }
    })
    return { taskHash: hashTask(this.scorer.pipelines.flatMap(() => docs)), docs }
  }

  /** Every request as token ids, in order. Throws `engine/prompt-too-long`, and as `encodeGeneration`. */
  encode(model: GenerationModel): EncodedRequest[] {
    this.#model = model
    return this.#docs.flatMap((doc, index) =>
      doc.requests.map((request, idx) => {
        const encoded = this.#named(doc.docId, () => this.#encodeRequest(model, request, doc.docId, idx))
        const [generation] = encoded.generations ?? []
        if (generation !== undefined) this.#stops.set((this.#starts[index] ?? 0) + idx, generation.stops)
        this.#tokenCounts.push(encoded.pieces.reduce((sum, piece) => sum + piece.target.length, 0))
        this.#targets.push(onlyTarget(encoded.pieces))
        return { docId: doc.docId, idx, ...encoded }
      }),
    )
  }

  #encodeRequest({ tokenizer }: GenerationModel, request: TextRequest, docId: number, idx: number): Omit<EncodedRequest, 'docId' | 'idx'> {
    switch (request.type) {
      case 'loglikelihood':
        return {
          pieces: [
            this.task.config.own.choiceTokens === 'continuation'
              ? this.#encodeContinuation(tokenizer, request, docId)
              : encodeChoiceToken(tokenizer, request.context, request.continuation),
          ],
        }
      case 'loglikelihood_rolling':
        return { pieces: encodeRolling(tokenizer, request.text) }
      case 'generate_until':
        return { pieces: [], generations: this.#repeats(request, docId, idx) }
      default:
        return unreachable(request)
    }
  }

  #encodeContinuation(
    tokenizer: GenerationModel['tokenizer'],
    { context, continuation }: Extract<TextRequest, { type: 'loglikelihood' }>,
    docId: number,
  ): EncodedRequest['pieces'][number] {
    const { cutTokens, ...piece } = encodeLoglikelihood(tokenizer, context, continuation)
    this.#noteCut(docId, cutTokens)
    return piece
  }

  #noteCut(docId: number, tokens: number): void {
    if (tokens > 0) this.#cutDocs.set(docId, Math.max(tokens, this.#cutDocs.get(docId) ?? 0))
  }

  /** One item a repeat; greedy ones are the same. Each sampled text has draws of its own, whatever else the run asks. */
  #repeats({ context, kwargs }: Extract<TextRequest, { type: 'generate_until' }>, docId: number, idx: number): GenerationItem[] {
    const model = this.#requireModel()
    return Array.from({ length: this.task.config.repeats }, (_, repeat) => {
      const { item, cutTokens } = encodeGeneration(model, context, kwargs, seedOf([this.#seed, this.task.name, docId, idx, repeat]))
      this.#noteCut(docId, cutTokens)
      return item
    })
  }

  /** Docs of which a prompt lost its beginning; null where none did. */
  get cuts(): CutPrompts | null {
    const docs = [...this.#cutDocs.keys()]
    if (docs.length === 0) return null
    return { task: this.task.name, docs, mostTokens: [...this.#cutDocs.values()].reduce((most, tokens) => Math.max(most, tokens), 0) }
  }

  /** Docs whose right answer is none of their choices; null where there are none. */
  get goldsOutside(): GoldsOutside | null {
    const outside = this.#docs.filter((doc) => doc.goldOutside !== null)
    const [first] = outside
    return first === undefined ? null : { task: this.task.name, docs: outside.map(({ docId }) => docId), example: first.goldOutside ?? '' }
  }

  /** What a user should know of the encoded requests. */
  warnings(): readonly string[] {
    const [request] = this.texts
    const settings =
      request?.type === 'generate_until' ? generationWarnings(request.kwargs).map((text) => `${this.task.name}: ${text}`) : []
    const { cuts, goldsOutside, docCount } = this
    return [
      ...settings,
      ...(cuts === null ? [] : [this.#cutWarning(cuts)]),
      ...(goldsOutside === null ? [] : [goldWarning(goldsOutside, docCount)]),
    ]
  }

  #cutWarning({ task, docs, mostTokens }: CutPrompts): string {
    const which = `${task}: the prompts of ${docs.length} of ${this.docCount} docs, first of doc ${docs[0] ?? 0}`
    const most = `by up to ${mostTokens} tokens; lm-evaluation-harness does the same.`
    return this.task.outputType === 'generate_until'
      ? `${which}, were cut at their beginning to leave room for max_gen_toks in the model’s window, ${most}`
      : `${which}, are longer than the model’s window of ${this.#requireModel().tokenizer.maxLength} tokens and were cut at their beginning, ${most}`
  }

  #requireModel(): GenerationModel {
    if (this.#model === null) throw new EvalError('internal', `Task ${this.task.name} was answered before its requests were encoded.`)
    return this.#model
  }

  #named<T>(docId: number, encode: () => T): T {
    try {
      return encode()
    } catch (cause) {
      if (!(cause instanceof EvalError)) throw cause
      throw new EvalError(cause.code, `Task ${this.task.name}, doc ${docId}: ${cause.message}`, {
        cause,
        details: { ...cause.details, docId },
      })
    }
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
    return docId !== undefined && this.#excluded.has(docId)
  }

  #answered(index: number): AnsweredDoc {
    const doc = this.#docs[index]
    const start = this.#starts[index]
    if (doc === undefined || start === undefined) throw new RangeError(`no doc ${index}`)
    const logprobs = doc.requests.map((_request, idx) => logprobOf(this.#answers[start + idx]))
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
    return {
      args: requestArguments(request),
      responses: this.#responses(request, answer, position),
      tokenCount: this.#tokenCounts[position] ?? null,
      ...this.#tokens(answer, position),
    }
  }

  #tokens(answer: RequestAnswer, position: number): Pick<AnsweredRequest, 'tokens'> {
    const target = this.#targets[position] ?? null
    if (target === null || !('logprob' in answer) || answer.tokenLogprobs?.length !== target.ids.length) return {}
    return { tokens: { ...target, logprobs: answer.tokenLogprobs } }
  }

  #responses(request: TextRequest, answer: RequestAnswer, position: number): PyValue[] {
    if ('generated' in answer) {
      const stops = this.#stops.get(position)
      if (request.type !== 'generate_until' || stops === undefined) throw mixedUp(this.task.name, position)
      const model = this.#requireModel()
      return answer.generated.map((tokens) => responseValue({ type: 'generate_until', text: textOfGeneration(model, tokens, stops) }))
    }
    if (request.type === 'generate_until') throw mixedUp(this.task.name, position)
    const response = responseValue(responseOf(request, answer))
    // Scoring is deterministic: every repeat gives the same answer.
    return Array.from({ length: this.task.config.repeats }, () => response)
  }
}

function goldWarning({ task, docs, example }: GoldsOutside, of: number): string {
  return `${task}: the right answer of ${docs.length} of ${of} docs, first of doc ${docs[0] ?? 0} (${example}), is none of their choices: they count as wrong whatever is picked, in lm-evaluation-harness too.`
}

interface ScoredTarget {
  /** The token before the first scored one. */
  readonly before: number
  readonly ids: readonly number[]
}

/** Not the whole input: thousands of prompts would be held for the few tokens that are shown. */
function onlyTarget([piece, ...others]: readonly EncodedRequest['pieces'][number][]): ScoredTarget | null {
  if (piece === undefined || others.length > 0) return null
  const before = piece.input[piece.input.length - piece.target.length]
  return before === undefined ? null : { before, ids: [...piece.target] }
}

function mixedUp(task: string, position: number): EvalError {
  return new EvalError('worker/message', `Request ${position} of ${task} was answered with another kind of answer than it asked for.`)
}

/** 32 bits out of a list of names and numbers. */
function seedOf(parts: readonly (string | number)[]): number {
  return Number.parseInt(sha256(JSON.stringify(parts)).slice(0, 8), 16)
}

function responseOf(request: TextRequest, { logprob, isGreedy }: ScoredRequest): ModelResponse {
  return request.type === 'loglikelihood_rolling'
    ? { type: 'loglikelihood_rolling', logprob }
    : { type: 'loglikelihood', logprob, isGreedy }
}

/** NaN for a request without an answer, or with a written one. */
function logprobOf(answer: RequestAnswer | undefined): number {
  return answer !== undefined && 'logprob' in answer ? answer.logprob : NaN
}
