/**
 * A decoder as plain data: what its layers compute and which tensors of a checkpoint they read.
 *
 * `models/` makes it of a config.json, one file for each `model_type`; `graph/` makes an ONNX graph of it.
 */

/** Rows of one tensor of a checkpoint. */
export interface Piece {
  readonly tensor: string
  /** Dimensions that the checkpoint must have. */
  readonly shape: readonly number[]
  /** The checkpoint has columns first (GPT-2's Conv1D), so that a row is one of its columns. */
  readonly isTransposed: boolean
  /** Rows `from` to `from + rows`, and as many again `stride` further on, `times` times in all: heads of queries, keys and values may alternate. */
  readonly from: number
  readonly rows: number
  readonly stride: number
  readonly times: number
  /** The checkpoint has the rows of each head of so many in llama.cpp's order, those of its two halves by turns (GGUF); null: in the order of these rows. */
  readonly interleaved: number | null
}

/** A matrix [rows, columns], or a vector where `columns` is null, put together of pieces one below the other. */
export interface Weight {
  readonly rows: number
  readonly columns: number | null
  readonly pieces: readonly Piece[]
}

/** y = x Wᵀ + b, with W of [outputs, inputs]. */
export interface Projection {
  readonly weight: Weight
  readonly bias: Weight | null
}

/** `rms`: x / √(mean x² + ε) · (w + offset); `layer`: (x − mean) / √(variance + ε) · w + b. Over the last dimension. */
export interface Norm {
  readonly kind: 'rms' | 'layer'
  readonly weight: Weight
  readonly bias: Weight | null
  readonly epsilon: number
  /** Gemma stores its weights less one. */
  readonly offset: 0 | 1
}

/** Rotary embedding of the first `2 × frequencies.length` values of a head, halves rotated against each other. */
export interface Rope {
  /** Radians a position, in float32. */
  readonly frequencies: readonly number[]
  /** Sines and cosines are multiplied by it. */
  readonly magnitude: number
}

/** Norms of queries and keys before they are rotated, of each head by itself or of all together. */
export interface QueryKeyNorms {
  readonly over: 'head' | 'all'
  readonly query: Norm
  readonly key: Norm
}

export interface Attention {
  readonly kind: 'attention'
  readonly heads: number
  readonly keyValueHeads: number
  readonly headSize: number
  readonly query: Projection
  readonly key: Projection
  readonly value: Projection
  readonly output: Projection
  readonly norms: QueryKeyNorms | null
  /** Null: positions are not told to this layer. */
  readonly rope: Rope | null
  /** A token sees those of the last `window` positions, its own among them; null: all before it. */
  readonly window: number | null
  /** Scores s become softcap · tanh(s / softcap). */
  readonly softcap: number | null
  /** Scores are products of queries and keys, multiplied by it. */
  readonly scale: number
}

/** LFM2's short convolution: B, C, x = input projection; C · (convolution over tokens of B · x), projected. */
export interface ShortConvolution {
  readonly kind: 'convolution'
  /** To three times the hidden size. */
  readonly input: Projection
  /** [hidden size, reach]: a kernel for each channel. */
  readonly kernel: Projection
  /** Tokens that a token's sum reaches over, itself among them. */
  readonly reach: number
  readonly output: Projection
}

export type Activation = 'silu' | 'gelu' | 'gelu-tanh' | 'relu'

/** down(activation(gate(x)) · up(x)) */
export interface GatedMlp {
  readonly kind: 'gated'
  readonly activation: Activation
  readonly gate: Projection
  readonly up: Projection
  readonly down: Projection
}

/** down(activation(up(x))) */
export interface PlainMlp {
  readonly kind: 'plain'
  readonly activation: Activation
  readonly up: Projection
  readonly down: Projection
}

/** The sum of the `perToken` experts whose share of a softmax over all is largest, weighted by it. */
export interface Mixture {
  readonly kind: 'mixture'
  readonly router: Projection
  readonly experts: readonly GatedMlp[]
  readonly perToken: number
  /** The shares of those that were taken are made to sum to one. */
  readonly sumsToOne: boolean
}

/** x + multiplier · after(mixer(before(x))), then the same with the MLP. */
export interface Layer {
  readonly mixer: Attention | ShortConvolution
  readonly mlp: GatedMlp | PlainMlp | Mixture
  readonly beforeMixer: Norm | null
  readonly afterMixer: Norm | null
  readonly beforeMlp: Norm | null
  readonly afterMlp: Norm | null
  /** The MLP reads what the mixer reads, and both are added to it. */
  readonly isParallel: boolean
  readonly residualMultiplier: number
}

export interface Architecture {
  /** `model_type` of config.json. */
  readonly modelType: string
  readonly vocabularySize: number
  readonly hiddenSize: number
  /** Positions that the model may be given: beyond them it computes something else, or nothing. */
  readonly maxPositions: number
  readonly embedding: Weight
  readonly embeddingMultiplier: number
  /** Embeddings of positions, [maxPositions, hidden size], added to those of tokens. */
  readonly positionEmbedding: Weight | null
  readonly layers: readonly Layer[]
  readonly finalNorm: Norm
  /** The embedding itself where the model ties them. */
  readonly head: Projection
  readonly isTied: boolean
  /** Logits are divided by it, then capped like attention's scores. */
  readonly logitsDivisor: number
  readonly logitsSoftcap: number | null
  /** What names of tensors begin with; some checkpoints leave it out. */
  readonly prefix: string
}
