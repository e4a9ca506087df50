/** Damage to JSON that keeps it JSON: values of other kinds, numbers without measure, keys that objects have by themselves, nesting. */
import type { Json } from '../../src/base/errors.ts'
import type { Random } from './random.ts'

const oddTexts = [
  '',
  ' ',
  'a',
  '\u0000',
  '__proto__',
  'constructor',
  '\ud800',
  '😀',
  '$&$`',
  'NaN',
  '-1',
  'x'.repeat(3000),
  '<s>',
  '['.repeat(300),
] as const
const oddNumbers = [0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e300, 30, 256] as const
const oddKeys = ['__proto__', 'constructor', 'type', 'length', 'id', '', 'a', 'toString'] as const

/** A value of any kind, small. */
export function oddJson(random: Random, room = 2): Json {
  const kind = random.below(room > 0 ? 9 : 6)
  if (kind < 2) return random.pick(oddTexts)
  if (kind < 4) return random.pick(oddNumbers)
  if (kind === 4) return random.chance(50)
  if (kind === 5) return null
  if (kind === 6) return Array.from({ length: random.below(4) }, () => oddJson(random, room - 1))
  if (kind === 7) return Object.fromEntries([[random.pick(oddKeys), oddJson(random, room - 1)]])
  return Array.from({ length: 3 + random.below(120) }).reduce<Json>((inner) => [inner], null)
}

/** The value with so many changes, each somewhere in it. */
export function mutateJson(random: Random, value: Json, changes = 1 + random.below(3)): Json {
  let changed = value
  for (let count = 0; count < changes; count++) changed = changeOne(random, changed, 12)
  return changed
}

function changeOne(random: Random, value: Json, room: number): Json {
  const isHere = room === 0 || random.chance(12) || typeof value !== 'object' || value === null
  if (Array.isArray(value)) {
    const list = value as readonly Json[]
    if (isHere || list.length === 0) return changedList(random, list)
    const at = random.below(list.length)
    return list.map((item, index) => (index === at ? changeOne(random, item, room - 1) : item))
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    if (isHere || entries.length === 0) return changedObject(random, entries)
    const at = random.below(entries.length)
    return Object.fromEntries(entries.map(([key, item], index) => [key, index === at ? changeOne(random, item, room - 1) : item]))
  }
  return oddJson(random)
}

function changedList(random: Random, list: readonly Json[]): Json {
  const at = random.below(list.length)
  switch (random.below(5)) {
    case 0:
      return list.filter((_, index) => index !== at)
    case 1:
      return [...list.slice(0, at), ...list.slice(at, at + 1), ...list.slice(at)]
    case 2:
      return [...list, oddJson(random)]
    case 3:
      return [...list].reverse()
    default:
      return oddJson(random)
  }
}

function changedObject(random: Random, entries: readonly (readonly [string, Json])[]): Json {
  const at = random.below(entries.length)
  switch (random.below(5)) {
    case 0:
      return Object.fromEntries(entries.filter((_, index) => index !== at))
    case 1:
      return Object.fromEntries([...entries, [random.pick(oddKeys), oddJson(random)]])
    case 2: {
      const other = entries[random.below(entries.length)]?.[1] ?? null
      return Object.fromEntries(entries.map(([key, item], index) => [key, index === at ? other : item]))
    }
    case 3:
      return Object.fromEntries(entries.map(([key, item], index) => [key, index === at ? [item, item] : item]))
    default:
      return oddJson(random)
  }
}
