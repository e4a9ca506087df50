/** What became of one line of a corpus, and the line of output that says so. */
import type { CorpusLine } from './read-lines.ts'

export interface Verdict {
  readonly at: CorpusLine
  /** Null when the line has no id. */
  readonly id: string | null
  /** What differs, or why the case could not be run; null = it passed. */
  readonly difference: string | null
}

/** A case ready to be run, or the verdict on a line that is none. */
export function readCase(at: CorpusLine): { readonly id: string; readonly text: string } | Verdict {
  if (at.text === null) return { at, id: null, difference: 'malformed line: its bytes are no UTF-8' }
  let row: unknown
  try {
    row = JSON.parse(at.text)
  } catch (error) {
    return { at, id: null, difference: `malformed line: ${error instanceof Error ? error.message : String(error)}` }
  }
  const id = typeof row === 'object' && row !== null && 'id' in row ? row.id : null
  if (typeof id !== 'string') return { at, id: null, difference: 'malformed line: wanted an object with an id' }
  return { id, text: at.text }
}

/** `ID (FILE:LINE): WHY` on one line. */
export function formatFailure({ at, id, difference }: Verdict): string {
  const place = `${at.file}:${at.line}`
  return oneLine(`${id === null ? place : `${id} (${place})`}: ${difference ?? 'passed'}`)
}

function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must not reach the terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (c) =>
    JSON.stringify(c)
      .slice(1, -1)
      .replace(/^[\u007f-\uffff]$/, `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )
}
