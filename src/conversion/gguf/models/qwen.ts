import type { MetadataKeys } from '../metadata-keys.ts'
import { commonConfig, hasLayerTensor, requireWholeRotation, rmsEpsilon, ropeScaling, type GgufArchitecture } from '../parts.ts'

function qwenConfig(keys: MetadataKeys, modelType: string) {
  const config = commonConfig(keys, modelType)
  requireWholeRotation(keys, Number(config.head_dim))
  return { ...config, ...rmsEpsilon(keys), ...ropeScaling(keys) }
}

/** Qwen 2 and 2.5. Source: llama.cpp, conversion/qwen.py and src/models/qwen2.cpp. */
export const qwen2: GgufArchitecture = { className: 'Qwen2ForCausalLM', config: (keys) => qwenConfig(keys, 'qwen2') }

export const qwen3: GgufArchitecture = {
  className: 'Qwen3ForCausalLM',
  config: (keys) => ({ ...qwenConfig(keys, 'qwen3'), attention_bias: hasLayerTensor(keys, 'attn_q.bias') }),
}

/** The experts of a layer stand in one tensor of three axes. Their shares sum to one always. Source: llama.cpp, src/models/qwen3moe.cpp. */
export const qwen3Moe: GgufArchitecture = {
  className: 'Qwen3MoeForCausalLM',
  config: (keys) => {
    // What models without experts in some layers would have.
    keys.only('expert_weights_norm', true)
    keys.only('expert_weights_scale', 0, 1)
    keys.only('expert_gating_func', 1)
    keys.only('expert_group_count', 0, 1)
    keys.only('expert_group_used_count', 0, 1)
    return {
      ...qwenConfig(keys, 'qwen3_moe'),
      attention_bias: hasLayerTensor(keys, 'attn_q.bias'),
      num_experts: keys.integer('expert_count'),
      num_experts_per_tok: keys.integer('expert_used_count'),
      moe_intermediate_size: keys.integer('expert_feed_forward_length'),
      norm_topk_prob: true,
    }
  },
  names: { 'mlp.gate': 'ffn_gate_inp' },
}
