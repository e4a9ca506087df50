import { describe, expect, it } from 'vitest'
import { sleep, startDeadline, type Timers } from '../../src/rpc/deadline.ts'

/** Timers whose time passes by `pass` alone. A `gap` is time in which no timer fires, as while a machine sleeps. */
function madeTimers() {
  let now = 1000
  let timers: { readonly at: number; readonly run: () => void }[] = []
  const fireDue = (): void => {
    for (const timer of timers.filter(({ at }) => at <= now)) {
      timers = timers.filter((one) => one !== timer)
      timer.run()
    }
  }
  const made: Timers = {
    now: () => now,
    set: (run, milliseconds) => {
      const timer = { at: now + milliseconds, run }
      timers.push(timer)
      return timer
    },
    clear: (timer) => {
      timers = timers.filter((one) => one !== timer)
    },
  }
  return {
    made,
    pass: (milliseconds: number) => {
      for (const end = now + milliseconds; now < end;) {
        now = Math.min(end, ...timers.map(({ at }) => at).filter((at) => at > now))
        fireDue()
      }
    },
    gap: (milliseconds: number) => {
      now += milliseconds
      fireDue()
    },
    count: () => timers.length,
  }
}

describe('a deadline', () => {
  it.each([30, 1_000, 60_000])('of %i ms is missed after that time, not before', (milliseconds) => {
    const { made, pass } = madeTimers()
    let missed = 0
    startDeadline(milliseconds, () => (missed += 1), made)
    pass(milliseconds - 1)
    expect(missed).toBe(0)
    pass(2)
    expect(missed).toBe(1)
    pass(10 * milliseconds)
    expect(missed).toBe(1)
  })

  it('counts an hour of sleep as two ticks', () => {
    const { made, pass, gap } = madeTimers()
    let missed = 0
    startDeadline(60_000, () => (missed += 1), made)
    pass(30_000)
    gap(3_600_000)
    expect(missed).toBe(0)
    pass(27_000)
    expect(missed).toBe(0)
    pass(2_000)
    expect(missed).toBe(1)
  })

  it('ends all the same when the machine keeps falling asleep', () => {
    const { made, gap } = madeTimers()
    let missed = 0
    startDeadline(60_000, () => (missed += 1), made)
    for (let sleeps = 0; sleeps < 31; sleeps += 1) gap(600_000)
    expect(missed).toBe(1)
  })

  it('leaves no timer behind when it is called off', () => {
    const { made, pass, count } = madeTimers()
    let missed = 0
    const end = startDeadline(1_000, () => (missed += 1), made)
    pass(500)
    end()
    pass(10_000)
    expect([missed, count()]).toEqual([0, 0])
  })
})

describe('sleep', () => {
  it('ends when its time has come, or with the reason of the signal', async () => {
    const { made, pass, count } = madeTimers()
    const controller = new AbortController()
    const first = sleep(100, controller.signal, made)
    pass(100)
    await first
    const second = sleep(100, controller.signal, made)
    controller.abort(new RangeError('enough'))
    await expect(second).rejects.toThrow('enough')
    await expect(sleep(100, controller.signal, made)).rejects.toThrow('enough')
    expect(count()).toBe(0)
  })
})
