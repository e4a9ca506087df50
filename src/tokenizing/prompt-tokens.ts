/** A kept prompt as the model read it, token by token. */
import { rstrip } from '../python/string.ts'
import type { PromptPiece, PromptTokens } from '../rpc/task-preview-api.ts'
import { piecesOf } from './token-pieces.ts'
import type { Tokenizer } from './tokenizer.ts'

/**
 * The tokens of a prompt, all of them also where the model's window holds fewer. With `isScored` it is what `encodePair` makes of the context:
 * without the white space at its end, and the prefix token for an empty one.
 */
export function promptTokens(tokenizer: Tokenizer, prompt: string, isScored: boolean): PromptTokens {
  const ids = isScored && prompt === '' ? [tokenizer.prefixTokenId] : tokenizer.encode(isScored ? rstrip(prompt) : prompt)
  return {
    pieces: promptPieces(ids, tokenizer),
    count: ids.length,
    maxLength: tokenizer.maxLength,
  }
}

/** The pieces of a prompt's tokens, special tokens marked. */
export function promptPieces(ids: readonly number[], tokenizer: Tokenizer): readonly PromptPiece[] {
  const special = new Set(tokenizer.specialTokens)
  return piecesOf(ids, tokenizer).map((piece) => ({ ...piece, isSpecial: special.has(piece.text) }))
}
