/** From config.json to an architecture: one entry for each `model_type`. */
import { EvalError } from '../base/errors.ts'
import type { Architecture } from './architecture.ts'
import { ConfigKeys } from './config-keys.ts'
import { gemma2 } from './models/gemma2.ts'
import { gemma3 } from './models/gemma3.ts'
import { gptNeox } from './models/gpt-neox.ts'
import { gpt2 } from './models/gpt2.ts'
import { granite } from './models/granite.ts'
import { lfm2 } from './models/lfm2.ts'
import { llama } from './models/llama.ts'
import { mistral } from './models/mistral.ts'
import { olmo2 } from './models/olmo2.ts'
import { phi3 } from './models/phi3.ts'
import { qwen2 } from './models/qwen2.ts'
import { qwen3Moe } from './models/qwen3-moe.ts'
import { qwen3 } from './models/qwen3.ts'
import { smollm3 } from './models/smollm3.ts'
import { starcoder2 } from './models/starcoder2.ts'
import { withoutRopeParameters } from './rope-parameters.ts'
import { requireBounds } from './sizes.ts'

const readers: { readonly [modelType: string]: (config: ConfigKeys) => Architecture } = {
  gemma2,
  gemma3_text: gemma3,
  gpt2,
  gpt_neox: gptNeox,
  granite,
  lfm2,
  llama,
  mistral,
  olmo2,
  phi3,
  qwen2,
  qwen3,
  qwen3_moe: qwen3Moe,
  smollm3,
  starcoder2,
}

/** The `model_type`s that are known, sorted. */
export const modelTypes: readonly string[] = Object.keys(readers).sort()

/**
 * The architecture that a parsed config.json describes, with its defaults as in transformers 4.57.6; what version 5 writes is read too. Throws `model/unsupported` for a `model_type`, key or value that
 * isn't computed here, by its name; `model/corrupt` for values of wrong types; `model/too-large` for sizes that no browser could hold.
 */
export function readArchitecture(config: { readonly [key: string]: unknown }): Architecture {
  const kind: unknown = config.model_type
  const reader = typeof kind === 'string' && Object.hasOwn(readers, kind) ? readers[kind] : undefined
  if (typeof kind !== 'string' || reader === undefined)
    throw new EvalError(
      'model/unsupported',
      `wanted a config.json of one of the model types ${modelTypes.join(', ')}, found ${kind === undefined ? 'none' : JSON.stringify(kind).slice(0, 80)}`,
      { details: { modelType: typeof kind === 'string' ? kind.slice(0, 80) : null } },
    )
  const keys = new ConfigKeys(withoutRopeParameters(config), kind)
  const architecture = reader(keys)
  keys.finish()
  requireBounds(architecture)
  return architecture
}
