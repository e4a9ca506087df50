/** The engine's double: log-likelihoods from a hash of the token ids, a few milliseconds a batch, every computation told to the witness. */
import type { EngineFacts } from '../../src/contracts/engine.ts'
import type { ForwardAnswer, ForwardItem } from '../../src/contracts/items.ts'
import type { ModelWorkerApi } from '../../src/rpc/model-worker-api.ts'
import { exposeWorker } from '../../src/rpc/expose.ts'
import { report } from './witness-client.ts'

const facts: EngineFacts = {
  device: 'wasm',
  deviceReason: 'a double',
  dtype: 'q4',
  scoring: 'reference',
  family: 'other',
  engine: 'double 1',
  threads: 1,
  adapter: null,
  selfCheck: { status: 'skipped', maxAbsDiff: null, tolerance: 0, maxRunTokens: null, reference: 'none', trials: [], message: '' },
  chunkTokens: null,
  isDynamicallyQuantised: false,
  numericClass: 'double',
}

const hash = (values: Iterable<number>, seed: number): number => {
  let sum = seed
  for (const value of values) sum = Math.imul(sum ^ value, 0x01000193) >>> 0
  return sum
}

function answer({ input, targets }: ForwardItem, noise: number): ForwardAnswer {
  const answers = targets.map((target) => {
    const high = hash([...input, -1, ...target], 0x811c9dc5)
    const low = hash([...target, -1, ...input], 0x9e3779b9)
    // Between -20 and 0, with bits below those of a 32-bit float.
    return { logprob: -20 * ((high + low / 2 ** 32) / 2 ** 32) - noise, isGreedy: high % 3 === 0 }
  })
  return { answers, tokenLogprobs: answers.map(({ logprob }, at) => new Float32Array(targets[at]?.length ?? 0).fill(logprob)) }
}

let runs = 0

/** `msPerBatch` and `noise` come with the witness's configuration: with noise, no two workers agree, as on a broken adapter. */
interface Habits {
  readonly msPerBatch: number
  readonly isNoisy: boolean
}

async function habits(): Promise<Habits> {
  const response = await fetch(new URL('/witness/habits', import.meta.url))
  const json: unknown = await response.json()
  return json as Habits // Our own witness's answer.
}

// The task of the kill test has choices only.
const writesNothing = (): Promise<never> => Promise.reject(new Error('the double writes no texts'))

const ofWorker = Math.random()
const api: ModelWorkerApi = {
  describeAdapter: async () => null,
  open: async (_model, { dtype }) => ({ ...facts, dtype }),
  score: async (items) => {
    const { msPerBatch, isNoisy } = await habits()
    const answers = items.map((item) => answer(item, isNoisy ? ofWorker : 0))
    await new Promise((resolve) => setTimeout(resolve, msPerBatch))
    runs += items.length
    const order = report('computed', {
      items: items.map((item) => [item.input.join(), ...item.targets.map((target) => target.join())].join('|')),
      logprobs: answers.map((one) => one.answers.map(({ logprob }) => logprob)),
    })
    if (order === 'throw') {
      // An error that no call waits for: the worker counts as dead.
      setTimeout(() => {
        throw new Error('thrown by the witness')
      })
      await new Promise(() => undefined)
    }
    return answers
  },
  beginGeneration: writesNothing,
  continueGeneration: writesNothing,
  endGeneration: writesNothing,
  stats: async () => ({ runs, tokens: 0, rows: 0, bytesReadBack: 0, milliseconds: 0 }),
  close: async () => undefined,
}

exposeWorker(api)
