/** Tokenizers: files put together of every kind of step, and damaged; texts encoded and decoded with them. */
import type { Json } from '../../../src/base/errors.ts'
import type { TokenizerFiles } from '../../../src/contracts/models.ts'
import { encodeLoglikelihood } from '../../../src/tokenizing/encode.ts'
import { piecesOf } from '../../../src/tokenizing/token-pieces.ts'
import { loadTokenizer } from '../../../src/tokenizing/tokenizer.ts'
import { mutateJson } from '../json-mutations.ts'
import type { Random } from '../random.ts'
import { textInput, type FuzzTarget } from '../target.ts'

const patterns: readonly [Json, ...Json[]] = [
  { String: ' ' },
  { String: 'a' },
  { String: '' },
  { Regex: '\\s+' },
  { Regex: "'s|'t|\\p{L}+|\\p{N}{1,3}|[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+" },
  { Regex: '' },
  { Regex: '(a)|(b)|()' },
  { Regex: '[[:alpha:]]+' },
  { Regex: '(?i:a|é)' },
  { Regex: '(' },
]
const contents: readonly [string, ...string[]] = ['', '▁', 'aa', 'a', '$&', '$`$`', ' x ', 'é'.repeat(50)]

function normalizer(random: Random, room: number): Json {
  const kind = random.below(room > 0 ? 10 : 8)
  if (kind < 3) return { type: 'Replace', pattern: random.pick(patterns), content: random.pick(contents) }
  if (kind === 3) return { type: random.pick(['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents', 'Precompiled']) }
  if (kind === 4) return { type: 'Prepend', prepend: random.pick(contents) }
  if (kind === 5) return { type: 'Strip', strip_left: random.chance(50), strip_right: true }
  if (kind === 6)
    return { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: random.chance(50) }
  if (kind === 7) return null
  return { type: 'Sequence', normalizers: many(random, () => normalizer(random, room - 1)) }
}

function preTokenizer(random: Random, room: number): Json {
  switch (random.below(room > 0 ? 11 : 9)) {
    case 0:
      return { type: 'ByteLevel', add_prefix_space: random.chance(50), trim_offsets: true, use_regex: random.chance(50) }
    case 1:
      return {
        type: 'Metaspace',
        replacement: random.pick(['▁', '', 'aa']),
        prepend_scheme: random.pick(['always', 'first', 'never']),
        split: random.chance(50),
      }
    case 2:
      return {
        type: 'Split',
        pattern: random.pick(patterns),
        behavior: random.pick(['Isolated', 'Removed', 'MergedWithPrevious']),
        invert: random.chance(50),
      }
    case 3:
      return { type: 'Digits', individual_digits: random.chance(50) }
    case 4:
      return { type: random.pick(['Whitespace', 'WhitespaceSplit', 'BertPreTokenizer', 'Punctuation']), behavior: 'Isolated' }
    case 5:
      return { type: 'Replace', pattern: random.pick(patterns), content: random.pick(contents) }
    case 6:
      return { type: 'FixedLength', length: random.pick([0, 1, 3, -1, 0.5]) }
    case 7:
    case 8:
      return null
    default:
      return { type: 'Sequence', pretokenizers: many(random, () => preTokenizer(random, room - 1)) }
  }
}

function postProcessor(random: Random, room: number): Json {
  const piece = (): Json =>
    random.chance(50)
      ? { Sequence: { id: random.pick(['A', 'B']), type_id: 0 } }
      : { SpecialToken: { id: random.pick(['<s>', 'none']), type_id: 0 } }
  switch (random.below(room > 0 ? 6 : 5)) {
    case 0:
      return {
        type: 'TemplateProcessing',
        single: many(random, piece),
        pair: [],
        special_tokens: { '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] } },
      }
    case 1:
      return { type: 'ByteLevel', trim_offsets: true }
    case 2:
      return { type: random.pick(['BertProcessing', 'RobertaProcessing']), sep: ['</s>', 1], cls: ['<s>', 0] }
    case 3:
    case 4:
      return null
    default:
      return { type: 'Sequence', processors: many(random, () => postProcessor(random, room - 1)) }
  }
}

function decoder(random: Random, room: number): Json {
  switch (random.below(room > 0 ? 11 : 9)) {
    case 0:
      return { type: random.pick(['ByteLevel', 'Fuse', 'ByteFallback']) }
    case 1:
      return { type: 'Metaspace', replacement: random.pick(['▁', '']) }
    case 2:
      return { type: 'Replace', pattern: random.pick(patterns), content: random.pick(contents) }
    case 3:
      return { type: 'Strip', content: ' ', start: random.pick([0, 1, 1e9]), stop: 0 }
    case 4:
      return { type: 'WordPiece', prefix: random.pick(['##', '']), cleanup: true }
    case 5:
      return { type: 'BPEDecoder', suffix: random.pick(['</w>', '']) }
    case 6:
      return { type: 'CTC', pad_token: '<s>', word_delimiter_token: '|', cleanup: true }
    case 7:
    case 8:
      return null
    default:
      return { type: 'Sequence', decoders: many(random, () => decoder(random, room - 1)) }
  }
}

/** Up to three steps, or the same so many times that growth shows. */
function many(random: Random, make: () => Json): Json[] {
  if (random.chance(8)) {
    const step = make()
    return Array.from({ length: 20 + random.below(40) }, () => step)
  }
  return Array.from({ length: random.below(4) }, make)
}

const vocabulary = [
  '<s>',
  '</s>',
  '<unk>',
  'a',
  'b',
  'c',
  ' ',
  '▁',
  'Ġ',
  'ab',
  'abc',
  '▁a',
  '##b',
  'é',
  '0',
  '1',
  '<0x41>',
  '<0xC3>',
  '<0xA9>',
  'The',
  'Ġanswer',
]

function model(random: Random): Json {
  const vocab = Object.fromEntries(vocabulary.map((token, id) => [token, id]))
  switch (random.below(4)) {
    case 0:
      return {
        type: 'WordPiece',
        unk_token: '<unk>',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: random.pick([100, 1, 1e9]),
        vocab,
      }
    case 1:
      return {
        type: 'Unigram',
        unk_id: random.pick([2, 0, 99]),
        byte_fallback: random.chance(50),
        vocab: vocabulary.map((token, id) => [token, -id]),
      }
    default: {
      const merges: Json = random.chance(50)
        ? ['a b', 'ab c', '▁ a']
        : [
            ['a', 'b'],
            ['ab', 'c'],
          ]
      return {
        type: 'BPE',
        unk_token: random.chance(60) ? '<unk>' : null,
        byte_fallback: random.chance(40),
        ignore_merges: random.chance(20),
        end_of_word_suffix: random.chance(10) ? '</w>' : null,
        vocab,
        merges,
      }
    }
  }
}

const texts: readonly [string, ...string[]] = [
  '',
  'a',
  ' ',
  'abc abc',
  'The answer is é😀.\n\n',
  'a'.repeat(300),
  '<s>a</s>',
  '1234567890',
  '\u0000\ufeff\ufffd',
  '\ud800',
  '日本語 text',
  ' a '.repeat(100),
]

interface Case {
  readonly files: TokenizerFiles
  readonly text: string
}

function make(random: Random): Case {
  const added = many(random, () => ({
    id: random.below(30),
    content: random.pick(['<s>', '</s>', 'a', ' ', '<|x|>']),
    single_word: false,
    lstrip: random.chance(30),
    rstrip: random.chance(30),
    normalized: random.chance(50),
    special: random.chance(50),
  }))
  const tokenizer: Json = {
    version: '1.0',
    added_tokens: added,
    normalizer: normalizer(random, 2),
    pre_tokenizer: preTokenizer(random, 2),
    post_processor: postProcessor(random, 2),
    decoder: decoder(random, 2),
    model: model(random),
  }
  const settings: Json = {
    tokenizer_class: random.pick(['PreTrainedTokenizerFast', 'LlamaTokenizer', 'GPT2Tokenizer', 'Qwen2Tokenizer']),
    bos_token: '<s>',
    eos_token: { content: '</s>' },
    unk_token: '<unk>',
    add_bos_token: random.chance(30),
    clean_up_tokenization_spaces: random.chance(50),
    model_max_length: random.pick([2048, 1e30, -5, 0.5]),
  }
  const isDamaged = random.chance(60)
  return {
    files: {
      tokenizerJson: JSON.stringify(isDamaged && random.chance(80) ? mutateJson(random, tokenizer) : tokenizer),
      tokenizerConfig: JSON.stringify(isDamaged && random.chance(30) ? mutateJson(random, settings) : settings),
      specialTokensMap: random.chance(10) ? JSON.stringify(mutateJson(random, { bos_token: '<s>', eos_token: '</s>' })) : null,
      config: JSON.stringify(random.chance(10) ? mutateJson(random, { n_positions: 64, model_type: 'llama' }) : { n_positions: 64 }),
      chatTemplate: null,
      generationConfig: null,
    },
    text: random.pick(texts),
  }
}

export const tokenizerTarget: FuzzTarget<Case> = {
  make(random) {
    const one = make(random)
    return textInput(one, 'tokenizer.json', JSON.stringify(one))
  },
  run({ files, text }) {
    const tokenizer = loadTokenizer(files)
    const ids = tokenizer.encode(text)
    if (!ids.every((id) => Number.isInteger(id) && id >= 0)) return `ids ${JSON.stringify(ids.slice(0, 20))}`
    tokenizer.encode(text, { addSpecialTokens: false })
    tokenizer.decode(ids, { skipSpecialTokens: true })
    const pieces = piecesOf(ids.slice(0, 40), tokenizer)
    if (pieces.flatMap((piece) => piece.ids).length !== Math.min(40, ids.length)) return 'pieces that lose tokens'
    encodeLoglikelihood(tokenizer, text, ' a')
    return null
  },
}
