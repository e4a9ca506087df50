/** config.json as transformers 5 writes it, under the names that version 4 has for the same. Source: transformers 5.24.0, modeling_rope_utils.py and the configurations here. */
import { isRecord } from '../base/guards.ts'
import { EvalError } from '../base/errors.ts'

type Config = { readonly [key: string]: unknown }

/** Kinds of layers that have rotary embeddings of their own in Gemma 3. */
const byLayer = ['full_attention', 'sliding_attention'] as const

/**
 * Spreads `rope_parameters` over the keys that version 4 reads (`rope_theta`, `rope_scaling`, `partial_rotary_factor` and others); a config.json without it comes back as it is. Version 4 doesn't
 * know the key and would take the default base, which is no model's; so it is read as version 5 does. Throws `model/corrupt` where it is no object, or an older key contradicts it;
 * `model/unsupported` where layers differ in a model type whose layers are taken to be alike.
 */
export function withoutRopeParameters(config: Config): Config {
  const { rope_parameters: parameters, ...rest } = config
  if (parameters === undefined || parameters === null) return rest
  if (!isRecord(parameters)) throw wrong(rest, 'an object', parameters)
  const older = olderKeys(rest, parameters)
  for (const [key, value] of Object.entries(older)) {
    const said = rest[key] ?? null
    if (said !== null && JSON.stringify(said) !== JSON.stringify(value)) throw wrong(rest, `what "${key}" says`, said)
  }
  return { ...rest, ...older }
}

function olderKeys(config: Config, parameters: Config): Config {
  const { full_attention: full, sliding_attention: local, ...others } = parameters
  if (full === undefined && local === undefined) return flatKeys(config, parameters)
  const foreign = Object.keys(others)[0]
  if (config.model_type !== 'gemma3_text' || foreign !== undefined || !isRecord(full) || !isRecord(local))
    throw new EvalError(
      'model/unsupported',
      `wanted one set of "rope_parameters" for all layers, or ${byLayer.join(' and ')} of gemma3_text, found ${Object.keys(parameters).join(', ').slice(0, 120)} (${String(config.model_type)})`,
      { details: { key: 'rope_parameters' } },
    )
  const { rope_theta: localBase, rope_scaling: localScaling } = flatKeys(config, local)
  if (localScaling !== null) throw wrong(config, 'no scaling under "sliding_attention"', localScaling)
  return { ...flatKeys(config, full), rope_local_base_freq: localBase }
}

function flatKeys(config: Config, parameters: Config): Config {
  const {
    rope_theta: base,
    partial_rotary_factor: share,
    original_max_position_embeddings: trained,
    rope_type: kind = 'default',
    type = kind,
    ...scaling
  } = parameters
  if (typeof base !== 'number') throw wrong(config, 'a number under "rope_theta"', base)
  if (type !== kind) throw wrong(config, 'the same under "type" and "rope_type"', type)
  const isNeox = config.model_type === 'gpt_neox'
  const isLong = kind === 'longrope'
  // Phi-3 has the window that it was trained on beside its scaling, Llama 3 within.
  const window = trained === undefined ? {} : { original_max_position_embeddings: trained }
  const isPlain = kind === 'default' && Object.keys(scaling).length === 0
  return {
    [isNeox ? 'rotary_emb_base' : 'rope_theta']: base,
    ...(share === undefined ? {} : { [isNeox ? 'rotary_pct' : 'partial_rotary_factor']: share }),
    ...(isLong ? window : {}),
    rope_scaling: isPlain ? null : { type: kind, ...scaling, ...(isLong ? {} : window) },
  }
}

function wrong(config: Config, wanted: string, found: unknown): EvalError {
  return new EvalError(
    'model/corrupt',
    `wanted ${wanted} as "rope_parameters" of config.json (${String(config.model_type)}), found ${(JSON.stringify(found) ?? 'nothing').slice(0, 120)}`,
    { details: { key: 'rope_parameters' } },
  )
}
