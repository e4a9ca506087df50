import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EvalError } from '../../../src/base/errors.ts'
import type { Draft } from '../../../src/contracts/items.ts'
import { BatchDrafts, keepEveryMs } from '../../../src/evaluation/model/batch-drafts.ts'
import type { DraftPart } from '../../../src/storage/store.ts'

const draft = (tokens: readonly number[], end: Draft['end'] = null): Draft => ({ tokens: Int32Array.from(tokens), end })

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Drafts of two texts, and the writes that reach the store, with the time of each. */
function play({ known = {}, keep }: { known?: { [key: string]: Draft }; keep?: () => Promise<void> } = {}) {
  const writes: { readonly ms: number; readonly parts: readonly (readonly [string, number, number[], Draft['end']])[] }[] = []
  const losses: unknown[] = []
  const startMs = Date.now()
  const drafts = new BatchDrafts({
    keys: ['a', 'b'],
    known: new Map(Object.entries(known)),
    keep: async (parts: readonly DraftPart[]) => {
      writes.push({
        ms: Date.now() - startMs,
        parts: parts.map(({ key, from, tokens, end }) => [key, from, [...tokens], end] as const),
      })
      await keep?.()
    },
    onLoss: (error) => losses.push(error),
    now: () => Date.now(),
  })
  return { drafts, writes, losses }
}

describe('drafts of a batch', () => {
  it('are written once a second, what is new of those that have grown', async () => {
    const { drafts, writes } = play()
    drafts.grow(0, draft([1]))
    drafts.grow(1, draft([5]))
    await vi.advanceTimersByTimeAsync(keepEveryMs - 1)
    drafts.grow(0, draft([1, 2]))
    expect(writes).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    drafts.grow(1, draft([5, 6], 'stop'))
    await vi.advanceTimersByTimeAsync(100)
    drafts.grow(0, draft([1, 2, 3]))
    await vi.advanceTimersByTimeAsync(keepEveryMs)
    await vi.advanceTimersByTimeAsync(10 * keepEveryMs)
    drafts.grow(0, draft([1, 2, 3, 4]))
    await vi.advanceTimersByTimeAsync(0)
    expect(writes).toEqual([
      {
        ms: 1000,
        parts: [
          ['a', 0, [1, 2], null],
          ['b', 0, [5], null],
        ],
      },
      {
        ms: 2000,
        parts: [
          ['a', 2, [3], null],
          ['b', 1, [6], 'stop'],
        ],
      },
      // Nothing grew for ten seconds, so this one waits no longer.
      { ms: 12_100, parts: [['a', 3, [4], null]] },
    ])
  })

  it('never wait for the store, which is asked for one thing at a time', async () => {
    let done = (): void => undefined
    const { drafts, writes } = play({ keep: () => new Promise((resolve) => (done = resolve)) })
    drafts.grow(0, draft([1]))
    await vi.advanceTimersByTimeAsync(keepEveryMs)
    drafts.grow(0, draft([1, 2]))
    await vi.advanceTimersByTimeAsync(5 * keepEveryMs)
    expect(writes).toHaveLength(1)
    done()
    await vi.advanceTimersByTimeAsync(0)
    expect(writes.map(({ parts }) => parts)).toEqual([[['a', 0, [1], null]], [['a', 1, [2], null]]])
  })

  it('of a batch that takes less than a second are never written', async () => {
    const { drafts, writes } = play()
    drafts.grow(0, draft([1], 'length'))
    drafts.grow(1, draft([1], 'length'))
    await drafts.close()
    await vi.advanceTimersByTimeAsync(5 * keepEveryMs)
    expect(writes).toEqual([])
  })

  it('of a batch that is given up are written at once, and then no more', async () => {
    const { drafts, writes } = play({ known: { b: draft([8, 9], 'stop') } })
    drafts.grow(0, draft([1]))
    await drafts.flush()
    drafts.grow(0, draft([1, 2]))
    await vi.advanceTimersByTimeAsync(5 * keepEveryMs)
    expect(writes).toEqual([{ ms: 0, parts: [['a', 0, [1], null]] }])
  })

  it('begin with what is known of them', async () => {
    const { drafts, writes } = play({ known: { a: draft([1, 2]), other: draft([3]) } })
    expect([drafts.of(0), drafts.of(1)]).toEqual([draft([1, 2]), draft([])])
    drafts.grow(0, draft([1, 2, 3]))
    await vi.advanceTimersByTimeAsync(keepEveryMs)
    expect(writes[0]?.parts).toEqual([['a', 2, [3], null]])
  })

  it('are not tried again where they can’t be kept', async () => {
    const { drafts, writes, losses } = play({ keep: () => Promise.reject(new EvalError('storage/quota', 'full')) })
    drafts.grow(0, draft([1]))
    await vi.advanceTimersByTimeAsync(keepEveryMs)
    drafts.grow(0, draft([1, 2]))
    await vi.advanceTimersByTimeAsync(5 * keepEveryMs)
    await drafts.flush()
    expect([writes.length, losses.length]).toEqual([1, 1])
  })
})
