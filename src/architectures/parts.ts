/** Parts that architectures have in common, under names of their checkpoints' tensors. */
import type { Activation, Attention, GatedMlp, Layer, Norm, Piece, Projection, Rope, Weight } from './architecture.ts'
import type { ConfigKeys } from './config-keys.ts'
import { largest, type DecoderSizes } from './sizes.ts'

/** A whole tensor [rows, columns], or [rows]. */
export function whole(tensor: string, rows: number, columns: number | null): Weight {
  const shape = columns === null ? [rows] : [rows, columns]
  return { rows, columns, pieces: [{ tensor, shape, isTransposed: false, from: 0, rows, stride: 0, times: 1, interleaved: null }] }
}

/** Some rows of a fused tensor that has `all` of them. */
export function rowsOf(
  tensor: string,
  all: number,
  columns: number | null,
  place: Partial<Pick<Piece, 'isTransposed' | 'stride' | 'times'>> & Pick<Piece, 'from' | 'rows'>,
): Weight {
  const { isTransposed = false, stride = 0, times = 1, from, rows } = place
  const stored = isTransposed ? [columns ?? 1, all] : [all, columns ?? 1]
  const shape = columns === null ? [all] : stored
  return {
    rows: rows * times,
    columns,
    // A vector has no other way round.
    pieces: [{ tensor, shape, isTransposed: isTransposed && columns !== null, from, rows, stride, times, interleaved: null }],
  }
}

/** torch's Linear under `name`. */
export function linear(name: string, outputs: number, inputs: number, hasBias = false): Projection {
  return { weight: whole(`${name}.weight`, outputs, inputs), bias: hasBias ? whole(`${name}.bias`, outputs, null) : null }
}

export function rmsNorm(name: string, size: number, epsilon: number, offset: 0 | 1 = 0): Norm {
  return { kind: 'rms', weight: whole(`${name}.weight`, size, null), bias: null, epsilon, offset }
}

/** torch's LayerNorm under `name`. */
export function layerNorm(name: string, size: number, epsilon: number): Norm {
  return { kind: 'layer', weight: whole(`${name}.weight`, size, null), bias: whole(`${name}.bias`, size, null), epsilon, offset: 0 }
}

/** Attention with Llama's names below `name`, all of it seen, scores scaled by the root of the head size. */
export function plainAttention(
  name: string,
  { hidden, heads, keyValueHeads, headSize }: DecoderSizes,
  rope: Rope | null,
  biases: { readonly inputs?: boolean; readonly output?: boolean } = {},
): Attention {
  const { inputs = false, output = false } = biases
  return {
    kind: 'attention',
    heads,
    keyValueHeads,
    headSize,
    query: linear(`${name}.q_proj`, heads * headSize, hidden, inputs),
    key: linear(`${name}.k_proj`, keyValueHeads * headSize, hidden, inputs),
    value: linear(`${name}.v_proj`, keyValueHeads * headSize, hidden, inputs),
    output: linear(`${name}.o_proj`, hidden, heads * headSize, output),
    norms: null,
    rope,
    window: null,
    softcap: null,
    scale: headSize ** -0.5,
  }
}

/** A gated MLP with Llama's names below `name`. */
export function gatedMlp(name: string, hidden: number, intermediate: number, activation: Activation, hasBias = false): GatedMlp {
  return {
    kind: 'gated',
    activation,
    gate: linear(`${name}.gate_proj`, intermediate, hidden, hasBias),
    up: linear(`${name}.up_proj`, intermediate, hidden, hasBias),
    down: linear(`${name}.down_proj`, hidden, intermediate, hasBias),
  }
}

/** A layer that norms what mixer and MLP read. */
export function layerOf(parts: Pick<Layer, 'mixer' | 'mlp' | 'beforeMixer' | 'beforeMlp'> & Partial<Layer>): Layer {
  return { afterMixer: null, afterMlp: null, isParallel: false, residualMultiplier: 1, ...parts }
}

const activations: { readonly [name: string]: Activation } = {
  silu: 'silu',
  swish: 'silu',
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  gelu_python_tanh: 'gelu-tanh',
  relu: 'relu',
}

/** The activation under `key`. Throws `model/unsupported` for another. Source: transformers 4.57.6, activations.py. */
export function readActivation(config: ConfigKeys, key: string, fallback: string): Activation {
  return activations[config.oneOf(key, Object.keys(activations), fallback)] ?? 'silu'
}

/** Which layers see a window, from `layer_types`; null where there is none. */
export function readLayerTypes(config: ConfigKeys, layers: number): readonly boolean[] | null {
  return config.layerList(
    'layer_types',
    layers,
    (one) => (one === 'sliding_attention' ? true : one === 'full_attention' ? false : null),
    '"full_attention" and "sliding_attention"',
  )
}

/** For each layer of Qwen's models the window that it sees, or null. */
export function readQwenWindows(config: ConfigKeys, layers: number): readonly (number | null)[] {
  const size = config.integerOrNull('sliding_window', { most: largest.positions }, 4096)
  const isUsed = config.boolean('use_sliding_window', false) && size !== null
  const first = config.integer('max_window_layers', { least: 0 }, 28)
  const isLocal = readLayerTypes(config, layers) ?? perLayer(layers, (index) => isUsed && index >= first)
  // transformers finds no size for such a layer then.
  if (!isUsed && isLocal.includes(true))
    throw config.unsupported('layer_types', '"sliding_attention" only with "use_sliding_window" and "sliding_window"')
  return isLocal.map((one) => (one ? size : null))
}

/** Embedding and head with Llama's names, and what most models do with them; `tied`: what `key` is where it isn't there. */
export function readEnds(config: ConfigKeys, { vocabulary, hidden }: DecoderSizes, tied: boolean, key = 'tie_word_embeddings') {
  const isTied = config.boolean(key, tied)
  const embedding = whole('model.embed_tokens.weight', vocabulary, hidden)
  return {
    modelType: config.kind,
    vocabularySize: vocabulary,
    hiddenSize: hidden,
    embedding,
    embeddingMultiplier: 1,
    positionEmbedding: null,
    isTied,
    head: isTied ? { weight: embedding, bias: null } : linear('lm_head', vocabulary, hidden),
    logitsDivisor: 1,
    logitsSoftcap: null,
    prefix: 'model.',
  } as const
}

/** One value for each layer. */
export function perLayer<T>(layers: number, make: (index: number) => T): T[] {
  return Array.from({ length: layers }, (_, index) => make(index))
}
