/** Where a doc's own text begins in its prompt: after the description and the examples that all docs of a task share. */

/**
 * Length in UTF-16 units of what all prompts begin with, cut back to whole lines; 0 for a single prompt, and where they are all the same.
 */
export function sharedStart(prompts: readonly string[]): number {
  const [first, ...others] = prompts
  if (first === undefined || others.length === 0) return 0
  let length = first.length
  let isOne = true
  for (const prompt of others) {
    if (prompt === first) continue
    isOne = false
    length = commonLength(first, prompt, length)
  }
  return isOne ? 0 : first.lastIndexOf('\n', length - 1) + 1
}

/** Where the doc's own question begins: behind the shared start, and in the last paragraph, where examples differ from doc to doc. */
export function ownTextStart(prompt: string, shared: number): number {
  const end = prompt.trimEnd().length
  const paragraph = prompt.lastIndexOf('\n\n', end - 1)
  return Math.min(end, Math.max(shared, paragraph < 0 ? 0 : paragraph + 2))
}

function commonLength(one: string, other: string, most: number): number {
  const end = Math.min(most, other.length)
  // Whole pieces first: comparing strings is much faster than comparing their characters one by one.
  let at = 0
  for (let step = 4096; step >= 1; step = Math.floor(step / 8)) {
    while (at + step <= end && one.slice(at, at + step) === other.slice(at, at + step)) at += step
  }
  return at
}
