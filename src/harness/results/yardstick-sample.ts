/** What is recorded of a doc whose task has the `yardstick` key: examples shown, and how the probability lies on the choices. */
import type { OwnSample } from '../../contracts/samples.ts'
import { pyFloat, type PyDict, type PyValue } from '../../python/value.ts'
import { softmax } from '../metrics/means.ts'
import type { OwnKeys } from '../tasks/yardstick-keys.ts'

/** Below this share of the whole vocabulary's probability on the choices, the model wants to say something else. */
export const lowMassShare = 0.05

/**
 * The record of a doc; null for a task of the harness's. `logprobs` are the choices' log-probabilities in nats, each over the whole
 * vocabulary: their softmax is the four-way one over the logits, since the two differ by a constant.
 */
export function ownSampleOf(
  own: OwnKeys,
  doc: { readonly shots: number; readonly fits: boolean },
  logprobs: readonly number[],
): OwnSample | null {
  const { shots, fits } = doc
  if (own.choiceTokens !== 'continuation')
    return { shots, fits, probabilities: softmax(logprobs), mass: logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0) }
  return own.maxPromptTokens === null ? null : { shots, fits, probabilities: null, mass: null }
}

/** The record as the `yardstick` key of a sample line. */
export function ownSampleDict({ shots, fits, probabilities, mass }: OwnSample): PyDict {
  return new Map<string, PyValue>([
    ['num_fewshot', shots],
    ['fits', fits],
    ['choice_probabilities', probabilities?.map(pyFloat) ?? null],
    ['choice_mass', mass === null ? null : pyFloat(mass)],
  ])
}
