/** `attn_implementation` of model arguments, as far as it moves scores. */
import type { Json } from '../base/errors.ts'

/**
 * Ways of transformers 4.57.6 that keep the cap which a model puts on attention's scores (Gemma 2). PyTorch's own, `sdpa`, is taken where nobody says
 * otherwise, and leaves it out; else all of them compute the same up to rounding.
 */
const capping: readonly Json[] = ['eager', 'flash_attention_2', 'flash_attention_3', 'flex_attention']

/** Whether a value is one of transformers' own ways: others name code to load. */
export function isAttentionName(value: Json | undefined): boolean {
  return value === 'sdpa' || capping.includes(value ?? null)
}

/** Whether the arguments ask for attention with the model's cap. */
export function asksForCap(modelArgs: { readonly [key: string]: Json }): boolean {
  return capping.includes(modelArgs['attn_implementation'] ?? null)
}
