/** Repositories of tiny models without ONNX files: safetensors or GGUF with made weights, and the embedded model's tokenizer. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { halfTable, packHalves } from '../../src/weights/convert/half.ts'
import { tinyModel, weightOf } from '../architectures/tiny-models.ts'
import { embeddedFolder } from '../e2e/hub-stand-in.ts'
import { ggufFile, text, u32 } from './gguf-file.ts'
import { floatsTensor, safetensorsFile } from './safetensors-file.ts'

/** Tokens of the embedded model's tokenizer. */
const vocabulary = 1920

/** Writes a tiny model of `tests/goldens/architectures` into `folder`, its vocabulary widened to the tokenizer's; another `seed` gives other weights. */
export function writeTinyRepository(folder: string, name: string, seed: string, change: object = {}): void {
  const { config } = tinyModel(name)
  writeTokenizer(folder)
  const ids = { bos_token_id: 0, eos_token_id: 1, pad_token_id: 2 }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, ...ids, vocab_size: vocabulary, ...change }))
  const made = weightsOf(name, seed).map(({ tensor, shape, values }) => floatsTensor(tensor, shape, values))
  writeFileSync(join(folder, 'model.safetensors'), safetensorsFile(made))
}

/**
 * Writes the tiny Qwen 2, whose rows llama.cpp leaves in their order, as `model-F32.gguf` with the weights that `writeTinyRepository` gives it, and the tokenizer beside it. In blocks (`model-Q8_0.gguf`,
 * `model-Q4_0.gguf`) it is a wider one, whose rows are whole blocks.
 */
export function writeTinyGguf(folder: string, seed: string, type: GgufType = 'F32'): void {
  const { config } = tinyModel('qwen2')
  const number = (key: string): number => sizeOf(Number(config[key]), type)
  const integer = (value: number) => [...u32(4), ...u32(value)]
  const float = (value: number) => [...u32(6), ...u32(new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0)]
  const weights = weightsOf('qwen2', seed, type)
  const stored = weights.map(({ shape, values }) => (shape.length === 1 ? new Uint8Array(values.buffer) : bytesAs[type](values)))
  let end = 0
  const places = stored.map(({ length }) => {
    const start = end
    end += Math.ceil(length / 32) * 32
    return start
  })
  const file = ggufFile({
    metadata: [
      ['general.architecture', [...u32(8), ...text('qwen2')]],
      ['qwen2.block_count', integer(number('num_hidden_layers'))],
      ['qwen2.context_length', integer(number('max_position_embeddings'))],
      ['qwen2.embedding_length', integer(number('hidden_size'))],
      ['qwen2.feed_forward_length', integer(number('intermediate_size'))],
      ['qwen2.attention.head_count', integer(number('num_attention_heads'))],
      ['qwen2.attention.head_count_kv', integer(number('num_key_value_heads'))],
      ['qwen2.attention.layer_norm_rms_epsilon', float(number('rms_norm_eps'))],
      ['qwen2.rope.freq_base', float(number('rope_theta'))],
    ],
    tensors: weights.map(({ tensor, shape }, at) => ({
      name: ggufNames.reduce((name, [from, to]) => name.replace(from, to), tensor),
      sizes: shape.toReversed(),
      type: shape.length === 1 ? ggufTypes.F32 : ggufTypes[type],
      offset: places[at] ?? 0,
    })),
    dataBytes: end,
  })
  stored.forEach((bytes, at) => file.set(bytes, file.length - end + (places[at] ?? 0)))
  writeTokenizer(folder)
  writeFileSync(join(folder, `model-${type}.gguf`), file)
}

/** Numbers of ggml's types. */
const ggufTypes = { F32: 0, Q4_0: 2, Q8_0: 8 } as const

type GgufType = keyof typeof ggufTypes

/** Values as the bytes of a type; blocks of 32 with a float16 scale, as ggml-quants.c rounds them (nearly: halves go up). */
const bytesAs: { readonly [type in GgufType]: (values: Float32Array) => Uint8Array } = {
  F32: (values) => new Uint8Array(values.buffer),
  Q8_0: (values) =>
    inBlocks(values, 32, (block, scale, bytes) => block.forEach((value, at) => (bytes[at] = Math.round(value / scale))), 127),
  Q4_0: (values) =>
    inBlocks(
      values,
      16,
      (block, scale, bytes) => {
        const q = (at: number) => Math.min(15, Math.max(0, Math.round((block[at] ?? 0) / scale) + 8))
        for (let at = 0; at < 16; at += 1) bytes[at] = q(at) | (q(at + 16) << 4)
      },
      7,
    ),
}

function inBlocks(
  values: Float32Array,
  bytesPerBlock: number,
  write: (block: Float32Array, scale: number, bytes: Uint8Array) => void,
  largest: number,
): Uint8Array {
  const size = 2 + bytesPerBlock
  const out = new Uint8Array((values.length / 32) * size)
  for (let block = 0; block * 32 < values.length; block += 1) {
    const part = values.subarray(block * 32, block * 32 + 32)
    const half = new Uint16Array(1)
    packHalves(Float32Array.of(part.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / largest), half)
    const bytes = out.subarray(block * size, (block + 1) * size)
    bytes.set(new Uint8Array(half.buffer))
    write(part, halfTable()[half[0] ?? 0] ?? 1, bytes.subarray(2))
  }
  return out
}

/** A size of the tiny model, or of the wider one: whole blocks. */
function sizeOf(size: number, type: GgufType): number {
  const wider: { readonly [size: number]: number } = { 24: 32, 48: 64, 80: 96 }
  return type === 'F32' ? size : (wider[size] ?? size)
}

/** transformers' names to llama.cpp's. */
const ggufNames: readonly (readonly [string, string])[] = [
  ['model.embed_tokens', 'token_embd'],
  ['model.norm', 'output_norm'],
  ['model.layers', 'blk'],
  ['self_attn.q_proj', 'attn_q'],
  ['self_attn.k_proj', 'attn_k'],
  ['self_attn.v_proj', 'attn_v'],
  ['self_attn.o_proj', 'attn_output'],
  ['mlp.gate_proj', 'ffn_gate'],
  ['mlp.up_proj', 'ffn_up'],
  ['mlp.down_proj', 'ffn_down'],
  ['input_layernorm', 'attn_norm'],
  ['post_attention_layernorm', 'ffn_norm'],
]

function writeTokenizer(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const file of ['tokenizer.json', 'tokenizer_config.json', 'generation_config.json'])
    copyFileSync(join(embeddedFolder(), file), join(folder, file))
}

function weightsOf(name: string, seed: string, type: GgufType = 'F32') {
  const { config, tensors } = tinyModel(name)
  return tensors.names.map((tensor) => {
    const shape = tensors.read(tensor).shape.map((size) => (size === config['vocab_size'] ? vocabulary : sizeOf(size, type)))
    return { tensor, shape, values: weightOf(`${seed}/${tensor}`, shape, /norm\.weight$/.test(tensor) ? 1 : 0, 0.3) }
  })
}
