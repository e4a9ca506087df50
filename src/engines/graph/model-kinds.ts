/** Which models are decoders whose past can be carried on, by config.json: everything else is refused before its weights are fetched. */
import { EvalError } from '../../base/errors.ts'
import { parseConfig, type ConfigObject } from './model-config.ts'

/**
 * Refuses a model that its config.json says can't be scored: an encoder, or a decoder with layers that carry another state from token to token than
 * keys and values (state spaces, linear attention, convolutions but LFM2's: cache-dims.ts). What isn't known to be foreign passes: its graph is looked at next.
 *
 * Throws `model/unsupported` that names the architecture and the reason, `model/corrupt` when the text isn't a JSON object.
 */
export function requireDecoder(configText: string, repo: string): void {
  const top = parseConfig(configText)
  const reason = refusalOf(top)
  if (reason === null) return
  throw new EvalError(
    'model/unsupported',
    `wanted a decoder that goes on from keys and values, found ${repo} with ${nameOf(top)}, ${reason}: it can't be scored here`,
    { details: { repo, reason } },
  )
}

function refusalOf(top: ConfigObject): string | null {
  const { inner } = top
  const kind = inner.model_type ?? top.outer.model_type
  const architecture = top.architecture ?? ''
  if (top.outer.is_encoder_decoder === true) return 'which is an encoder and a decoder'
  const purpose = otherPurposes.exec(architecture)
  if (purpose !== null) return `which was made for ${purpose[1] ?? 'something else'}, not for writing text from left to right`
  const foreign = layerKinds(top).filter((one) => !attentionLayers.has(one) && !(one === 'conv' && kind === 'lfm2'))
  if (foreign.length > 0)
    return `whose layers of kind ${[...new Set(foreign)].slice(0, 4).join(', ')} carry a state of their own from token to token`
  const recurrent = typeof kind === 'string' ? recurrentKinds.get(kind) : undefined
  return recurrent === undefined || knowsLayers(top) ? null : `whose layers carry ${recurrent} from token to token`
}

/** Purposes of transformers' model classes that score no next token. */
const otherPurposes =
  /For(MaskedLM|PreTraining|SequenceClassification|TokenClassification|QuestionAnswering|MultipleChoice|NextSentencePrediction|ImageClassification|AudioClassification|CTC)$/

/** Layers that see earlier tokens through keys and values, as transformers and the models' own files spell them. */
const attentionLayers = new Set(['full_attention', 'sliding_attention', 'chunked_attention', 'attention', 'global', 'local'])

/** What carries the past in kinds of models that may not list their layers. Source: transformers 4.57.6 and transformers.js 4.3.1 (src/configs.js, getCacheNames). */
const recurrentKinds: ReadonlyMap<string, string> = new Map([
  ['lfm2_moe', 'convolution states'],
  ...['qwen3_next', 'qwen3_5', 'qwen3_5_text', 'qwen3_5_moe', 'qwen3_5_moe_text', 'olmo_hybrid', 'kimi_linear', 'minimax'].map(
    (kind) => [kind, 'linear-attention states'] as const,
  ),
  ...['mamba', 'mamba2', 'falcon_mamba', 'falcon_h1', 'nemotron_h', 'granitemoehybrid', 'bamba', 'jamba', 'zamba', 'zamba2', 'plamo2'].map(
    (kind) => [kind, 'state-space states'] as const,
  ),
  ...['rwkv', 'rwkv7', 'recurrent_gemma', 'xlstm'].map((kind) => [kind, 'recurrent states'] as const),
])

const layerKeys = ['layer_types', 'layers_block_type', 'block_types'] as const

function layerKinds({ inner, outer }: ConfigObject): string[] {
  return [inner, outer].flatMap((config) =>
    layerKeys.flatMap((key) => {
      const list: unknown = config[key]
      return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : []
    }),
  )
}

/** Its layers are listed, all of them, so that the kind alone decides nothing (Granite 4 comes with and without state spaces). */
function knowsLayers(top: ConfigObject): boolean {
  const layers = top.inner.num_hidden_layers ?? top.outer.num_hidden_layers
  return typeof layers === 'number' && layerKinds(top).length >= layers
}

function nameOf(top: ConfigObject): string {
  const kind = top.outer.model_type
  return `the architecture ${top.architecture ?? (typeof kind === 'string' ? kind : 'unknown')}`
}
