import type { Architecture, Projection } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { layerNorm, layerOf, linear, perLayer, readActivation, rowsOf, whole } from '../parts.ts'
import { readRope } from '../rope.ts'
import { largest } from '../sizes.ts'

/** Source: transformers 4.57.6, models/gpt_neox. Queries, keys and values of a head stand together in one tensor. */
export function gptNeox(config: ConfigKeys): Architecture {
  const hidden = config.integer('hidden_size', { most: largest.hidden })
  const heads = config.integer('num_attention_heads', { most: largest.heads })
  const headSize = hidden / heads
  if (headSize % 2 !== 0 || headSize > largest.headSize) throw config.wrong('hidden_size', `an even multiple of the ${heads} heads`)
  const intermediate = config.integer('intermediate_size', { most: largest.intermediate })
  const vocabulary = config.integer('vocab_size', { most: largest.vocabulary })
  const epsilon = config.positive('layer_norm_eps', 1e-5)
  const activation = readActivation(config, 'hidden_act', 'gelu')
  const bias = config.boolean('attention_bias', true)
  const isParallel = config.boolean('use_parallel_residual', true)
  const rope = readNeoxRope(config, headSize)
  const embedding = whole('gpt_neox.embed_in.weight', vocabulary, hidden)
  const isTied = config.boolean('tie_word_embeddings', false)
  return {
    modelType: config.kind,
    vocabularySize: vocabulary,
    hiddenSize: hidden,
    maxPositions: config.integer('max_position_embeddings', { most: largest.positions }, 2048),
    embedding,
    embeddingMultiplier: 1,
    positionEmbedding: null,
    isTied,
    layers: perLayer(config.integer('num_hidden_layers', { most: largest.layers }), (index) => {
      const name = `gpt_neox.layers.${index}`
      const part = (which: 0 | 1 | 2): Projection => {
        const fused = `${name}.attention.query_key_value`
        const place = { from: which * headSize, rows: headSize, stride: 3 * headSize, times: heads }
        return {
          weight: rowsOf(`${fused}.weight`, 3 * hidden, hidden, place),
          bias: bias ? rowsOf(`${fused}.bias`, 3 * hidden, null, place) : null,
        }
      }
      return layerOf({
        mixer: {
          kind: 'attention',
          heads,
          keyValueHeads: heads,
          headSize,
          query: part(0),
          key: part(1),
          value: part(2),
          output: linear(`${name}.attention.dense`, hidden, hidden, bias),
          norms: null,
          rope,
          window: null,
          softcap: null,
          scale: headSize ** -0.5,
        },
        mlp: {
          kind: 'plain',
          activation,
          up: linear(`${name}.mlp.dense_h_to_4h`, intermediate, hidden, true),
          down: linear(`${name}.mlp.dense_4h_to_h`, hidden, intermediate, true),
        },
        beforeMixer: layerNorm(`${name}.input_layernorm`, hidden, epsilon),
        beforeMlp: layerNorm(`${name}.post_attention_layernorm`, hidden, epsilon),
        isParallel,
      })
    }),
    finalNorm: layerNorm('gpt_neox.final_layer_norm', hidden, epsilon),
    head: isTied ? { weight: embedding, bias: null } : linear('embed_out', vocabulary, hidden),
    logitsDivisor: 1,
    logitsSoftcap: null,
    prefix: 'gpt_neox.',
  }
}

function readNeoxRope(config: ConfigKeys, headSize: number) {
  const share = config.positive('rotary_pct', 0.25)
  const base = config.positive('rotary_emb_base', 10_000)
  const size = Math.trunc(headSize * share)
  if (share > 1 || size % 2 !== 0 || size === 0)
    throw config.wrong('rotary_pct', `a share that makes an even part of the head size ${headSize}`)
  // transformers writes both once more under the names of other classes, and doesn't read them.
  config.only('partial_rotary_factor', share)
  config.only('rope_theta', base)
  return readRope(config, base, size)
}
