/** Task files that are being written: what is kept over a reload, and edits of single keys. */
import type { TaskFile } from '../../contracts/run-settings.ts'

const storageKey = 'yardstick-task-draft'
/** What a tab's own storage is asked to hold at most, in UTF-16 units. */
const maxKept = 1_000_000

/** The files that this tab had open; empty where there were none, or where the browser keeps nothing. */
export function recallDraft(): readonly TaskFile[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isTaskFile) : []
  } catch {
    return []
  }
}

/** Keeps the files for a reload of this tab; false when they can't be. */
export function keepDraft(files: readonly TaskFile[]): boolean {
  const text = JSON.stringify(files)
  try {
    if (text.length > maxKept) return false
    sessionStorage.setItem(storageKey, text)
    return true
  } catch {
    return false
  }
}

function isTaskFile(value: unknown): value is TaskFile {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    typeof value.path === 'string' &&
    'text' in value &&
    typeof value.text === 'string'
  )
}

/** The text with one key at its top level set to a text value; in place where the key stands, else at the end. */
export function setKey(text: string, key: string, value: string): string {
  const line = `${key}: ${JSON.stringify(value)}\n`
  const start = text.search(new RegExp(`^(["']?)${key}\\1[ \\t]*:(?=\\s|$)`, 'm'))
  if (start < 0) return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}`
  const after = text.indexOf('\n', start)
  // What is indented below a key, and empty lines before more of it, belong to it.
  const rest = after < 0 ? '' : text.slice(after + 1)
  const length = /^(?:[ \t]+[^\n]*(?:\n|$)|[ \t]*\n(?=(?:[ \t]*\n)*[ \t]+\S)|- [^\n]*(?:\n|$))*/.exec(rest)?.[0].length ?? 0
  return text.slice(0, start) + line + rest.slice(length)
}

/** A path that none of the files has, made from the wanted one. */
export function freePath(wanted: string, files: readonly TaskFile[]): string {
  const taken = new Set(files.map(({ path }) => path))
  if (!taken.has(wanted)) return wanted
  const [, stem = wanted, ending = ''] = /^(.*?)(\.[^./]*)?$/s.exec(wanted) ?? []
  for (let number = 2; ; number++) if (!taken.has(`${stem}_${number}${ending}`)) return `${stem}_${number}${ending}`
}
