/**
 * Which places and which lengths a model picks, against where the right answers are: a tally that can be added up over docs and tasks.
 * Lengths are of the choices' texts in code points. Docs whose choices are all as long as each other say nothing of length and aren't counted there.
 */
import type { SampleView } from '../types.ts'

/** How often something was picked, was right, and would be by chance. */
export interface Share {
  readonly picked: { readonly acc: number; readonly acc_norm: number }
  /** A doc with several right choices counts once, divided among them. */
  readonly gold: number
  /** What picking blindly would give. */
  readonly chance: number
}

export interface ChoiceBias {
  readonly docs: number
  /** By the choice's place: A, B, C … */
  readonly positions: readonly Share[]
  /** Docs whose choices differ in length. */
  readonly docsOfLengths: number
  readonly longest: Share
  readonly shortest: Share
}

const nothing: Share = { picked: { acc: 0, acc_norm: 0 }, gold: 0, chance: 0 }

export const noBias: ChoiceBias = { docs: 0, positions: [], docsOfLengths: 0, longest: nothing, shortest: nothing }

/** The tally of one doc; `noBias` for one without choices or without a right one. */
export function biasOfDoc({ choices, picks, gold }: Pick<SampleView, 'choices' | 'picks' | 'gold'>): ChoiceBias {
  if (picks === null || choices.length < 2 || gold.length === 0) return noBias
  const shareOf = (isMember: (index: number) => boolean): Share => ({
    picked: { acc: Number(isMember(picks.acc)), acc_norm: Number(isMember(picks.acc_norm)) },
    gold: gold.filter(isMember).length / gold.length,
    chance: choices.filter((_, index) => isMember(index)).length / choices.length,
  })
  const lengths = choices.map(({ text }) => Array.from(text).length)
  const longest = Math.max(...lengths)
  const shortest = Math.min(...lengths)
  return {
    docs: 1,
    positions: choices.map((_, place) => shareOf((index) => index === place)),
    docsOfLengths: longest > shortest ? 1 : 0,
    longest: longest > shortest ? shareOf((index) => lengths[index] === longest) : nothing,
    shortest: longest > shortest ? shareOf((index) => lengths[index] === shortest) : nothing,
  }
}

/** Both tallies together. */
export function addBias(one: ChoiceBias, other: ChoiceBias): ChoiceBias {
  const places = Math.max(one.positions.length, other.positions.length)
  return {
    docs: one.docs + other.docs,
    positions: Array.from({ length: places }, (_, at) => addShares(one.positions[at] ?? nothing, other.positions[at] ?? nothing)),
    docsOfLengths: one.docsOfLengths + other.docsOfLengths,
    longest: addShares(one.longest, other.longest),
    shortest: addShares(one.shortest, other.shortest),
  }
}

function addShares(one: Share, other: Share): Share {
  return {
    picked: { acc: one.picked.acc + other.picked.acc, acc_norm: one.picked.acc_norm + other.picked.acc_norm },
    gold: one.gold + other.gold,
    chance: one.chance + other.chance,
  }
}
