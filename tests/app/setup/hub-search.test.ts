import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { HubSearch, pauseMs } from '../../../src/app/setup/hub-search.svelte.ts'
import { EvalError } from '../../../src/base/errors.ts'
import type { ModelHit } from '../../../src/contracts/models.ts'
import { modelHit } from '../builders.ts'

interface Asked {
  readonly text: string
  readonly answer: (hits: readonly ModelHit[]) => void
  readonly fail: (error: unknown) => void
}

function makeSearch() {
  const asked: Asked[] = []
  const search = new HubSearch({
    searchModels: ({ text }) =>
      new Promise((resolve, reject) => {
        asked.push({ text, answer: resolve, fail: reject })
      }),
  })
  return { search, asked }
}

const hits = ['o/a', 'o/b', 'o/c'].map((id) => modelHit(id))
const settle = () => vi.advanceTimersByTimeAsync(0)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('typing', () => {
  test('asks once, after a pause, for the last text', async () => {
    const { search, asked } = makeSearch()
    for (const text of ['sm', 'smo', 'smol']) {
      search.type(text)
      await vi.advanceTimersByTimeAsync(pauseMs - 1)
    }
    expect(asked).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(asked.map(({ text }) => text)).toEqual(['smol'])
    expect(search.hits.state).toBe('loading')
  })

  test('asks for nothing below two characters', async () => {
    const { search, asked } = makeSearch()
    search.type(' s ')
    await vi.advanceTimersByTimeAsync(10 * pauseMs)
    await search.search()
    expect(asked).toEqual([])
  })

  test('forgets what an earlier text found, also when that answers later', async () => {
    const { search, asked } = makeSearch()
    search.type('first')
    await vi.advanceTimersByTimeAsync(pauseMs)
    search.type('second')
    await vi.advanceTimersByTimeAsync(pauseMs)
    asked[1]?.answer([modelHit('o/second')])
    asked[0]?.answer([modelHit('o/first')])
    await settle()
    expect(search.found.map(({ id }) => id)).toEqual(['o/second'])
  })

  test('says nothing of the failure of a search that was given up', async () => {
    const { search, asked } = makeSearch()
    search.type('first')
    await vi.advanceTimersByTimeAsync(pauseMs)
    search.type('second')
    asked[0]?.fail(new EvalError('run/stopped', 'given up'))
    await settle()
    expect(search.hits.state).toBe('none')
  })
})

describe('results', () => {
  async function found() {
    const made = makeSearch()
    made.search.type('some')
    await vi.advanceTimersByTimeAsync(pauseMs)
    made.asked[0]?.answer(hits)
    await settle()
    return made.search
  }

  test('open, with none chosen yet', async () => {
    const search = await found()
    expect([search.isOpen, search.active]).toEqual([true, -1])
  })

  test('are walked through around both ends', async () => {
    const search = await found()
    const walk = (steps: readonly (1 | -1)[]) =>
      steps.map((step) => {
        search.move(step)
        return search.active
      })
    expect(walk([1, 1, 1, 1, -1, -1])).toEqual([0, 1, 2, 0, 2, 1])
  })

  test('come back with an arrow key after they were closed', async () => {
    const search = await found()
    search.close()
    search.move(1)
    expect([search.isOpen, search.active]).toEqual([true, -1])
  })

  test('stay as they were after the search was put away', async () => {
    const { search, asked } = makeSearch()
    search.type('some')
    await vi.advanceTimersByTimeAsync(pauseMs)
    search.dispose()
    asked[0]?.answer(hits)
    await settle()
    expect(search.found).toEqual([])
  })
})

describe('a failure', () => {
  test('stays in its place and can be tried again', async () => {
    const { search, asked } = makeSearch()
    search.type('some')
    await vi.advanceTimersByTimeAsync(pauseMs)
    asked[0]?.fail(new EvalError('hub/unreachable', 'offline'))
    await settle()
    expect(search.hits).toMatchObject({ state: 'failed', error: { code: 'hub/unreachable' } })
    search.search().catch(() => undefined)
    asked[1]?.answer(hits)
    await settle()
    expect(search.found.length).toBe(3)
  })

  test('of too many requests counts the seconds down and asks for nothing meanwhile', async () => {
    const { search, asked } = makeSearch()
    search.type('some')
    await vi.advanceTimersByTimeAsync(pauseMs)
    asked[0]?.fail(new EvalError('hub/rate-limited', 'pause', { details: { retryAfterSeconds: 3 } }))
    await settle()
    expect(search.waitSeconds).toBe(3)
    await vi.advanceTimersByTimeAsync(2000)
    expect(search.waitSeconds).toBe(1)
    await search.search()
    expect(asked.length).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    search.search().catch(() => undefined)
    expect(asked.length).toBe(2)
  })

  test('of too many requests is followed by what was typed meanwhile', async () => {
    const { search, asked } = makeSearch()
    search.type('some')
    await vi.advanceTimersByTimeAsync(pauseMs)
    asked[0]?.fail(new EvalError('hub/rate-limited', 'pause', { details: { retryAfterSeconds: 3 } }))
    await settle()
    search.type('other')
    await vi.advanceTimersByTimeAsync(2900)
    expect(asked.length).toBe(1)
    await vi.advanceTimersByTimeAsync(100 + pauseMs)
    expect(asked.map(({ text }) => text)).toEqual(['some', 'other'])
  })
})
