/** Names from `known` that `wanted` may have been meant to be, nearest first, at most three. */
export function nearNames(wanted: string, known: readonly string[]): string[] {
  const limit = Math.max(2, Math.floor(wanted.length / 3))
  return known
    .map((name) => ({ name, distance: name.startsWith(wanted) && wanted.length > 2 ? 0.5 : editDistance(wanted, name) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, 3)
    .map(({ name }) => name)
}

/** `; did you mean a or b?`, or nothing when no name is near. */
export function suggestion(wanted: string, known: readonly string[], prefix = ''): string {
  const near = nearNames(wanted, known)
  return near.length === 0 ? '' : `; did you mean ${near.map((name) => prefix + name).join(' or ')}?`
}

/** Levenshtein distance in UTF-16 units. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
