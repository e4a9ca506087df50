/**
 * What the choices of a kept sample score under every way of picking, as far as the sample tells: lengths of the choice's text in code
 * points and UTF-8 bytes as lm_eval 0.4.13 takes them (`process_results` of `multiple_choice`), tokens of the continuation where they were kept.
 */
import type { SampleChoice, SampleView } from '../../contracts/samples.ts'
import { argmax } from '../../harness/metrics/means.ts'
import type { Norm } from '../lab/norms.ts'

const encoder = new TextEncoder()

/** The length that a norm divides by; null for one that doesn't divide, and where the tokens aren't known. */
export function divisorOf({ text, tokens }: SampleChoice, norm: Norm): number | null {
  if (norm === 'acc_norm') return Array.from(text).length
  if (norm === 'acc_bytes') return encoder.encode(text).length
  if (norm === 'acc_tok') return tokens?.ids.length ?? null
  return null
}

/** A choice's score in nats (a character, a byte, a token); null where it isn't known, or where the text is empty and can't divide. */
export function scoreUnder(choice: SampleChoice, norm: Norm): number | null {
  if (norm === 'acc') return choice.logprob
  if (norm === 'acc_mutual_info') return choice.unconditional === null ? null : choice.logprob - choice.unconditional
  const divisor = divisorOf(choice, norm)
  return divisor === null || divisor === 0 ? null : choice.logprob / divisor
}

/** The choice that each norm picks, the first of equals; -1 where that isn't known. What was recorded with the sample counts. */
export function picksUnder({ picks, choices }: SampleView): { readonly [norm in Norm]: number } {
  const none = { acc: -1, acc_norm: -1, acc_bytes: -1, acc_tok: -1, acc_mutual_info: -1 }
  if (picks === null || choices.length === 0) return none
  const computed = (norm: Norm): number => {
    const scores = choices.flatMap((choice) => scoreUnder(choice, norm) ?? [])
    return scores.length < choices.length ? -1 : argmax(scores)
  }
  return { ...none, ...picks, acc_tok: picks.acc_tok ?? computed('acc_tok'), acc_mutual_info: computed('acc_mutual_info') }
}

/**
 * By how many nats one choice's sum would have to change for `acc` or `acc_norm` to pick another: the smaller of the two. NaN where there
 * is no second choice to pick, or a score isn't a number.
 */
export function marginOf({ choices, picks }: SampleView): number {
  if (picks === null || choices.length < 2) return NaN
  let smallest = Infinity
  for (const norm of ['acc', 'acc_norm'] as const) {
    const scores = choices.map((choice) => scoreUnder(choice, norm))
    if (scores.some((score) => score === null || Number.isNaN(score))) continue
    const pick = picks[norm]
    const best = scores[pick] ?? NaN
    const length = choices[pick] === undefined ? 1 : (divisorOf(choices[pick], norm) ?? 1)
    // Two choices at minus infinity are as near as can be.
    const second = scores.reduce<number>((most, score, index) => (index === pick ? most : Math.max(most, score ?? NaN)), -Infinity)
    const margin = best === second ? 0 : (best - second) * length
    if (margin < smallest) smallest = margin
  }
  return smallest === Infinity ? NaN : smallest
}
