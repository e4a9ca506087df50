/** Which graphs are run: those whose inputs are all understood. */
import { EvalError } from '../../base/errors.ts'
import { startDims } from './cache-dims.ts'
import type { GraphFacts } from './graph-facts.ts'
import type { DecoderConfig } from './model-config.ts'

const plainInputs = ['input_ids', 'attention_mask', 'position_ids', 'num_logits_to_keep']

/** Throws `model/unsupported` with the name of an input or output that a causal decoder's export hasn't got, or of a type that isn't read. */
export function requireDecoderGraph(facts: GraphFacts, config: DecoderConfig): void {
  const cacheInputs = facts.cache.map((slot) => slot.past.name)
  const foreign = facts.inputs.find((input) => !plainInputs.includes(input.name) && !cacheInputs.includes(input.name))
  if (foreign !== undefined)
    throw new EvalError(
      'model/unsupported',
      `the graph wants an input "${foreign.name}" that a causal language model's export doesn't have`,
    )
  if (!facts.inputs.some((input) => input.name === 'input_ids'))
    throw new EvalError('model/unsupported', 'the graph has no input "input_ids"')
  const types = [facts.logits, ...facts.cache.map((slot) => slot.past)].filter(
    (tensor) => tensor.elementType !== 'float32' && tensor.elementType !== 'float16',
  )
  const [wrong] = types
  if (wrong !== undefined)
    throw new EvalError('model/unsupported', `wanted float32 or float16 for "${wrong.name}", found ${wrong.elementType}`)
  for (const { past } of facts.cache) startDims(past, config)
}
