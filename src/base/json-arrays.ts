/** The arrays in a JSON text that may be a task's rows, found without parsing it into values: numbers keep the form they are written in. */

export interface JsonArray {
  /** Keys from the top, with dots: `questions`, `data.items`. */
  readonly path: string
  readonly rows: number
  /** Its place in the text, in UTF-16 units, brackets included. */
  readonly start: number
  readonly end: number
}

/** Deeper texts hold no rows that anybody would name; their paths would grow with the square of the depth. */
const maxDepth = 100

interface Open {
  readonly isArray: boolean
  readonly path: string
  readonly start: number
  /** The key whose value comes next, in an object. */
  key: string
  /** Values begun, in an array. */
  values: number
}

/**
 * Arrays of objects below a top-level object that stand in no other array, by their place; none for a text that is a list already, holds no such
 * array, or is broken.
 */
export function arraysIn(text: string): readonly JsonArray[] {
  const found: JsonArray[] = []
  const open: Open[] = []
  const token = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/gsu
  let inArrays = 0
  let holdsObjects = false
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [part] = match
    const parent = open.at(-1)
    if (part === ':' || part === ',') continue
    if (part === '}' || part === ']') {
      const closed = open.pop()
      if (closed === undefined || closed.isArray !== (part === ']')) return []
      if (closed.isArray) {
        inArrays -= 1
        if (inArrays === 0 && holdsObjects)
          found.push({ path: closed.path, rows: closed.values, start: closed.start, end: match.index + 1 })
      }
      continue
    }
    if (parent?.isArray === true) parent.values += 1
    if (part === '{' || part === '[') {
      if ((parent === undefined && part === '[') || open.length >= maxDepth) return []
      if (part === '[' && inArrays === 0) holdsObjects = false
      if (part === '{' && inArrays === 1 && parent?.isArray === true) holdsObjects = true
      if (part === '[') inArrays += 1
      const key = parent === undefined || parent.isArray ? '' : parent.key
      open.push({
        isArray: part === '[',
        path: [parent?.path ?? '', key].filter((name) => name !== '').join('.'),
        start: match.index,
        key: '',
        values: 0,
      })
      if (parent !== undefined) parent.key = ''
    } else if (parent?.isArray === false && part.startsWith('"') && parent.key === '' && isKey(text, token.lastIndex)) {
      parent.key = unquoted(part)
    } else if (parent !== undefined) parent.key = ''
  }
  return open.length === 0 ? found : []
}

function isKey(text: string, from: number): boolean {
  return /^\s*:/.test(text.slice(from, from + 64))
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1, -1)
  }
}
