import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EvalError } from '../../src/base/errors.ts'
import { evaluate } from '../../src/evaluation/evaluate.ts'
import { madeEvaluation, madeTextTask, memoryRunStore, settings } from './fakes.ts'

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
