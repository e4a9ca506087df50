import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { realClock } from '../../../src/data/download/clock.ts'

let nowMs = 0
beforeEach(() => {
  nowMs = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Waking time: timers come when they are due. */
function wait(ms: number): void {
  for (let left = ms; left > 0; left -= 100) {
    nowMs += 100
    vi.advanceTimersByTime(100)
  }
}

it('an alarm comes after its time, and not when it was called off', () => {
  const rung: string[] = []
  realClock.alarm(30_000, () => rung.push('one'))
  const callOff = realClock.alarm(30_000, () => rung.push('other'))
  wait(29_900)
  expect(rung).toEqual([])
  callOff()
  wait(100)
  expect(rung).toEqual(['one'])
})

it('a machine that slept has the whole time again once it is awake', () => {
  const rung: string[] = []
  realClock.alarm(30_000, () => rung.push('one'))
  wait(29_000)
  // An hour in which no timer came, nor any byte: the timer is due at once.
  nowMs += 3_600_000
  wait(1_000)
  expect(rung).toEqual([])
  wait(29_000)
  expect(rung).toEqual([])
  wait(1_000)
  expect(rung).toEqual(['one'])
})
