/**
 * A model's tokenizer, behaving as the harness's HFLM drives AutoTokenizer (lm_eval 0.4.13, transformers 4.57.6), over the tokenizer
 * library of transformers.js. Golden: tests/goldens/encode.
 */
import { Tokenizer as TokenizerLibrary } from '@huggingface/tokenizers'
import { EvalError, isEvalError, type Json, type JsonObject } from '../base/errors.ts'
import { isRecord } from '../base/guards.ts'
import type { TokenizerFiles } from '../contracts/models.ts'
import { readChatTemplate } from './chat-template-source.ts'
import { mendLibrary } from './mend-library.ts'
import { boundNormalizer, boundSteps, checkSteps, TextBudget } from './tokenizer-bounds.ts'
import { bosEosTemplate, tokenizerClassOf } from './tokenizer-class.ts'
import {
  type AddedTokenEntry,
  broken,
  contentOf,
  isArray,
  isTokenId,
  readAddedTokens,
  readAddedTokensDecoder,
  readTokenizerFiles,
} from './tokenizer-files.ts'

export type SpecialToken = readonly [token: string, id: number]

export interface Tokenizer {
  /**
   * Token ids of a text. Without `addSpecialTokens` the harness's rule: the model argument `add_bos_token` or else the tokenizer's own
   * default, and none for a text that already begins with the prefix token. Throws `engine/prompt-too-long` for a text beyond
   * `longestText`, or a run of characters without white space beyond `longestRun`.
   */
  encode(text: string, options?: { readonly addSpecialTokens?: boolean }): number[]
  /** The text of tokens; with `cleansUp` (the default) as the tokenizer's own settings tidy blanks before punctuation. */
  decode(ids: readonly number[], options?: { readonly skipSpecialTokens?: boolean; readonly cleansUp?: boolean }): string
  readonly bos: SpecialToken | null
  readonly eos: SpecialToken | null
  /** As the harness sets it: the tokenizer's own, else UNK, else EOS, else a new `<|pad|>`. */
  readonly pad: SpecialToken | null
  readonly unk: SpecialToken | null
  /** Whether a text gets the tokenizer's special tokens: the model argument `add_bos_token`, else yes. */
  readonly addsSpecialTokens: boolean
  /** Stands for the empty context: the model argument, else BOS, else EOS. */
  readonly prefixTokenId: number
  /** Longest input of the model in tokens. */
  readonly maxLength: number
  /** Template text, or named templates; null when the model has none. */
  readonly chatTemplate: string | { readonly [name: string]: string } | null
  /** The special tokens by name (`bos_token`, …), for templates. */
  readonly templateTokens: { readonly [name: string]: string }
  /** Texts that stand for one special token wherever they occur. */
  readonly specialTokens: readonly string[]
}

/** The library's merging is superlinear in a run without white space; the harness's own takes minutes here too. In UTF-16 units. */
export const longestRun = 200_000

/**
 * Of one text, in UTF-16 units; more than the 131,072 tokens of the longest windows hold. Gemma's tokenizer takes a text as one piece: a
 * process that encodes so many characters with it grows to 1.4 GB.
 */
export const longestText = 2 * 2 ** 20

/** tokenizer_config.json's way to say that there is no maximum. */
const noMaximum = 1e30
const defaultMaxLength = 2048

/**
 * Builds a tokenizer from a repository's files and the harness's model arguments `add_bos_token`, `max_length`, `prefix_token_id`.
 * Throws `tokenizer/broken` naming the file, and for JSON the line and column.
 */
export function loadTokenizer(files: TokenizerFiles, modelArgs: { readonly [key: string]: Json } = {}): Tokenizer {
  const { tokenizer, tokenizerConfig, specialTokensMap, config } = readTokenizerFiles(files)
  const addBosArg = readFlag(modelArgs['add_bos_token'])
  const settings: JsonObject = { ...tokenizerConfig, ...(addBosArg === null ? {} : { add_bos_token: addBosArg }) }
  const tokenizerClass = tokenizerClassOf(settings, config)
  const texts = readSpecialTexts(settings, specialTokensMap, tokenizerClass)
  const vocabulary = collectAddedTokens(tokenizer, settings, texts)
  const bos = findSpecial(vocabulary, texts.bos_token)
  const eos = findSpecial(vocabulary, texts.eos_token)
  const unk = findSpecial(vocabulary, texts.unk_token)
  const postProcessor =
    tokenizerClass.template === null ? tokenizer['post_processor'] : templateFor(settings, tokenizerClass.template, bos, eos, tokenizer)
  const budget = new TextBudget()
  const library = openLibrary({ ...tokenizer, post_processor: postProcessor ?? null, added_tokens: vocabulary.entries }, settings, budget)
  const prefixTokenId = readInteger(modelArgs['prefix_token_id']) ?? bos?.[1] ?? eos?.[1] ?? null
  if (prefixTokenId === null) throw broken('tokenizer_config.json', 'names neither a BOS nor an EOS token, and no prefix_token_id is given')
  const specialIds = new Set(vocabulary.entries.flatMap(({ id, special: isSpecial }) => (isSpecial === true ? [id] : [])))
  const decode = (ids: readonly number[], skipSpecialTokens: boolean, cleansUp = true): string => {
    // A model's head may be wider than its vocabulary; Python leaves out ids that no token has.
    const kept = ids.filter((id) => library.id_to_token(id) !== undefined && !(skipSpecialTokens && specialIds.has(id)))
    return kept.length === 0
      ? ''
      : guarded(() => {
          budget.start(kept.length)
          for (const id of kept) budget.take(library.id_to_token(id)?.length ?? 0)
          return library.decode(kept, { clean_up_tokenization_spaces: cleansUp && settings['clean_up_tokenization_spaces'] === true })
        })
  }
  const prefix = decode([prefixTokenId], false)
  const pad = findSpecial(vocabulary, texts.pad_token) ?? unk ?? eos ?? (['<|pad|>', vocabulary.nextId] as const)
  return {
    encode(text, { addSpecialTokens } = {}) {
      const addSpecial = addSpecialTokens ?? (text.startsWith(prefix) ? false : (addBosArg ?? true))
      checkLength(text)
      if (text === '' && !addSpecial) return []
      budget.start(text.length)
      const { ids } = guarded(() => library.encode(text, { add_special_tokens: addSpecial }))
      if (!ids.every(isTokenId)) throw broken('tokenizer.json', 'has no id for a token that it makes of a text')
      return ids
    },
    decode: (ids, { skipSpecialTokens = false, cleansUp = true } = {}) => decode(ids, skipSpecialTokens, cleansUp),
    bos,
    eos,
    pad,
    unk,
    addsSpecialTokens: addBosArg ?? true,
    prefixTokenId,
    maxLength: readInteger(modelArgs['max_length']) ?? maxLengthOf(config, tokenizerConfig),
    chatTemplate: readChatTemplate(settings['chat_template'], files.chatTemplate),
    templateTokens: Object.fromEntries(
      Object.entries({ ...texts, pad_token: pad[0] }).filter((entry): entry is [string, string] => entry[1] !== null),
    ),
    specialTokens: vocabulary.entries.flatMap(({ content, special: isSpecial }) =>
      typeof content === 'string' && isSpecial === true ? [content] : [],
    ),
  }
}

/** Not a function inside another: the tokenizer would hold the vocabulary's file as long as it lives. */
function findSpecial(vocabulary: AddedVocabulary, text: string | null): SpecialToken | null {
  const id = text === null ? undefined : vocabulary.idOf(text)
  return text === null || id === undefined ? null : [text, id]
}

type SpecialName = 'bos_token' | 'eos_token' | 'unk_token' | 'sep_token' | 'pad_token' | 'cls_token' | 'mask_token'
type SpecialTexts = { readonly [name in SpecialName]: string | null }

function readSpecialTexts(
  settings: JsonObject,
  specialTokensMap: JsonObject | null,
  defaults: { readonly bos: string | null; readonly eos: string | null; readonly unk: string | null; readonly pad: string | null },
): SpecialTexts {
  // special_tokens_map.json counts only for repositories from before added_tokens_decoder.
  const legacy = 'added_tokens_decoder' in settings ? null : specialTokensMap
  const read = (name: string, fallback: string | null): string | null => {
    if (legacy !== null && name in legacy) return contentOf(legacy[name])
    return name in settings ? contentOf(settings[name]) : fallback
  }
  return {
    bos_token: read('bos_token', defaults.bos),
    eos_token: read('eos_token', defaults.eos),
    unk_token: read('unk_token', defaults.unk),
    sep_token: read('sep_token', null),
    pad_token: read('pad_token', defaults.pad),
    cls_token: read('cls_token', null),
    mask_token: read('mask_token', null),
  }
}

/** Special tokens that the configuration names and templates have no name for. */
function readOtherSpecials(settings: JsonObject): readonly string[] {
  const additional = settings['additional_special_tokens']
  const extra = settings['extra_special_tokens']
  const named = [...(isArray(additional) ? additional : []), ...(isRecord(extra) ? Object.values(extra) : isArray(extra) ? extra : [])]
  return named.map(contentOf).filter((text) => text !== null)
}

interface AddedVocabulary {
  readonly entries: readonly { readonly [key: string]: Json }[]
  /** The first id that no token has. */
  readonly nextId: number
  idOf(token: string): number | undefined
}

/** tokenizer.json's added tokens, with tokenizer_config.json's flags over them, and special tokens that are in neither. */
function collectAddedTokens(tokenizer: JsonObject, settings: JsonObject, texts: SpecialTexts): AddedVocabulary {
  const modelIds = readModelVocabulary(tokenizer)
  const entries = new Map<string, AddedTokenEntry>(readAddedTokens(tokenizer).map((token) => [token.content, token]))
  let { nextId } = modelIds
  for (const { id } of entries.values()) nextId = Math.max(nextId, id + 1)
  const idFor = (content: string): number => entries.get(content)?.id ?? modelIds.get(content) ?? nextId++
  const specials = new Set([...Object.values(texts).filter((text) => text !== null), ...readOtherSpecials(settings)])
  for (const token of readAddedTokensDecoder(settings) ?? []) {
    entries.set(token.content, { ...token, id: idFor(token.content), special: token.special || specials.has(token.content) })
  }
  for (const content of specials) {
    if (entries.has(content)) continue
    entries.set(content, {
      id: idFor(content),
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })
  }
  return {
    entries: [...entries.values()].sort((a, b) => a.id - b.id).map((entry) => ({ ...entry })),
    nextId,
    idOf: (token) => entries.get(token)?.id ?? modelIds.get(token),
  }
}

interface ModelVocabulary {
  /** The first id that no entry has. */
  readonly nextId: number
  get(token: string): number | undefined
}

/** Without a copy: these have 262,000 entries. */
function readModelVocabulary(tokenizer: JsonObject): ModelVocabulary {
  const model = tokenizer['model']
  const vocab = isRecord(model) ? model['vocab'] : undefined
  if (isArray(vocab)) {
    const ids = new Map(vocab.map((piece, id) => [isArray(piece) && typeof piece[0] === 'string' ? piece[0] : '', id]))
    return { nextId: vocab.length, get: (token) => ids.get(token) }
  }
  if (!isRecord(vocab)) throw broken('tokenizer.json', 'has a vocab that is neither a list nor a mapping')
  let nextId = 0
  for (const token in vocab) {
    const id = vocab[token]
    if (!isTokenId(id))
      throw broken('tokenizer.json', `has the id ${JSON.stringify(id)} for the token ${JSON.stringify(token.slice(0, 80))}`)
    nextId = Math.max(nextId, id + 1)
  }
  return { nextId, get: (token) => (Object.hasOwn(vocab, token) ? Number(vocab[token]) : undefined) }
}

/** What the library does with a text or tokens; what it throws on the way is the file's fault. */
function guarded<T>(run: () => T): T {
  try {
    return run()
  } catch (cause) {
    if (isEvalError(cause)) throw cause
    throw broken('tokenizer.json', `fails on a text: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

function templateFor(
  settings: JsonObject,
  defaults: { readonly addBos: boolean; readonly addEos: boolean },
  bos: SpecialToken | null,
  eos: SpecialToken | null,
  tokenizer: JsonObject,
): Json {
  const addsBos = readFlag(settings['add_bos_token']) ?? defaults.addBos
  const addsEos = readFlag(settings['add_eos_token']) ?? defaults.addEos
  if (addsBos && bos === null) throw broken('tokenizer_config.json', 'asks for a BOS token in front of every text, but names none')
  if (addsEos && eos === null) throw broken('tokenizer_config.json', 'asks for an EOS token after every text, but names none')
  return bosEosTemplate(addsBos ? bos : null, addsEos ? eos : null, tokenizer['post_processor'])
}

function openLibrary(tokenizer: JsonObject, settings: JsonObject, budget: TextBudget): TokenizerLibrary {
  checkSteps(tokenizer)
  const required = ['decoder', 'post_processor', 'pre_tokenizer', 'normalizer']
  const model = isRecord(tokenizer['model']) ? { ...tokenizer['model'] } : {}
  const complete = { ...Object.fromEntries(required.map((key) => [key, null])), ...tokenizer, model }
  try {
    checkAddedTokens(complete, budget)
    const library = new TokenizerLibrary(complete, settings)
    mendLibrary(library)
    boundSteps(library, budget)
    // It has made its own of them; of a vocabulary of 262,000 they would hold some 60 MB.
    for (const part of ['vocab', 'merges']) Reflect.deleteProperty(model, part)
    if (library.model !== null && 'merges' in library.model) Reflect.set(library.model, 'merges', [])
    return library
  } catch (cause) {
    if (isEvalError(cause)) throw cause
    throw broken('tokenizer.json', `can't be used: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

/** The library normalizes added tokens as it opens, before its steps can be bounded: they are tried on a tokenizer that has nothing else. */
function checkAddedTokens(tokenizer: JsonObject, budget: TextBudget): void {
  const tokens = readAddedTokens(tokenizer).filter(({ normalized }) => normalized)
  if (tokens.length === 0 || !isRecord(tokenizer['normalizer'])) return
  const none = { post_processor: null, pre_tokenizer: null, decoder: null, added_tokens: [] }
  const model = { type: 'WordPiece', vocab: {}, unk_token: '' }
  const { normalizer } = new TokenizerLibrary({ ...none, normalizer: tokenizer['normalizer'], model }, {})
  boundNormalizer(normalizer, budget)
  budget.start(tokens.reduce((sum, { content }) => sum + content.length, 0))
  for (const { content } of tokens) normalizer?.normalize(content)
}

function maxLengthOf(config: JsonObject, tokenizerConfig: JsonObject): number {
  const text = isRecord(config['text_config']) ? config['text_config'] : config
  for (const key of ['n_positions', 'max_position_embeddings', 'n_ctx']) {
    const length = readInteger(text[key])
    if (length !== null) return length
  }
  const length = tokenizerConfig['model_max_length']
  return typeof length === 'number' && length < noMaximum ? Math.trunc(length) : defaultMaxLength
}

function readFlag(value: Json | undefined): boolean | null {
  return typeof value === 'boolean' ? value : null
}

function readInteger(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value !== 0 ? Math.trunc(value) : null
}

function checkLength(text: string): void {
  if (text.length > longestText)
    throw new EvalError('engine/prompt-too-long', `A text has ${text.length} characters; the limit is ${longestText}.`)
  if (text.length <= longestRun) return
  for (let start = 0; start < text.length;) {
    const gap = /\s/g
    gap.lastIndex = start
    const end = gap.exec(text)?.index ?? text.length
    if (end - start > longestRun)
      throw new EvalError(
        'engine/prompt-too-long',
        `A text has a run of ${end - start} characters without white space at ${start}; the limit is ${longestRun}.`,
      )
    start = end + 1
  }
}
