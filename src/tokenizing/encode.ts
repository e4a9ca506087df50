/**
 * From text requests to token ids, as the harness's HFLM encodes, splits and truncates them. lm_eval 0.4.13, `TemplateLM._encode_pair`,
 * `loglikelihood`, `get_rolling_token_windows`. Golden: tests/goldens/encode.
 */
import { EvalError } from '../base/errors.ts'
import { length, rstrip } from '../python/string.ts'
import type { Tokenizer } from './tokenizer.ts'

/** What one forward pass reads, and the tokens that its last `target.length` rows are scored against. */
export interface ScoredPiece {
  readonly input: Int32Array
  readonly target: Int32Array
}

/** A piece that may have lost its beginning. */
interface CutPiece extends ScoredPiece {
  /** Tokens that the window had no room for. */
  readonly cutTokens: number
}

interface EncodedPair {
  readonly context: readonly number[]
  readonly continuation: readonly number[]
}

type EncodingTokenizer = Pick<Tokenizer, 'encode' | 'prefixTokenId' | 'maxLength'>

/**
 * Token ids of a context and its continuation. White space at the context's end moves to the continuation; both are encoded together
 * and cut at the length of the encoded context. An empty context becomes the prefix token, or the continuation's own first token
 * when it is that one. Throws `engine/failed` when no token is left to score.
 */
export function encodePair(tokenizer: EncodingTokenizer, context: string, continuation: string): EncodedPair {
  const encoded = context === '' ? encodeWithoutContext(tokenizer, continuation) : encodeWithContext(tokenizer, context, continuation)
  if (encoded.continuation.length === 0)
    throw new EvalError(
      'engine/failed',
      `The continuation ${JSON.stringify(continuation)} leaves no token to score after its context of ${length(context)} characters.`,
    )
  if (encoded.context.length === 0)
    throw new EvalError(
      'engine/failed',
      `The context before ${JSON.stringify(continuation)} is white space and leaves no token; the harness can't score it either.`,
    )
  return encoded
}

function encodeWithoutContext(tokenizer: EncodingTokenizer, continuation: string): EncodedPair {
  const ids = tokenizer.encode(continuation, { addSpecialTokens: false })
  if (ids[0] === tokenizer.prefixTokenId) return { context: ids.slice(0, 1), continuation: ids.slice(1) }
  return { context: [tokenizer.prefixTokenId], continuation: ids }
}

function encodeWithContext(tokenizer: EncodingTokenizer, context: string, continuation: string): EncodedPair {
  const kept = rstrip(context)
  const whole = tokenizer.encode(context + continuation)
  const contextIds = tokenizer.encode(kept)
  return { context: contextIds, continuation: whole.slice(contextIds.length) }
}

/**
 * The forward pass of an encoded pair: the last `maxLength + 1` tokens of context and continuation, without the final one, so that a
 * full window holds `maxLength` inputs. Throws `engine/prompt-too-long` when the continuation alone is longer than the window.
 */
function cutToWindow({ context, continuation }: EncodedPair, maxLength: number): CutPiece {
  if (continuation.length > maxLength) {
    throw new EvalError('engine/prompt-too-long', `A continuation has ${continuation.length} tokens; the model reads ${maxLength}.`, {
      details: { tokens: continuation.length, maxLength },
    })
  }
  const all = [...context, ...continuation]
  const tokens = all.slice(-(maxLength + 1))
  return {
    input: Int32Array.from(tokens.slice(0, -1)),
    target: Int32Array.from(continuation),
    cutTokens: all.length - tokens.length,
  }
}

/** The forward pass of a log-likelihood request. Throws as `encodePair` and `cutToWindow`. */
export function encodeLoglikelihood(tokenizer: EncodingTokenizer, context: string, continuation: string): CutPiece {
  return cutToWindow(encodePair(tokenizer, context, continuation), tokenizer.maxLength)
}

/**
 * The forward passes of a rolling request: windows of at most `maxLength` inputs that score every token of the text once, the first
 * one after the prefix token. The text is encoded with the tokenizer's default special tokens, so a BOS of its own is scored too.
 * Empty for a text without tokens.
 */
export function encodeRolling(tokenizer: EncodingTokenizer, text: string): readonly ScoredPiece[] {
  const { maxLength, prefixTokenId } = tokenizer
  const tokens = tokenizer.encode(text)
  const pieces: ScoredPiece[] = []
  for (let start = 0; start < tokens.length; start += maxLength) {
    const end = Math.min(start + maxLength, tokens.length)
    const input = start === 0 ? [prefixTokenId, ...tokens.slice(0, end - 1)] : tokens.slice(Math.max(0, end - maxLength - 1), end - 1)
    pieces.push({ input: Int32Array.from(input), target: Int32Array.from(tokens.slice(start, end)) })
  }
  return pieces
}
