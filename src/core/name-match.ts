/** Names by pattern (`fnmatch`) and names that look alike. */

/** True when the name matches the pattern with `*`, `?`, `[seq]` and `[!seq]`, as Python's `fnmatch`. */
export function matchesGlob(name: string, pattern: string): boolean {
  return globToRegex(pattern).test(name)
}

function globToRegex(pattern: string): RegExp {
  let out = ''
  for (let at = 0; at < pattern.length; at++) {
    const c = pattern.charAt(at)
    const close = c === '[' ? pattern.indexOf(']', at + (pattern.charAt(at + 1) === '!' ? 3 : 2)) : -1
    if (c === '*') out += '[^]*?'
    else if (c === '?') out += '[^]'
    else if (close > 0) {
      const body = pattern.slice(at + 1, close).replace(/[\\\]]/g, '\\$&')
      out += body.startsWith('!') ? `[^${body.slice(1)}]` : `[${body.startsWith('^') ? '\\' : ''}${body}]`
      at = close
    } else out += c.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  }
  return new RegExp(`^${out}$`)
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

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a.charAt(i - 1) === b.charAt(j - 1) ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
