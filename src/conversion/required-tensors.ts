/** Which tensor of a checkpoint each piece of a plan is read from, looked up before anything is converted. */
import type { Architecture, Piece, Weight } from '../architectures/architecture.ts'
import type { Initializer } from '../architectures/weight-plan.ts'
import { EvalError } from '../base/errors.ts'
import type { TensorEntry, TensorTable } from '../weights/tensor-table.ts'

/** Tables that some code stores with the weights and nothing learns: masks, and the frequencies of rotary embeddings. */
const computed = /(?:^|\.)(?:rotary_emb\.inv_freq|attn\.(?:masked_)?bias|attention\.(?:masked_)?bias)$/

/** How many names an error lists. */
const mostNames = 5

/**
 * The entry of each tensor that the plan names. Throws `model/corrupt` that lists what is missing, of another shape, or there although nothing reads it; a head that is
 * stored although it is tied isn't held against a checkpoint.
 */
export function requireTensors(
  table: TensorTable,
  initializers: readonly Initializer[],
  { prefix, isTied, modelType }: Pick<Architecture, 'prefix' | 'isTied' | 'modelType'>,
  saidBy: 'config.json' | 'metadata' = 'config.json',
): ReadonlyMap<string, TensorEntry> {
  const found = new Map<string, TensorEntry>()
  const missing = new Set<string>()
  for (const piece of piecesOf(initializers)) {
    const entry = table.get(piece.tensor) ?? (piece.tensor.startsWith(prefix) ? table.get(piece.tensor.slice(prefix.length)) : undefined)
    if (entry === undefined) missing.add(piece.tensor)
    else if (entry.shape.join() !== piece.shape.join())
      throw new EvalError(
        'model/corrupt',
        `wanted the tensor ${entry.name} as [${piece.shape.join(', ')}], as ${saidBy} (${modelType}) says, found [${entry.shape.join(', ')}] in ${entry.source.name}`,
        { details: { tensor: entry.name } },
      )
    else found.set(piece.tensor, entry)
  }
  if (missing.size > 0)
    throw new EvalError('model/corrupt', `wanted the tensors of ${saidBy} (${modelType}), found no ${listed([...missing])}`, {
      details: { missing: [...missing].slice(0, 20) },
    })
  const read = new Set([...found.values()].map(({ name }) => name))
  const extra = [...table.keys()].filter((name) => !read.has(name) && !computed.test(name) && !(isTied && name === 'lm_head.weight'))
  if (extra.length > 0)
    throw new EvalError(
      'model/unsupported',
      `wanted only tensors that ${saidBy} (${modelType}) tells of, found ${listed(extra)} too: what they would change isn’t computed here`,
      { details: { extra: extra.slice(0, 20) } },
    )
  return found
}

function* piecesOf(initializers: readonly Initializer[]): Generator<Piece> {
  const seen = new Set<Weight>()
  for (const { make } of initializers) {
    if (make.kind === 'rotary' || seen.has(make.source)) continue
    seen.add(make.source)
    yield* make.source.pieces
  }
}

function listed(names: readonly string[]): string {
  const rest = names.length - mostNames
  return `${names.slice(0, mostNames).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
