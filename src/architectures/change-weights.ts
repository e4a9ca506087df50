/** The same architecture with its weights read from elsewhere. */
import type {
  Architecture,
  Attention,
  GatedMlp,
  Layer,
  Mixture,
  Norm,
  PlainMlp,
  Projection,
  ShortConvolution,
  Weight,
} from './architecture.ts'

export interface WeightChange {
  /** What is read instead of a weight. */
  readonly weight: (weight: Weight) => Weight
  /** The checkpoint has all norms' weights as they multiply, with no offset to add. */
  readonly normsAreWhole: boolean
}

/** Every weight of the architecture changed; one that stands in two places (a tied head) is one afterwards, too. */
export function changeWeights(architecture: Architecture, { weight: change, normsAreWhole }: WeightChange): Architecture {
  const changed = new Map<Weight, Weight>()
  const weight = (from: Weight): Weight => {
    const to = changed.get(from) ?? change(from)
    changed.set(from, to)
    return to
  }
  const optional = (from: Weight | null): Weight | null => (from === null ? null : weight(from))
  const projection = (from: Projection): Projection => ({ weight: weight(from.weight), bias: optional(from.bias) })
  const norm = (from: Norm): Norm => ({
    ...from,
    weight: weight(from.weight),
    bias: optional(from.bias),
    offset: normsAreWhole ? 0 : from.offset,
  })
  const optionalNorm = (from: Norm | null): Norm | null => (from === null ? null : norm(from))
  const attention = (from: Attention): Attention => ({
    ...from,
    query: projection(from.query),
    key: projection(from.key),
    value: projection(from.value),
    output: projection(from.output),
    norms: from.norms === null ? null : { ...from.norms, query: norm(from.norms.query), key: norm(from.norms.key) },
  })
  const convolution = (from: ShortConvolution): ShortConvolution => ({
    ...from,
    input: projection(from.input),
    kernel: projection(from.kernel),
    output: projection(from.output),
  })
  const gated = (from: GatedMlp): GatedMlp => ({
    ...from,
    gate: projection(from.gate),
    up: projection(from.up),
    down: projection(from.down),
  })
  const mlp = (from: GatedMlp | PlainMlp | Mixture): GatedMlp | PlainMlp | Mixture => {
    switch (from.kind) {
      case 'gated':
        return gated(from)
      case 'plain':
        return { ...from, up: projection(from.up), down: projection(from.down) }
      case 'mixture':
        return { ...from, router: projection(from.router), experts: from.experts.map(gated) }
    }
  }
  const layer = (from: Layer): Layer => ({
    ...from,
    mixer: from.mixer.kind === 'attention' ? attention(from.mixer) : convolution(from.mixer),
    mlp: mlp(from.mlp),
    beforeMixer: optionalNorm(from.beforeMixer),
    afterMixer: optionalNorm(from.afterMixer),
    beforeMlp: optionalNorm(from.beforeMlp),
    afterMlp: optionalNorm(from.afterMlp),
  })
  return {
    ...architecture,
    embedding: weight(architecture.embedding),
    positionEmbedding: optional(architecture.positionEmbedding),
    layers: architecture.layers.map(layer),
    finalNorm: norm(architecture.finalNorm),
    head: projection(architecture.head),
  }
}
