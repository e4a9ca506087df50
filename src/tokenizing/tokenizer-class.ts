/**
 * What the Python tokenizer class of a model adds to its tokenizer.json: default special tokens, and for some classes a post-processor
 * of their own. From transformers 4.57.6, the fast tokenizer classes of causal models.
 */
import type { Json, JsonObject } from '../base/errors.ts'
import { isRecord } from '../base/guards.ts'
import { isArray } from './tokenizer-files.ts'

interface TokenizerClass {
  readonly bos: string | null
  readonly eos: string | null
  readonly unk: string | null
  readonly pad: string | null
  /** Not null: the class replaces the post-processor by one that adds BOS or EOS as told, with these defaults. */
  readonly template: { readonly addBos: boolean; readonly addEos: boolean } | null
}

const plain: TokenizerClass = { bos: null, eos: null, unk: null, pad: null, template: null }
const endOfText = '<|endoftext|>'
const sentencePiece = { bos: '<s>', eos: '</s>', unk: '<unk>' }
const withBos = { addBos: true, addEos: false }
const gpt2: TokenizerClass = { ...plain, bos: endOfText, eos: endOfText, unk: endOfText }
const llama: TokenizerClass = { ...plain, ...sentencePiece, template: withBos }

const classes: { readonly [name: string]: TokenizerClass } = {
  Llama: llama,
  CodeLlama: llama,
  Gemma: { ...plain, bos: '<bos>', eos: '<eos>', unk: '<unk>', pad: '<pad>', template: withBos },
  Cohere: { ...plain, bos: '<BOS_TOKEN>', eos: '<|END_OF_TURN_TOKEN|>', unk: '<UNK>', template: withBos },
  GPT2: gpt2,
  CodeGen: gpt2,
  GPTNeoX: { ...gpt2, template: { addBos: false, addEos: false } },
  Qwen2: { ...plain, eos: endOfText, unk: endOfText, pad: endOfText },
  Bloom: { ...plain, ...sentencePiece, pad: '<pad>' },
  XGLM: { ...plain, ...sentencePiece, pad: '<pad>' },
}

const classOfModelType: { readonly [modelType: string]: string } = {
  ...nameAll('Llama', 'llama mistral mixtral phi3 persimmon deepseek_v2 deepseek_v3 llama4 ernie4_5 arcee'),
  ...nameAll('Gemma', 'gemma gemma2 gemma3 gemma3_text recurrent_gemma'),
  ...nameAll('GPT2', 'gpt2 gpt_neo gptj opt starcoder2 exaone4 gpt_bigcode'),
  ...nameAll('GPTNeoX', 'gpt_neox stablelm olmo olmo2 olmoe mpt mamba rwkv'),
  ...nameAll('CodeGen', 'phi codegen'),
  ...nameAll('Qwen2', 'qwen2 qwen3 qwen2_moe qwen3_moe'),
  ...nameAll('Cohere', 'cohere cohere2'),
  bloom: 'Bloom',
  xglm: 'XGLM',
  code_llama: 'CodeLlama',
}

/** The class that AutoTokenizer takes: `tokenizer_class` of tokenizer_config.json or config.json, else by `model_type`. */
export function tokenizerClassOf(tokenizerConfig: JsonObject, config: JsonObject): TokenizerClass {
  const named = tokenizerConfig['tokenizer_class'] ?? config['tokenizer_class'] ?? null
  const modelType = config['model_type']
  const name =
    typeof named === 'string'
      ? named.replace(/Tokenizer(Fast)?$/, '')
      : typeof modelType === 'string'
        ? (classOfModelType[modelType] ?? '')
        : ''
  return Object.hasOwn(classes, name) ? (classes[name] ?? plain) : plain
}

/** A post-processor that adds BOS before and EOS after a text, as the class's `update_post_processor` builds it. */
export function bosEosTemplate(
  bos: readonly [string, number] | null,
  eos: readonly [string, number] | null,
  previous: Json | undefined,
): Json {
  const special = [bos, eos].filter((token) => token !== null)
  const single: Json[] = [
    ...(bos === null ? [] : [pieceOf(bos)]),
    { Sequence: { id: 'A', type_id: 0 } },
    ...(eos === null ? [] : [pieceOf(eos)]),
  ]
  const template: Json = {
    type: 'TemplateProcessing',
    single,
    pair: [],
    special_tokens: Object.fromEntries(special.map(([token, id]) => [token, { id: token, ids: [id], tokens: [token] }])),
  }
  // A byte-level step in front only trims offsets; it is kept for its own sake where it was.
  const steps = isRecord(previous) && isArray(previous['processors']) ? previous['processors'] : [previous]
  const byteLevel = steps.filter((step) => isRecord(step) && step['type'] === 'ByteLevel').filter((step) => step !== undefined)
  return byteLevel.length === 0 ? template : { type: 'Sequence', processors: [...byteLevel, template] }
}

function pieceOf([token]: readonly [string, number]): Json {
  return { SpecialToken: { id: token, type_id: 0 } }
}

function nameAll(name: string, modelTypes: string): { [modelType: string]: string } {
  return Object.fromEntries(modelTypes.split(' ').map((modelType) => [modelType, name]))
}
