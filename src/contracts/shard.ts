/** A part of a run’s docs, by number; apart from what hashes docs, as the first page reads it. */

/** Part `index` (from 1) of `count`. The `overlap` docs of lowest hash are asked by every part, to hold machines against each other. */
export interface Shard {
  readonly index: number
  readonly count: number
  readonly overlap: number
}

/** The shard that `3/8` names, or `3/8+5` with its overlap; null for anything else. */
export function parseShard(text: string, overlap = 0): Shard | null {
  const match = /^(\d{1,6})\/(\d{1,6})(?:\+(\d{1,6}))?$/.exec(text.trim())
  if (match === null) return null
  const [index, count] = [Number(match[1]), Number(match[2])]
  return index >= 1 && index <= count ? { index, count, overlap: Number(match[3] ?? overlap) } : null
}

/** The way back from `parseShard`. */
export function shardText({ index, count, overlap }: Shard): string {
  return `${index}/${count}${overlap === 0 ? '' : `+${overlap}`}`
}
