/** Repeat-run noise, measured on request: the run's first items once more, in the same batches and each alone. */
import { EvalError } from '../core/errors.ts'
import { isGeneration } from '../core/items.ts'
import { repeatNoise } from '../core/compare/repeat-noise.ts'
import type { ItemAnswer, LoglikelihoodResponse, NoiseFacts, PlannedItem, RunNoise } from '../core/types.ts'
import type { PreparedRun } from './answer-all.ts'
import type { Evaluation, OpenModel } from './ports.ts'
import { throwIfStopped } from './stopping.ts'

/**
 * Compares the answers that the run keeps with those of a second computation, for the planned batches that hold its first `noiseItems` items
 * (whole batches, so that the second time shares runs as the first did). Nothing computed here is kept or scored. Null unless it was asked
 * for. Throws as the engine does, and `run/stopped`.
 */
export async function measureNoise(prepared: PreparedRun, evaluation: Evaluation): Promise<RunNoise | null> {
  const { plan, keys, manifest, engine } = prepared
  const wanted = manifest.settings.noiseItems ?? 0
  if (wanted === 0 || plan.items.length === 0) return null
  const model = await engine()
  const first: ItemAnswer[] = []
  const again: ItemAnswer[] = []
  const alone: ItemAnswer[] = []
  for (const { items: indices, prefixes } of plan.batches) {
    if (first.length >= wanted) break
    const kept = await evaluation.store.recall(indices.flatMap((index) => keys[index] ?? []))
    const items = indices.flatMap((index) => plan.items[index] ?? [])
    throwIfStopped(evaluation.signal)
    again.push(...(await answersOf(items, prefixes, model, evaluation)))
    for (const item of items) {
      throwIfStopped(evaluation.signal)
      alone.push(...(await answersOf([item], [], model, evaluation)))
    }
    for (const index of indices) {
      const answer = kept.get(keys[index] ?? '')
      if (answer === undefined)
        throw new EvalError('internal', `The answer of item ${index} is not kept, so nothing can be compared with it.`)
      first.push(answer)
    }
  }
  return { items: first.length, again: noiseOf(first, again), alone: noiseOf(first, alone) }
}

async function answersOf(
  items: readonly PlannedItem[],
  prefixes: readonly number[],
  model: OpenModel,
  { text }: Evaluation,
): Promise<readonly ItemAnswer[]> {
  const scored = items.flatMap((item) => (isGeneration(item) ? [] : [item]))
  if (scored.length === items.length) return model.score(scored, prefixes)
  const texts = items.filter(isGeneration)
  const watcher = {
    begin: () => undefined,
    look: async (index: number, tokens: Int32Array, seen: number) =>
      (await text.watchGeneration(tokens, seen, texts[index]?.stops ?? [])).stopAfter,
  }
  return model.generate(texts, watcher, prefixes)
}

function noiseOf(first: readonly ItemAnswer[], second: readonly ItemAnswer[]): NoiseFacts {
  const [left, right] = [first.flatMap(responsesOf), second.flatMap(responsesOf)]
  const numbers =
    left.length === 0 ? { requests: 0, identical: 0, maxAbsDiff: 0, meanAbsDiff: 0, greedyFlips: 0 } : repeatNoise(left, right)
  const pairs = first.flatMap((answer, i) => ('tokens' in answer ? [[answer, second[i]] as const] : []))
  const { requests, ...differences } = numbers
  return {
    logprobs: requests,
    ...differences,
    texts: pairs.length,
    sameTexts: pairs.filter(([a, b]) => b !== undefined && 'tokens' in b && a.tokens.join() === b.tokens.join()).length,
  }
}

function responsesOf(answer: ItemAnswer): readonly LoglikelihoodResponse[] {
  return 'answers' in answer ? answer.answers : []
}
