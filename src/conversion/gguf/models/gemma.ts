import type { MetadataKeys } from '../metadata-keys.ts'
import { commonConfig, headsOf, requireWholeRotation, rmsEpsilon, ropeScaling, type GgufArchitecture } from '../parts.ts'

const names = {
  post_attention_layernorm: 'post_attention_norm',
  pre_feedforward_layernorm: 'ffn_norm',
  post_feedforward_layernorm: 'post_ffw_norm',
}

function gemmaConfig(keys: MetadataKeys, modelType: string, largestLayers: number) {
  const config = commonConfig(keys, modelType)
  const { hidden, heads, headSize } = headsOf(keys)
  requireWholeRotation(keys, headSize)
  const cap = keys.optionalNumber('final_logit_softcapping')
  return {
    ...config,
    ...rmsEpsilon(keys),
    // Not in the metadata: llama.cpp, too, knows the largest model by its layers (src/models/gemma2.cpp and gemma3.cpp).
    query_pre_attn_scalar: keys.integer('block_count') === largestLayers ? Math.floor(hidden / heads) : headSize,
    final_logit_softcapping: cap === null || cap === 0 ? null : cap,
  }
}

/** Source: llama.cpp, conversion/gemma.py and src/models/gemma2.cpp. */
export const gemma2: GgufArchitecture = {
  className: 'Gemma2ForCausalLM',
  config: (keys) => {
    const cap = keys.optionalNumber('attn_logit_softcapping')
    return {
      ...gemmaConfig(keys, 'gemma2', 46),
      sliding_window: keys.optionalInteger('attention.sliding_window') ?? 4096,
      attn_logit_softcapping: cap === null || cap === 0 ? null : cap,
    }
  },
  names,
  normsAreWhole: true,
}

/** The text model alone, whatever else the repository has. Source: llama.cpp, conversion/gemma.py and src/models/gemma3.cpp. */
export const gemma3: GgufArchitecture = {
  className: 'Gemma3ForCausalLM',
  config: (keys) => {
    const config = gemmaConfig(keys, 'gemma3_text', 62)
    const layers = keys.integer('block_count')
    const window = keys.optionalNumber('attention.sliding_window') ?? 0
    const pattern = keys.list('attention.sliding_window_pattern')
    const isLocal =
      pattern?.map((one) => one !== 0) ??
      Array.from({ length: layers }, (_, index) => (index + 1) % (keys.optionalInteger('attention.sliding_window_pattern') ?? 6) !== 0)
    return {
      ...config,
      ...ropeScaling(keys),
      rope_local_base_freq: keys.optionalNumber('rope.freq_base_swa') ?? 10_000,
      layer_types: isLocal.map((one) => (one && window > 0 ? 'sliding_attention' : 'full_attention')),
      ...(window > 0 ? { sliding_window: window } : {}),
    }
  },
  names,
  normsAreWhole: true,
}
