/** A model that survives its worker, its GPU device and the browser's GPU process. */
import { append } from '../../base/arrays.ts'
import { EvalError, isEvalError, toEvalError } from '../../base/errors.ts'
import type { EngineFacts } from '../../contracts/engine.ts'
import type { ForwardAnswer, ForwardItem, GenerationAnswer, GenerationItem, PlannedItem } from '../../contracts/items.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import { differencesOf } from '../../planning/engine-differences.ts'
import type { AdapterFacts } from '../../contracts/model-session.ts'
import type { OpenModel, TextDrafts, TextWatcher } from '../ports.ts'
import { draftsInMemory } from './batch-drafts.ts'

/**
 * Milliseconds before each try to get a lost GPU back. A device that was lost once is back at once; after a second crash of its GPU
 * process Chromium gives no adapter for two minutes, and then does.
 */
export const adapterLadderMs: readonly number[] = [0, 2_000, 10_000, 30_000, 60_000, 120_000]

/** So many faults within this time end the run: what breaks so often won't be cured by trying. */
const mostFaults = 3
const faultWindowMs = 10 * 60_000

interface RecoverySurroundings {
  readonly opened: OpenModel
  /** Opens the same model on the same device in a new worker. */
  readonly reopen: () => Promise<OpenModel>
  /** The adapter as a new worker sees it. */
  readonly describeAdapter: () => Promise<AdapterFacts | null>
  /** Ends the worker that is broken. */
  readonly discard: () => void
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Rejects when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/**
 * The opened model, with faults mended behind `score` and `generate` (texts go on from where they were):
 *
 * - `engine/device-lost`: a new worker waits for the adapter (`adapterLadderMs`), opens and checks the model again, and scores the batch again.
 * - a dead worker, a missed deadline, a failed run on WebGPU (its session is unusable from then on): once a batch, a new worker.
 * - `engine/out-of-memory`: a new worker answers the batch item by item; an item that doesn't fit even alone ends the run by its size.
 *
 * What was open before and what is opened again must compute alike (`numericClass`), else `engine/device-lost` ends the run: numbers of two
 * devices are never mixed. Every other error, and the third fault within ten minutes, is thrown as it is; the run can go on later.
 */
export function recoveringModel(surroundings: RecoverySurroundings): OpenModel {
  const { reopen, discard, emit, signal, now } = surroundings
  const { facts } = surroundings.opened
  let model = surroundings.opened
  let faults: number[] = []
  /** Of the models before this one, and the last that was heard of this one. */
  const spent = { runs: 0, tokens: 0, milliseconds: 0 }
  let current: Awaited<ReturnType<OpenModel['stats']>> = { runs: 0, tokens: 0 }
  let longestTokens = 0

  const countFault = (error: EvalError): void => {
    faults = [...faults.filter((at) => now() - at < faultWindowMs), now()]
    if (faults.length < mostFaults) return
    const message = `${error.message} That was fault ${faults.length} within ${faultWindowMs / 60_000} minutes, so the run was stopped; its answers so far are kept.`
    throw new EvalError(error.code, message, { cause: error, details: error.details })
  }

  const renew = async (error: EvalError): Promise<void> => {
    discard()
    spent.runs += current.runs
    spent.tokens += current.tokens
    spent.milliseconds += current.milliseconds ?? 0
    current = { runs: 0, tokens: 0 }
    emit({ type: 'waiting', what: facts.device === 'webgpu' ? 'gpu' : 'worker', message: faultMessage(error), seconds: null })
    const fresh = facts.device === 'webgpu' ? await reopenOnAdapter(error, surroundings, countFault) : await reopen()
    if (fresh.facts.numericClass !== facts.numericClass) throw otherNumbers(facts, fresh.facts, error)
    model = fresh
  }

  const score = async (items: readonly ForwardItem[], prefixes: readonly number[] = []): Promise<readonly ForwardAnswer[]> => {
    const answers = await model.score(items, prefixes)
    longestTokens = items.reduce((longest, { input }) => Math.max(longest, input.length), longestTokens)
    return answers
  }

  /** One item after the other on a new engine. */
  const scoreAlone = async (items: readonly ForwardItem[]): Promise<ForwardAnswer[]> => {
    const answers: ForwardAnswer[] = []
    let isNew = true
    for (const item of items) {
      try {
        append(answers, await score([item]))
      } catch (error) {
        const known = knownUnlessStopped(error, signal)
        if (known.code !== 'engine/out-of-memory') throw known
        if (isNew) throw tooLong(item, facts, longestTokens, known)
        // Memory may be scattered by the items before this one: the last word is a new engine's.
        countFault(known)
        await renew(known)
        append(answers, await score([item]).catch((again: unknown) => Promise.reject(tooLong(item, facts, longestTokens, again))))
      }
      isNew = false
    }
    return answers
  }

  const write = async (
    items: readonly GenerationItem[],
    watcher: TextWatcher,
    prefixes: readonly number[],
    drafts: TextDrafts,
  ): Promise<readonly GenerationAnswer[]> => {
    const answers = await model.generate(items, watcher, prefixes, drafts)
    longestTokens = items.reduce((longest, { input }) => Math.max(longest, input.length), longestTokens)
    return answers
  }

  /** One text after the other on a new engine. */
  const writeAlone = async (items: readonly GenerationItem[], watcher: TextWatcher, drafts: TextDrafts): Promise<GenerationAnswer[]> => {
    const answers: GenerationAnswer[] = []
    for (const [index, item] of items.entries()) {
      const own: TextWatcher = { ...watcher, look: (_, tokens, seen) => watcher.look(index, tokens, seen) }
      const ownDraft: TextDrafts = { of: () => drafts.of(index), grow: (_, draft) => drafts.grow(index, draft) }
      append(
        answers,
        await write([item], own, [], ownDraft).catch((again: unknown) => Promise.reject(tooLong(item, facts, longestTokens, again))),
      )
    }
    return answers
  }

  /** Tries until it is done; `afterMemory` is the try after a fault of memory. */
  const mending = async <T>(work: () => Promise<T>, afterMemory: () => Promise<T>): Promise<T> => {
    let wasRetried = false
    for (;;) {
      try {
        return await work()
      } catch (error) {
        const known = knownUnlessStopped(error, signal)
        if (!mends(known, facts, wasRetried)) throw known
        countFault(known)
        wasRetried ||= known.code !== 'engine/device-lost'
        await renew(known)
        if (known.code === 'engine/out-of-memory') return await afterMemory()
      }
    }
  }

  return {
    facts,
    score: (items, prefixes) =>
      mending(
        () => score(items, prefixes),
        () => scoreAlone(items),
      ),
    generate: (items, watcher, prefixes = [], drafts = draftsInMemory()) =>
      mending(
        () => write(items, watcher, prefixes, drafts),
        () => writeAlone(items, watcher, drafts),
      ),
    async stats() {
      // A worker that died between two batches is found out by the next one; its counts are as they were.
      current = await model.stats().catch(() => current)
      return {
        runs: spent.runs + current.runs,
        tokens: spent.tokens + current.tokens,
        ...(current.milliseconds === undefined ? {} : { milliseconds: spent.milliseconds + current.milliseconds }),
      }
    },
  }
}

/** Losing the device is the machine's doing and may happen again; the rest is worth one more try. */
function mends({ code, details }: EvalError, facts: EngineFacts, wasRetried: boolean): boolean {
  // A text is watched by another worker, whose faults another engine won't mend.
  if (details['name'] === 'text') return false
  switch (code) {
    case 'engine/device-lost':
      return true
    case 'engine/out-of-memory':
    case 'worker/died':
    case 'worker/timeout':
    case 'engine/timeout':
      return !wasRetried
    case 'engine/failed':
      // A WASM session survives an ordinary failure, which would happen again.
      return facts.device === 'webgpu' && !wasRetried
    default:
      return false
  }
}

function knownUnlessStopped(error: unknown, signal: AbortSignal): EvalError {
  const known = toEvalError(error)
  if (signal.aborted && known.code !== 'run/stopped')
    throw new EvalError('run/stopped', 'The run was stopped. Its answers so far are kept.', { cause: known })
  return known
}

/** Climbs the ladder until the adapter is there and the model open on it. Gives up with `engine/device-lost`. */
async function reopenOnAdapter(
  fault: EvalError,
  { opened, reopen, describeAdapter, discard, emit, signal, sleep }: RecoverySurroundings,
  countFault: (error: EvalError) => void,
): Promise<OpenModel> {
  let found: AdapterFacts | null = null
  for (const waitMs of adapterLadderMs) {
    if (waitMs > 0) {
      emit({ type: 'waiting', what: 'gpu', message: waitingMessage(waitMs, found), seconds: waitMs / 1000 })
      await sleep(waitMs, signal)
    }
    try {
      found = await describeAdapter()
      if (found !== null && isSameAdapter(found, opened.facts.adapter)) return await reopen()
    } catch (error) {
      const known = knownUnlessStopped(error, signal)
      const isAbsence = known.code === 'engine/no-webgpu' || known.code === 'engine/device-lost' || known.code === 'worker/died'
      if (!isAbsence) throw known
      if (known.code !== 'engine/no-webgpu') countFault(known)
      found = null
    }
    discard()
  }
  const now = found === null ? 'no GPU' : `another GPU (${describe(found)})`
  const message = `The GPU was lost and didn't come back within ${adapterLadderMs.reduce((sum, ms) => sum + ms, 0) / 1000} s: the browser offers ${now}. Restart the browser and resume the run.`
  throw new EvalError('engine/device-lost', message, { cause: fault, details: { waitedMs: [...adapterLadderMs] } })
}

function faultMessage({ code }: EvalError): string {
  if (code === 'engine/device-lost') return 'The GPU was lost. The model is being opened and checked again.'
  const what = code === 'engine/out-of-memory' ? 'The engine ran out of memory' : 'The engine broke down'
  return `${what}. The model is being opened again.`
}

function waitingMessage(waitMs: number, found: AdapterFacts | null): string {
  const next = `Trying again in ${waitMs / 1000} s.`
  if (found === null) return `Your browser has paused GPU access. ${next}`
  return `The browser offers another GPU now (${describe(found)}); the run waits for the one it began on. ${next}`
}

/** Same names: what the engine itself keys answers by is compared once more after opening. */
export function isSameAdapter(
  found: Pick<AdapterFacts, 'vendor' | 'architecture' | 'description'>,
  known: EngineFacts['adapter'],
): boolean {
  return (
    known !== null && found.vendor === known.vendor && found.architecture === known.architecture && found.description === known.description
  )
}

function describe({ vendor, architecture, description }: Pick<AdapterFacts, 'vendor' | 'architecture' | 'description'>): string {
  return [...new Set([vendor, architecture, description].filter((part) => part !== ''))].join(' ') || 'not named'
}

function otherNumbers(before: EngineFacts, after: EngineFacts, cause: EvalError): EvalError {
  const differences = differencesOf(before, after).join(', ')
  const message = `After the fault the engine came back as another one. Different: ${differences}. Numbers of the two must not be mixed: resume when the first is back, or start a new run.`
  return new EvalError('engine/device-lost', message, { cause })
}

/** Names the longest prompt that did fit; before any has, half of the one that didn't. */
function tooLong(item: PlannedItem, facts: EngineFacts, longestTokens: number, cause: unknown): EvalError {
  if (isEvalError(cause) && cause.code !== 'engine/out-of-memory') return cause
  const tokens = item.input.length
  const where = facts.device === 'webgpu' ? 'the GPU' : 'WebAssembly'
  const fitting = longestTokens > 0 ? Math.min(longestTokens, tokens - 1) : tokens >> 1
  const known = longestTokens > 0 ? `Prompts of up to ${fitting} tokens have fit: set` : 'Set'
  const message = `A prompt of ${tokens} tokens doesn't fit into the memory of ${where} as ${facts.dtype}, alone and after a fresh start. ${known} max_length=${fitting} in the model arguments, ask for fewer few-shot examples, or choose smaller weights.`
  return new EvalError('engine/out-of-memory', message, { cause, details: { tokens, dtype: facts.dtype, fittingTokens: fitting } })
}
