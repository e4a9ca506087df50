/** Byte-level BPE (`tokenizer.ggml.model` = gpt2): the vocabulary is of bytes written as characters, and the file has the merges. */
import { EvalError, type Json } from '../../base/errors.ts'
import { preTokenizers, refusedPreTokenizers, type PreTokenizer, type PreTokenizerStep } from './pre-tokenizers.ts'
import { corrupt, quote, readTexts, type Metadata } from './read-metadata.ts'
import type { BpeTokenizer, Merge } from './tokenizer-json.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Gemma 3 has 514,906. */
const maxMerges = 4_000_000

/** What `tokenizer.ggml.pre` names. Throws `model/unsupported` for a name that isn't known here. */
export function findPreTokenizer(name: string): PreTokenizer {
  const found = preTokenizers.get(name)
  if (found !== undefined) return found
  const reason = refusedPreTokenizers.get(name)
  if (reason !== undefined) throw new EvalError('model/unsupported', `The pre-tokenizer ${quote(name)} can't be used: ${reason}.`)
  throw new EvalError(
    'model/unsupported',
    `wanted a pre-tokenizer that is known as tokenizer.ggml.pre, found ${quote(name)}: how it cuts a text isn't in the GGUF file`,
  )
}

/** The parts of tokenizer.json that don't concern special tokens. Throws `model/corrupt` for merges that can't be so. */
export function byteLevelBpe(
  metadata: Metadata,
  vocabulary: Vocabulary,
  { steps, normalForm, ignoresMerges }: PreTokenizer,
): Omit<BpeTokenizer, 'addedTokens' | 'postProcessor'> {
  return {
    ids: vocabulary.ids,
    merges: readMerges(metadata, vocabulary),
    settings: { unk_token: null, fuse_unk: false, byte_fallback: false, ignore_merges: ignoresMerges },
    normalizer: normalForm === null ? null : { type: normalForm },
    preTokenizer: { type: 'Sequence', pretokenizers: steps.map(stepOf) },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
  }
}

/** `left right` a merge. A token may begin with a blank, so the first character doesn't end it (llama.cpp reads them so). */
export function readMerges(metadata: Metadata, { ids }: Vocabulary): readonly Merge[] {
  const key = 'tokenizer.ggml.merges'
  const lines = readTexts(metadata, key)
  if (lines === null) throw corrupt(`merges as ${key}`, 'no such key')
  if (lines.length > maxMerges) throw corrupt(`at most ${maxMerges} merges as ${key}`, String(lines.length))
  return lines.map((line, at) => {
    const blank = line.indexOf(' ', 1)
    const [left, right] = blank === -1 ? ['', ''] : [line.slice(0, blank), line.slice(blank + 1)]
    for (const token of [left, right, left + right])
      if (!ids.has(token)) throw corrupt(`merges of tokens as ${key}`, `${quote(line)} as number ${at}, of which ${quote(token)} is none`)
    return [left, right]
  })
}

function stepOf(step: PreTokenizerStep): Json {
  switch (step) {
    case 'digits':
      return { type: 'Digits', individual_digits: true }
    case 'digit-runs':
      return { type: 'Digits', individual_digits: false }
    case 'punctuation':
      return { type: 'Punctuation', behavior: 'Contiguous' }
    case 'byte-level-words':
      return { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true }
    case 'byte-level':
      return { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }
    default:
      return { type: 'Split', pattern: { Regex: step.isolate }, behavior: 'Isolated', invert: false }
  }
}
