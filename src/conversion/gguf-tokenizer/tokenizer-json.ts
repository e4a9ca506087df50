/** Writes tokenizer.json and tokenizer_config.json as the `tokenizers` library of Hugging Face (0.22.2) has them. */
import type { Json } from '../../base/errors.ts'
import type { SpecialIds } from './special-tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Two tokens that become one; the earlier in the list, the sooner. */
export type Merge = readonly [left: string, right: string]

/** A token that is found in the text before anything else is done to it. */
export interface AddedToken {
  readonly id: number
  readonly content: string
  /** Left out when a text is decoded without special tokens. */
  readonly special: boolean
  /** Takes the white space behind it along. */
  readonly rstrip: boolean
}

/** The parts of a tokenizer.json with a BPE model. */
export interface BpeTokenizer {
  /** Of the model; the added ones may be among them. */
  readonly ids: ReadonlyMap<string, number>
  readonly merges: readonly Merge[]
  /** Settings of the model beside vocabulary and merges. */
  readonly settings: { readonly [key: string]: Json }
  readonly addedTokens: readonly AddedToken[]
  readonly normalizer: Json
  readonly preTokenizer: Json
  readonly postProcessor: Json
  readonly decoder: Json
}

/** tokenizer.json's text. */
export function writeTokenizerJson(tokenizer: BpeTokenizer): string {
  const { ids, merges, settings, addedTokens, normalizer, preTokenizer, postProcessor, decoder } = tokenizer
  const model = {
    ...{ type: 'BPE', dropout: null, continuing_subword_prefix: null, end_of_word_suffix: null, ...settings },
    vocab: Object.fromEntries(ids),
    merges,
  }
  return JSON.stringify({
    ...{ version: '1.0', truncation: null, padding: null },
    added_tokens: addedTokens.map((token) => ({ ...token, single_word: false, lstrip: false, normalized: false })),
    ...{ normalizer, pre_tokenizer: preTokenizer, post_processor: postProcessor, decoder },
    model,
  })
}

/** How texts get special tokens, and what else tokenizer_config.json decides. */
export interface TokenizerSettings {
  readonly tokenizerClass: string
  readonly addsBos: boolean
  readonly addsEos: boolean
  readonly cleansUp: boolean
  /** By name, besides the unnamed one; null without named templates. */
  readonly chatTemplates: { readonly [name: string]: string } | null
}

/** tokenizer_config.json's text. Every special token stands in it, null where there is none, since the class would name one of its own. */
export function writeTokenizerConfig(settings: TokenizerSettings, special: SpecialIds, { tokens }: Vocabulary): string {
  const textOf = (id: number | null): string | null => (id === null ? null : (tokens[id] ?? null))
  const { tokenizerClass, addsBos, addsEos, cleansUp, chatTemplates } = settings
  return JSON.stringify({
    tokenizer_class: tokenizerClass,
    ...{ add_bos_token: addsBos, add_eos_token: addsEos, clean_up_tokenization_spaces: cleansUp },
    ...{ bos_token: textOf(special.bos), eos_token: textOf(special.eos), unk_token: textOf(special.unk), pad_token: textOf(special.pad) },
    ...{ sep_token: textOf(special.sep), cls_token: textOf(special.cls), mask_token: textOf(special.mask) },
    ...(chatTemplates === null ? {} : { chat_template: Object.entries(chatTemplates).map(([name, template]) => ({ name, template })) }),
  })
}

/** A post-processor that adds BOS before and EOS after a text; null when it would add neither. */
export function bosEosProcessor(bos: readonly [string, number] | null, eos: readonly [string, number] | null): Json {
  const added = [bos, eos].filter((token) => token !== null)
  if (added.length === 0) return null
  const piece = ([id]: readonly [string, number]): Json => ({ SpecialToken: { id, type_id: 0 } })
  const text: Json = { Sequence: { id: 'A', type_id: 0 } }
  const single: Json[] = [...(bos === null ? [] : [piece(bos)]), text, ...(eos === null ? [] : [piece(eos)])]
  return {
    type: 'TemplateProcessing',
    single,
    // A pair of texts is never encoded; the library wants both in it.
    pair: [...single, { Sequence: { id: 'B', type_id: 1 } }],
    special_tokens: Object.fromEntries(added.map(([token, id]) => [token, { id: token, ids: [id], tokens: [token] }])),
  }
}
