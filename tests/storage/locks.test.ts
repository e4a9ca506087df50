import { afterEach, describe, expect, it, vi } from 'vitest'
import { acquireLock, isLockHeld, runLockName, stealLock, tryLock } from '../../src/storage/locks.ts'

interface Holder {
  readonly name: string
  readonly lose: () => void
}

/** Web Locks, as far as they are used. */
class FakeLocks {
  readonly holders = new Map<string, Holder>()
  async request(
    name: string,
    options: { ifAvailable?: boolean; steal?: boolean; signal?: AbortSignal },
    body: (lock: { name: string } | null) => Promise<unknown>,
  ): Promise<unknown> {
    if (this.holders.has(name) && options.ifAvailable === true) return body(null)
    if (options.steal === true) this.holders.get(name)?.lose()
    while (options.steal !== true && this.holders.has(name)) {
      options.signal?.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    return new Promise((resolve, reject) => {
      const holder = { name, lose: () => reject(new DOMException('stolen', 'AbortError')) }
      this.holders.set(name, holder)
      body({ name })
        .then(resolve, reject)
        .finally(() => {
          if (this.holders.get(name) === holder) this.holders.delete(name)
        })
        .catch(reject)
    })
  }
  async query() {
    return { held: [...this.holders.values()].map(({ name }) => ({ name })), pending: [] }
  }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

const never = new AbortController().signal

describe.each([
  ['with Web Locks', () => ({ locks: new FakeLocks() })],
  ['without Web Locks', () => ({})],
])('%s', (_, makeNavigator) => {
  it('runs what is locked and gives its value, or its error', async () => {
    vi.stubGlobal('navigator', makeNavigator())
    expect(await tryLock(runLockName('r'), async () => 8)).toEqual({ held: false, value: 8 })
    await expect(tryLock('gpu', () => Promise.reject(new RangeError('x')))).rejects.toThrow(RangeError)
    expect(await stealLock('gpu', async () => 9)).toBe(9)
    const lock = await acquireLock('gpu', () => undefined, never)
    lock.release()
    ;(await acquireLock('gpu', () => undefined, never)).release()
  })
})

describe('a lock', () => {
  it('is waited for, or told to be held, and asking for its state takes nothing', async () => {
    vi.stubGlobal('navigator', { locks: new FakeLocks() })
    const order: string[] = []
    const first = await acquireLock('gpu', () => order.push('waits in vain'), never)
    expect(await isLockHeld('gpu')).toBe(true)
    expect(await isLockHeld('run:x')).toBe(false)
    expect(await tryLock('gpu', async () => 1)).toEqual({ held: true })
    expect(await tryLock('run:x', async () => isLockHeld('run:x'))).toEqual({ held: false, value: true })
    const second = acquireLock('gpu', () => order.push('second waits'), never).then((lock) => {
      order.push('second')
      return lock
    })
    await new Promise((resolve) => setTimeout(resolve, 10))
    order.push('released')
    first.release()
    ;(await second).release()
    expect(order).toEqual(['second waits', 'released', 'second'])
  })

  it('is waited for no longer when the waiting is called off', async () => {
    vi.stubGlobal('navigator', { locks: new FakeLocks() })
    const lock = await acquireLock('gpu', () => undefined, never)
    const controller = new AbortController()
    const waiting = acquireLock('gpu', () => undefined, controller.signal)
    controller.abort(new RangeError('called off'))
    await expect(waiting).rejects.toThrow('called off')
    lock.release()
  })

  it('can be stolen: its holder hears of it, once, and its own value or error still counts', async () => {
    vi.stubGlobal('navigator', { locks: new FakeLocks() })
    const heard: string[] = []
    let finish: (value: string) => void = () => undefined
    const holder = tryLock(
      'run:x',
      () => new Promise<string>((resolve) => (finish = resolve)),
      () => heard.push('lost'),
    )
    await Promise.resolve()
    const thief = stealLock('run:x', async () => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return 'stolen'
    })
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(heard).toEqual(['lost'])
    finish('ended by itself')
    expect(await holder).toEqual({ held: false, value: 'ended by itself' })
    expect(await thief).toBe('stolen')
    expect(heard).toEqual(['lost'])
  })
})
