/** The merges that a SentencePiece vocabulary implies: two tokens become one that is a token, too, the one with the highest score first. */
import { corrupt } from './read-metadata.ts'
import type { Merge } from './tokenizer-json.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Characters that all halves of all tokens may have together; Gemma's have 18 million. */
const maxWork = 2 ** 31

interface Scored {
  readonly merge: Merge
  readonly score: number
  /** In code points. */
  readonly lengths: readonly [left: number, right: number]
}

/**
 * Merges as `generate_merges` of transformers 4.57.6 orders them: by falling score, then by falling length of the left half, then of the right one; what is still
 * equal stays in the order of ids. Only normal tokens are made by merging, and user-defined ones with ▁, which stand above them all: others are found in the text before.
 * Throws `model/corrupt` without scores, for a score that is no number, and for tokens so long that their halves are too many.
 */
export function mergesOfScores({ tokens, kinds, scores, ids }: Vocabulary): readonly Merge[] {
  if (scores === null) throw corrupt('a score for each token as tokenizer.ggml.scores', 'no such key')
  const found: Scored[] = []
  let work = 0
  for (const id of ids.values()) {
    const token = tokens[id] ?? ''
    const kind = kinds[id]
    if (kind !== 'normal' && !(kind === 'user-defined' && token.includes('▁'))) continue
    const score = kind === 'normal' ? Number(scores[id]) : 0
    if (Number.isNaN(score)) throw corrupt('numbers as tokenizer.ggml.scores', `no number for token ${id}`)
    work += token.length ** 2
    if (work > maxWork) throw corrupt('tokens of a usual length as tokenizer.ggml.tokens', 'many that are very long')
    for (const one of halvesOf(token, ids)) found.push({ ...one, score })
  }
  return found.sort((a, b) => b.score - a.score || b.lengths[0] - a.lengths[0] || b.lengths[1] - a.lengths[1]).map(({ merge }) => merge)
}

/** The ways to cut a token into two tokens, in the order of their ids. */
function halvesOf(token: string, ids: ReadonlyMap<string, number>): readonly Omit<Scored, 'score'>[] {
  const characters = Array.from(token)
  const halves: (Omit<Scored, 'score'> & { readonly order: readonly [number, number] })[] = []
  let cut = 0
  for (let at = 1; at < characters.length; at++) {
    cut += characters[at - 1]?.length ?? 0
    const left = token.slice(0, cut)
    const leftId = ids.get(left)
    if (leftId === undefined) continue
    const right = token.slice(cut)
    const rightId = ids.get(right)
    if (rightId === undefined) continue
    halves.push({ merge: [left, right], lengths: [at, characters.length - at], order: [leftId, rightId] })
  }
  return halves.sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]).map(({ merge, lengths }) => ({ merge, lengths }))
}
