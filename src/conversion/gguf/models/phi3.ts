import { commonConfig, headsOf, rmsEpsilon, shareOf, type GgufArchitecture } from '../parts.ts'

/**
 * Its frequencies are scaled by the tensors of rope-factors.ts. The window is the header's; llama.cpp and transformers' reader of GGUF leave it out, which shows only in texts longer than it.
 * Source: llama.cpp, conversion/phi.py.
 */
export const phi3: GgufArchitecture = {
  className: 'Phi3ForCausalLM',
  config: (keys) => {
    const config = commonConfig(keys, 'phi3')
    const { headSize } = headsOf(keys)
    const window = keys.optionalNumber('attention.sliding_window') ?? 0
    const trained = keys.optionalInteger('rope.scaling.original_context_length')
    keys.only('rope.scaling.type', 'none', 'longrope')
    // Read with the factors.
    keys.optionalNumber('rope.scaling.attn_factor')
    return {
      ...config,
      ...rmsEpsilon(keys),
      partial_rotary_factor: shareOf(keys.optionalInteger('rope.dimension_count') ?? headSize, headSize),
      ...(trained === null ? {} : { original_max_position_embeddings: trained }),
      // Its factors hang on how long a text is: up to the length that it was first trained with they are the short ones, so that is as far as it goes here, as from safetensors.
      ...(trained !== null && keys.tensors.has('rope_factors_short.weight')
        ? { max_position_embeddings: Math.min(trained, keys.integer('context_length')) }
        : {}),
      ...(window > 0 ? { sliding_window: window } : {}),
    }
  },
  names: { 'self_attn.qkv_proj': 'attn_qkv', 'mlp.gate_up_proj': 'ffn_up' },
}
