import type { Architecture, Projection } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { layerNorm, layerOf, linear, perLayer, readActivation, rowsOf, whole } from '../parts.ts'
import { largest } from '../sizes.ts'

/** Source: transformers 4.57.6, models/gpt2. Its matrices are stored [inputs, outputs]; positions are learned. */
export function gpt2(config: ConfigKeys): Architecture {
  const hidden = config.integer('n_embd', { most: largest.hidden })
  const heads = config.integer('n_head', { most: largest.heads })
  const headSize = hidden / heads
  if (!Number.isInteger(headSize)) throw config.wrong('n_embd', `a multiple of the ${heads} heads`)
  const inner = config.optionalInteger('n_inner', { most: largest.intermediate }) ?? 4 * hidden
  const vocabulary = config.integer('vocab_size', { most: largest.vocabulary })
  const positions = config.integer('n_positions', { most: largest.positions }, 1024)
  const epsilon = config.positive('layer_norm_epsilon', 1e-5)
  const activation = readActivation(config, 'activation_function', 'gelu_new')
  const isScaled = config.boolean('scale_attn_weights', true)
  config.only('scale_attn_by_inverse_layer_idx', false)
  // The order of a multiplication in 16 bits.
  config.ignore('reorder_and_upcast_attn', 'n_ctx')
  const isTied = config.boolean('tie_word_embeddings', true)
  const embedding = whole('transformer.wte.weight', vocabulary, hidden)
  return {
    modelType: config.kind,
    vocabularySize: vocabulary,
    hiddenSize: hidden,
    maxPositions: positions,
    embedding,
    embeddingMultiplier: 1,
    positionEmbedding: whole('transformer.wpe.weight', positions, hidden),
    isTied,
    layers: perLayer(config.integer('n_layer', { most: largest.layers }), (index) => {
      const name = `transformer.h.${index}`
      const part = (from: number): Projection => columnsOf(`${name}.attn.c_attn`, 3 * hidden, hidden, from, hidden)
      return layerOf({
        mixer: {
          kind: 'attention',
          heads,
          keyValueHeads: heads,
          headSize,
          query: part(0),
          key: part(hidden),
          value: part(2 * hidden),
          output: columnsOf(`${name}.attn.c_proj`, hidden, hidden),
          norms: null,
          rope: null,
          window: null,
          softcap: null,
          scale: isScaled ? headSize ** -0.5 : 1,
        },
        mlp: {
          kind: 'plain',
          activation,
          up: columnsOf(`${name}.mlp.c_fc`, inner, hidden),
          down: columnsOf(`${name}.mlp.c_proj`, hidden, inner),
        },
        beforeMixer: layerNorm(`${name}.ln_1`, hidden, epsilon),
        beforeMlp: layerNorm(`${name}.ln_2`, hidden, epsilon),
      })
    }),
    finalNorm: layerNorm('transformer.ln_f', hidden, epsilon),
    head: isTied ? { weight: embedding, bias: null } : linear('lm_head', vocabulary, hidden),
    logitsDivisor: 1,
    logitsSoftcap: null,
    prefix: 'transformer.',
  }
}

/** Outputs `from` to `from + outputs` of transformers' Conv1D, all of it where nothing is said. */
function columnsOf(name: string, all: number, inputs: number, from = 0, outputs = all): Projection {
  const place = { from, rows: outputs }
  return { weight: rowsOf(`${name}.weight`, all, inputs, { ...place, isTransposed: true }), bias: rowsOf(`${name}.bias`, all, null, place) }
}
