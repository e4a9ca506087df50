/**
 * SentencePiece's BPE (`tokenizer.ggml.model` = llama, and gemma4, which has its merges in the file): tokens are texts with ▁ for a blank, and what has no
 * token becomes its bytes. Source: `LlamaConverter`, `GemmaConverter` and `generate_merges` of transformers 4.57.6 (convert_slow_tokenizer.py).
 */
import type { Json } from '../../base/errors.ts'
import { readMerges } from './byte-level.ts'
import { mergesOfScores } from './merges-of-scores.ts'
import { corrupt, type Metadata } from './read-metadata.ts'
import type { BpeTokenizer } from './tokenizer-json.ts'
import type { Vocabulary } from './vocabulary.ts'

/** SentencePiece's sign for a blank. */
const blank = '▁'

/**
 * The vocabulary with ▁ in user-defined tokens, for which converters write blanks (conversion/base.py). Throws `model/corrupt` when that makes two
 * tokens one.
 */
export function withBlankSigns(vocabulary: Vocabulary): Vocabulary {
  const tokens = vocabulary.tokens.map((token, id) => (vocabulary.kinds[id] === 'user-defined' ? token.replaceAll(' ', blank) : token))
  const ids = new Map([...vocabulary.ids.values()].map((id) => [tokens[id] ?? '', id]))
  if (ids.size !== vocabulary.ids.size)
    throw corrupt(`every token once as tokenizer.ggml.tokens`, `one with ${blank} and the same with blanks`)
  return { ...vocabulary, tokens, ids }
}

/** The parts of tokenizer.json that don't concern special tokens. Throws `model/corrupt` without scores. */
export function scoredBpe(
  vocabulary: Vocabulary,
  unk: number | null,
  addsSpacePrefix: boolean,
): Omit<BpeTokenizer, 'addedTokens' | 'postProcessor'> {
  const replace: Json = { type: 'Replace', pattern: { String: ' ' }, content: blank }
  return {
    ids: vocabulary.ids,
    merges: mergesOfScores(vocabulary),
    settings: settingsOf(vocabulary, unk),
    normalizer: addsSpacePrefix ? { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: blank }, replace] } : replace,
    preTokenizer: null,
    decoder: decoderOf(addsSpacePrefix),
  }
}

/** As `scoredBpe`, with the file's own merges and never a blank before the text: Gemma 4 and its like. */
export function mergedBpe(
  metadata: Metadata,
  vocabulary: Vocabulary,
  unk: number | null,
): Omit<BpeTokenizer, 'addedTokens' | 'postProcessor'> {
  return {
    ids: vocabulary.ids,
    merges: readMerges(metadata, vocabulary),
    settings: settingsOf(vocabulary, unk),
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: blank },
    preTokenizer: null,
    decoder: decoderOf(false),
  }
}

function settingsOf({ tokens, ids }: Vocabulary, unk: number | null): { readonly [key: string]: Json } {
  return {
    unk_token: unk === null ? null : (tokens[unk] ?? null),
    fuse_unk: true,
    byte_fallback: ids.has('<0x00>'),
    ignore_merges: false,
  }
}

function decoderOf(addsSpacePrefix: boolean): Json {
  const decoders: Json[] = [{ type: 'Replace', pattern: { String: blank }, content: ' ' }, { type: 'ByteFallback' }, { type: 'Fuse' }]
  if (addsSpacePrefix) decoders.push({ type: 'Strip', content: ' ', start: 1, stop: 0 })
  return { type: 'Sequence', decoders }
}
