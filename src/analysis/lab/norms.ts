/**
 * How one set of log-probabilities becomes different picks. `acc`, `acc_norm`, `acc_bytes` and `acc_mutual_info` are the harness's
 * (lm_eval 0.4.13, api/task.py, `process_results`): the arg-max of the sum, of the sum by code points of the choice's text, by its UTF-8
 * bytes, and less the unconditional sum. `acc_tok` divides by tokens, as many tutorials have it; it is not the harness's.
 */
import { argmax, mean, meanStderr, pairwiseSum } from '../../harness/metrics/means.ts'
import type { LabChoice, LabDoc } from './recorded.ts'

export const norms = ['acc', 'acc_norm', 'acc_bytes', 'acc_tok', 'acc_mutual_info'] as const
export type Norm = (typeof norms)[number]

/** What a length penalty counts. */
export const lengthUnits = ['characters', 'bytes', 'tokens'] as const
export type LengthUnit = (typeof lengthUnits)[number]

/** Sum of the tokens' log-probabilities, in nats. */
export function sumOf({ logprobs }: LabChoice): number {
  return pairwiseSum(logprobs)
}

/** Length of a choice: of its text in code points or UTF-8 bytes, of its continuation in tokens. At least 1. */
export function lengthOf({ text, tokens }: LabChoice, unit: LengthUnit): number {
  if (unit === 'tokens') return Math.max(1, tokens.length)
  return Math.max(1, unit === 'characters' ? [...text].length : new TextEncoder().encode(text).length)
}

const unitOf: { readonly [norm in Norm]: LengthUnit | null } = {
  acc: null,
  acc_norm: 'characters',
  acc_bytes: 'bytes',
  acc_tok: 'tokens',
  acc_mutual_info: null,
}

/** What the sum is divided by under a norm; null for one that doesn't divide. */
export function divisorOf(choice: LabChoice, norm: Norm): number | null {
  const unit = unitOf[norm]
  return unit === null ? null : lengthOf(choice, unit)
}

/** What a choice scores under a norm, in nats (a character, a byte, a token). */
export function scoreOf(choice: LabChoice, norm: Norm): number {
  if (norm === 'acc_mutual_info') return sumOf(choice) - choice.unconditional
  return sumOf(choice) / (divisorOf(choice, norm) ?? 1)
}

/** The choice that a norm picks; the first of equals, as numpy's argmax. */
export function pickOf(doc: LabDoc, norm: Norm): number {
  return argmax(doc.choices.map((choice) => scoreOf(choice, norm)))
}

/** The sum over the length to the power of `alpha`: 0 is `acc`, 1 divides by the whole length. */
export function penalised(choice: LabChoice, unit: LengthUnit, alpha: number): number {
  return sumOf(choice) / lengthOf(choice, unit) ** alpha
}

interface PickRange {
  /** From this alpha, up to the next range's. */
  readonly from: number
  readonly pick: number
}

/**
 * Which choice is picked for each alpha between 0 and 1: where the pick changes is where two choices' scores cross,
 * alpha = ln(s₁/s₂) / ln(l₁/l₂).
 */
export function pickRanges({ choices }: LabDoc, unit: LengthUnit): readonly PickRange[] {
  const crossings = [0]
  for (const [index, first] of choices.entries()) {
    for (const second of choices.slice(index + 1)) {
      const alpha = Math.log(sumOf(first) / sumOf(second)) / Math.log(lengthOf(first, unit) / lengthOf(second, unit))
      if (alpha > 0 && alpha < 1) crossings.push(alpha)
    }
  }
  const sorted = [...new Set(crossings)].sort((a, b) => a - b)
  const ranges: PickRange[] = []
  for (const [index, from] of sorted.entries()) {
    // In the middle of a piece no two scores are equal.
    const middle = (from + (sorted[index + 1] ?? 1)) / 2
    const pick = argmax(choices.map((choice) => penalised(choice, unit, middle)))
    if (ranges.at(-1)?.pick !== pick) ranges.push({ from, pick })
  }
  return ranges
}

/** An accuracy with its standard error as the harness has it: the sample's deviation over √n. */
export interface LabScore {
  readonly value: number
  readonly stderr: number
  readonly n: number
}

export function scoreVerdicts(isRight: readonly boolean[]): LabScore {
  const items = isRight.map(Number)
  return { value: mean(items), stderr: items.length > 1 ? meanStderr(items) : NaN, n: items.length }
}

export function accuracyOf(docs: readonly LabDoc[], norm: Norm): LabScore {
  return scoreVerdicts(docs.map((doc) => pickOf(doc, norm) === doc.gold))
}

/** Docs that two norms pick differently, by their place in the list. */
export function flipsBetween(docs: readonly LabDoc[], first: Norm, second: Norm): readonly number[] {
  return docs.flatMap((doc, index) => (pickOf(doc, first) === pickOf(doc, second) ? [] : [index]))
}
