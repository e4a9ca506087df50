import type { GraphNode } from './model-graph.ts'
import { constant, integer, integers, node } from './nodes.ts'
import { scoringNames } from './scoring-names.ts'

const own = 'yardstick_head_'

/**
 * float32 log-softmax of the rows, rounded where torch rounds it: `(x - max) - log(sum)`. Of it only the targets and the largest ids come out.
 *
 * `source` names the rows' logits, [1, R, V] or [R, V], of any float type. Its nodes make `logprobs`, `picks`, `tokens` and `logits` of scoring-names.ts, and read
 * `places`; their own names begin with `yardstick_head_`.
 *
 * The sum is taken in two steps: one after the other, 49,152 float32 terms lose up to 1.6e-4 nats (SmolLM2, WASM), in groups of 192 nothing that shows.
 */
export function logProbabilities(source: string, opset: number, vocabularySize: number): GraphNode[] {
  const name = (part: string): string => `${own}${part}`
  const last = (input: string, output: string, type: string, since: number, keeps: 0 | 1): GraphNode =>
    opset >= since
      ? node(type, [input, name('last_axis')], [output], [integer('keepdims', keeps)])
      : node(type, [input], [output], [integers('axes', [-1]), integer('keepdims', keeps)])
  const group = groupSize(vocabularySize)
  const padding = (group - (vocabularySize % group)) % group
  const groups = (vocabularySize + padding) / group
  return [
    constant(name('last_axis'), [-1]),
    constant(name('flat'), [-1]),
    constant(name('rows_shape'), [1, -1, vocabularySize]),
    constant(name('groups_shape'), [-1, groups, group]),
    node('Cast', [source], [name('float')], [integer('to', 1)]),
    node('Reshape', [name('float'), name('rows_shape')], [scoringNames.logits], []),
    last(scoringNames.logits, name('max'), 'ReduceMax', 18, 1),
    node('Sub', [scoringNames.logits, name('max')], [name('shifted')], []),
    node('Exp', [name('shifted')], [name('weights')], []),
    ...(padding === 0
      ? []
      : [constant(name('padding'), [0, 0, 0, 0, 0, padding]), node('Pad', [name('weights'), name('padding')], [name('padded')], [])]),
    node('Reshape', [name(padding === 0 ? 'weights' : 'padded'), name('groups_shape')], [name('groups')], []),
    last(name('groups'), name('group_sums'), 'ReduceSum', 13, 0),
    last(name('group_sums'), name('sum'), 'ReduceSum', 13, 1),
    node('Log', [name('sum')], [name('log_sum')], []),
    node('Sub', [name('shifted'), name('log_sum')], [name('log_softmax')], []),
    node('Reshape', [name('log_softmax'), name('flat')], [name('flat_log_softmax')], []),
    node('Gather', [name('flat_log_softmax'), scoringNames.places], [scoringNames.logprobs], [integer('axis', 0)]),
    ...largestIds(name('log_softmax'), scoringNames.picks),
    ...largestIds(scoringNames.logits, scoringNames.tokens),
  ]
}

/** About the square root, so that neither step sums many; a divisor where there is one near. */
function groupSize(vocabularySize: number): number {
  const root = Math.sqrt(vocabularySize)
  for (let size = Math.floor(root); size >= root / 8; size -= 1) if (vocabularySize % size === 0) return size
  return Math.max(1, Math.floor(root))
}

/** Ids (R) as int32: what comes back is half as large. */
function largestIds(rows: string, output: string): GraphNode[] {
  return [
    node('ArgMax', [rows], [`${output}_wide`], [integer('axis', -1), integer('keepdims', 0)]),
    node('Reshape', [`${output}_wide`, `${own}flat`], [`${output}_flat`], []),
    node('Cast', [`${output}_flat`], [output], [integer('to', 6)]),
  ]
}
