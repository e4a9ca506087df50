/** Tokenizers of a few hundred bytes that make gigabytes of a short text, or go on for ever. */
import type { Json } from '../../src/base/errors.ts'
import type { TokenizerFiles } from '../../src/contracts/models.ts'

type Parts = { readonly [part in 'normalizer' | 'pre_tokenizer' | 'post_processor' | 'decoder' | 'model' | 'added_tokens']?: Json }

const vocabulary: { readonly [token: string]: number } = { '<s>': 0, '</s>': 1, '<unk>': 2, a: 3, b: 4, '▁': 5, ' ': 6, Ġ: 7, é: 8 }
const bpe: Json = { type: 'BPE', vocab: vocabulary, merges: [], unk_token: '<unk>' }

/** A tokenizer's files with these parts. */
export function filesWith(parts: Parts): TokenizerFiles {
  const plain = { normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null, added_tokens: [], model: bpe }
  return {
    tokenizerJson: JSON.stringify({ version: '1.0', ...plain, ...parts }),
    tokenizerConfig: '{"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}',
    config: '{}',
    specialTokensMap: null,
    chatTemplate: null,
    generationConfig: null,
  }
}

const times = (count: number, step: Json): Json[] => Array.from({ length: count }, () => step)
const replace = (from: string, to: string): Json => ({ type: 'Replace', pattern: { String: from }, content: to })
const added = (content: string): Json => ({
  id: 9,
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: true,
  special: false,
})
const long = 'a'.repeat(2_000_000)
const wide = 200_000

const pairs = Array.from({ length: 1000 }, (_, at): Json => ['a'.repeat(at + 1), -1])

/** What is attacked, the files, and the text to encode; ids to decode where there are some. */
export const tokenizerAttacks: readonly {
  readonly what: string
  readonly files: TokenizerFiles
  readonly text: string
  readonly ids?: readonly number[]
}[] = [
  {
    what: 'forty normalizers that double',
    files: filesWith({ normalizer: { type: 'Sequence', normalizers: times(40, replace('a', 'aa')) } }),
    text: 'a',
  },
  {
    what: 'an added token that is normalized as the file opens',
    files: filesWith({ normalizer: { type: 'Sequence', normalizers: times(40, replace('a', 'aa')) }, added_tokens: [added('a')] }),
    text: '',
  },
  { what: 'one replacement by a long text', files: filesWith({ normalizer: replace('a', long) }), text: 'a'.repeat(1000) },
  {
    what: 'a replacement between all characters',
    files: filesWith({ normalizer: { type: 'Replace', pattern: { Regex: '' }, content: long } }),
    text: 'b'.repeat(1000),
  },
  { what: 'a replacement by all that stands before it', files: filesWith({ normalizer: replace('a', '$`') }), text: 'a'.repeat(wide) },
  {
    what: 'a long text put in front of every section',
    files: filesWith({
      normalizer: { type: 'Prepend', prepend: 'a'.repeat(100_000) },
      added_tokens: [{ ...(added('</s>') as object), normalized: false }],
    }),
    text: 'a</s>'.repeat(10_000),
  },
  {
    what: 'blanks that become a long text',
    files: filesWith({ pre_tokenizer: { type: 'Metaspace', replacement: '▁', str_rep: long } }),
    text: 'a '.repeat(10_000),
  },
  {
    what: 'forty pre-tokenizers that double',
    files: filesWith({ pre_tokenizer: { type: 'Sequence', pretokenizers: times(40, replace('a', 'aa')) } }),
    text: 'a',
  },
  {
    what: 'bytes of bytes of bytes',
    files: filesWith({
      pre_tokenizer: { type: 'Sequence', pretokenizers: times(60, { type: 'ByteLevel', add_prefix_space: true, use_regex: false }) },
    }),
    text: 'é',
  },
  { what: 'pieces of length 0', files: filesWith({ pre_tokenizer: { type: 'FixedLength', length: 0 } }), text: 'a' },
  { what: 'pieces of a negative length', files: filesWith({ pre_tokenizer: { type: 'FixedLength', length: -1 } }), text: 'a' },
  {
    what: 'a split with two thousand groups',
    files: filesWith({ pre_tokenizer: { type: 'Split', pattern: { Regex: `a${'()'.repeat(2000)}` }, behavior: 'Removed', invert: false } }),
    text: 'a'.repeat(wide),
  },
  {
    what: 'a template that holds the text many times',
    files: filesWith({
      post_processor: {
        type: 'TemplateProcessing',
        single: times(100_000, { Sequence: { id: 'A', type_id: 0 } }),
        pair: [],
        special_tokens: {},
      },
    }),
    text: 'a'.repeat(1000),
  },
  {
    what: 'sixty templates that hold the text twice',
    files: filesWith({
      post_processor: {
        type: 'Sequence',
        processors: times(60, {
          type: 'TemplateProcessing',
          single: times(2, { Sequence: { id: 'A', type_id: 0 } }),
          pair: [],
          special_tokens: {},
        }),
      },
    }),
    text: 'a',
  },
  {
    what: 'tokens that all begin with each other',
    files: filesWith({ model: { type: 'Unigram', unk_id: 0, vocab: [['<s>', 0], ['</s>', 0], ...pairs] } }),
    text: 'a'.repeat(wide - 1),
  },
  {
    what: 'a long suffix',
    files: filesWith({ model: { ...(bpe as object), continuing_subword_suffix: long } }),
    text: 'ab'.repeat(50_000),
  },
  { what: 'a long end of every word', files: filesWith({ model: { ...(bpe as object), end_of_word_suffix: long } }), text: 'ab' },
  {
    what: 'forty decoders that double',
    files: filesWith({ decoder: { type: 'Sequence', decoders: times(40, replace('a', 'aa')) } }),
    text: '',
    ids: [3],
  },
  {
    what: 'a decoder that puts blanks between all characters, often',
    files: filesWith({ decoder: { type: 'Sequence', decoders: times(60, { type: 'BPEDecoder', suffix: '' }) } }),
    text: '',
    ids: [3, 4, 3],
  },
  {
    what: 'a long token, often',
    files: filesWith({ model: { type: 'BPE', merges: [], vocab: { ...vocabulary, [long]: 10 } }, decoder: { type: 'Fuse' } }),
    text: '',
    ids: Array.from({ length: 2048 }, () => 10),
  },
  {
    what: 'a hundred thousand steps',
    files: filesWith({ normalizer: { type: 'Sequence', normalizers: times(100_000, { type: 'NFC' }) } }),
    text: 'a',
  },
  {
    what: 'steps within steps',
    files: filesWith({
      normalizer: Array.from({ length: 2000 }).reduce<Json>((inner) => ({ type: 'Sequence', normalizers: [inner] }), { type: 'NFC' }),
    }),
    text: 'a',
  },
  {
    what: 'one long word, of which all parts are tried',
    files: filesWith({
      model: { type: 'WordPiece', unk_token: '<unk>', continuing_subword_prefix: '##', max_input_chars_per_word: 1e9, vocab: vocabulary },
    }),
    text: 'a'.repeat(100_000),
  },
  {
    what: 'an unknown token with an id beyond all',
    files: filesWith({
      model: {
        type: 'Unigram',
        unk_id: -(2 ** 63),
        vocab: [
          ['<s>', 0],
          ['</s>', 0],
        ],
      },
    }),
    text: 'z',
  },
  { what: 'an id beyond all tokens', files: filesWith({ model: { ...(bpe as object), vocab: { ...vocabulary, x: 1e300 } } }), text: 'x' },
  { what: 'an id that is no number', files: filesWith({ model: { ...(bpe as object), vocab: { ...vocabulary, x: 'three' } } }), text: 'x' },
  { what: 'an added token without an id', files: filesWith({ added_tokens: [{ content: 'x' }] }), text: 'x' },
  {
    what: 'a step without what it needs',
    files: filesWith({ decoder: { type: 'Strip', content: 5, start: 1e9, stop: 1e9 }, model: { type: 'WordPiece', vocab: vocabulary } }),
    text: 'zz',
  },
]
