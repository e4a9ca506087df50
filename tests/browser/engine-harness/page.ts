/** Offers the built model worker to a browser test, started from a `blob:` bootstrap as the app starts it. */
import type { EngineFacts } from '../../../src/contracts/engine.ts'
import type { ForwardItem } from '../../../src/contracts/items.ts'
import type { AdapterFacts, OpenOptions, SessionCounts } from '../../../src/contracts/model-session.ts'
import type { ModelWorkerApi } from '../../../src/rpc/model-worker-api.ts'
import { startWorker } from '../../../src/rpc/start-worker.ts'
import workerAddress from '../../../workers/model.worker.ts?worker&url'

/** Answers and items as JSON, since they cross the test's protocol. */
export interface PlainItem {
  readonly input: readonly number[]
  readonly targets: readonly (readonly number[])[]
}
export interface PlainAnswer {
  readonly logprobs: readonly (readonly number[])[]
  readonly sums: readonly number[]
  readonly isGreedy: readonly boolean[]
}
export type PlainResult<T> = { readonly value: T } | { readonly error: { readonly code: string; readonly message: string } }

export interface Harness {
  isIsolated(): boolean
  describeAdapter(): Promise<AdapterFacts | null>
  open(
    folder: string,
    file: string,
    external: readonly string[],
    options: OpenOptions & { longestRun?: number; calibratesSoftware?: boolean; selfCheck?: 'skip' },
  ): Promise<PlainResult<EngineFacts>>
  /** Opens a checkpoint in one safetensors file, given as Base64. */
  openCheckpoint(config: string, weights: string, options: OpenOptions): Promise<PlainResult<EngineFacts>>
  score(items: readonly PlainItem[], prefixes?: readonly number[]): Promise<PlainResult<readonly PlainAnswer[]>>
  /** Scores `batches` batches of `size` questions after one kept prefix: each a few tokens of its own, four letters to choose from. */
  scoreQuestions(batches: number, size: number): Promise<PlainResult<number>>
  /** Greedy texts of so many tokens, written together; `begun`: what there is of each already. */
  write(
    prompts: readonly (readonly number[])[],
    newTokens: number,
    begun?: readonly (readonly number[])[],
  ): Promise<PlainResult<readonly (readonly number[])[]>>
  stats(): Promise<SessionCounts>
  /** Replaces the worker by a fresh one. */
  restart(): void
}

declare global {
  interface Window {
    harness: Harness
  }
}

const start = () => startWorker<ModelWorkerApi>(workerAddress, { name: 'model' })
let worker = start()

async function fetchBytes(address: string): Promise<Uint8Array> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${address}: ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

async function settle<T>(work: Promise<T>): Promise<PlainResult<T>> {
  try {
    return { value: await work }
  } catch (error) {
    if (!(error instanceof Error)) return { error: { code: 'none', message: String(error) } }
    return { error: { code: 'code' in error ? String(error.code) : 'none', message: error.message } }
  }
}

function toItem({ input, targets }: PlainItem): ForwardItem {
  return { input: Int32Array.from(input), targets: targets.map((target) => Int32Array.from(target)) }
}

async function scoreQuestions(batches: number, size: number): Promise<number> {
  const prefix = Array.from({ length: 40 }, (_, i) => 5 + i)
  let answers = 0
  for (let batch = 0; batch < batches; batch += 1) {
    const items = Array.from({ length: size }, (_, i) => ({
      input: [...prefix, 50 + (batch % 100), 60 + i, 70],
      targets: [[80], [81], [82], [83]],
    }))
    answers += (await worker.api.score(items.map(toItem), [prefix.length])).length
  }
  return answers
}

/** Texts of `newTokens` tokens, those of `begun` included. */
async function write(
  prompts: readonly (readonly number[])[],
  newTokens: number,
  begun: readonly (readonly number[])[],
): Promise<number[][]> {
  const decoding = { maxNewTokens: newTokens, minNewTokens: 0, endTokens: [], repetitionPenalty: 1, noRepeatNgramSize: 0, badWords: [] }
  await worker.api.beginGeneration(
    prompts.map((prompt) => ({
      input: Int32Array.from(prompt),
      stops: [],
      decoding: { ...decoding, suppressTokens: [], beginSuppressTokens: [], sampling: null },
    })),
    [],
    begun.map((tokens) => Int32Array.from(tokens)),
  )
  const texts = prompts.map((_, index): number[] => [...(begun[index] ?? [])])
  while (texts.some((text) => text.length < newTokens)) {
    const parts = await worker.api.continueGeneration({ tokens: newTokens, milliseconds: 60_000 })
    parts.forEach((part, index) => texts[index]?.push(...(part?.tokens ?? [])))
  }
  return texts
}

window.harness = {
  isIsolated: () => crossOriginIsolated,
  describeAdapter: async () => worker.api.describeAdapter(),
  async open(folder, file, external, options) {
    const graph = await fetchBytes(`${folder}/onnx/${file}`)
    const externalData = await Promise.all(external.map(async (path) => ({ path, bytes: await fetchBytes(`${folder}/onnx/${path}`) })))
    const config = await (await fetch(`${folder}/config.json`)).text()
    return settle(worker.api.open({ graph, externalData, config }, options))
  },
  async openCheckpoint(config, weights, options) {
    const bytes = Uint8Array.from(atob(weights), (letter) => letter.charCodeAt(0))
    return settle(worker.api.open({ checkpoint: [{ path: 'model.safetensors', bytes }], config }, options))
  },
  score: async (items, prefixes = []) =>
    settle(
      worker.api.score(items.map(toItem), prefixes).then((answers) =>
        answers.map((answer) => ({
          logprobs: answer.tokenLogprobs.map((list) => [...list]),
          sums: answer.answers.map((one) => one.logprob),
          isGreedy: answer.answers.map((one) => one.isGreedy),
        })),
      ),
    ),
  scoreQuestions: async (batches, size) => settle(scoreQuestions(batches, size)),
  write: async (prompts, newTokens, begun = []) => settle(write(prompts, newTokens, begun)),
  stats: async () => worker.api.stats(),
  restart() {
    worker.terminate()
    worker = start()
  },
}
