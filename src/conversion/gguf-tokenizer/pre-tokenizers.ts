/**
 * What `tokenizer.ggml.pre` names: how byte-level BPE cuts a text into pieces before it merges, and what else of a tokenizer.json GGUF files leave to
 * that name. Sources: llama-vocab.cpp and unicode.cpp of llama.cpp 0c1e570 (names, expressions and their originals, which flags go with a name), and for
 * normal forms the tokenizer classes of transformers 5.24.0 (qwen2, qwen3_5, cohere, gpt_neox). Expressions are those of the models' own tokenizer.json where
 * llama.cpp names them, in Oniguruma's syntax, which the tokenizer library reads.
 */

/** A step of a pre-tokenizer: an expression whose matches become pieces of their own, or one that has a name in tokenizer.json. */
export type PreTokenizerStep =
  | { readonly isolate: string }
  /** Each digit, of any script, alone; or runs of them. */
  | 'digits'
  | 'digit-runs'
  /** Runs of punctuation. */
  | 'punctuation'
  /** GPT-2's words, then their bytes as characters. */
  | 'byte-level-words'
  /** Bytes as characters alone. */
  | 'byte-level'

export interface PreTokenizer {
  readonly steps: readonly PreTokenizerStep[]
  readonly normalForm: 'NFC' | null
  /** A piece that is a token of the vocabulary is taken whole. */
  readonly ignoresMerges: boolean
  /** BOS before a text: where the file doesn't say so, or whatever it says. */
  readonly addsBos: boolean | 'always'
  /** Tidies blanks before punctuation when it decodes. */
  readonly cleansUp: boolean
  /** Of tokenizer_config.json: decides what the argument add_bos_token does. */
  readonly tokenizerClass: string
  /** A BOS that the file has from config.json, and the published tokenizer hasn't. */
  readonly foreignBos: string | null
  /** What ends a text in the published generation_config.json beside an end that the file names. */
  readonly siblingEnds: { readonly [end: string]: readonly string[] }
  /** Tokens that aren't special in the published tokenizer, and that converters make control tokens for their looks; null = none. */
  readonly plainTokens: RegExp | null
}

const contractions = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
const letters = '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+'
const marks = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*'
const blanks = '\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+'
const upper = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]'
const lower = '[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]'
const before = '[^\\r\\n\\p{L}\\p{N}]?'
const marksAndSlashes = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*'
/** Words in which capitals come first. */
const casedWords = `${before}${upper}*${lower}+${contractions}?|${before}${upper}+${lower}*${contractions}?`
const threeDigits = '\\p{N}{1,3}'

const llama3 = `${contractions}|${letters}|${threeDigits}|${marks}|${blanks}`
const qwen2 = `${contractions}|${letters}|\\p{N}|${marks}|${blanks}`
const gpt4o = `${casedWords}|${threeDigits}|${marksAndSlashes}|${blanks}`
const bloom = ' ?[^(\\s|[.,!?…。，、।۔،])]+'
const asciiMarkAndWord = '[!"#$%&\'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+'
const letterMarks = '[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+'
const kanaAndHan = '[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+'
const deepseek3 = `${asciiMarkAndWord}|${letterMarks}| ?[\\p{P}\\p{S}]+[\\r\\n]*|${blanks}`
/** Latin, Greek, Cyrillic, Armenian, Georgian and other letters that have cases. */
const deepseekLetters =
  '\\s?[A-Za-z\\u00B5\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u01BA\\u01BC-\\u01BF\\u01C4-\\u0293\\u0295-\\u02AF\\u0370-\\u0373\\u0376\\u0377\\u037B-\\u037D\\u037F\\u0386\\u0388-\\u038A\\u038C\\u038E-\\u03A1\\u03A3-\\u03F5\\u03F7-\\u0481\\u048A-\\u052F\\u0531-\\u0556\\u10A0-\\u10C5\\u13A0-\\u13F5\\u13F8-\\u13FD\\u1C90-\\u1CBA\\u1CBD-\\u1CBF\\u1D00-\\u1D2B\\u1D6B-\\u1D77\\u1D79-\\u1D9A\\u1E00-\\u1F15\\u1F18-\\u1F1D\\u1F20-\\u1F45\\u1F48-\\u1F4D\\u1F50-\\u1F57\\u1F59\\u1F5B\\u1F5D\\u1F5F-\\u1F7D\\u1F80-\\u1FB4\\u1FB6-\\u1FBC\\u1FBE\\u1FC2-\\u1FC4\\u1FC6-\\u1FCC\\u1FD0-\\u1FD3\\u1FD6-\\u1FDB\\u1FE0-\\u1FEC\\u1FF2-\\u1FF4\\u1FF6-\\u1FFC\\u2102\\u2107\\u210A-\\u2113\\u2115\\u2119-\\u211D\\u2124\\u2126\\u2128\\u212A-\\u212D\\u212F-\\u2134\\u2139\\u213C-\\u213F\\u2145-\\u2149\\u214E\\u2183\\u2184\\u2C00-\\u2C7B\\u2C7E-\\u2CE4\\u2CEB-\\u2CEE\\u2CF2\\u2CF3\\uA640-\\uA66D\\uA680-\\uA69B\\uA722-\\uA76F\\uA771-\\uA787\\uA78B-\\uA78E\\uAB70-\\uABBF\\uFB00-\\uFB06\\uFB13-\\uFB17\\uFF21-\\uFF3A\\uFF41-\\uFF5A\\x{10400}-\\x{1044F}\\x{104B0}-\\x{104D3}\\x{104D8}-\\x{104FB}\\x{10C80}-\\x{10CB2}\\x{10CC0}-\\x{10CF2}\\x{118A0}-\\x{118DF}\\x{1E900}-\\x{1E943}]+'
const deepseekMarks = '\\s?[!-/:-~\\uFF01-\\uFF0F\\uFF1A-\\uFF5E\\u2018-\\u201F\\u3000-\\u3002]+'
const deepseekHan = '[\\u4E00-\\u9FA5\\u0800-\\u4E00\\uAC00-\\uD7FF]+'
/** Threes of digits, counted from the right. */
const threesFromTheRight = '\\p{N}{1,3}(?=(?:\\p{N}{3})*(?!\\p{N}))'

const base: PreTokenizer = {
  steps: ['byte-level-words'],
  normalForm: null,
  ignoresMerges: false,
  addsBos: false,
  cleansUp: true,
  tokenizerClass: 'PreTrainedTokenizerFast',
  foreignBos: null,
  siblingEnds: {},
  plainTokens: null,
}

type Entry = readonly [names: string, steps: readonly string[], over?: Partial<PreTokenizer>]

const untidied = { cleansUp: false } as const
const whole = { ignoresMerges: true } as const
const qwen = {
  ...untidied,
  normalForm: 'NFC',
  foreignBos: '<|endoftext|>',
  siblingEnds: { '<|im_end|>': ['<|endoftext|>'] },
  plainTokens: /^<\|(fim_(prefix|middle|suffix|pad)|repo_name|file_sep)\|>$/,
} as const
/** Published with `add_bos_token` and the class of Llama 2, which adds BOS; newer converters write that they don't, since their post-processor is a ByteLevel. */
const deepseek = { ...untidied, addsBos: 'always', tokenizerClass: 'LlamaTokenizerFast' } as const
const deepseekPlain = { ...deepseek, plainTokens: /^<｜(fim▁|User｜|Assistant｜|tool▁)/ } as const
const neox = { normalForm: 'NFC', tokenizerClass: 'GPTNeoXTokenizerFast' } as const
const llamaEnds = { '<|eot_id|>': ['<|end_of_text|>', '<|eom_id|>'] }

/** Names with a blank between; a text among the steps is an expression. Where no step turns bytes into characters, one that does follows. */
const entries: readonly Entry[] = [
  ['llama-bpe llama3 llama-v3', [llama3], { ...whole, addsBos: true, siblingEnds: llamaEnds }],
  ['falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano', [llama3], { ...whole, addsBos: true }],
  ['dbrx smaug-bpe chatglm-bpe', [llama3]],
  ['glm4 glm5', [llama3], whole],
  [
    'jais-2',
    [
      `${contractions}|${letters}|${threeDigits}|${marks}|\\s*[\\r\\n]+|\\s{512}(?!\\S)|\\s{256}(?!\\S)|\\s{128}(?!\\S)|\\s{64}(?!\\S)|\\s{32}(?!\\S)|\\s{16}(?!\\S)|\\s{8}(?!\\S)|\\s{4}(?!\\S)|\\s{1,2}(?!\\S)|\\s{1}`,
    ],
  ],
  ['minicpm5', [threeDigits, `${contractions}|${letters}|\\p{N}+|${marks}|${blanks}`], whole],
  ['deepseek-llm', ['[\\r\\n]', deepseekLetters, deepseekMarks, '\\s+$', deepseekHan, '\\p{N}+'], deepseek],
  ['deepseek-coder', ['[\\r\\n]', '\\s?\\p{L}+', '\\s?\\p{P}+', deepseekHan, '\\p{N}'], deepseek],
  ['deepseek-v3', [threeDigits, kanaAndHan, deepseek3], deepseekPlain],
  ['hunyuan-dense joyai-llm hy_v4', [threeDigits, kanaAndHan, deepseek3], untidied],
  [
    'spark2_5',
    [threeDigits, kanaAndHan, `${asciiMarkAndWord}|${letterMarks}| ?[\\p{P}\\p{S}]+|[\\r\\n]|\\s+(?!\\S)|\\s+`, '\\p{N}'],
    untidied,
  ],
  [
    'youtu',
    [
      '[\\uAC00-\\uD7A3\\u3131-\\u318E]+|[\\uFF01\\u2026\\u201C\\u201D\\u2018\\u2019\\u2014\\uFF1A\\uFF1B\\uFF0C\\u3001-\\u303F\\uFE30-\\uFE4F]+|[\\u3105-\\u312F]+|[\\u4E00-\\u9FA5\\u3040-\\u309F\\u30A0-\\u30FF]+',
      `${casedWords}|\\p{N}|${marksAndSlashes}|${blanks}`,
    ],
    { ...untidied, ...whole },
  ],
  // Digits are looked for among characters that stand for bytes, and ¼, ² and their like are among those: as published, unlike llama.cpp.
  ['falcon', ['punctuation', 'byte-level-words', 'digit-runs', '[0-9][0-9][0-9]']],
  ['starcoder refact codeshell exaone minerva-7b mellum2', ['digits', 'byte-level-words']],
  ['smollm', ['digits', 'byte-level-words'], untidied],
  ['command-r', ['digits', 'byte-level-words'], { ...untidied, normalForm: 'NFC', tokenizerClass: 'CohereTokenizerFast' }],
  ['mpt olmo', ['byte-level-words'], neox],
  // openai-community/gpt2 says nothing of tidying, and transformers 4.57.6 then does none.
  ['gpt-2', ['byte-level-words'], untidied],
  ['phi-2 gigachat a.x-4.0 mellum exaone4 jais', ['byte-level-words']],
  ['jina-es jina-de jina-v2-es jina-v2-de jina-v1-en jina-v2-code roberta-bpe modern-bert', ['byte-level-words']],
  ['trillion granite-docling', ['byte-level-words'], untidied],
  ['qwen2', [qwen2], qwen],
  ['deepseek-r1-qwen', [qwen2], { ...untidied, tokenizerClass: 'LlamaTokenizerFast' }],
  ['kormo f2llmv2 hunyuan solar-open grok-2', [qwen2], untidied],
  ['stablelm2 megrez', [qwen2]],
  ['qwen35', [`${contractions}|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|${blanks}`], qwen],
  ['ufakzeka', [`${letters}|\\p{N}|${marks}|${blanks}`], untidied],
  ['laguna', ['[^\\n]+|[\\n]+', qwen2], untidied],
  ['seed-coder', [`${contractions}|${letters}|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|${blanks}`], untidied],
  ['bailingmoe bailingmoe2 llada-moe', [`'(?i:[sdmt]|ll|ve|re)|${letters}|\\p{N}|${marks}|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+`], untidied],
  [
    'exaone-moe',
    [`${contractions}|${before}(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+`],
  ],
  ['poro-chat', [bloom], untidied],
  ['bloom gpt3-finnish', [bloom]],
  ['viking', [bloom, '\\p{N}'], untidied],
  [
    'tekken',
    [`${before}${upper}*${lower}+|${before}${upper}+${lower}*|\\p{N}|${marksAndSlashes}|${blanks}`],
    { ...untidied, ...whole, addsBos: true },
  ],
  ['gpt-4o llama4 kanana2 talkie minimax-m2', [gpt4o], untidied],
  ['granite-embed-multi-97m', [gpt4o], { ...untidied, ...whole }],
  ['tiny_aya cohere2moe', ['\\d{1,3}(?=(?:\\d{3})*\\b)', gpt4o], untidied],
  [
    'afmoe',
    [
      threesFromTheRight,
      '[\\u4E00-\\u9FFF\\u3400-\\u4DBF\\u8C48-\\uFAFF\\u3040-\\u309F\\u30A0-\\u30FF\\uFF65-\\uFF9F\\u2F00-\\u2FDF\\u0E40-\\u0E7F\\u0E80-\\u0EFF\\u1780-\\u17FF\\u1000-\\u109F\\uAA60-\\uAA7F\\uA9E0-\\uA9FF\\uAC00-\\uD7AF\\u1100-\\u11FF]+',
      deepseek3,
    ],
    untidied,
  ],
  ['superbpe', ['\\p{N}+', '(?=(\\d{3})+(?!\\d))'], untidied],
  [
    'chameleon',
    [
      '<sentinel:[0-9]+>',
      '(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z',
      '([\\t\\n]|    |  )',
      '\\p{N}',
      '[\\p{P}!-/:-@\\[-`{-~]',
      'byte-level-words',
    ],
    { ...untidied, addsBos: true },
  ],
  // What llama.cpp does where a file names none.
  [
    'default',
    [
      '[\\p{P}\\$\\+<=>\\^~\\|]+',
      "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)",
      '\\p{N}+',
      '[0-9][0-9][0-9]',
    ],
  ],
]

const namedSteps: readonly Exclude<PreTokenizerStep, object>[] = ['digits', 'digit-runs', 'punctuation', 'byte-level-words', 'byte-level']

/** By name. */
export const preTokenizers: ReadonlyMap<string, PreTokenizer> = new Map(
  entries.flatMap(([names, steps, over]) => {
    const found = steps.map((step) => namedSteps.find((name) => name === step) ?? { isolate: step })
    const hasBytes = found.some((step) => step === 'byte-level' || step === 'byte-level-words')
    const preTokenizer: PreTokenizer = { ...base, ...over, steps: hasBytes ? found : [...found, 'byte-level'] }
    return names.split(' ').map((name) => [name, preTokenizer])
  }),
)

/** What llama.cpp knows and the tokenizer library can't be told, with the reason. */
export const refusedPreTokenizers: ReadonlyMap<string, string> = new Map([
  ['kimi-k2', 'its published tokenizer is a program of its own, with no tokenizer.json to equal'],
  ['whitespace', 'it merges characters, not bytes, and only models of embeddings have it'],
])
