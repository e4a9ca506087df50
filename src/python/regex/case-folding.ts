/**
 * Which characters Python's `re.IGNORECASE` takes for equal: those with one simple lower case, and lower cases with one upper case
 * (`ſ` and `s`, `µ` and `μ`). Equals CPython 3.11 `re/_compiler.py` with `re/_casefix.py`; JavaScript's `i` flag folds differently
 * (it keeps `ı` and `İ` apart from `i`).
 */

/** Beyond this no character has a case. */
const lastCased = 0x1e943

interface CaseTables {
  /** Code point → all code points that match it under IGNORECASE; absent for characters without a case. */
  readonly variants: ReadonlyMap<number, readonly number[]>
}

let tables: CaseTables | null = null

/** All code points that match `codePoint` when case is ignored, itself included; ASCII letters only if `isAscii`. */
export function caseVariants(codePoint: number, isAscii: boolean): readonly number[] {
  if (isAscii) return asciiVariants(codePoint)
  tables ??= buildTables()
  return tables.variants.get(codePoint) ?? [codePoint]
}

/** The cased code points within a range, so that a wide range needs no walk over all of it. */
export function casedWithin(low: number, high: number): readonly number[] {
  tables ??= buildTables()
  return [...tables.variants.keys()].filter((codePoint) => codePoint >= low && codePoint <= high)
}

function asciiVariants(codePoint: number): readonly number[] {
  const char = String.fromCodePoint(codePoint)
  return /[a-zA-Z]/.test(char) ? [codePoint, codePoint ^ 32] : [codePoint]
}

function simpleLower(codePoint: number): number {
  // İ is the one character whose full lower case is longer than one; its simple lower case is the first of the two.
  return String.fromCodePoint(codePoint).toLowerCase().codePointAt(0) ?? codePoint
}

function buildTables(): CaseTables {
  const lowersByUpper = new Map<string, Set<number>>()
  const charsByLower = new Map<number, number[]>()
  for (let codePoint = 0; codePoint <= lastCased; codePoint++) {
    const char = String.fromCodePoint(codePoint)
    const lower = simpleLower(codePoint)
    const upper = char.toUpperCase()
    if (lower === codePoint && upper === char) continue
    push(charsByLower, lower, codePoint)
    addTo(lowersByUpper, upper, lower)
  }
  // A character that is its own lower and upper case can still be the upper case of others; it then belongs to their class.
  for (const [upper, lowers] of lowersByUpper) {
    const points = Array.from(upper)
    if (points.length === 1) lowers.add(simpleLower(upper.codePointAt(0) ?? 0))
  }
  const lowerClass = new Map<number, Set<number>>()
  for (const lowers of lowersByUpper.values()) {
    for (const lower of lowers) {
      const known = lowerClass.get(lower) ?? new Set<number>()
      for (const other of lowers) known.add(other)
      lowerClass.set(lower, known)
    }
  }
  const variants = new Map<number, readonly number[]>()
  for (const [lower, chars] of charsByLower) {
    const equal = new Set<number>([lower])
    for (const other of lowerClass.get(lower) ?? [lower]) {
      equal.add(other)
      for (const char of charsByLower.get(other) ?? []) equal.add(char)
    }
    for (const char of [lower, ...chars]) variants.set(char, [...equal])
  }
  return { variants }
}

function push(map: Map<number, number[]>, key: number, value: number): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}

function addTo(map: Map<string, Set<number>>, key: string, value: number): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, new Set([value]))
  else known.add(value)
}
