/** What a config.json may say: refused by name where it isn't known, never guessed. */
import { describe, expect, it } from 'vitest'
import { isEvalError } from '../../src/base/errors.ts'
import { writeDecoderGraph } from '../../src/architectures/graph/decoder-graph.ts'
import { modelTypes, readArchitecture } from '../../src/architectures/registry.ts'
import { tinyModels } from './tiny-models.ts'

type Config = { readonly [key: string]: unknown }
const firstOf = (kind: string): Config => tinyModels.find(({ config }) => config.model_type === kind)?.config ?? {}

describe('every architecture', () => {
  it('has tiny models', () => {
    expect(new Set(tinyModels.map(({ config }) => config.model_type))).toEqual(new Set(modelTypes))
  })

  it.each(modelTypes)('%s reads what transformers writes, and refuses a key that it does not know by its name', (kind) => {
    expect(readArchitecture(firstOf(kind)).modelType).toBe(kind)
    expect(() => readArchitecture({ ...firstOf(kind), attention_of_tomorrow: 1 })).toThrow(
      expect.objectContaining({ code: 'model/unsupported', message: expect.stringContaining('"attention_of_tomorrow"') as string }),
    )
  })

  it.each(modelTypes)('%s lists tensors that the checkpoint has, of its shapes, and leaves none out', (kind) => {
    for (const { config, tensors } of tinyModels.filter((one) => one.config.model_type === kind)) {
      const { initializers } = writeDecoderGraph(readArchitecture(config), { form: 'reference', dtype: 'fp32' })
      const pieces = initializers.flatMap(({ make }) => (make.kind === 'rotary' ? [] : make.source.pieces))
      expect(new Set(pieces.map(({ tensor }) => tensor))).toEqual(new Set(tensors.names))
      for (const { tensor, shape } of pieces) expect([tensor, ...shape]).toEqual([tensor, ...tensors.read(tensor).shape])
    }
  })
})

describe('refused by name', () => {
  const refused: readonly (readonly [what: string, kind: string, changes: Config, named: string])[] = [
    ['yarn', 'llama', { rope_scaling: { rope_type: 'yarn', factor: 4 } }, '"rope_scaling"'],
    ['dynamic scaling', 'qwen2', { rope_scaling: { type: 'dynamic', factor: 4 } }, '"rope_scaling"'],
    ['a key of a scaling', 'llama', { rope_scaling: { rope_type: 'linear', factor: 4, attention_factor: 2 } }, '"attention_factor"'],
    ['parts of a matrix on several machines', 'llama', { pretraining_tp: 2 }, '"pretraining_tp"'],
    ['an activation', 'llama', { hidden_act: 'mish' }, '"hidden_act"'],
    ['quantised weights', 'llama', { quantization_config: { quant_method: 'gptq' } }, '"quantization_config"'],
    ['interleaved rotation', 'llama', { rope_interleaved: true }, '"rope_interleaved"'],
    ['an encoder beside it', 'llama', { is_encoder_decoder: true }, '"is_encoder_decoder"'],
    ['heads that were cut out', 'llama', { pruned_heads: { 0: [1] } }, '"pruned_heads"'],
    ['positions in parts', 'qwen2', { use_mrope: true }, '"use_mrope"'],
    ['windows without a size', 'qwen3', { layer_types: Array<string>(3).fill('sliding_attention') }, '"layer_types"'],
    ['layers of another kind', 'qwen3', { layer_types: Array<string>(3).fill('linear_attention') }, '"layer_types"'],
    ['scaled rotation of Mistral', 'mistral', { rope_scaling: { rope_type: 'linear', factor: 2 } }, '"rope_scaling"'],
    ['a cap that transformers leaves out', 'gemma3_text', { attn_logit_softcapping: 50 }, '"attn_logit_softcapping"'],
    ['attention in both directions', 'gemma3_text', { use_bidirectional_attention: true }, '"use_bidirectional_attention"'],
    ['biases that its class does not have', 'phi3', { attention_bias: true }, '"attention_bias"'],
    ['scores divided by the layer', 'gpt2', { scale_attn_by_inverse_layer_idx: true }, '"scale_attn_by_inverse_layer_idx"'],
    ['attention to an encoder', 'gpt2', { add_cross_attention: true }, '"add_cross_attention"'],
    ['two shares of rotated values', 'gpt_neox', { partial_rotary_factor: 0.75 }, '"partial_rotary_factor"'],
    ['convolutions of another size', 'lfm2', { conv_dim: 64 }, '"conv_dim"'],
    ['a plain MLP', 'lfm2', { block_use_swiglu: false }, '"block_use_swiglu"'],
    ['another norm', 'starcoder2', { norm_type: 'rms' }, '"norm_type"'],
    ['two names of one key that differ', 'gemma2', { sliding_window_size: 5 }, '"sliding_window_size"'],
  ]
  it.each(refused.filter(([, kind]) => modelTypes.includes(kind)))('%s (%s)', (_, kind, changes, named) => {
    expect(() => readArchitecture({ ...firstOf(kind), ...changes })).toThrow(
      expect.objectContaining({ code: 'model/unsupported', message: expect.stringContaining(named) as string }),
    )
  })

  it.each(['mamba2', 'constructor', '__proto__', undefined, 7, null])('model type %s', (kind) => {
    expect(() => readArchitecture({ ...firstOf('llama'), model_type: kind })).toThrow(
      expect.objectContaining({ code: 'model/unsupported', message: expect.stringContaining('llama') as string }),
    )
  })

  it('convolutions in the scoring form', () => {
    const config = firstOf('lfm2')
    if (config.model_type !== 'lfm2') return
    expect(() => writeDecoderGraph(readArchitecture(config), { form: 'scoring', dtype: 'fp32' })).toThrow(/convolutions/)
  })
})

describe('sizes', () => {
  it.each([
    ['hidden_size', 2 ** 40],
    ['hidden_size', 48.5],
    ['hidden_size', '48'],
    ['num_hidden_layers', 1e9],
    ['num_hidden_layers', 0],
    ['num_attention_heads', -4],
    ['num_key_value_heads', 3],
    ['head_dim', 7],
    ['vocab_size', 2 ** 31],
    ['vocab_size', undefined],
    ['intermediate_size', NaN],
    ['max_position_embeddings', Infinity],
    ['rope_theta', 0],
    ['rms_norm_eps', 'small'],
    ['tie_word_embeddings', 'yes'],
  ])('%s of %s is refused by name', (key, value) => {
    expect(() => readArchitecture({ ...firstOf('llama'), [key]: value })).toThrow(
      expect.objectContaining({ code: 'model/corrupt', message: expect.stringContaining(`"${key}"`) as string }),
    )
  })

  it('that are each possible, and together none that could be held, are refused', () => {
    const large = {
      hidden_size: 65_536,
      intermediate_size: 524_288,
      num_hidden_layers: 512,
      num_attention_heads: 512,
      num_key_value_heads: 512,
    }
    expect(() => readArchitecture({ ...firstOf('llama'), ...large })).toThrow(expect.objectContaining({ code: 'model/too-large' }))
  })

  it('of experts are refused before any is described', () => {
    if (!modelTypes.includes('qwen3_moe')) return
    const many = { num_experts: 1024, num_hidden_layers: 512 }
    expect(() => readArchitecture({ ...firstOf('qwen3_moe'), ...many })).toThrow(expect.objectContaining({ code: 'model/too-large' }))
  })
})

describe('any values', () => {
  const values: readonly unknown[] = [
    0,
    1,
    -1,
    3,
    4,
    48,
    1e9,
    0.5,
    NaN,
    '',
    'silu',
    'linear',
    true,
    false,
    null,
    undefined,
    [],
    {},
    [1, 2, 3],
    { type: 'linear' },
  ]

  it.each(modelTypes)('give a graph of %s or an error of ours', (kind) => {
    // A generator of its own, so that a failure can be found again.
    let state = 12_345
    const draw = (count: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * count)
    }
    const config = firstOf(kind)
    const keys = Object.keys(config).filter((key) => key !== 'model_type')
    let graphs = 0
    for (let round = 0; round < 100; round += 1) {
      const changed: { [key: string]: unknown } = { ...config }
      for (let change = draw(2); change >= 0; change -= 1) {
        const key = keys[draw(keys.length)] ?? ''
        changed[key] = values[draw(values.length)]
        if (draw(6) === 0) Reflect.deleteProperty(changed, key)
      }
      try {
        const { graph, initializers, bytes } = writeDecoderGraph(readArchitecture(changed), { form: 'reference', dtype: 'q4' })
        expect(graph.length).toBeGreaterThan(0)
        expect(initializers.filter((one) => !(one.bytes > 0 && one.offset % 64 === 0 && one.offset + one.bytes <= bytes))).toEqual([])
        graphs += 1
      } catch (error) {
        if (!isEvalError(error)) throw error
        expect(error.code).toMatch(/^model\//)
      }
    }
    expect(graphs).toBeGreaterThan(2)
  })
})
