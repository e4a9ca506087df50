/** The ONNX graph of an architecture, laid out for scoring from the start, and the plan of its weights. */
import { EvalError } from '../../base/errors.ts'
import { logProbabilities } from '../../onnx/log-probabilities.ts'
import { integer } from '../../onnx/nodes.ts'
import { elementTypes, port } from '../../onnx/ports.ts'
import { packingNames, scoringNames } from '../../onnx/scoring-names.ts'
import type { Architecture, Layer, Projection } from '../architecture.ts'
import type { Initializer } from '../weight-plan.ts'
import { attend, convolve, type ApartInputs, type AttentionInputs } from './attention-nodes.ts'
import { embed } from './embedding-nodes.ts'
import { GraphBuilder, opset } from './graph-builder.ts'
import { narrow, normalise, project, softcap, times, turned, widen, type Context } from './linear-parts.ts'
import { causalBias, lengthsOf } from './mask-nodes.ts'
import { mlpOf } from './mlp-nodes.ts'
import { numbersOf, storageOf, type BlocksOf, type GraphDtype, type HalfOf } from './numbers.ts'

/**
 * `reference`: `input_ids`, `attention_mask`, `position_ids`, `past_key_values.N.key` and `.value` (and `past_conv.N`) to `logits` [1, S, V] and `present…`, as exporters make
 * it. `scoring`: the same inputs, and those of scoring-names.ts, to log-probabilities of chosen tokens at chosen rows; what a token sees is given.
 */
export type GraphForm = 'reference' | 'scoring'

export interface GraphOptions {
  readonly form: GraphForm
  readonly dtype: GraphDtype
  /** Blocks that the checkpoint has, which are left as they are; `dtype` is of the other weights. */
  readonly blocksOf?: BlocksOf
  /** For `fp32` on WASM: tables of 16 bits that are no head are looked up in them. */
  readonly halfOf?: HalfOf
  /** For `fp32` on WASM: an embedding that is the head too is one weight, [hidden size, vocabulary], which ONNX Runtime doesn't arrange (decision 0080). Only where `canShareTable`. */
  readonly sharesTable?: boolean
  /** Name that the graph has for the file of its weights. */
  readonly location?: string
  /**
   * Rows of the rotary tables, as many as positions will be given; at most those of the model, and 32,768 where nothing is said. A row takes as many bytes as a head's
   * rotated values: 32,768 of 128 values in float32 are 16 MiB.
   */
  readonly positions?: number
  /**
   * `split` (where nothing is said): attention as operators, for WASM. `grouped`: GroupQueryAttention, for WebGPU, whose kernel writes keys and values in place
   * (engines/static-cache.ts) and which has no kernel for a part of the operators.
   */
  readonly attention?: 'split' | 'grouped'
  /** For the scoring form with split attention: branches of a pass that don't see each other can be kept apart (decision 0090). */
  readonly partsBranches?: boolean
}

export interface DecoderGraph {
  /** A ModelProto without weights. */
  readonly graph: Uint8Array<ArrayBuffer>
  /** In the order of their places. Both forms of one dtype, location and number of positions have the same. */
  readonly initializers: readonly Initializer[]
  /** Bytes of the file of weights. */
  readonly bytes: number
  /** Tokens that layers with a window see at most; null where there are none. The scoring form then wants `packingNames.localBias`. */
  readonly localWindow: number | null
  /** The scoring form can part a pass, and wants the inputs of `packingNames` for it; `lastIsLocal`: its `rowBias` is that of layers with a window. */
  readonly parting: { readonly lastIsLocal: boolean } | null
}

const defaultPositions = 32_768

/** ONNX Runtime's kernel wants as many rows as a pass has tokens, although those of several branches stand at the same positions. */
const leastRows = 1024

/** Throws `model/unsupported` for the scoring form of an architecture with states that branches can't share, and for grouped attention with heads that its kernel refuses. */
export function writeDecoderGraph(architecture: Architecture, options: GraphOptions): DecoderGraph {
  const { context, localWindow, parts } = addNodes(architecture, options)
  const { builder } = context
  const ports = portsOf(architecture, context, options.form, localWindow, parts)
  const graph = builder.write(ports.inputs, ports.outputs)
  const parting = parts ? { lastIsLocal: isLocal(architecture.layers.at(-1)) } : null
  return { graph, initializers: builder.initializers, bytes: builder.bytes, localWindow, parting }
}

/** `bytes` of `writeDecoderGraph`, which throws alike, without the graph, whose writing is more than half of the work. */
export function decoderWeightBytes(architecture: Architecture, options: GraphOptions): number {
  return addNodes(architecture, options).context.builder.bytes
}

interface AddedNodes {
  readonly context: Context
  readonly localWindow: number | null
  /** The graph can part a pass. */
  readonly parts: boolean
}

function addNodes(architecture: Architecture, options: GraphOptions): AddedNodes {
  const { form, dtype, location = 'yardstick-weights', positions = defaultPositions, attention } = options
  const { layers } = architecture
  const convolving = layers.some(({ mixer }) => mixer.kind === 'convolution')
  if (form === 'scoring' && convolving)
    throw new EvalError(
      'model/unsupported',
      `wanted layers whose past is keys and values for the scoring form, found convolutions (${architecture.modelType})`,
    )
  if (attention === 'grouped') requireGroupedHeads(architecture)
  const builder = new GraphBuilder(location)
  const context: Context = {
    builder,
    numbers: numbersOf[dtype],
    blocksOf: options.blocksOf ?? null,
    halfOf: options.halfOf ?? null,
    sharesTable: options.sharesTable ?? false,
    ropes: [],
  }
  const localWindow = windowOf(layers)
  builder.enter('start')
  const seen = whatIsSeen(context, options, localWindow)
  const parts = form === 'scoring' && attention !== 'grouped' && options.partsBranches === true
  const apart = parts ? apartInputs(context) : null
  let hidden = embed(context, architecture)
  const tableRows = Math.max(leastRows, Math.min(positions, architecture.maxPositions))
  layers.forEach((layer, index) => {
    builder.enter(`layers.${index}`)
    // Of the last layer only the rows that are scored are wanted, besides its keys and values.
    const rowsOnly = form === 'scoring' && index === layers.length - 1
    hidden = layerNodes(context, hidden, layer, index, { ...seen, positions: 'position_ids', tableRows, rowsOnly, apart })
  })
  builder.enter('end')
  const logits = headNodes(context, hidden, architecture)
  if (form === 'reference') builder.add('Reshape', [logits, builder.integers(1, -1, architecture.vocabularySize)], [], '', 'logits')
  else builder.addAll(logProbabilities(logits, opset, architecture.vocabularySize))
  return { context, localWindow, parts }
}

/** GroupQueryAttention takes the architecture's heads. */
export function takesGroupedAttention({ layers }: Pick<Architecture, 'layers'>): boolean {
  return !layers.some(isOdd)
}

/** Source: ONNX Runtime 1.30, which says so at run time. */
function isOdd({ mixer }: Layer): boolean {
  return mixer.kind === 'attention' && mixer.headSize % 8 !== 0
}

function requireGroupedHeads({ layers, modelType }: Architecture): void {
  const odd = layers.find(isOdd)
  if (odd?.mixer.kind === 'attention')
    throw new EvalError(
      'model/unsupported',
      `wanted heads of a multiple of 8 values for GroupQueryAttention, found ${odd.mixer.headSize} (${modelType})`,
    )
}

function isLocal(layer: Layer | undefined): boolean {
  return layer?.mixer.kind === 'attention' && layer.mixer.window !== null
}

/** The one window of all layers that have one. */
function windowOf(layers: readonly Layer[]): number | null {
  const windows = new Set(layers.flatMap(({ mixer }) => (mixer.kind === 'attention' && mixer.window !== null ? [mixer.window] : [])))
  if (windows.size > 1) throw new EvalError('model/unsupported', `wanted windows of one size, found ${[...windows].join(' and ')} tokens`)
  const [window = null] = windows
  return window
}

function apartInputs(context: Context): ApartInputs {
  const { builder } = context
  const { isApart, slots, slotOf, rowBias } = packingNames
  const groups = builder.add('Shape', [slots], [integer('start', 0), integer('end', 1)])
  const shape = builder.add('Concat', [groups, builder.integers(1, 1, 1)], [integer('axis', 0)])
  return { isApart, slots, slotOf, shape, rowBias: widen(context, rowBias) }
}

/** What all layers' attention reads besides hidden states. */
function whatIsSeen(
  context: Context,
  { form, attention }: GraphOptions,
  localWindow: number | null,
): Pick<AttentionInputs, 'bias' | 'localBias' | 'lengths'> {
  const { builder } = context
  const isGrouped = attention === 'grouped'
  const given = { bias: packingNames.bias, localBias: localWindow === null ? '' : packingNames.localBias }
  const bias = form === 'reference' ? causalBias(builder, localWindow) : given
  // The fused kernel adds numbers of its own type, in four dimensions; the sum of operators adds float32.
  const fitted = (name: string): string => {
    if (name === '') return ''
    if (!isGrouped) return form === 'reference' ? name : widen(context, name)
    return form === 'reference' ? narrow(context, builder.add('Unsqueeze', [name, builder.integers(0, 1)])) : name
  }
  return { bias: fitted(bias.bias), localBias: fitted(bias.localBias), lengths: isGrouped ? lengthsOf(builder) : null }
}

/** float32 [S, hidden size], or only the rows that are wanted. */
function layerNodes(context: Context, x: string, layer: Layer, index: number, inputs: AttentionInputs): string {
  const { builder } = context
  const { mixer, mlp, residualMultiplier } = layer
  const normal = (name: string, norm: Layer['beforeMlp']): string => (norm === null ? name : normalise(context, name, norm))
  const added = (to: string, what: string, norm: Layer['afterMlp']): string =>
    builder.add('Add', [to, times(context, normal(what, norm), residualMultiplier)])
  const read = normal(x, layer.beforeMixer)
  const mixed = widen(
    context,
    mixer.kind === 'attention' ? attend(context, read, mixer, index, inputs) : convolve(context, read, mixer, index),
  )
  const kept = inputs.rowsOnly ? builder.add('Gather', [x, scoringNames.rows], [integer('axis', 0)]) : x
  const between = added(kept, mixed, layer.afterMixer)
  const seen = layer.isParallel ? kept : between
  return added(between, mlpOf(context, normal(seen, layer.beforeMlp), mlp), layer.afterMlp)
}

/** The embedding is the head too, and both are float32. */
export function canShareTable(
  { isTied, head, embedding }: Architecture,
  { dtype, blocksOf }: Pick<GraphOptions, 'dtype' | 'blocksOf'>,
): boolean {
  return isTied && head.bias === null && storageOf(blocksOf ?? null, embedding, numbersOf[dtype].projection) === 'float32'
}

/** float32 logits of all rows of `x`. */
function headNodes(context: Context, x: string, architecture: Architecture): string {
  const { builder } = context
  const { finalNorm, logitsDivisor, logitsSoftcap } = architecture
  const normal = narrow(context, normalise(context, x, finalNorm))
  const parts = context.sharesTable
    ? [builder.add('MatMul', [normal, turned(context, architecture.head.weight)])]
    : partsOf(context, architecture).map((part) => project(context, normal, part))
  const [first = ''] = parts
  const logits = widen(context, parts.length === 1 ? first : builder.add('Concat', parts, [integer('axis', -1)]))
  const divided = logitsDivisor === 1 ? logits : builder.add('Div', [logits, builder.float(logitsDivisor)])
  return softcap(context, divided, logitsSoftcap)
}

/** Bytes of a float32 head's part. */
const partBytes = 2 ** 24

/** Rows of a part are a multiple of these. */
const partRows = 64

/**
 * The head, or parts of it one behind the other, whose logits have the same bits: ONNX Runtime arranges a float32 weight for its product on WASM and only then frees what it
 * arranged, so that a large head would stand there twice at the moment when a model takes most memory. Whole where an embedding reads the same weight, which nothing frees.
 */
function partsOf(context: Context, { head, isTied }: Architecture): readonly Projection[] {
  const { numbers, blocksOf } = context
  const { weight, bias } = head
  const { pieces, rows, columns } = weight
  const [piece, ...others] = pieces
  const isFree = context.halfOf !== null && !isTied
  const isPlain = piece !== undefined && others.length === 0 && piece.times === 1 && !piece.isTransposed && piece.interleaved === null
  const bytes = 4 * rows * (columns ?? 1)
  const isFloat = numbers.activation === 'float32' && storageOf(blocksOf, weight, numbers.projection) === 'float32'
  if (!isFree || !isPlain || !isFloat || bias !== null || bytes <= 2 * partBytes) return [head]
  const step = Math.ceil(rows / Math.ceil(bytes / partBytes) / partRows) * partRows
  return Array.from({ length: Math.ceil(rows / step) }, (_, index) => {
    const from = index * step
    const count = Math.min(step, rows - from)
    return { weight: { rows: count, columns, pieces: [{ ...piece, from: piece.from + from, rows: count }] }, bias: null }
  })
}

function portsOf(
  { layers, hiddenSize, vocabularySize }: Architecture,
  { numbers }: Context,
  form: GraphForm,
  localWindow: number | null,
  parts: boolean,
): { readonly inputs: readonly Uint8Array[]; readonly outputs: readonly Uint8Array[] } {
  const { float32, int32, int64, bool } = elementTypes
  const inner = elementTypes[numbers.activation]
  const states = layers.flatMap(({ mixer }, index) => {
    const at = (past: string, present: string, before: readonly (string | number)[], after: readonly (string | number)[]) => ({
      past: port(past, inner, before),
      present: port(present, inner, after),
    })
    if (mixer.kind === 'convolution')
      return [at(`past_conv.${index}`, `present_conv.${index}`, [1, hiddenSize, mixer.reach], [1, hiddenSize, mixer.reach])]
    return ['key', 'value'].map((part) => {
      const dims = (tokens: string) => [1, mixer.keyValueHeads, tokens, mixer.headSize]
      return at(`past_key_values.${index}.${part}`, `present.${index}.${part}`, dims('P'), dims('T'))
    })
  })
  const biases = [packingNames.bias, ...(localWindow === null ? [] : [packingNames.localBias])]
  const inputs = [
    port('input_ids', int64, [1, 'S']),
    port('attention_mask', int64, [1, 'T']),
    port('position_ids', int64, [1, 'S']),
    ...states.map(({ past }) => past),
    ...(form === 'reference'
      ? []
      : [
          port(scoringNames.rows, int32, ['R']),
          port(scoringNames.places, int32, ['K']),
          ...biases.map((name) => port(name, inner, parts ? ['G', 1, 'L', 'seen'] : [1, 1, 'S', 'T'])),
          ...(parts
            ? [
                port(packingNames.isApart, bool, [1]),
                port(packingNames.slots, int32, ['G', 'places']),
                port(packingNames.slotOf, int32, ['S']),
                port(packingNames.rowBias, inner, [1, 1, 'R', 'T']),
              ]
            : []),
        ]),
  ]
  const results =
    form === 'reference'
      ? [port('logits', float32, [1, 'S', vocabularySize])]
      : [
          port(scoringNames.logprobs, float32, ['K']),
          port(scoringNames.picks, int32, ['R']),
          port(scoringNames.tokens, int32, ['R']),
          port(scoringNames.logits, float32, [1, 'R', vocabularySize]),
        ]
  return { inputs, outputs: [...results, ...states.map(({ present }) => present)] }
}
