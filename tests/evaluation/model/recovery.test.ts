import { describe, expect, it } from 'vitest'
import { EvalError, type ErrorCode } from '../../../src/base/errors.ts'
import type { EngineFacts } from '../../../src/contracts/engine.ts'
import type { ForwardItem, GenerationAnswer } from '../../../src/contracts/items.ts'
import type { RunEvent } from '../../../src/contracts/progress.ts'
import { batchDeadline } from '../../../src/evaluation/model/batch-deadline.ts'
import { adapterLadderMs, recoveringModel } from '../../../src/evaluation/model/recovery.ts'
import type { OpenModel } from '../../../src/evaluation/ports.ts'
import type { AdapterFacts } from '../../../src/contracts/model-session.ts'
import { facts as wasmFacts, madeLogprob, madeText, madeTokens } from '../fakes.ts'

const adapter = { vendor: 'made', architecture: 'a', description: 'Made GPU', isFallback: false }
const webgpuFacts: EngineFacts = { ...wasmFacts, device: 'webgpu', adapter, numericClass: 'made on webgpu' }
const described: AdapterFacts = {
  ...adapter,
  device: '',
  features: [],
  hasShaderF16: false,
  maxBufferBytes: 1,
  maxStorageBufferBindingBytes: 1,
  maxWorkgroupStorageBytes: 32768,
  maxWorkgroupThreads: 256,
  subgroupSizes: null,
}

const item = (length: number, first = length): ForwardItem => ({
  input: Int32Array.from({ length }, (_, at) => first + at),
  targets: [Int32Array.of(5)],
})
const answerOf = ({ input, targets }: ForwardItem) => ({
  answers: targets.map((target) => ({ logprob: madeLogprob(input, target), isGreedy: false })),
  tokenLogprobs: targets.map((target) => new Float32Array(target.length)),
})

type Fault = ErrorCode | null

interface Scene {
  readonly facts?: EngineFacts
  /** What each call of the engine's `score` does, in order; null = it answers. After the last it answers always. */
  readonly faults?: readonly Fault[]
  /** Whether an item fits into memory, by the number of opened engines so far. */
  readonly fits?: (item: ForwardItem, opened: number) => boolean
  /** What each look for the adapter finds; after the last it is there. */
  readonly adapters?: readonly (AdapterFacts | null | ErrorCode)[]
  /** Facts of engines opened after a fault. */
  readonly reopenedFacts?: EngineFacts
  /** Milliseconds between two calls of `score`. */
  readonly pace?: number
}

function play({ facts = webgpuFacts, faults = [], fits = () => true, adapters = [], reopenedFacts = facts, pace = 1 }: Scene) {
  const controller = new AbortController()
  const events: RunEvent[] = []
  const slept: number[] = []
  let nowMs = 0
  let calls = 0
  let looks = 0
  let opened = 0
  let discarded = 0
  const engine = (own: EngineFacts): OpenModel => {
    opened += 1
    const mine = opened
    let runs = 0
    return {
      facts: own,
      score: async (items) => {
        nowMs += pace
        const fault = faults[calls] ?? null
        calls += 1
        if (mine !== opened) throw new EvalError('internal', 'an engine that was given up was asked')
        if (fault !== null) throw new EvalError(fault, `made ${fault}`)
        if (!items.every((one) => fits(one, mine))) throw new EvalError('engine/out-of-memory', 'made OOM')
        runs += items.length
        return items.map(answerOf)
      },
      generate: async (texts, watcher, _prefixes, drafts) => {
        nowMs += pace
        const fault = faults[calls] ?? null
        calls += 1
        if (mine !== opened) throw new EvalError('internal', 'an engine that was given up was asked')
        watcher.begin()
        if (fault !== null) {
          texts.forEach((text, index) => drafts?.grow(index, { tokens: Int32Array.from(madeTokens(text).slice(0, 2)), end: null }))
          throw new EvalError(fault, `made ${fault}`)
        }
        if (!texts.every(({ input }) => fits({ input, targets: [] }, mine))) throw new EvalError('engine/out-of-memory', 'made OOM')
        runs += 1
        const answers: GenerationAnswer[] = []
        for (const [index, text] of texts.entries()) {
          const tokens = Int32Array.from(madeTokens(text))
          await watcher.look(index, tokens, drafts?.of(index).tokens.length ?? 0)
          answers.push({ tokens, end: 'length' })
        }
        return answers
      },
      stats: async () => ({ runs, tokens: 0 }),
    }
  }
  const model = recoveringModel({
    opened: engine(facts),
    reopen: async () => engine(reopenedFacts),
    describeAdapter: async () => {
      const found = adapters[looks]
      looks += 1
      if (typeof found === 'string') throw new EvalError(found, `made ${found}`)
      return found === undefined ? described : found
    },
    discard: () => (discarded += 1),
    emit: (event) => events.push(event),
    signal: controller.signal,
    now: () => nowMs,
    sleep: async (ms, signal) => {
      slept.push(ms)
      nowMs += ms
      signal.throwIfAborted()
    },
  })
  return { model, events, slept, controller, opened: () => opened, discarded: () => discarded }
}

const batch = [item(3), item(4), item(5)]
const rightAnswers = batch.map(answerOf)
const messages = (events: readonly RunEvent[]) => events.flatMap((event) => (event.type === 'waiting' ? [event.message] : []))

describe('a model that recovers', () => {
  it('changes nothing while nothing breaks', async () => {
    const scene = play({})
    expect(await scene.model.score(batch)).toEqual(rightAnswers)
    expect([scene.opened(), scene.discarded(), scene.events.length]).toEqual([1, 0, 0])
  })

  it('opens the model again at once when the device was lost once, and scores the same batch', async () => {
    const scene = play({ faults: ['engine/device-lost'] })
    expect(await scene.model.score(batch)).toEqual(rightAnswers)
    expect([scene.opened(), scene.discarded(), scene.slept]).toEqual([2, 1, []])
    expect(messages(scene.events)).toEqual(['The GPU was lost. The model is being opened and checked again.'])
  })

  it('climbs the ladder while the browser gives no adapter, says so each time, and goes on when it does', async () => {
    const scene = play({ faults: ['engine/device-lost'], adapters: [null, null, 'engine/no-webgpu', null, described] })
    expect(await scene.model.score(batch)).toEqual(rightAnswers)
    expect(scene.slept).toEqual([2_000, 10_000, 30_000, 60_000])
    expect(messages(scene.events).slice(1)).toEqual(
      [2, 10, 30, 60].map((seconds) => `Your browser has paused GPU access. Trying again in ${seconds} s.`),
    )
  })

  it('gives up after the last rung, resumable', async () => {
    const scene = play({ faults: ['engine/device-lost'], adapters: adapterLadderMs.map(() => null) })
    await expect(scene.model.score(batch)).rejects.toMatchObject({
      code: 'engine/device-lost',
      message: expect.stringMatching(/within 222 s.*no GPU/) as string,
    })
    expect(scene.slept).toEqual([2_000, 10_000, 30_000, 60_000, 120_000])
    expect(scene.opened()).toBe(1)
  })

  it('waits for the adapter that it began on, not for any', async () => {
    const other = { ...described, description: 'Other GPU' }
    const scene = play({ faults: ['engine/device-lost'], adapters: [other, described] })
    expect(await scene.model.score(batch)).toEqual(rightAnswers)
    expect(messages(scene.events)[1]).toMatch(/another GPU now \(made a Other GPU\).*Trying again in 2 s/)
    const never = play({ faults: ['engine/device-lost'], adapters: adapterLadderMs.map(() => other) })
    await expect(never.model.score(batch)).rejects.toMatchObject({ message: expect.stringContaining('Other GPU') as string })
  })

  it('never mixes numbers of two engines', async () => {
    const scene = play({ faults: ['engine/device-lost'], reopenedFacts: { ...webgpuFacts, numericClass: 'other' } })
    await expect(scene.model.score(batch)).rejects.toMatchObject({
      code: 'engine/device-lost',
      message: expect.stringMatching(/made on webgpu, now other.*must not be mixed/) as string,
    })
  })

  it('ends at the third loss within ten minutes', async () => {
    const scene = play({ faults: ['engine/device-lost', null, 'engine/device-lost', null, 'engine/device-lost'], pace: 1000 })
    await scene.model.score(batch)
    await scene.model.score(batch)
    await expect(scene.model.score(batch)).rejects.toMatchObject({
      code: 'engine/device-lost',
      message: expect.stringMatching(/fault 3 within 10 minutes/) as string,
    })
    expect(scene.opened()).toBe(3)
  })

  it('goes on through many losses that are far apart', async () => {
    const faults = Array.from({ length: 20 }, (_, index): Fault => (index % 2 === 0 ? 'engine/device-lost' : null))
    const scene = play({ faults, pace: 160_000 })
    for (let round = 0; round < 10; round += 1) expect(await scene.model.score(batch)).toEqual(rightAnswers)
    expect(scene.opened()).toBe(11)
  })

  it('counts a device that is lost again while it is opened', async () => {
    const scene = play({ faults: ['engine/device-lost'], adapters: ['engine/device-lost', 'engine/device-lost'] })
    await expect(scene.model.score(batch)).rejects.toMatchObject({ message: expect.stringContaining('fault 3') as string })
  })

  it.each(['worker/died', 'worker/timeout', 'engine/failed'] as const)('mends %s once a batch on WebGPU', async (code) => {
    const scene = play({ faults: [code, null, code, code], pace: 400_000 })
    expect(await scene.model.score(batch)).toEqual(rightAnswers)
    await expect(scene.model.score(batch)).rejects.toMatchObject({ code })
    expect(scene.opened()).toBe(3)
  })

  it('mends a dead worker on WASM without asking for an adapter, and leaves an ordinary failure as it is', async () => {
    const scene = play({ facts: wasmFacts, faults: ['worker/died'], adapters: ['internal'] })
    expect(await scene.model.score(batch)).toEqual(rightAnswers)
    const failing = play({ facts: wasmFacts, faults: ['engine/failed'] })
    await expect(failing.model.score(batch)).rejects.toMatchObject({ code: 'engine/failed' })
    expect(failing.opened()).toBe(1)
  })

  it.each(['engine/nonfinite', 'tokenizer/broken', 'engine/prompt-too-long', 'internal'] as const)('leaves %s as it is', async (code) => {
    const scene = play({ faults: [code] })
    await expect(scene.model.score(batch)).rejects.toMatchObject({ code })
    expect(scene.opened()).toBe(1)
  })

  it('scores a batch that ran out of memory item by item on a new engine', async () => {
    const scene = play({ facts: wasmFacts, faults: ['engine/out-of-memory'] })
    expect(await scene.model.score(batch)).toEqual(rightAnswers)
    expect(scene.opened()).toBe(2)
  })

  it('gives an item that fails among others one more engine of its own', async () => {
    const scene = play({ facts: wasmFacts, fits: (one, opened) => one.input.length < 5 || opened === 3 })
    expect(await scene.model.score(batch)).toEqual(rightAnswers)
    expect(scene.opened()).toBe(3)
  })

  it('ends, with sizes, at a prompt that fits nowhere, and never answers for it', async () => {
    const scene = play({ facts: wasmFacts, fits: (one) => one.input.length < 5 })
    await expect(scene.model.score(batch)).rejects.toMatchObject({
      code: 'engine/out-of-memory',
      message: expect.stringMatching(/prompt of 5 tokens.*WebAssembly as q4.*up to 4 tokens have fit: set max_length=4/) as string,
      details: { tokens: 5, dtype: 'q4', fittingTokens: 4 },
    })
    const alone = play({ facts: wasmFacts, fits: () => false })
    await expect(alone.model.score([item(64)])).rejects.toMatchObject({ details: { fittingTokens: 32 } })
    expect(alone.opened()).toBe(2)
  })

  it('is ended by a stop while it waits for the adapter', async () => {
    const scene = play({ faults: ['engine/device-lost'], adapters: [null, null] })
    scene.controller.abort(new EvalError('run/stopped', 'stopped'))
    await expect(scene.model.score(batch)).rejects.toMatchObject({ code: 'run/stopped' })
    expect(scene.opened()).toBe(1)
  })

  it('goes on with a text after a fault, and gives the memory’s limit by name', async () => {
    const texts = [madeText([1, 2, 3]), madeText([4, 5])]
    const whole = texts.map((text) => ({ tokens: Int32Array.from(madeTokens(text)), end: 'length' }))
    const looks: [index: number, seen: number][] = []
    const watcher = {
      begin: () => undefined,
      look: async (index: number, _: Int32Array, seen: number) => {
        looks.push([index, seen])
        return null
      },
    }
    for (const fault of ['engine/device-lost', 'worker/died', 'engine/out-of-memory'] as const) {
      const scene = play({ faults: [fault] })
      expect(await scene.model.generate(texts, watcher)).toEqual(whole)
      expect(looks.splice(0)).toEqual([
        [0, 2],
        [1, 2],
      ])
      expect([scene.opened(), scene.discarded()]).toEqual([2, 1])
    }
    const tooLarge = play({ fits: () => false })
    await expect(tooLarge.model.generate(texts, watcher)).rejects.toMatchObject({ code: 'engine/out-of-memory', details: { tokens: 3 } })
  })

  it('opens no new engine when the text worker that watches a text breaks', async () => {
    const scene = play({})
    const watcher = {
      begin: () => undefined,
      look: () => Promise.reject(new EvalError('worker/timeout', 'made', { details: { name: 'text' } })),
    }
    await expect(scene.model.generate([madeText([1])], watcher)).rejects.toMatchObject({ code: 'worker/timeout' })
    expect(scene.opened()).toBe(1)
  })

  it('adds the runs of all its engines up', async () => {
    const scene = play({ faults: [null, 'engine/device-lost'] })
    await scene.model.score(batch)
    expect(await scene.model.stats()).toMatchObject({ runs: 3 })
    await scene.model.score(batch)
    expect(await scene.model.stats()).toMatchObject({ runs: 6 })
  })
})

describe('a batch’s deadline', () => {
  it('is a second a token at first, then twenty times the slowest batch, and never below a minute', async () => {
    let nowMs = 0
    const given: number[] = []
    const deadline = batchDeadline(() => nowMs)
    const score = (tookMs: number) => async (milliseconds: number) => {
      given.push(milliseconds)
      nowMs += tookMs
      return []
    }
    await deadline.within(100, score(500))
    await deadline.within(100, score(100))
    await deadline.within(20, score(2_000))
    await deadline.within(1, score(1))
    expect(given).toEqual([160_000, 70_000, 62_000, 62_000])
  })
})
