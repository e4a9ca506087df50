/** The special tokens that a GGUF file names, and the ids that end a generated text. */
import { corrupt, readCount, readNumbers, type Metadata } from './read-metadata.ts'
import type { Vocabulary } from './vocabulary.ts'

const keys = {
  bos: 'tokenizer.ggml.bos_token_id',
  eos: 'tokenizer.ggml.eos_token_id',
  /** End of a turn. */
  eot: 'tokenizer.ggml.eot_token_id',
  /** End of a message, after which a tool answers. */
  eom: 'tokenizer.ggml.eom_token_id',
  unk: 'tokenizer.ggml.unknown_token_id',
  // Spelled so in the format.
  sep: 'tokenizer.ggml.seperator_token_id',
  pad: 'tokenizer.ggml.padding_token_id',
  mask: 'tokenizer.ggml.mask_token_id',
  cls: 'tokenizer.ggml.cls_token_id',
} as const

export type SpecialName = keyof typeof keys

/** Ids by name; null for one that there isn't. */
export type SpecialIds = { readonly [name in SpecialName]: number | null }

/**
 * Reads the ids, with `defaults` for those that the file leaves out. Throws `model/corrupt` for an id beyond the vocabulary: llama.cpp goes on with
 * a default of its own there, which would be a guess.
 */
export function readSpecialIds(metadata: Metadata, { tokens }: Vocabulary, defaults: Partial<SpecialIds>): SpecialIds {
  const read = (name: SpecialName): number | null => {
    const id = readCount(metadata, keys[name]) ?? defaults[name] ?? null
    if (id !== null && id >= tokens.length) throw corrupt(`an id below ${tokens.length} as ${keys[name]}`, String(id))
    return id
  }
  return {
    ...{ bos: read('bos'), eos: read('eos'), eot: read('eot'), eom: read('eom') },
    ...{ unk: read('unk'), sep: read('sep'), pad: read('pad'), mask: read('mask'), cls: read('cls') },
  }
}

/** Texts that end a turn in the chat templates of known models. Source: llama-vocab.cpp, where the token of such a text is taken for the end of a turn. */
const turnEnds = ['<|eot_id|>', '<|end|>', '<end_of_turn>', '<turn|>', '<end_of_utterance>']

/**
 * Ids after which a generated text ends, ascending: those that the file names (eos, eot, eom), the end of a turn by its own chat template, and
 * what the family's published generation_config.json adds (`siblings`, by the end that stands in the file). GGUF files keep no generation_config.json.
 */
export function endIdsOf(
  special: SpecialIds,
  { ids, tokens, kinds }: Vocabulary,
  chatTemplate: string | null,
  siblings: { readonly [end: string]: readonly string[] },
): readonly number[] {
  const ends = new Set([special.eos, special.eot, special.eom].filter((id) => id !== null))
  const add = (text: string): void => {
    const id = ids.get(text)
    if (id !== undefined && (kinds[id] === 'control' || kinds[id] === 'user-defined')) ends.add(id)
  }
  for (const text of turnEnds) if (chatTemplate?.includes(text) === true) add(text)
  for (const id of [...ends]) {
    const end = tokens[id] ?? ''
    if (Object.hasOwn(siblings, end)) for (const text of siblings[end] ?? []) add(text)
  }
  return [...ends].sort((one, other) => one - other)
}

/** generation_config.json's text: what ends a text, and tokens that are never written. */
export function generationConfigOf(metadata: Metadata, special: SpecialIds, ends: readonly number[]): string {
  const suppressed = readNumbers(metadata, 'tokenizer.ggml.suppress_tokens')
  return JSON.stringify({
    ...(special.bos === null ? {} : { bos_token_id: special.bos }),
    ...(ends.length === 0 ? {} : { eos_token_id: ends.length === 1 ? ends[0] : ends }),
    ...(special.pad === null ? {} : { pad_token_id: special.pad }),
    ...(suppressed === null || suppressed.length === 0 ? {} : { suppress_tokens: Array.from(suppressed) }),
  })
}
