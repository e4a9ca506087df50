/** What is read out of a GGUF file's header, and what of it is refused. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ggufArchitectures, readGgufDecoder } from '../../../src/conversion/gguf/registry.ts'
import { bytesAsRun } from '../../../src/conversion/gguf/convert-gguf.ts'
import { readGguf } from '../../../src/weights/gguf/header.ts'
import { joinSplitParts } from '../../../src/weights/gguf/split.ts'
import { sourceOfBytes } from '../../support/byte-source.ts'
import { editGguf, type EditedGguf } from '../../support/gguf-edit.ts'

const fileOf = (name: string): Uint8Array => new Uint8Array(readFileSync(`tests/goldens/gguf/${name}.gguf`))

async function read(name: string, change: (made: EditedGguf) => void = () => undefined) {
  const model = joinSplitParts([await readGguf(sourceOfBytes(`${name}.gguf`, await editGguf(fileOf(name), change)))])
  return { model, ...readGgufDecoder(model) }
}

const without =
  (name: string) =>
  (made: EditedGguf): void => {
    made.tensors = made.tensors.filter((one) => one.name !== name)
  }

describe('a GGUF header', () => {
  it('becomes a config.json', async () => {
    const { config } = await read('llama')
    expect(config).toEqual({
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      vocab_size: 96,
      hidden_size: 32,
      intermediate_size: 64,
      num_hidden_layers: 2,
      num_attention_heads: 4,
      num_key_value_heads: 2,
      head_dim: 8,
      max_position_embeddings: 64,
      rms_norm_eps: Math.fround(1e-6),
      rope_theta: 5000,
      attention_bias: false,
      mlp_bias: false,
      tie_word_embeddings: false,
    })
  })

  it('names the embedding’s rows where no key does, and the tokens aren’t asked', async () => {
    const { config } = await read('qwen2', ({ metadata }) => metadata.delete('tokenizer.ggml.tokens'))
    expect(config).toMatchObject({ vocab_size: 96, tie_word_embeddings: true })
  })

  it('has its factor by the key of old, linear where no type is named', async () => {
    const change = ({ metadata }: EditedGguf): void => {
      metadata.delete('llama.rope.scaling.type')
      metadata.delete('llama.rope.scaling.factor')
      metadata.set('llama.rope.scale_linear', 4)
    }
    const { config } = await read('llama-biases', change)
    expect(config).toEqual((await read('llama-biases')).config)
    expect(config).toMatchObject({ rope_scaling: { rope_type: 'linear', factor: 4 }, attention_bias: true, mlp_bias: true, head_dim: 16 })
  })

  it('tells the bytes of weights as they are run', async () => {
    const { model, architecture } = await read('llama-k')
    const bytes = (dtype: string, unpacksTo: 'fp32' | 'fp16' = 'fp32') => bytesAsRun(architecture, model.tensors, { dtype, unpacksTo })
    // Nothing in it runs in its own blocks, and half as many bytes but for norms are float16's.
    expect(bytes('Q4_K_M')).toBe(bytes('fp32'))
    expect(bytes('Q4_K_M', 'fp16')).toBe(bytes('fp16'))
    expect(bytes('fp16') / bytes('fp32')).toBeCloseTo(0.5, 2)
    const blocks = await read('llama-blocks')
    const asStored = bytesAsRun(blocks.architecture, blocks.model.tensors, { dtype: 'Q8_0', unpacksTo: 'fp32' })
    const whole = bytesAsRun(blocks.architecture, blocks.model.tensors, { dtype: 'fp32', unpacksTo: 'fp32' })
    // A block of 32 values with a float32 scale takes 36 or 20 bytes instead of 128; rotary tables stay.
    expect(asStored).toBeLessThan(whole / 2)
  })
})

describe('refused by its name, before memory is taken', () => {
  const set =
    (key: string, value: Parameters<EditedGguf['metadata']['set']>[1]) =>
    ({ metadata }: EditedGguf): void => {
      metadata.set(key, value)
    }

  it.each([
    ['an unknown architecture', 'llama', set('general.architecture', 'deepseek2'), 'model/unsupported', '"deepseek2"'],
    ['a model of images', 'llama', set('general.architecture', 'clip'), 'model/unsupported', 'sees images'],
    ['a model of embeddings', 'llama', set('general.architecture', 'bert'), 'model/unsupported', 'embeddings'],
    ['an adapter', 'llama', set('general.type', 'adapter'), 'model/unsupported', 'an adapter'],
    ['a projector', 'llama', set('general.type', 'mmproj'), 'model/unsupported', 'mmproj'],
    ['no architecture', 'llama', ({ metadata }: EditedGguf) => metadata.delete('general.architecture'), 'model/unsupported', 'found none'],
    ['an unknown key', 'llama', set('llama.attention.clamp_kqv', 8), 'model/unsupported', 'llama.attention.clamp_kqv'],
    ['attention that sees what comes', 'llama', set('llama.attention.causal', false), 'model/unsupported', 'llama.attention.causal'],
    ['pooling', 'qwen3', set('qwen3.pooling_type', 3), 'model/unsupported', 'qwen3.pooling_type'],
    ['experts under Llama’s name', 'llama', set('llama.expert_count', 8), 'model/unsupported', 'llama.expert_count'],
    ['YaRN', 'qwen2', set('qwen2.rope.scaling.type', 'yarn'), 'model/unsupported', 'qwen2.rope.scaling.type'],
    ['a head rotated in part', 'llama', set('llama.rope.dimension_count', 4), 'model/unsupported', 'llama.rope.dimension_count'],
    ['a missing size', 'llama', ({ metadata }: EditedGguf) => metadata.delete('llama.block_count'), 'model/corrupt', 'llama.block_count'],
    ['a size of another type', 'llama', set('llama.block_count', 'two'), 'model/corrupt', 'llama.block_count'],
    ['a size of zero', 'llama', set('llama.embedding_length', 0), 'model/corrupt', 'llama.embedding_length'],
    [
      'layers beyond all bounds',
      'llama',
      set('llama.block_count', 4_000_000_000),
      'model/corrupt',
      '"llama.block_count" of a GGUF file, found 4000000000',
    ],
    ['a window beyond all bounds', 'qwen2', set('qwen2.context_length', 2 ** 31), 'model/corrupt', 'qwen2.context_length'],
    ['a base of zero in Gemma', 'gemma3', set('gemma3.rope.freq_base', 0), 'model/corrupt', 'gemma3.rope.freq_base'],
    ['another vocabulary', 'llama', set('llama.vocab_size', 97), 'model/corrupt', 'llama.vocab_size'],
    ['a window in OLMo', 'olmo2', set('olmo2.attention.sliding_window', 4096), 'model/unsupported', 'olmo2.attention.sliding_window'],
    [
      'layers of different widths',
      'llama',
      set('llama.feed_forward_length', { items: 'numbers', values: Int32Array.of(64, 32) }),
      'model/unsupported',
      'llama.feed_forward_length',
    ],
    [
      'Granite without positions',
      'granite',
      set('granite.rope.scaling.finetuned', false),
      'model/unsupported',
      'granite.rope.scaling.finetuned',
    ],
    [
      'heads of LFM2 for too few layers',
      'lfm2',
      set('lfm2.attention.head_count_kv', { items: 'numbers', values: Int32Array.of(0, 2) }),
      'model/corrupt',
      'lfm2.attention.head_count_kv',
    ],
  ] as const)('%s', async (_what, name, change, code, named) => {
    await expect(read(name, change)).rejects.toMatchObject({ code, message: expect.stringContaining(named) as unknown })
  })

  it('never by config.json, which nobody has', async () => {
    for (const key of ['embedding_length', 'feed_forward_length', 'block_count', 'attention.head_count', 'context_length'])
      for (const value of [1, 7, 100_000_001]) {
        const found = await read('llama', set(`llama.${key}`, value)).then(
          () => '',
          (error: unknown) => String(error),
        )
        expect(found).not.toMatch(/config\.json/)
      }
  })

  it('an embedding that isn’t there, where no key tells its size', async () => {
    await expect(read('qwen2', without('token_embd.weight'))).rejects.toMatchObject({
      code: 'model/corrupt',
      message: expect.stringContaining('token_embd.weight') as unknown,
    })
  })
})

it('fourteen architectures are known', () => {
  expect(ggufArchitectures).toHaveLength(14)
})
