import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EvalError } from '../../src/base/errors.ts'
import { evaluate } from '../../src/evaluation/evaluate.ts'
import { draftsInMemory } from '../../src/evaluation/model/batch-drafts.ts'
import { writeTexts } from '../../src/evaluation/model/write-text.ts'
import { madeEvaluation, madeText, madeTextTask, memoryRunStore, settings } from './fakes.ts'

beforeEach(() => {
  // Every timer comes at once: the time between two writes is batch-drafts.test.ts's matter.
  vi.useFakeTimers({ shouldAdvanceTime: false, toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((run) => {
    queueMicrotask(run)
    return 0 as unknown as ReturnType<typeof setTimeout> // Only handed to clearTimeout.
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const task = madeTextTask(6, 2, (docId, repeat) => (docId % 2 === 0 ? null : docId * 10 + repeat))

/** The run that nothing disturbed, and how many tokens its engine wrote. */
async function undisturbed() {
  let tokens = 0
  const whole = madeEvaluation(task, memoryRunStore(), undefined, undefined, () => (tokens += 1))
  await evaluate(settings, whole)
  return { given: whole.given, tokens }
}

/** Cuts a run off after each `every` tokens, until it comes to its end. */
async function cutOff(every: number, store = memoryRunStore()) {
  let tokens = 0
  let cuts = 0
  for (;;) {
    let left = every
    const one = madeEvaluation(task, store, undefined, undefined, () => {
      tokens += 1
      left -= 1
      if (left < 0) throw new EvalError('worker/died', 'made kill')
    })
    const row = cuts === 0 ? null : store.row('run-1')
    try {
      await evaluate(settings, one, row)
      return { given: one.given, tokens, cuts, store, events: one.events }
    } catch (error) {
      expect(error).toMatchObject({ code: 'worker/died' })
      cuts += 1
    }
  }
}

describe('a run that is cut off while it writes', () => {
  it('goes on within its texts and hands over the same', async () => {
    const whole = await undisturbed()
    for (const every of [4, 7, 31]) {
      const cut = await cutOff(every)
      expect(cut.given).toEqual(whole.given)
      expect(cut.cuts).toBeGreaterThan(2)
      // A kill comes within a part of three tokens, which is lost with it.
      expect(cut.tokens).toBeLessThanOrEqual(whole.tokens + cut.cuts * 3)
    }
  })

  it('loses the texts being written where they can’t be kept, says so once, and comes to the same', async () => {
    const whole = await undisturbed()
    const store = { ...memoryRunStore(), keepDrafts: () => Promise.reject(new EvalError('storage/quota', 'The disk is full.')) }
    const cut = await cutOff(31, store)
    expect(cut.given).toEqual(whole.given)
    const messages = cut.events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
    expect(messages.filter((message) => message.includes('The disk is full.'))).toHaveLength(1)
  })

  it('takes nothing of what was written under other keys, as another engine has', async () => {
    const whole = await undisturbed()
    const store = memoryRunStore()
    let left = 10
    const first = madeEvaluation(task, store, undefined, undefined, () => {
      left -= 1
      if (left < 0) throw new EvalError('worker/died', 'made kill')
    })
    await expect(evaluate(settings, first)).rejects.toMatchObject({ code: 'worker/died' })
    expect((await store.draftsOf('run-1')).size).toBeGreaterThan(0)
    let tokens = 0
    const other = madeEvaluation(task, store, undefined, undefined, () => (tokens += 1))
    const keysOf: typeof other.keysOf = async (...given) => (await other.keysOf(...given)).map((key) => `other ${key}`)
    await evaluate(settings, { ...other, keysOf }, store.row('run-1'))
    expect([tokens, other.given]).toEqual([whole.tokens, whole.given])
  })
})

describe('a batch of which something is known', () => {
  it('asks the engine for what goes on, and finds a stop string that lies across the last known token', async () => {
    const items = [madeText([1]), madeText([2]), madeText([3])]
    const drafts = draftsInMemory()
    drafts.grow(0, { tokens: Int32Array.of(9, 8), end: 'length' })
    drafts.grow(1, { tokens: Int32Array.of(1, 5), end: null })
    const begun: unknown[] = []
    const engine = {
      begin: async (texts: readonly { readonly input: Int32Array }[], written: readonly Int32Array[]) => {
        begun.push(
          texts.map(({ input }) => [...input]),
          written.map((tokens) => [...tokens]),
        )
      },
      next: async () => [
        { tokens: Int32Array.of(6, 7), end: null },
        { tokens: Int32Array.of(4), end: 'length' as const },
      ],
      end: async () => void begun.push('end'),
    }
    const watcher = {
      begin: () => undefined,
      // Stops at a 5 and a 6, looking back as far as the harness does.
      look: async (_: number, tokens: Int32Array, seen: number) => {
        const at = tokens.findIndex((token, index) => index >= seen && token === 6 && tokens[index - 1] === 5)
        return at < 0 ? null : at + 1
      },
    }
    expect(await writeTexts(items, watcher, engine, drafts)).toEqual([
      { tokens: Int32Array.of(9, 8), end: 'length' },
      { tokens: Int32Array.of(1, 5, 6), end: 'stop' },
      { tokens: Int32Array.of(4), end: 'length' },
    ])
    expect(begun).toEqual([[[2], [3]], [[1, 5], []], 'end'])
  })

  it('asks the engine for nothing where all have ended', async () => {
    const drafts = draftsInMemory()
    drafts.grow(0, { tokens: Int32Array.of(9), end: 'stop' })
    const never = () => Promise.reject(new Error('asked'))
    const watcher = { begin: () => undefined, look: never }
    const texts = await writeTexts([madeText([1])], watcher, { begin: never, next: never, end: never }, drafts)
    expect(texts).toEqual([{ tokens: Int32Array.of(9), end: 'stop' }])
  })
})
