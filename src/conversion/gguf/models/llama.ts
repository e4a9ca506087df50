import type { MetadataKeys } from '../metadata-keys.ts'
import { commonConfig, hasLayerTensor, requireWholeRotation, rmsEpsilon, ropeScaling, type GgufArchitecture } from '../parts.ts'

/** What Llama's file has besides the sizes. */
function llamaConfig(keys: MetadataKeys, modelType: string) {
  const config = commonConfig(keys, modelType)
  requireWholeRotation(keys, Number(config.head_dim))
  // Mixtral's experts would stand under the same name.
  keys.only('expert_count', 0)
  keys.only('expert_used_count', 0)
  // Where the weights came from, which decides nothing.
  keys.ignore('tensor_data_layout')
  return {
    ...config,
    ...rmsEpsilon(keys),
    ...ropeScaling(keys),
    attention_bias: hasLayerTensor(keys, 'attn_q.bias') || hasLayerTensor(keys, 'attn_qkv.bias'),
    mlp_bias: hasLayerTensor(keys, 'ffn_up.bias'),
  }
}

/** Llama, Mistral and SmolLM2. Source: llama.cpp, conversion/llama.py and src/models/llama.cpp. */
export const llama: GgufArchitecture = {
  className: 'LlamaForCausalLM',
  config: (keys) => llamaConfig(keys, 'llama'),
  isInterleaved: true,
  hasFactors: true,
}

/** Every fourth layer is told no positions. Source: llama.cpp, src/models/smollm3.cpp. */
export const smollm3: GgufArchitecture = {
  className: 'SmolLM3ForCausalLM',
  config: (keys) => ({ ...llamaConfig(keys, 'smollm3'), no_rope_layer_interval: 4 }),
  isInterleaved: true,
}

/** Source: llama.cpp, conversion/granite.py and src/models/granite.cpp. */
export const granite: GgufArchitecture = {
  className: 'GraniteForCausalLM',
  config: (keys) => {
    // Granite 4's models without positions.
    keys.only('rope.scaling.finetuned', true)
    return {
      ...llamaConfig(keys, 'granite'),
      embedding_multiplier: keys.optionalNumber('embedding_scale') ?? 1,
      residual_multiplier: keys.optionalNumber('residual_scale') ?? 1,
      attention_multiplier: keys.number('attention.scale'),
      logits_scaling: keys.number('logit_scale'),
    }
  },
  isInterleaved: true,
  hasFactors: true,
}
