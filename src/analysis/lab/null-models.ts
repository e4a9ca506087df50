/** Models that know nothing: what a score is worth is what it has over these. */
import { maxOf } from '../../base/arrays.ts'
import { argmax } from '../../harness/metrics/means.ts'
import { lengthOf, scoreVerdicts, type LabScore } from './norms.ts'
import type { LabChoice, LabDoc } from './recorded.ts'

/**
 * A model to which every byte is as likely as any other: a continuation of n bytes has log-probability −n · ln 256. Under `acc` it picks the
 * shortest continuation; by bytes all choices are equal but for the delimiter, which the harness counts in the sum and not in the length.
 */
function uniformBytes({ continuation, text, tokens }: LabChoice): LabChoice {
  const bytes = new TextEncoder().encode(continuation).length
  return { continuation, text, tokens, logprobs: [-bytes * Math.log(256)], unconditional: -bytes * Math.log(256) }
}

/** A doc as the uniform-byte model answers it. */
export function underUniformBytes(doc: LabDoc): LabDoc {
  return { ...doc, choices: doc.choices.map(uniformBytes) }
}

export const blindRules = ['longest', 'shortest', 'commonest'] as const
type BlindRule = (typeof blindRules)[number]

/** What a rule picks in each doc: the longest or the shortest text (in characters, the first of equals), or the place that is right most often. */
export function blindPicks(docs: readonly LabDoc[], rule: BlindRule): readonly number[] {
  const places = maxOf(
    docs.map(({ gold }) => gold + 1),
    0,
  )
  const commonest = argmax(Array.from({ length: places }, (_, place) => docs.filter(({ gold }) => gold === place).length))
  const sign = rule === 'longest' ? 1 : -1
  return docs.map(({ choices }) => (rule === 'commonest' ? commonest : argmax(choices.map((one) => lengthOf(one, 'characters') * sign))))
}

/** The accuracy of a rule. */
export function blindAccuracy(docs: readonly LabDoc[], rule: BlindRule): LabScore {
  const picks = blindPicks(docs, rule)
  return scoreVerdicts(docs.map(({ gold }, place) => picks[place] === gold))
}
