/**
 * Python `re` patterns as a tree. Follows CPython 3.11 `re/_parser.py`: the same syntax, the same numbering of groups, flags
 * resolved at every leaf.
 */
import { EvalError } from '../../base/errors.ts'
import type { RegexNode, RegexFlags, CategoryCode, RepeatMode, SetItem } from './tree.ts'
import { widthOf } from './width.ts'

interface ParsedRegex {
  readonly root: RegexNode
  readonly groupCount: number
  readonly groupNames: ReadonlyMap<string, number>
}

const controlEscapes: { readonly [letter: string]: number } = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 }
const flagLetters: { readonly [letter: string]: keyof RegexFlags | null } = {
  i: 'ignoreCase',
  m: 'multiline',
  s: 'dotAll',
  x: 'verbose',
  a: 'ascii',
  u: null,
}

/**
 * The tree of a Python pattern. Throws `regex/unsupported` where `re.compile` raises, and for the few constructs that this parser
 * does not know: locale-dependent matching, `\N{…}`, and groups that test another group `(?(1)…)`.
 */
export function parsePythonRegex(pattern: string, flags: RegexFlags): ParsedRegex {
  return new PatternReader(pattern, flags).read()
}

/** Python's own parser gives up at some three hundred. */
const maxDepth = 200

class PatternReader {
  private readonly pattern: string
  private readonly chars: readonly string[]
  private readonly names = new Map<string, number>()
  private readonly openGroups = new Set<number>()
  private flags: RegexFlags
  private at = 0
  private groupCount = 0
  private depth = 0

  constructor(pattern: string, flags: RegexFlags) {
    this.pattern = pattern
    this.chars = Array.from(pattern)
    this.flags = flags
  }

  read(): ParsedRegex {
    const root = this.readAlternatives()
    if (this.at < this.chars.length) throw this.fail('unbalanced parenthesis')
    return { root, groupCount: this.groupCount, groupNames: this.names }
  }

  private fail(reason: string): EvalError {
    return new EvalError(
      'regex/unsupported',
      `The pattern ${JSON.stringify(this.pattern.slice(0, 2000))} can't be used: ${reason} at position ${this.at}.`,
    )
  }

  private peek(text: string): boolean {
    return Array.from(text).every((char, offset) => this.chars[this.at + offset] === char)
  }

  private take(text: string): boolean {
    if (!this.peek(text)) return false
    this.at += Array.from(text).length
    return true
  }

  private next(): string {
    const char = this.chars[this.at]
    if (char === undefined) throw this.fail('unexpected end of pattern')
    this.at++
    return char
  }

  private readUntil(end: string, what: string): string {
    let text = ''
    while (!this.take(end)) {
      if (this.at >= this.chars.length) throw this.fail(`missing ${end}, unterminated ${what}`)
      text += this.next()
    }
    return text
  }

  private readAlternatives(): RegexNode {
    const branches = [this.readSequence()]
    while (this.take('|')) branches.push(this.readSequence())
    const [only] = branches
    return branches.length === 1 && only !== undefined ? only : { kind: 'branch', branches }
  }

  private readSequence(): RegexNode {
    const items: RegexNode[] = []
    while (this.at < this.chars.length && !this.peek('|') && !this.peek(')')) {
      if (this.flags.verbose && this.skipVerbose()) continue
      const atom = this.readAtom()
      if (atom !== null) items.push(this.readQuantifiers(atom))
    }
    return { kind: 'sequence', items }
  }

  private skipVerbose(): boolean {
    if (/[ \t\n\r\f\v]/.test(this.chars[this.at] ?? '')) {
      this.at++
      return true
    }
    if (!this.take('#')) return false
    while (this.at < this.chars.length && this.next() !== '\n');
    return true
  }

  private readAtom(): RegexNode | null {
    const char = this.next()
    const { flags } = this
    switch (char) {
      case '\\':
        return this.readEscape()
      case '[':
        return this.readSet()
      case '(':
        return this.readGroup()
      case '.':
        return { kind: 'any', flags }
      case '^':
      case '$':
        return { kind: 'anchor', code: char, flags }
      case '*':
      case '+':
      case '?':
        this.at--
        throw this.fail('nothing to repeat')
      case '{':
        this.at--
        if (this.readBounds() !== null) throw this.fail('nothing to repeat')
        this.at++
        return { kind: 'char', codePoint: 123, flags }
      default:
        return { kind: 'char', codePoint: codePointOf(char), flags }
    }
  }

  private readQuantifiers(atom: RegexNode): RegexNode {
    const bounds = this.readBounds()
    if (bounds === null) return atom
    if (atom.kind === 'anchor') throw this.fail('nothing to repeat')
    let mode: RepeatMode = 'greedy'
    if (this.take('?')) mode = 'lazy'
    else if (this.take('+')) mode = 'possessive'
    const start = this.at
    if (this.readBounds() !== null) {
      this.at = start
      throw this.fail('multiple repeat')
    }
    return { kind: 'repeat', ...bounds, mode, body: atom }
  }

  private readBounds(): { min: number; max: number } | null {
    if (this.take('*')) return { min: 0, max: Infinity }
    if (this.take('+')) return { min: 1, max: Infinity }
    if (this.take('?')) return { min: 0, max: 1 }
    if (!this.peek('{')) return null
    // `{}` and anything that is no count is literal text for Python.
    const match = /^\{(?:(\d+)|(\d*),(\d*))\}/.exec(this.chars.slice(this.at, this.at + 64).join(''))
    if (match === null) return null
    this.at += match[0].length
    const [, exact, low, high] = match
    if (exact !== undefined) return { min: Number(exact), max: Number(exact) }
    const bounds = { min: low ? Number(low) : 0, max: high ? Number(high) : Infinity }
    if (bounds.max < bounds.min) throw this.fail('min repeat greater than max repeat')
    return bounds
  }

  private readEscape(): RegexNode {
    const { flags } = this
    const char = this.next()
    if (isCategory(char)) return { kind: 'set', isNegated: false, items: [{ kind: 'category', code: char }], flags }
    if (char === 'A' || char === 'Z' || char === 'b' || char === 'B') return { kind: 'anchor', code: char, flags }
    if (/[1-9]/.test(char)) return this.readNumericEscape(char)
    return { kind: 'char', codePoint: this.readCharEscape(char), flags }
  }

  private readNumericEscape(first: string): RegexNode {
    const { flags } = this
    const following = this.chars.slice(this.at, this.at + 2).join('')
    if (/^[0-3]$/.test(first) && /^[0-7]{2}/.test(following)) {
      this.at += 2
      return { kind: 'char', codePoint: parseInt(first + following, 8), flags }
    }
    let digits = first
    if (/^\d/.test(following)) digits += this.next()
    return this.referTo(Number(digits))
  }

  private referTo(index: number): RegexNode {
    if (index > this.groupCount) throw this.fail(`invalid group reference ${index}`)
    if (this.openGroups.has(index)) throw this.fail('cannot refer to an open group')
    return { kind: 'backreference', index, flags: this.flags }
  }

  private readCharEscape(char: string): number {
    const lengths: { readonly [letter: string]: number } = { x: 2, u: 4, U: 8 }
    const length = lengths[char]
    if (length !== undefined) {
      const hex = this.chars.slice(this.at, this.at + length).join('')
      if (!new RegExp(`^[0-9a-fA-F]{${length}}$`).test(hex) || parseInt(hex, 16) > 0x10ffff)
        throw this.fail(`incomplete escape \\${char}${hex}`)
      this.at += length
      return parseInt(hex, 16)
    }
    if (char === '0') {
      const octal = /^[0-7]{0,2}/.exec(this.chars.slice(this.at, this.at + 2).join(''))?.[0] ?? ''
      this.at += octal.length
      return parseInt(`0${octal}`, 8)
    }
    const control = char === 'b' ? undefined : controlEscapes[char]
    if (control !== undefined) return control
    if (char === 'N') throw this.fail('named characters \\N{…} are not supported')
    if (/[a-zA-Z]/.test(char)) throw this.fail(`bad escape \\${char}`)
    return codePointOf(char)
  }

  private readSet(): RegexNode {
    const { flags } = this
    const isNegated = this.take('^')
    const items: SetItem[] = []
    const isFirst = () => items.length === 0
    while (isFirst() || !this.peek(']')) {
      if (this.at >= this.chars.length) throw this.fail('unterminated character set')
      const low = this.readSetMember()
      if (!this.peek('-') || this.chars[this.at + 1] === ']' || this.at + 1 >= this.chars.length) {
        items.push(low)
        continue
      }
      this.at++
      const high = this.readSetMember()
      if (low.kind !== 'range' || high.kind !== 'range' || high.high < low.low) throw this.fail('bad character range')
      items.push({ kind: 'range', low: low.low, high: high.high })
    }
    this.at++
    return { kind: 'set', isNegated, items, flags }
  }

  private readSetMember(): SetItem {
    const char = this.next()
    if (char !== '\\') return single(codePointOf(char))
    const escaped = this.next()
    if (isCategory(escaped)) return { kind: 'category', code: escaped }
    if (escaped === 'b') return single(8)
    if (/[0-7]/.test(escaped)) {
      const octal = /^[0-7]{0,2}/.exec(this.chars.slice(this.at, this.at + 2).join(''))?.[0] ?? ''
      this.at += octal.length
      const codePoint = parseInt(escaped + octal, 8)
      if (codePoint > 0o377) throw this.fail('octal escape outside of range 0-0o377')
      return single(codePoint)
    }
    if (/[89]/.test(escaped)) throw this.fail(`bad escape \\${escaped}`)
    return single(this.readCharEscape(escaped))
  }

  private readGroup(): RegexNode | null {
    if (!this.take('?')) return this.readBody(++this.groupCount)
    if (this.take('P')) return this.readNamed()
    if (this.take(':')) return this.readBody(null)
    if (this.take('#')) {
      this.readUntil(')', 'comment')
      return null
    }
    if (this.take('=')) return this.readLook(false, false)
    if (this.take('!')) return this.readLook(false, true)
    if (this.take('<=')) return this.readLook(true, false)
    if (this.take('<!')) return this.readLook(true, true)
    if (this.take('>')) return { kind: 'atomic', body: this.readBody(null) }
    if (this.peek('(')) throw this.fail('a group that tests another group, (?(…)…), is not supported')
    return this.readFlags()
  }

  private readNamed(): RegexNode {
    if (this.take('=')) {
      const name = this.readUntil(')', 'name')
      const index = this.names.get(name)
      if (index === undefined) throw this.fail(`unknown group name ${JSON.stringify(name)}`)
      return this.referTo(index)
    }
    if (!this.take('<')) throw this.fail('unknown extension ?P')
    const name = this.readUntil('>', 'name')
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) throw this.fail(`bad character in group name ${JSON.stringify(name)}`)
    if (this.names.has(name)) throw this.fail(`redefinition of group name ${JSON.stringify(name)}`)
    const index = ++this.groupCount
    this.names.set(name, index)
    return this.readBody(index)
  }

  private readLook(isBehind: boolean, isNegated: boolean): RegexNode {
    const body = this.readBody(null)
    if (isBehind) {
      const [low, high] = widthOf(body)
      if (low !== high) throw this.fail('look-behind requires fixed-width pattern')
    }
    return { kind: 'look', isBehind, isNegated, body }
  }

  private readBody(index: number | null): RegexNode {
    const outer = this.flags
    if (index !== null) this.openGroups.add(index)
    if (++this.depth > maxDepth) throw this.fail(`groups nested deeper than ${maxDepth}`)
    const body = this.readAlternatives()
    this.depth--
    if (!this.take(')')) throw this.fail('missing ), unterminated subpattern')
    if (index !== null) this.openGroups.delete(index)
    this.flags = outer
    return { kind: 'group', index, body }
  }

  private readFlags(): RegexNode | null {
    const isAtStart = this.at === 2
    const letters = /^[a-zA-Z]*(?:-[a-zA-Z]+)?/.exec(this.chars.slice(this.at, this.at + 32).join(''))?.[0] ?? ''
    this.at += letters.length
    const [on = '', off = ''] = letters.split('-')
    const changed = { ...this.flags }
    for (const [text, value] of [[on, true] as const, [off, false] as const]) {
      for (const letter of text) {
        const name = flagLetters[letter]
        if (name === undefined) throw this.fail(letter === 'L' ? 'locale-dependent matching is not supported' : `unknown flag ${letter}`)
        if (name === null) changed.ascii = false
        else changed[name] = value
      }
    }
    if (letters !== '' && this.take(':')) {
      const outer = this.flags
      this.flags = changed
      const node = this.readBodyWith(changed)
      this.flags = outer
      return node
    }
    if (letters === '' || off !== '' || !this.take(')')) throw this.fail('unknown extension after (?')
    if (!isAtStart) throw this.fail('global flags not at the start of the expression')
    this.flags = changed
    return null
  }

  private readBodyWith(flags: RegexFlags): RegexNode {
    this.flags = flags
    return this.readBody(null)
  }
}

function isCategory(char: string): char is CategoryCode {
  return /^[dDsSwW]$/.test(char)
}

function single(codePoint: number): SetItem {
  return { kind: 'range', low: codePoint, high: codePoint }
}

function codePointOf(char: string): number {
  return char.codePointAt(0) ?? 0
}
