/**
 * Whether a LaTeX answer equals the gold one, and by what: text first, then the harness's normalisation, then intervals and lists part by
 * part, and numbers within a tolerance only where one is stated. Algebra (`x+1` and `1+x`) is not attempted.
 */
import { isEquivalent, lastBoxed, unbox } from '../../ports/functions/answers/math-strings.ts'
import { evaluateLatex } from './latex-number.ts'

interface MathOptions {
  /** Largest difference relative to the gold number, such as 0.002; null = numbers must be equal as texts. */
  readonly relativeTolerance: number | null
}

type MathMatch = 'text' | 'normalised' | 'parts' | 'number'

/** What the last `\boxed{…}` of a reply holds, braces within it kept whole; null when it boxes nothing. */
export function boxedOf(reply: string): string | null {
  const boxed = lastBoxed(reply)
  return boxed === null ? null : unbox(boxed)
}

/**
 * How the two are equal, or null. The text comes first: a parser that knows no intervals would otherwise call `[0,1)` unequal to itself, as
 * lm_eval's does (its issue 2212).
 */
export function matchMath(answer: string, gold: string, options: MathOptions = { relativeTolerance: null }): MathMatch | null {
  const [left, right] = [clean(answer), clean(gold)]
  if (left === right) return 'text'
  if (isEquivalent(left, right)) return 'normalised'
  const parts = [splitParts(left), splitParts(right)] as const
  if (parts[0] !== null && parts[1] !== null) return matchParts(parts[0], parts[1], options) ? 'parts' : null
  return isNear(left, right, options) ? 'number' : null
}

function clean(text: string): string {
  return text
    .trim()
    .replace(/^\$+|\$+$/g, '')
    .trim()
}

interface Parts {
  readonly open: string
  readonly items: readonly string[]
  readonly close: string
}

/** An interval, a tuple or a set with its brackets; null for anything else, and for brackets that do not enclose the whole. */
function splitParts(text: string): Parts | null {
  const plain = text
    .replace(/\\left|\\right/g, '')
    .replace(/\\\{/g, '{')
    .replace(/\\\}/g, '}')
    .trim()
  const [open = '', close = ''] = [plain[0], plain.at(-1)]
  if (!'([{'.includes(open) || !')]}'.includes(close) || plain.length < 2) return null
  const items: string[] = []
  let depth = 0
  let item = ''
  for (const character of plain.slice(1, -1)) {
    if ('([{'.includes(character)) depth++
    if (')]}'.includes(character)) depth--
    if (depth < 0) return null
    if (character === ',' && depth === 0) {
      items.push(item.trim())
      item = ''
    } else item += character
  }
  return items.length === 0 ? null : { open, items: [...items, item.trim()], close }
}

function matchParts(left: Parts, right: Parts, options: MathOptions): boolean {
  return (
    left.open === right.open &&
    left.close === right.close &&
    left.items.length === right.items.length &&
    left.items.every((item, i) => matchMath(item, right.items[i] ?? '', options) !== null)
  )
}

function isNear(left: string, right: string, { relativeTolerance }: MathOptions): boolean {
  if (relativeTolerance === null) return false
  const [a, b] = [evaluateLatex(left), evaluateLatex(right)]
  if (a === null || b === null) return false
  return Math.abs(a - b) <= relativeTolerance * Math.abs(b)
}
