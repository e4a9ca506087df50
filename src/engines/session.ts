/** One ONNX Runtime session of a causal decoder, and what a forward pass of it takes and gives. */
import type { InferenceSession, Tensor } from 'onnxruntime-common'
import { EvalError } from '../base/errors.ts'
import type { Device } from '../contracts/engine.ts'
import type { SessionCounts } from '../contracts/model-session.ts'
import { packingNames, scoringNames } from '../onnx/scoring-names.ts'
import type { ScoringGraph } from './graph-rewriting/scoring-graph.ts'
import type { UnpackedShare } from './graph-rewriting/unpack-products.ts'
import { startDims } from './graph/cache-dims.ts'
import type { ExternalFile } from './graph/external-data.ts'
import type { GraphFacts, TensorFact } from './graph/graph-facts.ts'
import type { DecoderConfig } from './graph/model-config.ts'
import { readLogits, type Logits } from './logits.ts'
import type { OrtRuntime } from './ort.ts'
import { classifyRunError } from './run-errors.ts'
import { groupBranches, maskOfGroups, type BranchGroups } from './scoring/branch-groups.ts'
import { maskOf, maskOfReaders, windowMask, type Readers, type TreePass } from './scoring/tree-pass.ts'
import type { StaticCache } from './static-cache.ts'

/** A model's graph without its weights (graph-rewriting/external-weights.ts), and the files that they are in by the location that the graph names. */
export interface ModelBytes {
  readonly graph: Uint8Array
  readonly files: readonly ExternalFile[]
}

/**
 * The keys and values of the tokens run so far, on the device. Belongs to one session; used up by the pass that continues it. Of a session that
 * keeps them in place it is their number alone: it holds until a pass continues a shorter one.
 */
export interface KeyValueCache {
  readonly tokens: number
  readonly tensors: { readonly [input: string]: Tensor }
}

interface PassOutcome {
  readonly logits: Logits | null
  readonly cache: KeyValueCache | null
}

/** What a pass of the rewritten graph is asked for: tokens after a cache, what each of them sees, and log-probabilities at some of its rows. */
type ScoringPass = Pick<TreePass, 'tokens' | 'positions' | 'rows' | 'owners' | 'targets'> &
  (Pick<TreePass, 'parents'> | { readonly readers: Readers })

export interface ScoringPassOutcome {
  /** In nats, one for each of `targets`; empty when none were asked for. */
  readonly logprobs: Float32Array
  /** Id of the largest log-probability of each of `rows`. */
  readonly picks: Int32Array
  /** Id of the largest logit of each of `rows`, when it was wanted. */
  readonly tokens: Int32Array
  /** Logits of `rows`, when they were wanted. */
  readonly logits: Logits | null
  readonly cache: KeyValueCache | null
}

/** Nothing done yet. */
export function noCounts(): { -readonly [count in keyof SessionCounts]: number } {
  return { runs: 0, tokens: 0, rows: 0, bytesReadBack: 0, milliseconds: 0 }
}

/**
 * One ONNX Runtime session of a causal decoder, and the ways to run it: some tokens after a cache, for logits or for chosen log-probabilities.
 *
 * Calls must not overlap (see SerialQueue). Once a pass has failed on WebGPU the session would go on with the failed pass’s inputs, so it
 * refuses from then on with the first error; a WASM session survives an ordinary error.
 */
export class DecoderSession {
  readonly facts: GraphFacts
  readonly device: Device
  readonly counts = noCounts()
  /** What was made of the graph when it was cut; null when it is as it came. */
  readonly cut: ScoringGraph | null
  /** Products whose weights were unpacked when the model was opened; null where none were to be. */
  readonly unpacked: UnpackedShare | null
  readonly #session: InferenceSession
  readonly #runtime: OrtRuntime
  readonly #config: DecoderConfig
  readonly #static: StaticCache | null
  #failure: EvalError | null = null
  #watchesLoss = false
  #abandonRun: (reason: EvalError) => void = () => undefined

  constructor(
    session: InferenceSession,
    setup: {
      readonly facts: GraphFacts
      readonly device: Device
      readonly runtime: OrtRuntime
      readonly config: DecoderConfig
      readonly cut: ScoringGraph | null
      readonly staticCache: StaticCache | null
      readonly unpacked: UnpackedShare | null
    },
  ) {
    this.#session = session
    this.facts = setup.facts
    this.cut = setup.cut
    this.device = setup.device
    this.#runtime = setup.runtime
    this.#config = setup.config
    this.#static = setup.staticCache
    this.unpacked = setup.unpacked
  }

  /**
   * Runs `tokens` after `cache` (null: from the start). With `logits` all rows come to the CPU (`last`: only the last one counts, where
   * the graph can leave the others out); with `cache` the result can be continued. The given cache is released whatever happens. Throws `engine/*`.
   */
  async run(
    tokens: Int32Array,
    cache: KeyValueCache | null,
    wants: { readonly logits: boolean | 'last'; readonly cache: boolean },
  ): Promise<PassOutcome> {
    const past = cache?.tokens ?? 0
    const wantsLogits = wants.logits !== false
    const fetches = [...(wantsLogits ? ['logits'] : []), ...(wants.cache ? this.facts.cache.map((slot) => slot.present) : [])]
    try {
      const outputs = await this.#execute(tokens.length, past, () => this.#feeds(tokens, null, cache, wants.logits === 'last'), fetches)
      const logits = wantsLogits ? readLogits(outputs.logits) : null
      this.counts.rows += logits?.rows ?? 0
      this.counts.bytesReadBack += logits?.bytes ?? 0
      return { logits, cache: wants.cache ? { tokens: past + tokens.length, tensors: this.#continuation(outputs) } : null }
    } finally {
      if (cache !== null) releaseCache(cache)
    }
  }

  /**
   * Runs tokens on the rewritten graph after `cache`, which stays as it is: other branches may continue it too, one after the other where keys and values are
   * kept in place. Without wanted rows only the cache comes out. Throws `engine/*`.
   */
  async runRows(
    run: ScoringPass,
    cache: KeyValueCache | null,
    wants: { readonly cache: boolean; readonly logits?: boolean; readonly tokens?: boolean },
  ): Promise<ScoringPassOutcome> {
    const past = cache?.tokens ?? 0
    const scores = [
      ...(run.targets.length > 0 ? [scoringNames.logprobs, scoringNames.picks] : []),
      ...(wants.tokens === true ? [scoringNames.tokens] : []),
      ...(wants.logits === true ? [scoringNames.logits] : []),
    ]
    const places = this.#static?.forTokens(past + run.tokens.length, past) ?? null
    const fetches = [...scores, ...(wants.cache && places === null ? this.facts.cache.map((slot) => slot.present) : [])]
    const outputs = await this.#execute(
      run.tokens.length,
      past,
      () => ({ ...this.#feeds(run.tokens, run.positions, cache, false), ...this.#rowFeeds(run, past), ...places?.inputs }),
      // An output has to be asked for, however little is wanted.
      namesOrPlaces(fetches.length > 0 ? fetches : [scoringNames.picks], places?.outputs ?? null),
    )
    const logprobs = outputs[scoringNames.logprobs]?.data
    const integersOf = (name: string): Int32Array => {
      const data = outputs[name]?.data
      return data instanceof Int32Array ? data : new Int32Array(0)
    }
    const logits = wants.logits === true ? readLogits(outputs[scoringNames.logits]) : null
    const outcome = {
      logprobs: logprobs instanceof Float32Array ? logprobs : new Float32Array(0),
      picks: integersOf(scoringNames.picks),
      tokens: integersOf(scoringNames.tokens),
      logits,
      cache: wants.cache ? { tokens: past + run.tokens.length, tensors: places === null ? this.#continuation(outputs) : {} } : null,
    }
    this.counts.rows += Math.max(1, run.rows.length)
    this.counts.bytesReadBack += outcome.logprobs.byteLength + outcome.picks.byteLength + outcome.tokens.byteLength + (logits?.bytes ?? 0)
    return outcome
  }

  /** Runs and counts; a failure is classified, and remembered where the session can't be used after it. */
  async #execute(
    tokens: number,
    past: number,
    feeds: () => { [name: string]: Tensor },
    fetches: readonly string[] | InferenceSession.FetchesType,
  ): Promise<InferenceSession.OnnxValueMapType> {
    if (this.#failure !== null) throw this.#failure
    const startMs = performance.now()
    try {
      const outputs = await this.#orLoss(this.#session.run(feeds(), fetches))
      this.counts.runs += 1
      this.counts.tokens += tokens
      return outputs
    } catch (error) {
      throw this.#fail(error, `a forward pass of ${tokens} tokens after ${past}`)
    } finally {
      this.counts.milliseconds += performance.now() - startMs
    }
  }

  async release(): Promise<void> {
    this.#failure ??= new EvalError('engine/failed', 'the session was closed')
    await this.#session.release()
    this.#static?.release()
  }

  /** What the rewritten graph wants besides: rows, targets, and on packing graphs what each token sees and where it stands. */
  #rowFeeds(run: ScoringPass, past: number): { [name: string]: Tensor } {
    const { Tensor } = this.#runtime.api
    const vocabularySize = this.#vocabularySize()
    const list = (values: Int32Array): Tensor => new Tensor('int32', values, [values.length])
    const owners = run.targets.length > 0 ? run.owners : Int32Array.of(0)
    // A gather of nothing is no shape that every kernel takes: the last row stands for it.
    const rows = run.rows.length > 0 ? run.rows : Int32Array.of(run.tokens.length - 1)
    const feeds: { [name: string]: Tensor } = {
      [scoringNames.rows]: list(rows),
      [scoringNames.places]: list(owners.map((row, i) => row * vocabularySize + (run.targets[i] ?? 0))),
    }
    const packing = this.cut?.packing ?? null
    if (packing === null) return feeds
    const total = past + run.tokens.length
    const isHalf = this.facts.cache.some((slot) => slot.past.elementType === 'float16')
    const lowest = isHalf ? lowestHalf : lowestFloat
    const asTensor = (values: Float32Array, dims: readonly number[]): Tensor =>
      isHalf
        ? new Tensor(
            'float16',
            Uint16Array.from(values, (value) => (value === 0 ? 0 : lowestHalfBits)),
            dims,
          )
        : new Tensor('float32', values, dims)
    const mask = 'readers' in run ? maskOfReaders(run.readers, lowest) : maskOf(run.parents, past, lowest)
    const window = this.cut?.localWindow ?? null
    const localMask = window === null ? null : windowMask(mask, positionsOf(run, past), window, lowest)
    const parting = this.cut?.parting ?? null
    const groups = parting === null || 'readers' in run ? null : groupBranches(run.parents, past)
    const biasOf = (whole: Float32Array): Tensor =>
      groups === null
        ? asTensor(whole, [1, 1, run.tokens.length, total])
        : asTensor(maskOfGroups(whole, past, groups, lowest), [groups.count, 1, groups.length, past + groups.length])
    feeds[packingNames.bias] = biasOf(mask)
    if (localMask !== null) feeds[packingNames.localBias] = biasOf(localMask)
    if (parting !== null) {
      const { count, length, slots, slotOf } = groups ?? notParted(run.tokens.length)
      feeds[packingNames.isApart] = new Tensor('bool', Uint8Array.of(groups === null ? 0 : 1), [1])
      feeds[packingNames.slots] = new Tensor('int32', slots, [count, length])
      feeds[packingNames.slotOf] = list(slotOf)
      const seen = parting.lastIsLocal && localMask !== null ? localMask : mask
      const rowMask = new Float32Array(rows.length * total)
      rows.forEach((row, index) => rowMask.set(seen.subarray(row * total, (row + 1) * total), index * total))
      feeds[packingNames.rowBias] = asTensor(rowMask, [1, 1, rows.length, total])
    }
    if (packing.wants === 'runPositions')
      feeds[packingNames.runPositions] = new Tensor('int64', BigInt64Array.from(run.positions, BigInt), [1, run.tokens.length])
    if (packing.wants === 'positions')
      feeds[packingNames.positions] = list(Int32Array.from({ length: total }, (_, i) => (i < past ? i : (run.positions[i - past] ?? i))))
    return feeds
  }

  #vocabularySize(): number {
    const size = this.facts.logits.dims.at(-1)
    return typeof size === 'number' ? size : (this.#config.vocabularySize ?? 0)
  }

  #feeds(tokens: Int32Array, positions: Int32Array | null, cache: KeyValueCache | null, lastRowOnly: boolean): { [name: string]: Tensor } {
    const past = cache?.tokens ?? 0
    const total = past + tokens.length
    const feeds: { [name: string]: Tensor } = {}
    for (const input of this.facts.inputs) {
      if (input.name === 'input_ids') feeds[input.name] = this.#integers(input, tokens.length, (i) => tokens[i] ?? 0)
      else if (input.name === 'attention_mask') feeds[input.name] = this.#integers(input, total, () => 1)
      else if (input.name === 'position_ids') feeds[input.name] = this.#integers(input, tokens.length, (i) => positions?.[i] ?? past + i)
      // 0 asks for all rows.
      else if (input.name === 'num_logits_to_keep')
        feeds[input.name] = new this.#runtime.api.Tensor(
          'int64',
          BigInt64Array.of(lastRowOnly ? 1n : 0n),
          input.dims.length === 0 ? [] : [1],
        )
      else feeds[input.name] = cache?.tensors[input.name] ?? this.#emptyCache(input)
    }
    return feeds
  }

  #integers(input: TensorFact, length: number, valueAt: (index: number) => number): Tensor {
    if (input.elementType === 'int32')
      return new this.#runtime.api.Tensor(
        'int32',
        Int32Array.from({ length }, (_, i) => valueAt(i)),
        [1, length],
      )
    const values = new BigInt64Array(length)
    for (let i = 0; i < length; i += 1) values[i] = BigInt(valueAt(i))
    return new this.#runtime.api.Tensor('int64', values, [1, length])
  }

  /** What stands for no tokens; sizes that the graph leaves symbolic come from config.json. */
  #emptyCache(input: TensorFact): Tensor {
    const dims = startDims(input, this.#config)
    const size = dims.reduce((product, dim) => product * dim, 1)
    return input.elementType === 'float16'
      ? new this.#runtime.api.Tensor('float16', new Uint16Array(size), dims)
      : new this.#runtime.api.Tensor('float32', new Float32Array(size), dims)
  }

  #continuation(outputs: InferenceSession.OnnxValueMapType): { [input: string]: Tensor } {
    const tensors: { [input: string]: Tensor } = {}
    for (const { past, present } of this.facts.cache) {
      const tensor = outputs[present]
      if (tensor === undefined)
        throw new EvalError('engine/failed', `wanted output "${present}" of a run, found ${Object.keys(outputs).join(', ')}`)
      tensors[past.name] = tensor
    }
    return tensors
  }

  // A pass whose device is lost may never settle. One listener for the session's life: racing every pass against the same promise would
  // leave a reaction behind for each.
  async #orLoss<T>(run: Promise<T>): Promise<T> {
    if (this.device === 'webgpu' && !this.#watchesLoss) {
      this.#watchesLoss = true
      this.#runtime
        .deviceLoss()
        ?.then((info) => {
          const lost = new EvalError('engine/device-lost', `the GPU device was lost (${info.reason}): ${info.message}`, {
            details: { reason: info.reason },
          })
          this.#failure ??= lost
          this.#abandonRun(lost)
        })
        .catch(() => undefined)
    }
    return new Promise<T>((resolve, reject) => {
      this.#abandonRun = reject
      run.then(resolve, reject)
    })
  }

  #fail(error: unknown, doing: string): EvalError {
    const known = classifyRunError(error, doing, this.device)
    if (this.device === 'webgpu' || known.code === 'engine/out-of-memory') this.#failure = known
    return known
  }
}

/** Positions of the tokens of cache and pass, each in its sequence. */
function positionsOf(run: ScoringPass, past: number): Int32Array {
  const before = 'readers' in run ? run.readers.positions : Int32Array.from({ length: past }, (_, at) => at)
  return Int32Array.from([...before, ...run.positions])
}

/** What stands for groups in a pass that isn't parted: the graph reads none of it. */
function notParted(tokens: number): BranchGroups {
  return { count: 1, length: 1, slots: Int32Array.of(0), slotOf: new Int32Array(tokens) }
}

/** Outputs by name, or, where some have a place to go to, all of them with theirs. */
function namesOrPlaces(
  names: readonly string[],
  places: { readonly [name: string]: Tensor } | null,
): readonly string[] | InferenceSession.FetchesType {
  return places === null ? names : { ...Object.fromEntries(names.map((name) => [name, null])), ...places }
}

const lowestFloat = -3.4028234663852886e38
const lowestHalf = -65504
const lowestHalfBits = 0xfbff

/** Frees a cache that no pass will continue. On WebGPU its buffers leak otherwise. */
export function releaseCache(cache: KeyValueCache): void {
  for (const tensor of Object.values(cache.tensors)) tensor.dispose()
}
