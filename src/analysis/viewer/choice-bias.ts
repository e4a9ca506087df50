/**
 * Which places and which lengths a model picks, against where the right answers are: a tally that can be added up over docs and tasks.
 * Lengths are of the choices' texts in code points. Docs whose choices are all as long as each other say nothing of length and aren't counted there.
 */
import type { SampleView } from '../../contracts/samples.ts'

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
  const goldAt = new Map<number, number>()
  for (const place of gold) goldAt.set(place, (goldAt.get(place) ?? 0) + 1)
  const shareOf = (isMember: (index: number) => boolean): Share => ({
    picked: { acc: Number(isMember(picks.acc)), acc_norm: Number(isMember(picks.acc_norm)) },
    gold: gold.filter(isMember).length / gold.length,
    chance: choices.filter((_, index) => isMember(index)).length / choices.length,
  })
  const lengths = choices.map(({ text }) => Array.from(text).length)
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0)
  const shortest = lengths.reduce((least, length) => Math.min(least, length), longest)
  return {
    docs: 1,
    // One by one, not by `shareOf`: a doc may have thousands of choices.
    positions: choices.map((_, place) => ({
      picked: { acc: Number(picks.acc === place), acc_norm: Number(picks.acc_norm === place) },
      gold: (goldAt.get(place) ?? 0) / gold.length,
      chance: 1 / choices.length,
    })),
    docsOfLengths: longest > shortest ? 1 : 0,
    longest: longest > shortest ? shareOf((index) => lengths[index] === longest) : nothing,
    shortest: longest > shortest ? shareOf((index) => lengths[index] === shortest) : nothing,
  }
}

/** Adds a doc's places to a task's, in place: most docs have few of them, whatever the largest has. */
export function addPlaces(places: Share[], { positions }: ChoiceBias): void {
  for (const [at, share] of positions.entries()) places[at] = addShares(places[at] ?? nothing, share)
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
