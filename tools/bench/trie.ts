/** The least number of tokens that inputs with common beginnings need. */

/** Nodes of the trie of all `inputs`, its root not counted: what is computed when every shared beginning is computed once. */
export function trieTokens(inputs: readonly (readonly number[] | Int32Array)[]): number {
  const sorted = [...inputs].sort(compareTokens)
  let total = 0
  sorted.forEach((input, at) => {
    const before = sorted[at - 1]
    total += input.length - (before === undefined ? 0 : sharedTokens(before, input))
  })
  return total
}

type Tokens = readonly number[] | Int32Array

function sharedTokens(a: Tokens, b: Tokens): number {
  const limit = Math.min(a.length, b.length)
  let at = 0
  while (at < limit && a[at] === b[at]) at += 1
  return at
}

function compareTokens(a: Tokens, b: Tokens): number {
  const at = sharedTokens(a, b)
  return (a[at] ?? -1) - (b[at] ?? -1)
}
