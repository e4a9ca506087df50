/**
 * The tokens of a GGUF file with what it says of each. Source of the kinds: llama.h (`llama_token_type`) of llama.cpp 0c1e570, as all sources of this folder,
 * and conversion/base.py beside it, which writes them.
 */
import { corrupt, quote, readNumbers, readTexts, type Metadata } from './read-metadata.ts'

export type TokenKind = 'normal' | 'unknown' | 'control' | 'user-defined' | 'unused' | 'byte'

export interface Vocabulary {
  /** By id, as the file has them. */
  readonly tokens: readonly string[]
  /** By id. */
  readonly kinds: readonly TokenKind[]
  /** By id; null without scores. */
  readonly scores: ArrayLike<number> | null
  /** Ids of all tokens but fillers. */
  readonly ids: ReadonlyMap<string, number>
}

/** Several times as many as any tokenizer has: Gemma's have 262,208. */
const maxTokens = 2_000_000
/** In UTF-16 units. The longest known is a run of some hundred blanks. */
const maxTokenLength = 4_096

/** By their numbers. Undefined (0) is what llama.cpp makes normal text of, too. */
const kindNames: readonly TokenKind[] = ['normal', 'normal', 'unknown', 'control', 'user-defined', 'unused', 'byte']

/**
 * Reads tokens, kinds and scores. Fillers, with which converters make a vocabulary as long as the model's embeddings, have no entry in `ids`: the
 * model's own tokenizer doesn't know them. Throws `model/corrupt` for lists of other lengths, kinds that aren't known, and a token that comes twice.
 */
export function readVocabulary(metadata: Metadata): Vocabulary {
  const tokens = readTexts(metadata, 'tokenizer.ggml.tokens')
  if (tokens === null || tokens.length === 0) throw corrupt('tokens as tokenizer.ggml.tokens', tokens === null ? 'no such key' : 'none')
  if (tokens.length > maxTokens) throw corrupt(`at most ${maxTokens} tokens as tokenizer.ggml.tokens`, String(tokens.length))
  const types = readNumbersOfAll(metadata, 'tokenizer.ggml.token_type', tokens.length)
  const scores = readNumbersOfAll(metadata, 'tokenizer.ggml.scores', tokens.length)
  const kinds = tokens.map((_, id) => kindOf(types, id))
  const ids = new Map<string, number>()
  for (const [id, token] of tokens.entries()) {
    if (token.length > maxTokenLength)
      throw corrupt(`tokens of at most ${maxTokenLength} characters as tokenizer.ggml.tokens`, `${token.length} as token ${id}`)
    if (isFiller(token, kinds[id] ?? 'normal')) continue
    const before = ids.get(token)
    if (before !== undefined)
      throw corrupt('every token once as tokenizer.ggml.tokens', `${quote(token)} as token ${before} and as token ${id}`)
    ids.set(token, id)
  }
  return { tokens, kinds, scores, ids }
}

function readNumbersOfAll(metadata: Metadata, key: string, count: number): ArrayLike<number> | null {
  const numbers = readNumbers(metadata, key)
  if (numbers !== null && numbers.length !== count) throw corrupt(`${count} values as ${key}, one a token`, String(numbers.length))
  return numbers
}

function kindOf(types: ArrayLike<number> | null, id: number): TokenKind {
  if (types === null) return 'normal'
  const kind = kindNames[types[id] ?? -1]
  if (kind === undefined) throw corrupt('types from 0 to 6 as tokenizer.ggml.token_type', `${String(types[id])} for token ${id}`)
  return kind
}

/** `[PAD151669]`: unused today; older converters wrote them as user-defined or unknown tokens. A token without text can't be found either. */
function isFiller(token: string, kind: TokenKind): boolean {
  return token === '' || ((kind === 'unused' || kind === 'user-defined' || kind === 'unknown') && /^\[PAD\d+\]$/.test(token))
}
