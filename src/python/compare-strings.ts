/** Python's order of strings: by code points, where JavaScript's is by UTF-16 units. For `sort`. */
export function compareCodePoints(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)]
  const at = a.findIndex((char, index) => char !== b[index])
  if (at < 0) return a.length - b.length
  return (a[at]?.codePointAt(0) ?? -1) - (b[at]?.codePointAt(0) ?? -1)
}
