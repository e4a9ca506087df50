import { commonConfig, requireWholeRotation, ropeScaling, type GgufArchitecture } from '../parts.ts'

/** Source: llama.cpp, conversion/starcoder.py and src/models/starcoder2.cpp. */
export const starcoder2: GgufArchitecture = {
  className: 'Starcoder2ForCausalLM',
  config: (keys) => {
    const config = commonConfig(keys, 'starcoder2')
    requireWholeRotation(keys, Number(config.head_dim))
    return { ...config, ...ropeScaling(keys), norm_epsilon: keys.number('attention.layer_norm_epsilon'), use_bias: true }
  },
  names: { 'mlp.c_fc': 'ffn_up', 'mlp.c_proj': 'ffn_down' },
}
