/** Repeat-run noise, measured on request: the run's first items twice together and twice each alone. */
import { repeatNoise } from '../analysis/compare/repeat-noise.ts'
import { append } from '../base/arrays.ts'
import type { ItemAnswer } from '../contracts/items.ts'
import type { LoglikelihoodResponse } from '../contracts/requests.ts'
import type { NoiseFacts, RunVariance } from '../contracts/yardstick-results.ts'
import type { PreparedRun } from './answer-all.ts'
import { answerItems } from './model/answer-items.ts'
import type { Evaluation } from './ports.ts'
import { throwIfStopped } from './service/stopping.ts'

/**
 * Computes the run's first `noiseItems` items afresh, those of a planned batch together and then each alone, and all of it a second time. What
 * the run scored is left out of it: kept answers may come from batches that held other items, and what shares a run decides last digits.
 * Nothing computed here is kept or scored. Null unless it was asked for. Throws as the engine does, and `run/stopped`.
 */
export async function measureNoise(prepared: PreparedRun, evaluation: Evaluation): Promise<RunVariance | null> {
  const { plan, manifest, engine } = prepared
  const wanted = manifest.settings.noiseItems ?? 0
  if (wanted === 0 || plan.items.length === 0) return null
  const model = await engine()
  const together: [ItemAnswer[], ItemAnswer[]] = [[], []]
  const alone: [ItemAnswer[], ItemAnswer[]] = [[], []]
  let left = wanted
  for (const { items: indices, prefixes } of plan.batches) {
    if (left === 0) break
    const items = indices.slice(0, left).flatMap((index) => plan.items[index] ?? [])
    left -= items.length
    // Alone in between, without prefixes: so the second time computes the shared ones again too.
    for (const time of [0, 1] as const) {
      throwIfStopped(evaluation.signal)
      append(together[time], await answerItems(items, prefixes, model, evaluation.text))
      for (const item of items) {
        throwIfStopped(evaluation.signal)
        append(alone[time], await answerItems([item], [], model, evaluation.text))
      }
    }
  }
  return {
    items: together[0].length,
    again: noiseOf(...together),
    alone: noiseOf(together[0], alone[0]),
    aloneAgain: noiseOf(...alone),
  }
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
