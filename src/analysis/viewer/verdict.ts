/** Whether a kept sample counts as right, and whether it gave an answer at all. */
import type { SampleView } from '../../contracts/samples.ts'

/** Metrics that say right or wrong, the first that a sample has decides. */
const verdictMetrics = ['acc', 'exact_match', 'pass@1', 'acc_norm', 'prompt_level_strict_acc', 'em', 'correct'] as const

/** Whether the doc counts as right; null where its metrics don't say so (perplexity, F1 between 0 and 1). */
export function isRight({ metrics }: Pick<SampleView, 'metrics'>): boolean | null {
  for (const metric of verdictMetrics) {
    const value = metrics[metric]
    if (value === 1 || value === true) return true
    if (value === 0 || value === false) return false
  }
  return null
}

/** What the harness's filters give for a reply that holds no answer (lm_eval 0.4.13, `filters/extraction.py`, `fallback`). */
const fallback = '[invalid]'

/**
 * True when no answer can be read from the doc: a choice without a finite log-probability, or a written reply of which the filter left
 * nothing or its fallback, under every repeat.
 */
export function isInvalid({ choices, generated, filterSteps }: SampleView): boolean {
  if (choices.some(({ logprob }) => !Number.isFinite(logprob))) return true
  const replies = filterSteps?.at(-1)?.outputs ?? generated
  return replies.length > 0 && replies.every((reply) => reply.trim() === '' || reply.trim() === fallback)
}
