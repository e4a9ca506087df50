/**
 * Signs that a score is no measurement: a stack that loses the log-probabilities scores every choice the same, and its score looks like chance.
 * The tally is kept per task; the alarms are judged from it.
 */
import type { SampleView } from '../types.ts'
import type { ChoiceBias } from './choice-bias.ts'

/** What is counted over a task's docs. */
export interface DegeneracyTally {
  /** Docs with at least two scored choices. */
  readonly docs: number
  /** Docs all of whose choices have the same log-probability. */
  readonly equal: number
  /** Docs with a choice whose log-probability isn't finite. */
  readonly notFinite: number
  /** Docs of which the probability on all choices together is known. */
  readonly massDocs: number
  /** Its sum over those docs. */
  readonly mass: number
  /** Docs of those with less than `lowMass` on the choices. */
  readonly lowMass: number
  /** Docs with written replies, and those of them that hold no answer. */
  readonly replies: number
  readonly withoutAnswer: number
}

export const noTally: DegeneracyTally = {
  docs: 0,
  equal: 0,
  notFinite: 0,
  massDocs: 0,
  mass: 0,
  lowMass: 0,
  replies: 0,
  withoutAnswer: 0,
}

/** Share of the probability below which the choices hardly matter to the model. */
export const lowMass = 0.05

/** The tally of one doc. `isInvalid` as `verdict.ts` has it. */
export function tallyDoc(sample: SampleView, isInvalid: boolean): DegeneracyTally {
  const { choices, picks, generated } = sample
  if (generated.length > 0) return { ...noTally, replies: 1, withoutAnswer: Number(isInvalid) }
  if (picks === null || choices.length < 2) return noTally
  const isFinite = choices.every(({ logprob }) => Number.isFinite(logprob))
  const mass = massOf(sample)
  return {
    ...noTally,
    docs: 1,
    equal: Number(choices.every(({ logprob }) => Object.is(logprob, choices[0]?.logprob))),
    notFinite: Number(!isFinite),
    massDocs: mass === null ? 0 : 1,
    mass: mass ?? 0,
    lowMass: Number(mass !== null && mass < lowMass),
  }
}

/**
 * The share of the next token's probability that lies on the choices, where each is one token and so excludes the others; null where that can't be told,
 * and where they are whole texts, of which each is unlikely.
 */
export function massOf({ own, choices }: Pick<SampleView, 'own' | 'choices'>): number | null {
  if (own !== undefined && own.mass !== null) return own.mass
  const first = choices.map(({ tokens }) => (tokens?.ids.length === 1 ? tokens.ids[0] : undefined))
  if (first.length === 0 || first.includes(undefined) || choices.some(({ logprob }) => Number.isNaN(logprob))) return null
  const byToken = new Map(first.map((id, at) => [id, choices[at]?.logprob ?? -Infinity]))
  return [...byToken.values()].reduce((sum, logprob) => sum + Math.exp(logprob), 0)
}

/** Both tallies together. */
export function addTallies(one: DegeneracyTally, other: DegeneracyTally): DegeneracyTally {
  return {
    docs: one.docs + other.docs,
    equal: one.equal + other.equal,
    notFinite: one.notFinite + other.notFinite,
    massDocs: one.massDocs + other.massDocs,
    mass: one.mass + other.mass,
    lowMass: one.lowMass + other.lowMass,
    replies: one.replies + other.replies,
    withoutAnswer: one.withoutAnswer + other.withoutAnswer,
  }
}

export type Alarm =
  | { readonly kind: 'equal-choices' | 'not-finite' | 'no-answer'; readonly docs: number; readonly of: number }
  | {
      readonly kind: 'one-position'
      readonly norm: 'acc' | 'acc_norm'
      readonly position: number
      readonly picked: number
      readonly gold: number
      readonly of: number
    }
  | { readonly kind: 'low-mass'; readonly docs: number; readonly of: number; readonly meanMass: number }

/** Fewer docs than these say nothing about a habit. */
const fewestDocs = 20

/** Of a doc's choices that are all equal, a set may hold a few by accident (choices that are the same text); not more than this share. */
const equalShare = 0.01

/**
 * The alarms of a task (or of several, added up).
 *
 * One place counts as picked too often above 60% of the docs; with two choices above 80%, since 60% is near chance there. Where the right answers
 * lie there just as often, it is the task, and no alarm.
 */
export function alarmsOf(bias: ChoiceBias, tally: DegeneracyTally): readonly Alarm[] {
  const alarms: Alarm[] = []
  if (tally.equal > 0 && tally.equal >= tally.docs * equalShare) alarms.push({ kind: 'equal-choices', docs: tally.equal, of: tally.docs })
  if (tally.notFinite > 0) alarms.push({ kind: 'not-finite', docs: tally.notFinite, of: tally.docs })
  const position = onePosition(bias)
  if (position !== null) alarms.push(position)
  if (tally.massDocs > 0 && tally.lowMass > tally.massDocs / 2)
    alarms.push({ kind: 'low-mass', docs: tally.lowMass, of: tally.massDocs, meanMass: tally.mass / tally.massDocs })
  if (tally.replies >= fewestDocs && tally.withoutAnswer > tally.replies / 2)
    alarms.push({ kind: 'no-answer', docs: tally.withoutAnswer, of: tally.replies })
  return alarms
}

function onePosition({ docs, positions }: ChoiceBias): Alarm | null {
  if (docs < fewestDocs) return null
  for (const norm of ['acc', 'acc_norm'] as const) {
    for (const [position, { picked, gold, chance }] of positions.entries()) {
      const most = Math.max(0.6, 1.6 * (chance / docs)) * docs
      if (picked[norm] > most && gold <= most) return { kind: 'one-position', norm, position, picked: picked[norm], gold, of: docs }
    }
  }
  return null
}
