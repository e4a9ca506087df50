/**
 * A JavaScript pattern (flag `v`) that matches what a Python tree matches. No other JavaScript flag is used: case, anchors, `.` and
 * the Unicode classes are written out, because each means something else in JavaScript.
 */
import { EvalError } from '../../base/errors.ts'
import { casedWithin, caseVariants } from './case-folding.ts'
import type { CategoryCode, RegexFlags, RegexNode, SetItem } from './tree.ts'
import { widthOf } from './width.ts'

const space = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const members = {
  unicode: { d: '\\p{Nd}', s: space, w: '\\p{L}\\p{N}_' },
  ascii: { d: '0-9', s: '\\t-\\r\\x20', w: 'a-zA-Z0-9_' },
} as const

/** Ranges up to this many characters are expanded one by one when case is ignored. */
const expandLimit = 0x400

/** The source for `new RegExp(source, 'v')`; Python's group n is the JavaScript group named `g{n}`. */
export function emitJavaScript(root: RegexNode, pattern: string): string {
  return new Emitter(pattern).emit(root)
}

class Emitter {
  private readonly pattern: string
  private atomicCount = 0
  /** Groups that have certainly matched when the node being written is tried. */
  private certain = new Set<number>()

  constructor(pattern: string) {
    this.pattern = pattern
  }

  emit(node: RegexNode): string {
    switch (node.kind) {
      case 'char':
        return emitChar(node.codePoint, node.flags)
      case 'any':
        return node.flags.dotAll ? '[\\s\\S]' : '[^\\n]'
      case 'set':
        return emitSet(node.items, node.isNegated, node.flags)
      case 'anchor':
        return emitAnchor(node.code, node.flags)
      case 'sequence':
        return node.items.map((item) => this.emit(item)).join('')
      case 'branch':
        return `(?:${node.branches.map((branch) => this.emitUncertain(branch)).join('|')})`
      case 'group': {
        const body = this.emit(node.body)
        if (node.index === null) return `(?:${body})`
        this.certain.add(node.index)
        return `(?<g${node.index}>${body})`
      }
      case 'look': {
        const body = node.isNegated ? this.emitUncertain(node.body) : this.emit(node.body)
        return `(?:(?${node.isBehind ? '<' : ''}${node.isNegated ? '!' : '='}${body}))`
      }
      case 'atomic':
        return this.emitAtomic(this.emit(node.body))
      case 'repeat':
        return this.emitRepeat(node)
      case 'backreference':
        return this.emitBackreference(node.index, node.flags)
    }
  }

  /** The node's source, with groups matched inside it forgotten afterwards. */
  private emitUncertain(node: RegexNode): string {
    const outer = new Set(this.certain)
    const source = this.emit(node)
    this.certain = outer
    return source
  }

  private emitAtomic(body: string): string {
    const name = `atomic${this.atomicCount++}`
    return `(?:(?=(?<${name}>${body}))\\k<${name}>)`
  }

  private emitRepeat(node: Extract<RegexNode, { kind: 'repeat' }>): string {
    if (node.max > 1 && widthOf(node.body)[0] === 0) refuseEmptyLoop(node.body, node.mode, this.pattern)
    const body = node.min === 0 ? this.emitUncertain(node.body) : this.emit(node.body)
    const bounds = `{${node.min},${node.max === Infinity ? '' : node.max}}`
    const source = `(?:${body})${bounds}${node.mode === 'lazy' ? '?' : ''}`
    return node.mode === 'possessive' ? this.emitAtomic(source) : source
  }

  private emitBackreference(index: number, flags: RegexFlags): string {
    // JavaScript lets a group that has not matched stand for the empty string; Python lets the reference fail.
    if (!this.certain.has(index)) throw refusal(this.pattern, `the back-reference \\${index} to a group that may not have matched`)
    if (flags.ignoreCase) throw refusal(this.pattern, `the case-insensitive back-reference \\${index}`)
    return `\\k<g${index}>`
  }
}

/**
 * What `findall` would report differently: JavaScript forgets a group at each new turn of a loop, Python keeps its last match; and
 * an empty turn ends a loop in Python but is undone in JavaScript. Returns the first such group, or null.
 */
export function findForgetfulGroup(root: RegexNode): number | null {
  return visit(root, false, false)
}

function visit(node: RegexNode, isInLoop: boolean, isOptional: boolean): number | null {
  switch (node.kind) {
    case 'sequence':
      return firstFound(node.items.map((item) => visit(item, isInLoop, isOptional)))
    case 'branch':
      return firstFound(node.branches.map((branch) => visit(branch, isInLoop, isInLoop)))
    case 'group':
      if (node.index !== null && isInLoop && isOptional) return node.index
      return visit(node.body, isInLoop, isOptional)
    case 'look':
    case 'atomic':
      return visit(node.body, isInLoop, isOptional)
    case 'repeat': {
      const isLoop = node.max > 1
      const canBeEmpty = isLoop && widthOf(node.body)[0] === 0
      return visit(node.body, isInLoop || isLoop, canBeEmpty || (isInLoop && (isOptional || node.min === 0)))
    }
    default:
      return null
  }
}

function firstFound(found: readonly (number | null)[]): number | null {
  return found.find((index) => index !== null) ?? null
}

function refuseEmptyLoop(body: RegexNode, mode: string, pattern: string): void {
  if (mode === 'lazy' || prefersEmpty(body)) throw refusal(pattern, 'a loop whose body can match nothing before it matches something')
}

/** Whether the node tries an empty match before a longer one. */
function prefersEmpty(node: RegexNode): boolean {
  switch (node.kind) {
    case 'branch':
      return node.branches.some((branch, i) => prefersEmpty(branch) || (i + 1 < node.branches.length && widthOf(branch)[0] === 0))
    case 'sequence':
      return node.items.some(prefersEmpty)
    case 'group':
    case 'atomic':
      return prefersEmpty(node.body)
    case 'repeat':
      return (node.mode === 'lazy' && node.min === 0) || prefersEmpty(node.body)
    default:
      return false
  }
}

function refusal(pattern: string, construct: string): EvalError {
  return new EvalError(
    'regex/unsupported',
    `The pattern ${JSON.stringify(pattern)} uses ${construct}, which JavaScript's engine can't match as Python does.`,
  )
}

function emitAnchor(code: string, flags: RegexFlags): string {
  const word = `[${members[flags.ascii ? 'ascii' : 'unicode'].w}]`
  switch (code) {
    case '^':
      return flags.multiline ? '(?:^|(?<=\\n))' : '^'
    case '$':
      return flags.multiline ? '(?:$|(?=\\n))' : '(?=\\n?$)'
    case 'A':
      return '^'
    case 'Z':
      return '$'
    case 'b':
      return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
    default:
      // Python 3.11 finds no \B in an empty string.
      return `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word})(?:(?=[\\s\\S])|(?<=[\\s\\S])))`
  }
}

function emitChar(codePoint: number, flags: RegexFlags): string {
  if (!flags.ignoreCase) return escapeCodePoint(codePoint)
  const variants = caseVariants(codePoint, flags.ascii)
  return variants.length === 1 ? escapeCodePoint(codePoint) : `[${variants.map(escapeCodePoint).join('')}]`
}

/** A wide range brings thousands of characters where case is ignored. */
const maxSetLength = 1_000_000

function emitSet(items: readonly SetItem[], isNegated: boolean, flags: RegexFlags): string {
  const parts: string[] = []
  let length = 0
  for (const item of items) {
    const part = emitSetItem(item, flags)
    length += part.length
    if (length > maxSetLength)
      throw new EvalError('regex/unsupported', `A set of ${items.length} ranges, in which case is ignored, is too large.`)
    parts.push(part)
  }
  return `[${isNegated ? '^' : ''}${parts.join('')}]`
}

function emitSetItem(item: SetItem, flags: RegexFlags): string {
  if (item.kind === 'category') return emitCategory(item.code, flags)
  const { low, high } = item
  const range = low === high ? escapeCodePoint(low) : `${escapeCodePoint(low)}-${escapeCodePoint(high)}`
  if (!flags.ignoreCase) return range
  const cased = high - low < expandLimit ? Array.from({ length: high - low + 1 }, (_, i) => low + i) : casedWithin(low, high)
  const extra = new Set<number>()
  for (const codePoint of cased) {
    for (const variant of caseVariants(codePoint, flags.ascii)) if (variant < low || variant > high) extra.add(variant)
  }
  return range + [...extra].map(escapeCodePoint).join('')
}

function emitCategory(code: CategoryCode, flags: RegexFlags): string {
  const set = members[flags.ascii ? 'ascii' : 'unicode']
  switch (code) {
    case 'd':
    case 's':
    case 'w':
      return `[${set[code]}]`
    case 'D':
      return `[^${set.d}]`
    case 'S':
      return `[^${set.s}]`
    case 'W':
      return `[^${set.w}]`
  }
}

function escapeCodePoint(codePoint: number): string {
  const char = String.fromCodePoint(codePoint)
  return /^[a-zA-Z0-9 ]$/.test(char) ? char : `\\u{${codePoint.toString(16)}}`
}
