import { afterEach, describe, expect, it, vi } from 'vitest'
import { runLockName, tryLock, withLock } from '../../src/storage/locks.ts'

/** Web Locks, as far as they are used. */
class FakeLocks {
  readonly held = new Set<string>()
  async request(
    name: string,
    options: { ifAvailable?: boolean },
    body: (lock: { name: string } | null) => Promise<unknown>,
  ): Promise<unknown> {
    if (this.held.has(name) && options.ifAvailable === true) return body(null)
    while (this.held.has(name)) await new Promise((resolve) => setTimeout(resolve, 1))
    this.held.add(name)
    try {
      return await body({ name })
    } finally {
      this.held.delete(name)
    }
  }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe.each([
  ['with Web Locks', () => ({ locks: new FakeLocks() })],
  ['without Web Locks', () => ({})],
])('%s', (_, makeNavigator) => {
  it('runs what is locked and gives its value, or its error', async () => {
    vi.stubGlobal('navigator', makeNavigator())
    expect(await withLock('gpu', async () => 7)).toBe(7)
    expect(await tryLock(runLockName('r'), async () => 8)).toEqual({ held: false, value: 8 })
    await expect(withLock('gpu', () => Promise.reject(new RangeError('x')))).rejects.toThrow(RangeError)
    expect(await withLock('gpu', async () => 9)).toBe(9)
  })
})

describe('a lock', () => {
  it('is waited for, or told to be held', async () => {
    vi.stubGlobal('navigator', { locks: new FakeLocks() })
    const order: string[] = []
    const first = withLock('gpu', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push('first')
    })
    expect(await tryLock('gpu', async () => 1)).toEqual({ held: true })
    expect(await tryLock('run:x', async () => 1)).toEqual({ held: false, value: 1 })
    await withLock('gpu', async () => {
      order.push('second')
    })
    await first
    expect(order).toEqual(['first', 'second'])
  })
})
