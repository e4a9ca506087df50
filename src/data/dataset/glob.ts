/** Path patterns as `datasets` uses them. */

/** A pattern as an expression over whole paths: `*` and `?` stay within a folder, `**` doesn't, `[…]` is a set of characters. */
export function globToRegex(pattern: string): RegExp {
  const source = pattern.replace(/^\.\//, '').replace(/\*\*\/|\*\*|\*|\?|\[[^\]]+\]|[.+^${}()|\\\]]|\[/g, (part) => {
    if (part === '**/') return '(?:[^/]+/)*'
    if (part === '**') return '.*'
    if (part === '*') return '[^/]*'
    if (part === '?') return '[^/]'
    return part.length > 1 ? part.replace(/^\[!/, '[^').replace(/\\/g, '\\\\') : `\\${part}`
  })
  return new RegExp(`^${source}$`)
}

/** True when a text is a pattern rather than a path. Not `isGlob` of task names: for `datasets` a closing bracket makes a pattern too. */
export function hasWildcards(text: string): boolean {
  return /[*?[\]]/.test(text)
}
