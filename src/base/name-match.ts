/** Names by pattern (`fnmatch`) and names that look alike. */
import { editDistance } from './edit-distance.ts'

type Token = { readonly kind: 'star' } | { readonly kind: 'one'; readonly fits: (char: string) => boolean }

/**
 * Says of names whether they match the pattern with `*`, `?`, `[seq]` and `[!seq]`, by code points, as Python's `fnmatch` (3.11) does on
 * POSIX. Takes at most name length times pattern length steps for a name: a regex made of untrusted stars may take exponentially many.
 */
export function makeNameMatcher(pattern: string): (name: string) => boolean {
  const tokens = readPattern([...pattern])
  return (name) => matches([...name], tokens)
}

/** Each star takes as little as it can; when what follows fails, only the last star needs to take more. */
function matches(name: readonly string[], tokens: readonly Token[]): boolean {
  let at = 0
  let next = 0
  let star: { readonly next: number; readonly at: number } | null = null
  while (at < name.length) {
    const token = tokens[next]
    if (token?.kind === 'star') {
      star = { next, at }
      next += 1
    } else if (token?.fits(name[at] ?? '') === true) {
      at += 1
      next += 1
    } else if (star === null) {
      return false
    } else {
      star = { next: star.next, at: star.at + 1 }
      at = star.at
      next = star.next + 1
    }
  }
  return tokens.slice(next).every(({ kind }) => kind === 'star')
}

function readPattern(chars: readonly string[]): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at] ?? ''
    const close = char === '[' ? chars.indexOf(']', at + (chars[at + 1] === '!' ? 3 : 2)) : -1
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' })
    } else if (char === '?') {
      tokens.push({ kind: 'one', fits: () => true })
    } else if (close > 0) {
      tokens.push({ kind: 'one', fits: readSet(chars.slice(at + 1, close)) })
      at = close
    } else {
      tokens.push({ kind: 'one', fits: (found) => found === char })
    }
  }
  return tokens
}

/** The inside of brackets: characters and ranges, after `!` all others. A hyphen at either end is itself; a range backwards holds nothing. */
function readSet(inside: readonly string[]): (char: string) => boolean {
  const isNegated = inside[0] === '!'
  const body = isNegated ? inside.slice(1) : inside
  const ranges: (readonly [number, number])[] = []
  for (let at = 0; at < body.length; at++) {
    const isRange = body[at + 1] === '-' && at + 2 < body.length
    ranges.push([pointOf(body[at]), pointOf(body[isRange ? at + 2 : at])])
    if (isRange) at += 2
  }
  return (char) => ranges.some(([from, to]) => from <= pointOf(char) && pointOf(char) <= to) !== isNegated
}

function pointOf(char: string | undefined): number {
  return char?.codePointAt(0) ?? -1
}

/** True when the text holds a character that makes it a pattern. */
export function isGlob(text: string): boolean {
  return /[*?[]/.test(text)
}

/** Up to five names nearest to what was asked for, nearest first: by edits, and names that contain it. */
export function nearNames(wanted: string, names: Iterable<string>): string[] {
  const limit = Math.max(2, Math.floor(wanted.length / 3))
  const scored: { name: string; score: number }[] = []
  for (const name of names) {
    const contains = name.includes(wanted) || wanted.includes(name)
    if (!contains && Math.abs(name.length - wanted.length) > limit) continue
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase())
    if (contains || distance <= limit) scored.push({ name, score: contains ? Math.min(distance, limit) : distance })
  }
  return scored
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, 5)
    .map(({ name }) => name)
}
