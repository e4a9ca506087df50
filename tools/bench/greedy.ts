import type { GenerationItem } from '../../src/contracts/items.ts'

/** A text of exactly `newTokens` tokens after `prompt`: greedy, whatever would end it earlier. */
export function greedyItem(prompt: readonly number[] | Int32Array, newTokens: number): GenerationItem {
  return {
    input: Int32Array.from(prompt),
    stops: [],
    decoding: {
      maxNewTokens: newTokens,
      minNewTokens: 0,
      endTokens: [],
      repetitionPenalty: 1,
      noRepeatNgramSize: 0,
      badWords: [],
      suppressTokens: [],
      beginSuppressTokens: [],
      sampling: null,
    },
  }
}
