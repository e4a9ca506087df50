/** One batch's items to their answers: scored ones in forward passes, texts written together. */
import { EvalError } from '../../base/errors.ts'
import { isGeneration, type ItemAnswer, type PlannedItem } from '../../contracts/items.ts'
import type { Evaluation, OpenModel, TextDrafts } from '../ports.ts'

/** `stopAfter`: as many tokens belong to the text, which has ended; null while it goes on. `tail`: its last characters. */
export interface GenerationReach {
  readonly tokens: number
  readonly stopAfter: number | null
  readonly tail: string
}

/** Hears how far texts have come. */
interface WritingListener {
  /** The prompts were read. */
  readonly begin: () => void
  readonly reached: (index: number, reach: GenerationReach) => void
}

/** Answers in the items' order; texts go on from `drafts`. Throws as the engine does, and `internal` for items of both kinds. */
export async function answerItems(
  items: readonly PlannedItem[],
  prefixes: readonly number[],
  model: OpenModel,
  text: Evaluation['text'],
  { listener, drafts }: { readonly listener?: WritingListener; readonly drafts?: TextDrafts } = {},
): Promise<readonly ItemAnswer[]> {
  const texts = items.filter(isGeneration)
  const scored = items.flatMap((item) => (isGeneration(item) ? [] : [item]))
  if (texts.length === 0) return model.score(scored, prefixes)
  if (scored.length > 0) throw new EvalError('internal', 'A batch holds both forward passes and texts.')
  const watcher = {
    begin: () => listener?.begin(),
    async look(index: number, tokens: Int32Array, seen: number): Promise<number | null> {
      const { stopAfter, tail } = await text.watchGeneration(tokens, seen, texts[index]?.stops ?? [])
      listener?.reached(index, { tokens: tokens.length, stopAfter, tail })
      return stopAfter
    },
  }
  return model.generate(texts, watcher, prefixes, drafts)
}
