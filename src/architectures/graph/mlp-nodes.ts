/** MLPs and mixtures of experts, as nodes. */
import { integer, integers, text } from '../../onnx/nodes.ts'
import type { GatedMlp, Layer, Mixture, PlainMlp } from '../architecture.ts'
import { activate, narrow, project, widen, type Context } from './linear-parts.ts'

/** float32 [n, hidden size] of float32 `x` of that shape. */
export function mlpOf(context: Context, x: string, mlp: Layer['mlp']): string {
  const given = narrow(context, x)
  if (mlp.kind === 'mixture') return mixture(context, given, mlp)
  return widen(context, mlp.kind === 'gated' ? gated(context, given, mlp) : plain(context, given, mlp))
}

function gated(context: Context, x: string, { gate, up, down, activation }: GatedMlp): string {
  const opened = activate(context, project(context, x, gate), activation)
  return project(context, context.builder.add('Mul', [opened, project(context, x, up)]), down)
}

function plain(context: Context, x: string, { up, down, activation }: PlainMlp): string {
  return project(context, activate(context, project(context, x, up), activation), down)
}

/**
 * Each expert computes the tokens that chose it and no others, as in transformers: their rows are gathered, and its result is added where they came from. An expert that
 * nobody chose computes no rows.
 */
function mixture(context: Context, tokens: string, { router, experts, perToken, sumsToOne }: Mixture): string {
  const { builder, numbers } = context
  // The router is small, and which expert is chosen hangs on its last bits.
  const shares = builder.add('Softmax', [widen(context, project(context, tokens, router, numbers.activation))], [integer('axis', -1)])
  const [taken = '', chosen = ''] = builder.addMany('TopK', [shares, builder.integers(perToken)], 2, [integer('axis', -1)])
  const sum = sumsToOne ? builder.add('ReduceSum', [taken, builder.integers(-1)]) : null
  const weights = sum === null ? taken : builder.add('Div', [taken, sum])
  // Sums of experts are float32: ONNX Runtime's CPU kernel adds no others.
  let total = widen(context, builder.add('Sub', [tokens, tokens]))
  experts.forEach((expert, index) => {
    // [2, hits]: the token, and which of its choices this expert is.
    const hits = builder.add('NonZero', [builder.add('Equal', [chosen, builder.integers(index)])])
    const places = builder.add('Transpose', [hits], [integers('perm', [1, 0])])
    const rows = builder.add('Slice', [places, builder.integers(0), builder.integers(1), builder.integers(1)])
    const weight = builder.reshape(builder.add('GatherND', [weights, places]), -1, 1)
    const result = builder.add('Mul', [widen(context, gated(context, builder.add('GatherND', [tokens, rows]), expert)), weight])
    total = builder.add('ScatterND', [total, rows, result], [text('reduction', 'add')])
  })
  return total
}
