import { commonConfig, requireWholeRotation, rmsEpsilon, ropeScaling, type GgufArchitecture } from '../parts.ts'

/** Source: llama.cpp, conversion/olmo.py and src/models/olmo2.cpp. */
export const olmo2: GgufArchitecture = {
  className: 'Olmo2ForCausalLM',
  config: (keys) => {
    // OLMo 3 has the same name, and a window in most layers.
    keys.only('attention.sliding_window', 0)
    const config = commonConfig(keys, 'olmo2')
    requireWholeRotation(keys, Number(config.head_dim))
    return { ...config, ...rmsEpsilon(keys), ...ropeScaling(keys) }
  },
  names: { post_attention_layernorm: 'post_attention_norm', post_feedforward_layernorm: 'post_ffw_norm' },
}
