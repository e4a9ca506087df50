/** Telling apart what a plan holds. */
import type { ForwardAnswer, GenerationAnswer, GenerationItem, ItemAnswer, PlannedItem } from './types.ts'

/** True for a text to be written, false for a forward pass to be scored. */
export function isGeneration(item: PlannedItem): item is GenerationItem {
  return 'decoding' in item
}

/** True for a text that was written, false for log-probabilities. */
export function isGenerated(answer: ItemAnswer): answer is GenerationAnswer {
  return !isScored(answer)
}

export function isScored(answer: ItemAnswer): answer is ForwardAnswer {
  return 'answers' in answer
}
