/** Numbers that look random and come out the same for a seed, on every machine. */

export interface Random {
  /** An integer from 0 up to `limit` (exclusive); 0 for a limit of 0. */
  below(limit: number): number
  /** True in `percent` of 100 calls. */
  chance(percent: number): boolean
  pick<T>(items: readonly [T, ...T[]]): T
}

/** The generator of one case: `seed` and any further parts (a case's number, a format's name) decide it. */
export function randomOf(...parts: readonly (string | number)[]): Random {
  let state = hash(parts.join('/'))
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return (value ^ (value >>> 14)) >>> 0
  }
  const below = (limit: number): number => (limit <= 0 ? 0 : next() % limit)
  return {
    below,
    chance: (percent) => below(100) < percent,
    pick: <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0],
  }
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}
