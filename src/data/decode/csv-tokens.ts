/** Records of a csv text by the rules of pandas' C tokenizer (which `datasets` uses): what is a quote, a line end, a blank line. */
import { EvalError } from '../../base/errors.ts'

export interface CsvDialect {
  /** One character between fields. */
  readonly separator: string
  /** One character, or null when quotes mean nothing (`quoting: 3`). */
  readonly quote: string | null
}

export interface CsvRecord {
  readonly fields: readonly string[]
  /** Line of its first character, from 1. */
  readonly line: number
}

/** Where a text begins in its file, and whether the file ends with it. */
interface CsvPlace {
  readonly file: string
  readonly line: number
  readonly isLast: boolean
}

/**
 * The records of `text`. Lines that are empty or hold only white space are skipped. A quote counts only at the start of a field; after the
 * closing quote further text is kept. A record that the text doesn't hold whole is left for later, unless the file ends with it: `end` and
 * `line` tell where it begins. Throws `dataset/malformed` for a quote that is never closed.
 */
export function splitCsv(
  text: string,
  { separator, quote }: CsvDialect,
  { file, line: firstLine, isLast }: CsvPlace,
): { readonly records: readonly CsvRecord[]; readonly end: number; readonly line: number } {
  const records: CsvRecord[] = []
  let at = 0
  let line = firstLine
  while (at < text.length) {
    const start = at
    const startLine = line
    const fields: string[] = []
    let isOpen = false
    for (;;) {
      let field = ''
      if (quote !== null && text[at] === quote) {
        const quoted = readQuoted(text, at, quote)
        if (quoted === null && isLast)
          throw new EvalError('dataset/malformed', `${file}, line ${line}: a quote that is never closed.`, { details: { file, line } })
        if (quoted === null) {
          isOpen = true
          break
        }
        for (let index = text.indexOf('\n', at); index !== -1 && index < quoted.end; index = text.indexOf('\n', index + 1)) line += 1
        field = quoted.value
        at = quoted.end
      }
      const plainStart = at
      while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1
      fields.push(field + text.slice(plainStart, at))
      if (text[at] !== separator) break
      at += 1
    }
    // A CR at the very end may be the first half of a line end.
    if (!isLast && (isOpen || at >= text.length || (text[at] === '\r' && at + 1 === text.length))) {
      return { records, end: start, line: startLine }
    }
    const isBlank = /^[ \t]*$/.test(text.slice(start, at)) && fields.length === 1
    if (!isBlank) records.push({ fields, line: startLine })
    at += text.startsWith('\r\n', at) ? 2 : 1
    line += 1
  }
  return { records, end: text.length, line }
}

/** The quoted text from `open` on, and where it ends; null when it isn't closed. */
function readQuoted(text: string, open: number, quote: string): { readonly value: string; readonly end: number } | null {
  let value = ''
  let at = open + 1
  for (;;) {
    const close = text.indexOf(quote, at)
    if (close === -1) return null
    value += text.slice(at, close)
    if (text[close + 1] !== quote) return { value, end: close + 1 }
    value += quote
    at = close + 2
  }
}
