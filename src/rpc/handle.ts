/** The starter's side of a border: a running worker whose calls all settle, also when it dies. */
import { wrap, type Endpoint } from 'comlink'
import { EvalError, fromWire } from '../base/errors.ts'
import type { WatchedStep } from '../base/watched-step.ts'
import { startDeadline } from './deadline.ts'
import { installErrorHandler } from './errors-over-comlink.ts'
import { readSignal } from './handshake.ts'
import { stepDeadlinesMs, stuckStep, type StepDeadlines } from './stuck-step.ts'

/** An API as its caller sees it: every method answers with a promise. */
export type Called<Api> = {
  readonly [K in keyof Api]: Api[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never
}

export interface WorkerHandle<Api> {
  readonly name: string
  /** Calls cross as soon as the worker listens; each rejects with the worker's own error, or with `worker/died`. */
  readonly api: Called<Api>
  /** Rejects when the worker dies or is terminated; never resolves. */
  readonly died: Promise<never>
  readonly isAlive: () => boolean
  /** What the worker said last that it works on (`tellDoing`); null before. */
  readonly doing: () => string | null
  /** Ends the worker now. Pending and later calls reject with `reason` (default: `worker/died`). */
  terminate(reason?: EvalError): void
  /**
   * One call (or several) that must settle within `milliseconds` of waking time (see deadline.ts); else the worker is terminated with the error
   * of `missed`, or `worker/timeout`.
   */
  callWithDeadline<T>(milliseconds: number, use: (api: Called<Api>) => Promise<T>, missed?: () => EvalError): Promise<T>
}

/** What a handle needs of a `Worker`. */
export type WorkerLike = Endpoint & { terminate(): void }

/** Workers that haven't said within this time that they listen are given up. */
export const startDeadlineMs = 60_000

/**
 * The handle of a worker that was just started and calls `exposeWorker`. Calls made before it listens wait for it.
 * `onSettled` runs once, when the worker listens or is dead. A worker that announces its steps (`tellSteps`) is ended when one of them
 * misses its deadline, with the error of `stuckStep`.
 */
export function connectWorker<Api extends object>(
  worker: WorkerLike,
  name: string,
  onSettled: () => void = () => undefined,
  stepDeadlines: StepDeadlines = stepDeadlinesMs,
): WorkerHandle<Api> {
  installErrorHandler()
  const remote = wrap<Record<string, (...args: unknown[]) => unknown>>(worker)
  const pending = new Set<(error: EvalError) => void>()
  const ready = deferred<void>()
  const died = deferred<never>()
  // Nobody has to listen to these two: what they say reaches every call through `pending`.
  ready.promise.catch(() => undefined)
  died.promise.catch(() => undefined)
  let death: EvalError | null = null

  const die = (error: EvalError): void => {
    if (death !== null) return
    death = error
    endStartDeadline()
    endStepDeadline()
    worker.terminate()
    for (const reject of pending) reject(error)
    pending.clear()
    ready.reject(error)
    died.reject(error)
    onSettled()
  }
  const endStartDeadline = startDeadline(startDeadlineMs, () => {
    die(new EvalError('worker/timeout', `The ${name} worker didn't start within ${startDeadlineMs / 1000} s.`, { details: { name } }))
  })

  let doing: string | null = null
  let endStepDeadline = (): void => undefined
  const watchStep = (step: WatchedStep | null): void => {
    endStepDeadline()
    if (step === null || death !== null) return
    const milliseconds = stepDeadlines[step.kind]
    endStepDeadline = startDeadline(milliseconds, () => {
      die(stuckStep(name, step, milliseconds))
    })
  }

  worker.addEventListener('error', (event) => {
    // It is dealt with here. Left alone, a nested worker's error would go on to whoever started this one, and kill it too.
    event.preventDefault()
    die(diedError(name, describeErrorEvent(event)))
  })
  worker.addEventListener('messageerror', () => {
    die(diedError(name, 'a message could not be read'))
  })
  worker.addEventListener('message', (event) => {
    const signal = 'data' in event ? readSignal(event.data) : null
    if (signal === null) return
    if (signal.yardstick === 'ready') {
      endStartDeadline()
      ready.resolve()
      onSettled()
    } else if (signal.yardstick === 'step') watchStep(signal.step)
    else if (signal.yardstick === 'doing') doing = signal.what
    else if (signal.yardstick === 'failed') die(diedError(name, `its file could not be loaded: ${signal.message}`))
    else die(diedError(name, signal.error.message, fromWire(signal.error)))
  })

  const call = (method: string, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (death !== null) {
        reject(death)
        return
      }
      pending.add(reject)
      const settle = (): void => {
        pending.delete(reject)
      }
      const run = async (): Promise<unknown> => {
        await ready.promise
        const remoteMethod = remote[method]
        if (remoteMethod === undefined) throw new EvalError('internal', `The ${name} worker has no method '${method}'.`)
        return remoteMethod(...args)
      }
      run().then(resolve, reject).finally(settle).catch(reject)
    })

  // A proxy over an API's names: which methods exist is the types' business, and the worker says when one doesn't.
  const api = new Proxy(
    {},
    {
      // `then` must be absent, or awaiting the object would call it.
      get: (_, method) => (typeof method === 'symbol' || method === 'then' ? undefined : (...args: unknown[]) => call(method, args)),
    },
  ) as Called<Api> // A proxy has no members of its own to type.

  const terminate = (reason?: EvalError): void => {
    die(reason ?? diedError(name, 'it was stopped'))
  }
  const unanswered = (milliseconds: number): EvalError => {
    const message = `The ${name} worker gave no answer within ${milliseconds / 1000} s and was stopped.`
    return new EvalError('worker/timeout', message, { details: { name, milliseconds } })
  }
  const callWithDeadline = async <T>(
    milliseconds: number,
    use: (api: Called<Api>) => Promise<T>,
    missed = () => unanswered(milliseconds),
  ): Promise<T> => {
    const endDeadline = startDeadline(milliseconds, () => {
      terminate(missed())
    })
    try {
      return await use(api)
    } finally {
      endDeadline()
    }
  }
  return { name, api, died: died.promise, isAlive: () => death === null, doing: () => doing, terminate, callWithDeadline }
}

function diedError(name: string, why: string, cause?: EvalError): EvalError {
  return new EvalError('worker/died', `The ${name} worker died: ${why}.`, { details: { name }, ...(cause === undefined ? {} : { cause }) })
}

function describeErrorEvent(event: Event): string {
  const { message, filename, lineno } = event as Partial<ErrorEvent> // 'error' events of a worker are ErrorEvents, or plain ones when its file is missing.
  if (message === undefined || message === '') return 'its script could not be loaded'
  return filename === undefined || filename === '' ? message : `${message} (${filename}:${lineno ?? 0})`
}

function deferred<T>(): {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: EvalError) => void
} {
  let settle: { resolve: (value: T) => void; reject: (error: EvalError) => void } | null = null
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  if (settle === null) throw new Error('a promise runs its executor at once')
  const { resolve, reject } = settle as { resolve: (value: T) => void; reject: (error: EvalError) => void } // Assigned in the executor, which the compiler can't see.
  return { promise, resolve, reject }
}
