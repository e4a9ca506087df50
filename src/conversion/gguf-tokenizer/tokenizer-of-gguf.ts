/** The tokenizer of a GGUF file out of its metadata, as the files that a repository would have it in (decision 0076). */
import { EvalError } from '../../base/errors.ts'
import { addedTokensOf } from './added-tokens.ts'
import { byteLevelBpe, findPreTokenizer } from './byte-level.ts'
import { corrupt, quote, readFlag, readText, readTexts, type Metadata } from './read-metadata.ts'
import { mergedBpe, scoredBpe, withBlankSigns } from './sentence-piece.ts'
import { endIdsOf, generationConfigOf, readSpecialIds, type SpecialIds } from './special-tokens.ts'
import { bosEosProcessor, writeTokenizerConfig, writeTokenizerJson, type BpeTokenizer } from './tokenizer-json.ts'
import { readVocabulary, type Vocabulary } from './vocabulary.ts'

/** As `TokenizerFiles` of contracts/models.ts, without config.json and special_tokens_map.json. */
export interface GgufTokenizer {
  readonly tokenizerJson: string
  readonly tokenizerConfig: string
  /** chat_template.jinja; null without one, and where there are several: tokenizer_config.json then has them by name. */
  readonly chatTemplate: string | null
  /** What ends a written text, and tokens that are never written. */
  readonly generationConfig: string | null
  /** What had to be taken for true since the file doesn't say it: sentences for people. */
  readonly notes: readonly string[]
}

/**
 * Builds the tokenizer from the metadata that `readGguf` (weights/gguf/header.ts) read. The ids are those of the tokenizer that the model was published with, as far as
 * a GGUF file keeps it; what it doesn't keep is in decision 0076. Throws `model/unsupported`, by name, for a kind of tokenizer (`tokenizer.ggml.model`) or a
 * pre-tokenizer (`tokenizer.ggml.pre`) that isn't known, `model/corrupt` for metadata that can't be so: keys that are missing or of another type, lists of other
 * lengths, a token twice, merges of what is no token, ids beyond the vocabulary.
 */
export function tokenizerOfGguf(metadata: Metadata): GgufTokenizer {
  const kind = readText(metadata, 'tokenizer.ggml.model')
  if (kind === null) throw corrupt('a kind of tokenizer as tokenizer.ggml.model', 'no such key')
  const plan = planOf(metadata, kind)
  const { vocabulary, special } = plan
  const named = (id: number | null): readonly [string, number] | null => (id === null ? null : [vocabulary.tokens[id] ?? '', id])
  if (plan.addsBos && special.bos === null) throw corrupt('tokenizer.ggml.bos_token_id, since texts begin with it', 'no such key')
  if (plan.addsEos && special.eos === null) throw corrupt('tokenizer.ggml.eos_token_id, since texts end with it', 'no such key')
  const templates = readTemplates(metadata)
  const ends = endIdsOf(special, vocabulary, templates.first, plan.siblingEnds)
  return {
    tokenizerJson: writeTokenizerJson({
      ...plan.bpe,
      addedTokens: addedTokensOf(metadata, vocabulary, special, plan.plainTokens),
      postProcessor: bosEosProcessor(plan.addsBos ? named(special.bos) : null, plan.addsEos ? named(special.eos) : null),
    }),
    tokenizerConfig: writeTokenizerConfig({ ...plan, chatTemplates: templates.named }, special, vocabulary),
    chatTemplate: templates.named === null ? templates.first : null,
    generationConfig: generationConfigOf(metadata, special, ends),
    notes: plan.notes,
  }
}

interface Plan {
  readonly vocabulary: Vocabulary
  readonly special: SpecialIds
  readonly bpe: Omit<BpeTokenizer, 'addedTokens' | 'postProcessor'>
  readonly tokenizerClass: string
  readonly addsBos: boolean
  readonly addsEos: boolean
  readonly cleansUp: boolean
  readonly siblingEnds: { readonly [end: string]: readonly string[] }
  /** As in `PreTokenizer`. */
  readonly plainTokens: RegExp | null
  readonly notes: readonly string[]
}

/** Names of `tokenizer.ggml.pre` that mean Gemma 4's kind: no bytes as characters, blanks as ▁. */
const mergedKinds = ['gemma4', 'sarvam-moe', 'granite-embed-multi-311m']

function planOf(metadata: Metadata, kind: string): Plan {
  const pre = readText(metadata, 'tokenizer.ggml.pre')
  if (kind === 'gemma4' || (kind === 'gpt2' && pre !== null && mergedKinds.includes(pre))) return planMerged(metadata, pre ?? 'gemma4')
  if (kind === 'gpt2') return planByteLevel(metadata, pre)
  if (kind === 'llama') return planScored(metadata)
  throw new EvalError(
    'model/unsupported',
    `wanted a tokenizer of the kinds gpt2, llama and gemma4 as tokenizer.ggml.model of the GGUF file, found ${quote(kind)}`,
  )
}

function planByteLevel(metadata: Metadata, pre: string | null): Plan {
  const preTokenizer = findPreTokenizer(pre ?? 'default')
  const vocabulary = readVocabulary(metadata)
  const found = readSpecialIds(metadata, vocabulary, {})
  const isForeign = found.bos !== null && vocabulary.tokens[found.bos] === preTokenizer.foreignBos
  const saysBos = readFlag(metadata, 'tokenizer.ggml.add_bos_token')
  const special = isForeign && saysBos !== true ? { ...found, bos: null } : found
  const addsBos = preTokenizer.addsBos === 'always' ? special.bos !== null : (saysBos ?? preTokenizer.addsBos)
  return {
    vocabulary,
    special,
    bpe: byteLevelBpe(metadata, vocabulary, preTokenizer),
    addsBos,
    addsEos: readFlag(metadata, 'tokenizer.ggml.add_eos_token') ?? false,
    ...{
      tokenizerClass: preTokenizer.tokenizerClass,
      cleansUp: preTokenizer.cleansUp,
      siblingEnds: preTokenizer.siblingEnds,
      plainTokens: preTokenizer.plainTokens,
    },
    notes:
      pre === null
        ? [
            'The GGUF file names no pre-tokenizer (tokenizer.ggml.pre). Texts are cut as llama.cpp cuts them then; the published tokenizer may cut otherwise.',
          ]
        : pre === 'default'
          ? [
              'The GGUF file names the pre-tokenizer “default”. Texts are cut as llama.cpp cuts them then; the published tokenizer may cut otherwise.',
            ]
          : [],
  }
}

/** Token ids that llama.cpp takes where a file of this kind names none. */
const scoredDefaults = { bos: 1, eos: 2, unk: 0 }

function planScored(metadata: Metadata): Plan {
  const vocabulary = withBlankSigns(readVocabulary(metadata))
  const special = readSpecialIds(metadata, vocabulary, scoredDefaults)
  return {
    vocabulary,
    special,
    bpe: scoredBpe(vocabulary, special.unk, readFlag(metadata, 'tokenizer.ggml.add_space_prefix') ?? true),
    tokenizerClass: 'LlamaTokenizerFast',
    addsBos: readFlag(metadata, 'tokenizer.ggml.add_bos_token') ?? true,
    addsEos: readFlag(metadata, 'tokenizer.ggml.add_eos_token') ?? false,
    ...{ cleansUp: false, siblingEnds: {}, plainTokens: plainInGemma(metadata), notes: [] },
  }
}

function planMerged(metadata: Metadata, pre: string): Plan {
  const vocabulary = withBlankSigns(readVocabulary(metadata))
  const special = readSpecialIds(metadata, vocabulary, {})
  return {
    vocabulary,
    special,
    bpe: mergedBpe(metadata, vocabulary, special.unk),
    tokenizerClass: pre === 'gemma4' ? 'GemmaTokenizerFast' : 'PreTrainedTokenizerFast',
    // llama.cpp sets it for Gemma 4 whatever its files say: early ones say no.
    addsBos: pre === 'gemma4' || (readFlag(metadata, 'tokenizer.ggml.add_bos_token') ?? false),
    addsEos: readFlag(metadata, 'tokenizer.ggml.add_eos_token') ?? false,
    ...{ cleansUp: false, siblingEnds: {}, plainTokens: plainInGemma(metadata), notes: [] },
  }
}

/** Gemma's tokens that look special and aren't. Source: `does_token_look_special` of conversion/base.py, and the published tokenizer of Gemma 3. */
function plainInGemma(metadata: Metadata): RegExp | null {
  const isGemma = readText(metadata, 'general.architecture')?.startsWith('gemma') === true
  return isGemma ? /^(<mask>|<2mass>|\[@BOS@\]|<unused\d+>)$/ : null
}

interface Templates {
  /** The unnamed one. */
  readonly first: string | null
  /** All, the unnamed one as `default`; null when there is no named one. */
  readonly named: { readonly [name: string]: string } | null
}

function readTemplates(metadata: Metadata): Templates {
  const first = readText(metadata, 'tokenizer.chat_template')
  const names = readTexts(metadata, 'tokenizer.chat_templates') ?? []
  const named = names.flatMap((name): [string, string][] => {
    const template = readText(metadata, `tokenizer.chat_template.${name}`)
    return template === null ? [] : [[name, template]]
  })
  if (named.length === 0) return { first, named: null }
  return { first, named: Object.fromEntries([...(first === null ? [] : [['default', first] as const]), ...named]) }
}
