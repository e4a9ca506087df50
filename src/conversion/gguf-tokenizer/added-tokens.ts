/** Which tokens of a GGUF file are found in a text before it is cut into pieces: `added_tokens` of tokenizer.json. */
import { readText, type Metadata } from './read-metadata.ts'
import type { SpecialIds } from './special-tokens.ts'
import type { AddedToken } from './tokenizer-json.ts'
import type { Vocabulary } from './vocabulary.ts'

/**
 * Control tokens and named ones are special, user-defined ones are added without being special, as converters tell them apart. What they don't keep is whether
 * a token takes white space along, and that some tokens that look special aren't (`plainTokens`).
 */
export function addedTokensOf(
  metadata: Metadata,
  vocabulary: Vocabulary,
  special: SpecialIds,
  plainTokens: RegExp | null,
): readonly AddedToken[] {
  const { ids, kinds } = vocabulary
  const named = new Set<number | null>([special.bos, special.eos, special.unk, special.sep, special.pad, special.mask, special.cls])
  const stripsRight = isPhi3(metadata)
  return [...ids].flatMap(([content, id]): AddedToken[] => {
    const kind = kinds[id] ?? 'normal'
    const isAdded = kind === 'control' || kind === 'unknown' || kind === 'user-defined' || named.has(id)
    if (!isAdded) return []
    const isSpecial = named.has(id) || (kind !== 'user-defined' && plainTokens?.test(content) !== true)
    return [{ id, content, special: isSpecial, rstrip: stripsRight && !plainInPhi3.has(content) }]
  })
}

/** Tokens of Phi 3 that leave the white space behind them. Source: llama-vocab.cpp, which goes by the model's name, too. */
const plainInPhi3 = new Set(['<unk>', '<s>', '<|endoftext|>'])

function isPhi3(metadata: Metadata): boolean {
  const name = readText(metadata, 'general.name')?.toLowerCase() ?? ''
  return readText(metadata, 'tokenizer.ggml.model') === 'llama' && (name.includes('phi-3') || name.includes('phi3'))
}
