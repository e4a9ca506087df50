/** The engine's double: log-likelihoods and texts from a hash of the token ids, a few milliseconds a batch, every computation told to the witness. */
import type { EngineFacts } from '../../src/contracts/engine.ts'
import type { ForwardAnswer, ForwardItem, GenerationItem } from '../../src/contracts/items.ts'
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

/** Eight texts at once, as the fast path writes them. */
const together: Partial<EngineFacts> = {
  scoring: 'fast',
  fast: {
    layout: { tokens: 384, rows: 64, packs: true, shares: true, textTokens: 8_192 },
    cut: 'hidden',
    check: { sequences: 0, tokens: 0, maxAbsDiff: 0, maxSumDiff: 0 },
  },
}

interface Text {
  readonly item: GenerationItem
  readonly tokens: number[]
  isOpen: boolean
}

const msPerToken = 40
let texts: Text[] = []

/** The next token hangs on all before it, so that a text which goes on from another place than it was left at is another one to its end. */
function writeToken({ item: { input, decoding }, tokens }: Text): boolean {
  const state = hash([...input, ...tokens], 0x811c9dc5)
  const isLast = tokens.length > 40 && state % 200 === 0
  tokens.push(isLast ? (decoding.endTokens[0] ?? 0) : 100 + (state % 300))
  return isLast
}

const nameOf = ({ item }: Text): string => item.input.join()

const ofWorker = Math.random()
const api: ModelWorkerApi = {
  describeAdapter: async () => null,
  // A task of texts alone has nothing to be checked by.
  open: async (_model, { dtype, checkItems = [] }) => ({ ...facts, ...(checkItems.length === 0 ? together : {}), dtype }),
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
  beginGeneration: async (items, _prefixes, written = []) => {
    texts = items.map((item, index) => ({ item, tokens: [...(written[index] ?? [])], isOpen: true }))
  },
  continueGeneration: async ({ tokens, milliseconds }) => {
    const going = texts.filter(({ isOpen }) => isOpen)
    const from = new Map(going.map((text) => [text, text.tokens.length]))
    const ends = new Map<Text, 'end-token' | 'length'>()
    for (let step = 0; step < Math.min(tokens, milliseconds / msPerToken); step += 1) {
      await new Promise((resolve) => setTimeout(resolve, msPerToken))
      for (const text of going.filter(({ isOpen }) => isOpen)) {
        const isLast = writeToken(text)
        if (isLast || text.tokens.length >= text.item.decoding.maxNewTokens) {
          text.isOpen = false
          ends.set(text, isLast ? 'end-token' : 'length')
        }
      }
    }
    const whole = [...ends.keys()]
    report(
      'wrote',
      going.map((text) => ({ text: nameOf(text), from: from.get(text), to: text.tokens.length })),
    )
    for (const text of whole) report('computed', { items: [nameOf(text)], logprobs: [text.tokens] })
    return texts.map((text) => {
      const start = from.get(text)
      return start === undefined ? null : { tokens: Int32Array.from(text.tokens.slice(start)), end: ends.get(text) ?? null }
    })
  },
  endGeneration: async () => {
    texts = []
  },
  stats: async () => ({ runs, tokens: 0, rows: 0, bytesReadBack: 0, milliseconds: 0 }),
  close: async () => undefined,
}

exposeWorker(api)
