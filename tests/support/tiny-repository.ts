/** Repositories of tiny models without ONNX files: safetensors or GGUF with made weights, and the embedded model's tokenizer. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** Writes the tiny Qwen 2, whose rows llama.cpp leaves in their order, as `model-F32.gguf` with the weights that `writeTinyRepository` gives it, and the tokenizer beside it. */
export function writeTinyGguf(folder: string, seed: string): void {
  const { config } = tinyModel('qwen2')
  const number = (key: string): number => Number(config[key])
  const integer = (value: number) => [...u32(4), ...u32(value)]
  const float = (value: number) => [...u32(6), ...u32(new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0)]
  const weights = weightsOf('qwen2', seed)
  let end = 0
  const places = weights.map(({ values }) => {
    const start = end
    end += Math.ceil(values.byteLength / 32) * 32
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
      type: 0,
      offset: places[at] ?? 0,
    })),
    dataBytes: end,
  })
  weights.forEach(({ values }, at) => file.set(new Uint8Array(values.buffer), file.length - end + (places[at] ?? 0)))
  writeTokenizer(folder)
  writeFileSync(join(folder, 'model-F32.gguf'), file)
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

function weightsOf(name: string, seed: string) {
  const { config, tensors } = tinyModel(name)
  return tensors.names.map((tensor) => {
    const shape = tensors.read(tensor).shape.map((size) => (size === config['vocab_size'] ? vocabulary : size))
    return { tensor, shape, values: weightOf(`${seed}/${tensor}`, shape, /norm\.weight$/.test(tensor) ? 1 : 0, 0.3) }
  })
}
