/** The docs of several tasks as one list: places in it are counted through all tasks' entries. Pure. */
import { countShows, docShows, filterPlace, matchingEntries, type DocShow, type DocQuery } from '../../analysis/viewer/doc-filters.ts'
import type { DocIndex } from '../../analysis/viewer/doc-index.ts'
import type { DocName } from './selection.ts'

/** An entry of one of the indexes. */
export interface Place {
  readonly index: DocIndex
  readonly entry: number
}

/** Where each index begins in the common count. */
export function startsOf(indexes: readonly DocIndex[]): readonly number[] {
  let next = 0
  return indexes.map(({ count }) => (next += count) - count)
}

export function placeAt(indexes: readonly DocIndex[], starts: readonly number[], position: number): Place | null {
  let [low, high] = [0, indexes.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= position) low = middle
    else high = middle - 1
  }
  const index = indexes[low]
  const entry = position - (starts[low] ?? 0)
  return index === undefined || entry < 0 || entry >= index.count ? null : { index, entry }
}

interface ListQuery extends DocQuery {
  readonly task: string
  readonly filter: string
}

/** The names of all their filters, each once. */
export function filtersOf(indexes: readonly DocIndex[]): readonly string[] {
  return [...new Set(indexes.flatMap(({ filters }) => filters))]
}

/** Positions of the docs that are wanted, in order. `hits`: as `DocSource.search` gives them. */
export function matchingPositions(indexes: readonly DocIndex[], query: ListQuery, hits: readonly Uint8Array[] | null): Uint32Array {
  const starts = startsOf(indexes)
  const parts = indexes.map((index, at) => {
    if (query.task !== '' && index.task !== query.task) return new Uint32Array()
    return matchingEntries(index, query.filter, query, hits === null ? null : (hits[at] ?? new Uint8Array())).map(
      (entry) => entry + (starts[at] ?? 0),
    )
  })
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let next = 0
  for (const part of parts) {
    all.set(part, next)
    next += part.length
  }
  return all
}

/** How many docs each show has, text aside. */
export function countAllShows(indexes: readonly DocIndex[], query: ListQuery): { readonly [show in DocShow]: number } {
  const counts = { all: 0, wrong: 0, right: 0, flipped: 0, 'near-tie': 0, invalid: 0 }
  for (const index of indexes) {
    if (query.task !== '' && index.task !== query.task) continue
    const of = countShows(index, query.filter, query)
    for (const show of docShows) counts[show] += of[show]
  }
  return counts
}

/** The position of a doc under a filter; -1 for one that isn't there. A doc without a task's name is the first task's. */
export function positionOf(indexes: readonly DocIndex[], { task, docId }: DocName, filter: string): number {
  const at = task === '' ? 0 : indexes.findIndex((index) => index.task === task)
  const index = indexes[at]
  if (index === undefined) return -1
  const place = filterPlace(index, filter)
  const entry = index.docIds.findIndex((id, one) => id === docId && index.filterAt[one] === place)
  return entry < 0 ? -1 : (startsOf(indexes)[at] ?? 0) + entry
}
