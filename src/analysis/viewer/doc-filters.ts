/** Which entries of an index a reader wants to see. Pure loops over typed arrays: 14,000 entries take about a millisecond. */
import type { Norm } from '../lab/norms.ts'
import { verdicts, type DocIndex, type SearchText } from './doc-index.ts'

export const docShows = ['all', 'wrong', 'right', 'flipped', 'near-tie', 'invalid'] as const
export type DocShow = (typeof docShows)[number]

export interface DocQuery {
  readonly show: DocShow
  /** The norm that `flipped` compares with `acc`. */
  readonly against: Exclude<Norm, 'acc'>
  /** Docs whose margin is at most so many nats are near ties. */
  readonly nearNats: number
}

/** Whether the query takes an entry in. */
export function matchesQuery(index: DocIndex, entry: number, { show, against, nearNats }: DocQuery): boolean {
  switch (show) {
    case 'all':
      return true
    case 'wrong':
      return index.verdicts[entry] === verdicts.wrong
    case 'right':
      return index.verdicts[entry] === verdicts.right
    case 'flipped': {
      const [acc = -1, other = -1] = [index.picks.acc[entry], index.picks[against][entry]]
      return acc >= 0 && other >= 0 && acc !== other
    }
    case 'near-tie':
      // False for NaN.
      return (index.margins[entry] ?? NaN) <= nearNats
    case 'invalid':
      return index.invalid[entry] === 1
  }
}

/** The place in `filters` of the filter that is shown: the one asked for, else the first. */
export function filterPlace({ filters }: DocIndex, name: string): number {
  return Math.max(0, filters.indexOf(name))
}

/**
 * Entries under the filter that the query takes in and, where `hits` is given, that are among them (a byte an entry, as `searchTexts` gives
 * them); in order.
 */
export function matchingEntries(index: DocIndex, filter: string, query: DocQuery, hits: Uint8Array | null): Uint32Array {
  const place = filterPlace(index, filter)
  const found = new Uint32Array(index.count)
  let count = 0
  for (let entry = 0; entry < index.count; entry++) {
    if (index.filterAt[entry] !== place || (hits !== null && hits[entry] !== 1) || !matchesQuery(index, entry, query)) continue
    found[count] = entry
    count += 1
  }
  return found.slice(0, count)
}

/** How many entries under the filter each query takes in. */
export function countShows(index: DocIndex, filter: string, query: Omit<DocQuery, 'show'>): { readonly [show in DocShow]: number } {
  const counts = { all: 0, wrong: 0, right: 0, flipped: 0, 'near-tie': 0, invalid: 0 }
  const place = filterPlace(index, filter)
  for (let entry = 0; entry < index.count; entry++) {
    if (index.filterAt[entry] !== place) continue
    for (const show of docShows) if (matchesQuery(index, entry, { ...query, show })) counts[show] += 1
  }
  return counts
}

/** A byte an entry: 1 where its text holds the searched one, letters of either case alike. Every entry holds the empty text. */
export function searchTexts({ text, ends }: SearchText, searched: string): Uint8Array {
  const hits = new Uint8Array(ends.length)
  const wanted = searched.toLowerCase()
  if (wanted === '') return hits.fill(1)
  let entry = 0
  for (let at = text.indexOf(wanted); at >= 0;) {
    while ((ends[entry] ?? Infinity) <= at) entry += 1
    const end = ends[entry]
    if (end === undefined) break
    // A hit that goes on into the next entry's text is none.
    if (at + wanted.length <= end) {
      hits[entry] = 1
      at = text.indexOf(wanted, end)
    } else at = text.indexOf(wanted, at + 1)
  }
  return hits
}
