import { editDistance } from '../../base/edit-distance.ts'

/** Names from `known` that `wanted` may have been meant to be, nearest first, at most three. */
export function likelyMeant(wanted: string, known: readonly string[]): string[] {
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
  const near = likelyMeant(wanted, known)
  return near.length === 0 ? '' : `; did you mean ${near.map((name) => prefix + name).join(' or ')}?`
}
