import { needsShaderF16 } from '../graph/dtypes.ts'
import type { GraphFacts } from '../graph/graph-facts.ts'

/**
 * How far an adapter may be from WASM, in nats a token, and still count as agreeing.
 *
 * 1e-3 where both compute in float32 (seen on SwiftShader, both families, fp32 and q4: at most 3e-5), 0.05 where activations are 16-bit or
 * quantised dynamically (rounding flips can exceed even that).
 */
export function toleranceOf(dtype: string, facts: Pick<GraphFacts, 'isDynamicallyQuantised' | 'logits' | 'cache'>): number {
  const is16Bit =
    needsShaderF16(dtype) || facts.logits.elementType === 'float16' || facts.cache.some((slot) => slot.past.elementType === 'float16')
  return is16Bit || facts.isDynamicallyQuantised ? 0.05 : 1e-3
}
