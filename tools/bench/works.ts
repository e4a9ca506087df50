/** The works of `npm run bench`: made token ids of fixed seeds in the shapes of real benchmarks. */
import { greedyItem } from '../../src/contracts/items.ts'
import type { BuiltTask, EncodedPiece } from '../../src/contracts/built-task.ts'
import { encodeRolling } from '../../src/tokenizing/encode.ts'
import { randomOf, type Random } from '../../tests/fuzz/random.ts'

/** One doc's requests, each a sequence of pieces whose log-probabilities are added; or a prompt to write after. */
export interface BenchDoc {
  readonly requests: readonly (readonly EncodedPiece[])[]
  readonly prompt: Int32Array | null
}

export interface BenchWork {
  readonly name: WorkName
  readonly docs: readonly BenchDoc[]
  /** Run before anything is timed; shares no beginning with `docs`. */
  readonly warmUp: BenchDoc
  /** Tokens written after each prompt; 0 where texts are scored. */
  readonly newTokens: number
}

export const workNames = ['mmlu_5shot', 'hellaswag_0shot', 'hellaswag_10shot', 'gsm8k', 'wikitext', 'generate_200'] as const
export type WorkName = (typeof workNames)[number]

/** Lengths in tokens. */
interface Shape {
  readonly prefix: number
  readonly question: number
  readonly choices: number
  readonly choice: number
  readonly newTokens: number
  readonly rolling: number
}

const scored = { newTokens: 0, rolling: 0 }
const shapes: { readonly [name in WorkName]: Shape } = {
  mmlu_5shot: { prefix: 600, question: 90, choices: 4, choice: 1, ...scored },
  hellaswag_0shot: { prefix: 0, question: 60, choices: 4, choice: 28, ...scored },
  hellaswag_10shot: { prefix: 950, question: 60, choices: 4, choice: 28, ...scored },
  gsm8k: { prefix: 600, question: 100, choices: 0, choice: 0, newTokens: 100, rolling: 0 },
  wikitext: { prefix: 0, question: 0, choices: 0, choice: 0, newTokens: 0, rolling: 4000 },
  generate_200: { prefix: 0, question: 100, choices: 0, choice: 0, newTokens: 200, rolling: 0 },
}

/** Ids drawn evenly from the upper seven eighths of the vocabulary, clear of special tokens. */
export function drawIds(random: Random, count: number, vocabularySize: number): number[] {
  const first = Math.ceil(vocabularySize / 8)
  return Array.from({ length: count }, () => first + random.below(vocabularySize - first))
}

/**
 * `docs` docs of a work. The same seed and vocabulary give the same ids. `scale` (1 where nothing is said) shortens all
 * lengths. Rolling texts are cut into windows of `windowTokens` as the harness cuts them.
 */
export function makeWork(
  name: WorkName,
  {
    docs,
    vocabularySize,
    windowTokens,
    seed,
    scale = 1,
  }: { docs: number; vocabularySize: number; windowTokens: number; seed: number; scale?: number },
): BenchWork {
  const shape = scaled(shapes[name], scale)
  const draw = (random: Random, count: number): number[] => drawIds(random, count, vocabularySize)
  const prefix = draw(randomOf(seed, name, 'prefix'), shape.prefix)
  const makeDoc = (label: string | number, before: readonly number[]): BenchDoc => {
    const random = randomOf(seed, name, label)
    if (shape.rolling > 0) return { requests: [windowsOf(draw(random, shape.rolling), windowTokens)], prompt: null }
    const context = [...before, ...draw(random, shape.question)]
    if (shape.newTokens > 0) return { requests: [], prompt: Int32Array.from(context) }
    const choices = distinct(shape.choices, () => draw(random, shape.choice))
    return { requests: choices.map((choice) => [pieceOf(context, choice)]), prompt: null }
  }
  return {
    name,
    docs: Array.from({ length: docs }, (_, doc) => makeDoc(doc, prefix)),
    warmUp: makeDoc('warm-up', draw(randomOf(seed, name, 'other prefix'), shape.prefix)),
    newTokens: shape.newTokens,
  }
}

function scaled(shape: Shape, scale: number): Shape {
  const length = (tokens: number): number => (tokens === 0 ? 0 : Math.max(1, Math.round(tokens * scale)))
  const { prefix, question, choice, newTokens, rolling, choices } = shape
  return {
    prefix: length(prefix),
    question: length(question),
    choices,
    choice: length(choice),
    newTokens: length(newTokens),
    rolling: length(rolling),
  }
}

/** Docs as a task that `makePlan` plans. */
export function asTask({ name, docs, newTokens }: Pick<BenchWork, 'docs' | 'newTokens'> & { readonly name: string }): BuiltTask {
  return {
    name,
    docs: docs.length,
    docsOriginal: docs.length,
    warnings: [],
    requests: docs.flatMap(({ requests, prompt }, docId) =>
      prompt === null
        ? requests.map((pieces, idx) => ({ docId, idx, pieces }))
        : [{ docId, idx: 0, pieces: [], generations: [greedyItem(prompt, newTokens)] }],
    ),
  }
}

/** A continuation after a context, as it is scored. */
export function pieceOf(context: readonly number[], continuation: readonly number[]): EncodedPiece {
  return { input: Int32Array.from([...context, ...continuation.slice(0, -1)]), target: Int32Array.from(continuation) }
}

function distinct(count: number, make: () => number[]): number[][] {
  const made = new Map<string, number[]>()
  while (made.size < count) {
    const tokens = make()
    made.set(tokens.join(), tokens)
  }
  return [...made.values()]
}

/** Windows as of any rolling request, after token 0. */
function windowsOf(tokens: readonly number[], windowTokens: number): readonly EncodedPiece[] {
  return encodeRolling({ encode: () => [...tokens], prefixTokenId: 0, maxLength: windowTokens }, '')
}
