/** Telling apart what a plan holds. */
import { maxOf } from './arrays.ts'
import type { ForwardAnswer, ForwardItem, GenerationAnswer, GenerationItem, ItemAnswer, PlannedItem } from './types.ts'

/** True for a text to be written, false for a forward pass to be scored. */
export function isGeneration(item: PlannedItem): item is GenerationItem {
  return 'decoding' in item
}

/** True for a text that was written, false for log-probabilities. */
export function isGenerated(answer: ItemAnswer): answer is GenerationAnswer {
  return !isScored(answer)
}

/** Tokens of the longest target: so many of the last rows are scored. 0 where there are no targets. */
export function longestTarget({ targets }: Pick<ForwardItem, 'targets'>): number {
  return maxOf(
    targets.map((target) => target.length),
    0,
  )
}

export function isScored(answer: ItemAnswer): answer is ForwardAnswer {
  return 'answers' in answer
}
