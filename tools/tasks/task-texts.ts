/** Task files as text, for the families whose files differ in a name and a word. */

/** Texts by path below `public/tasks`. */
export type TaskTexts = ReadonlyMap<string, string>

/** A YAML scalar that means exactly `text`; YAML's double quotes take JSON's escapes. */
export function quote(text: string): string {
  return JSON.stringify(text)
}

/** A file from a comment and `key: value` lines, values being YAML already. */
export function taskText(comment: string, lines: readonly (readonly [key: string, value: string])[]): string {
  return [`# ${comment}`, ...lines.map(([key, value]) => `${key}:${value.startsWith('\n') ? '' : ' '}${value}`), ''].join('\n')
}

/** A YAML list in block style, as the value of a key. */
export function listOf(items: readonly string[]): string {
  return items.map((item) => `\n  - ${item}`).join('')
}

export function joinTexts(...parts: readonly TaskTexts[]): TaskTexts {
  const all = new Map<string, string>()
  for (const part of parts)
    for (const [path, text] of part) {
      if (all.has(path)) throw new Error(`two families write ${path}`)
      all.set(path, text)
    }
  return all
}
