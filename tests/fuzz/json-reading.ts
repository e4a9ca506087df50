/** What a json or jsonl text holds, by the platform's own `JSON.parse`: a second opinion on our reader. */

/** How Python's NaN and infinities are marked, which `JSON.parse` doesn't know. */
export const nonFinite = '\u0001nonfinite'

/** The values of a text, or null when it is none: one after the other, with white space between them or none. */
export function readValues(text: string): readonly unknown[] | null {
  const values: unknown[] = []
  let at = 0
  for (;;) {
    at = skipSpace(text, at)
    if (at >= text.length) return values
    const piece = cutValue(text, at)
    if (piece === null) return null
    try {
      values.push(JSON.parse(piece.json))
    } catch {
      return null
    }
    at = piece.end
  }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1
  return at
}

/** The text of the value that begins at `start`, with non-finite numbers marked, and where it ends. */
function cutValue(text: string, start: number): { readonly json: string; readonly end: number } | null {
  let json = ''
  let depth = 0
  let at = start
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') {
      const end = endOfString(text, at)
      if (end === null) return null
      json += text.slice(at, end)
      at = end
    } else if ('{['.includes(char)) {
      depth += 1
      json += char
      at += 1
    } else if ('}]'.includes(char)) {
      depth -= 1
      json += char
      at += 1
    } else if (/[\w+.-]/.test(char)) {
      const [token = ''] = /^[\w+.-]+/.exec(text.slice(at)) ?? []
      // Not where a key should be.
      const isKey = /^\s*:/.test(text.slice(at + token.length))
      json += /^(-?NaN|-?Inf(inity)?)$/.test(token) && !isKey ? JSON.stringify(nonFinite) : token
      at += token.length
    } else {
      json += char
      at += 1
    }
    if (depth <= 0 && json.trim() !== '') return { json, end: at }
  }
  return null
}

function endOfString(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) === '\\') at += 1
    else if (text.charAt(at) === '"') return at + 1
  }
  return null
}
