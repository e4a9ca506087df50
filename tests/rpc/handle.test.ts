import { describe, expect, it, vi } from 'vitest'
import { EvalError } from '../../src/base/errors.ts'
import { connectWorker, startDeadlineMs } from '../../src/rpc/handle.ts'
import { callback } from '../../src/rpc/transfer.ts'
import { makeFakeWorker } from './fake-worker.ts'

interface Api {
  add(a: number, b: number): Promise<number>
  fail(): Promise<void>
  failStrangely(): Promise<void>
  hang(): Promise<void>
  count(to: number, onStep: (n: number) => void): Promise<void>
}

const api = {
  add: async (a: number, b: number) => a + b,
  fail: async () => {
    const inner = new TypeError('inner')
    throw new EvalError('engine/out-of-memory', 'no room', {
      details: { bytes: 5 },
      cause: new EvalError('storage/quota', 'full', { cause: inner }),
    })
  },
  failStrangely: () => Promise.reject(new RangeError('odd')),
  hang: () => new Promise(() => undefined),
  count: async (to: number, onStep: (n: number) => Promise<void>) => {
    for (let n = 1; n <= to; n++) await onStep(n)
  },
}

function startFake() {
  const fake = makeFakeWorker()
  return { fake, handle: connectWorker<Api>(fake.worker, 'test') }
}

describe('a worker handle', () => {
  it('holds calls back until the worker listens, and loses none', async () => {
    const { fake, handle } = startFake()
    const early = Promise.all([handle.api.add(1, 2), handle.api.add(3, 4)])
    await new Promise((resolve) => setTimeout(resolve, 20))
    fake.listen(api)
    expect(await early).toEqual([3, 7])
    expect(await handle.api.add(5, 6)).toBe(11)
    handle.terminate()
  })

  it("carries an error's class, code, details, stack and causes", async () => {
    const { fake, handle } = startFake()
    fake.listen(api)
    const error = await handle.api.fail().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EvalError)
    expect(error).toMatchObject({
      code: 'engine/out-of-memory',
      message: 'no room',
      details: { bytes: 5 },
      cause: { code: 'storage/quota', cause: { message: 'TypeError: inner' } },
    })
    expect(error).toHaveProperty('stack', expect.stringContaining('handle.test.ts'))
    await expect(handle.api.failStrangely()).rejects.toMatchObject({
      code: 'internal',
      message: 'odd',
      cause: { message: 'RangeError: odd' },
    })
    handle.terminate()
  })

  it('rejects every pending and later call when the worker crashes', async () => {
    const { fake, handle } = startFake()
    fake.listen(api)
    await handle.api.add(1, 1)
    const pending = [handle.api.hang(), handle.api.hang()].map((call) => call.catch((error: unknown) => error))
    // Else it would be the starter's own uncaught error as well.
    expect(fake.crash('boom')).toBe(false)
    for (const error of await Promise.all(pending))
      expect(error).toMatchObject({ code: 'worker/died', message: 'The test worker died: boom (x.js:3).', details: { name: 'test' } })
    await expect(handle.api.add(1, 1)).rejects.toMatchObject({ code: 'worker/died' })
    await expect(handle.died).rejects.toMatchObject({ code: 'worker/died' })
    expect(fake.isTerminated()).toBe(true)
    expect(handle.isAlive()).toBe(false)
  })

  it("says why a worker's file could not be loaded", async () => {
    const { fake, handle } = startFake()
    const call = handle.api.add(1, 1)
    fake.say({ yardstick: 'failed', message: 'SyntaxError: x' })
    await expect(call).rejects.toMatchObject({ code: 'worker/died', message: expect.stringContaining('SyntaxError: x') as string })
  })

  it('treats a rejection that nobody handled as a death, with its cause', async () => {
    const { fake, handle } = startFake()
    fake.listen(api)
    const call = handle.api.hang()
    fake.say({ yardstick: 'broken', error: { code: 'engine/device-lost', message: 'gone', details: {}, stack: null, cause: null } })
    await expect(call).rejects.toMatchObject({ code: 'worker/died', cause: { code: 'engine/device-lost' } })
  })

  it('ends a call that misses its deadline, and every other call with it', async () => {
    const { fake, handle } = startFake()
    fake.listen(api)
    const other = handle.api.hang().catch((error: unknown) => error)
    await expect(handle.callWithDeadline(30, (calls) => calls.hang())).rejects.toMatchObject({
      code: 'worker/timeout',
      details: { milliseconds: 30 },
    })
    expect(await other).toMatchObject({ code: 'worker/timeout' })
    expect(fake.isTerminated()).toBe(true)
  })

  it('leaves a worker alone that met its deadline', async () => {
    const { fake, handle } = startFake()
    fake.listen(api)
    expect(await handle.callWithDeadline(500, (calls) => calls.add(1, 2))).toBe(3)
    expect(handle.isAlive()).toBe(true)
    handle.terminate()
  })

  it('gives up a worker that never listens', async () => {
    vi.useFakeTimers()
    try {
      const { handle } = startFake()
      const call = handle.api.add(1, 1).catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(startDeadlineMs + 1)
      expect(await call).toMatchObject({ code: 'worker/timeout' })
    } finally {
      vi.useRealTimers()
    }
  })

  it('terminates with the reason it is given', async () => {
    const { fake, handle } = startFake()
    fake.listen(api)
    const call = handle.api.hang()
    handle.terminate(new EvalError('run/stopped', 'stopped by the user'))
    await expect(call).rejects.toMatchObject({ code: 'run/stopped' })
  })

  it('rejects a call whose argument cannot be cloned, and lives on', async () => {
    const { fake, handle } = startFake()
    fake.listen(api)
    await expect(handle.api.count(1, () => undefined)).rejects.toThrow(/could not be cloned/)
    expect(await handle.api.add(2, 2)).toBe(4)
    handle.terminate()
  })

  it('calls a marked callback back, in order', async () => {
    const { fake, handle } = startFake()
    fake.listen(api)
    const seen: number[] = []
    await handle.api.count(
      3,
      callback((n: number) => {
        seen.push(n)
      }),
    )
    expect(seen).toEqual([1, 2, 3])
    handle.terminate()
  })
})
