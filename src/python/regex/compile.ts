/**
 * Python's `re` on JavaScript's engine: patterns are parsed as Python does and written out with Python's meaning (Unicode `\d \w \s
 * \b`, `$` before a last newline, `findall` with groups, empty matches next to others). What would mean something else is refused.
 * Equals CPython 3.11; `tests/conformance/corpora.test.ts` compares.
 */
import { append } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import { emitJavaScript, findForgetfulGroup } from './emit.ts'
import { parsePythonRegex } from './parse.ts'
import { compileReplacement } from './replacement.ts'

export type PythonRegexFlag = 'IGNORECASE' | 'MULTILINE' | 'DOTALL' | 'VERBOSE' | 'ASCII' | 'UNICODE'

/** What one match captured: `groups[0]` is the whole match; null where a group did not take part. Offsets in UTF-16 units. */
export interface PythonMatch {
  readonly start: number
  readonly end: number
  readonly groups: readonly (string | null)[]
}

export interface PythonRegex {
  readonly pattern: string
  readonly groupCount: number
  /** `re.findall`: strings, or arrays of strings when the pattern has two groups or more; `''` for a group that did not take part. */
  findall(text: string): readonly (string | readonly string[])[]
  /** `re.finditer`. */
  finditer(text: string): readonly PythonMatch[]
  /**
   * `re.sub`, with `\1`, `\g<name>` and escapes in the replacement; `count` 0 = all. `charge` is told of the characters that each match adds,
   * and may throw.
   */
  sub(replacement: string, text: string, count?: number, charge?: (characters: number) => void): string
  /** `re.split`, without limit. */
  split(text: string): readonly (string | null)[]
  search(text: string): PythonMatch | null
  match(text: string): PythonMatch | null
  fullmatch(text: string): PythonMatch | null
}

/**
 * `re.compile`. Throws `regex/unsupported` for a pattern that Python refuses, and for one that this engine would match differently;
 * the methods that report groups throw the same for patterns whose captures differ (a group that only some turns of a loop match).
 */
export function compilePython(pattern: string, flags: readonly PythonRegexFlag[] = []): PythonRegex {
  const parsed = parsePythonRegex(pattern, {
    ignoreCase: flags.includes('IGNORECASE'),
    multiline: flags.includes('MULTILINE'),
    dotAll: flags.includes('DOTALL'),
    verbose: flags.includes('VERBOSE'),
    ascii: flags.includes('ASCII'),
  })
  const engine = new Engine(pattern, emitJavaScript(parsed.root, pattern), parsed.groupCount)
  const forgetful = findForgetfulGroup(parsed.root)
  const checkGroups = (isNeeded: boolean) => {
    if (!isNeeded || forgetful === null) return
    throw new EvalError(
      'regex/unsupported',
      `The pattern ${JSON.stringify(pattern)} reports group ${forgetful}, which only some turns of a loop match; JavaScript's engine captures it differently.`,
    )
  }
  return {
    pattern,
    groupCount: parsed.groupCount,
    findall(text) {
      checkGroups(parsed.groupCount > 0)
      return engine.all(text).map(({ groups }) => reportGroups(groups))
    },
    finditer(text) {
      checkGroups(parsed.groupCount > 0)
      return engine.all(text)
    },
    sub(replacement, text, count = 0, charge = uncharged) {
      const expand = compileReplacement(replacement, parsed)
      checkGroups(expand.usesGroups)
      return engine.replace(text, expand.apply, { count, charge })
    },
    split(text) {
      checkGroups(parsed.groupCount > 0)
      return engine.split(text)
    },
    search: (text) => engine.search(text),
    match: (text) => engine.match(text),
    fullmatch: (text) => engine.fullmatch(text),
  }
}

/** The same for a pattern that the code itself names, which is right: compiled when first used, since modules that load many patterns use few of them. */
export function compileWhenUsed(pattern: string, flags: readonly PythonRegexFlag[] = []): PythonRegex {
  let compiled: PythonRegex | null = null
  const regex = (): PythonRegex => (compiled ??= compilePython(pattern, flags))
  return {
    pattern,
    get groupCount() {
      return regex().groupCount
    },
    findall: (text) => regex().findall(text),
    finditer: (text) => regex().finditer(text),
    sub: (...args) => regex().sub(...args),
    split: (text) => regex().split(text),
    search: (text) => regex().search(text),
    match: (text) => regex().match(text),
    fullmatch: (text) => regex().fullmatch(text),
  }
}

/** `re.escape`: the text as a pattern that matches just it. */
export function escapePython(text: string): string {
  return text.replace(/[\t\n\v\f\r #$&()*+\-.?[\\\]^{|}~]/g, '\\$&')
}

/** The engine gives up where its own stack is full of places to come back to. */
function execute(regex: RegExp, text: string): RegExpExecArray | null {
  try {
    return regex.exec(text)
  } catch (cause) {
    throw new EvalError(
      'regex/timeout',
      `The pattern ${JSON.stringify(regex.source.slice(0, 2000))} tries too much on a text of ${text.length} characters.`,
      { cause },
    )
  }
}

const uncharged = (): void => undefined

function reportGroups(groups: readonly (string | null)[]): string | readonly string[] {
  const [whole, first, ...rest] = groups
  if (first === undefined) return whole ?? ''
  return rest.length === 0 ? (first ?? '') : [first, ...rest].map((group) => group ?? '')
}

function isInsidePair(text: string, index: number): boolean {
  return index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff
}

class Engine {
  private readonly names: readonly string[]
  private readonly source: string
  private readonly searcher: RegExp
  private madeNonEmpty: RegExp | null = null
  private madeMatcher: RegExp | null = null
  private madeFullMatcher: RegExp | null = null

  constructor(pattern: string, source: string, groupCount: number) {
    this.names = Array.from({ length: groupCount }, (_, i) => `g${i + 1}`)
    this.source = source
    try {
      this.searcher = new RegExp(source, 'gv')
    } catch (cause) {
      throw new EvalError('regex/unsupported', `The pattern ${JSON.stringify(pattern)} can't be written for JavaScript's engine.`, {
        cause,
      })
    }
  }

  // The engine reads a pattern whole when a RegExp is made, a millisecond for classes such as \w, and most patterns are only searched.

  /**
   * After an empty match Python looks at the same place again, for a match that is not empty: one after which the rest of the text is not the
   * rest that there was before.
   */
  private get nonEmpty(): RegExp {
    return (this.madeNonEmpty ??= new RegExp(`(?=(?<rest>[\\s\\S]*))(?:${this.source})(?!\\k<rest>$)`, 'vy'))
  }

  private get matcher(): RegExp {
    return (this.madeMatcher ??= new RegExp(`^(?:${this.source})`, 'v'))
  }

  private get fullMatcher(): RegExp {
    return (this.madeFullMatcher ??= new RegExp(`^(?:${this.source})$`, 'v'))
  }

  search(text: string): PythonMatch | null {
    return this.toMatch(this.find(text, 0))
  }

  match(text: string): PythonMatch | null {
    return this.toMatch(execute(this.matcher, text))
  }

  fullmatch(text: string): PythonMatch | null {
    return this.toMatch(execute(this.fullMatcher, text))
  }

  all(text: string): readonly PythonMatch[] {
    return [...this.matches(text, 0)]
  }

  replace(text: string, expand: (match: PythonMatch) => string, how: { count: number; charge: (characters: number) => void }): string {
    const parts: string[] = []
    let from = 0
    for (const match of this.matches(text, how.count)) {
      const expanded = expand(match)
      how.charge(match.start - from + expanded.length)
      parts.push(text.slice(from, match.start), expanded)
      from = match.end
    }
    return parts.join('') + text.slice(from)
  }

  /** Matches one by one, so many at most (0 = all). */
  private *matches(text: string, count: number): Generator<PythonMatch> {
    let at = 0
    let mustAdvance = false
    for (let found = 0; at <= text.length && (count === 0 || found < count); found++) {
      const match = this.toMatch(this.next(text, at, mustAdvance))
      if (match === null) return
      yield match
      at = match.end
      mustAdvance = match.start === match.end
    }
  }

  split(text: string): readonly (string | null)[] {
    const pieces: (string | null)[] = []
    let from = 0
    for (const match of this.all(text)) {
      pieces.push(text.slice(from, match.start))
      append(pieces, match.groups.slice(1))
      from = match.end
    }
    return [...pieces, text.slice(from)]
  }

  private next(text: string, at: number, mustAdvance: boolean): RegExpExecArray | null {
    let from = at
    if (mustAdvance) {
      this.nonEmpty.lastIndex = at
      const found = execute(this.nonEmpty, text)
      if (found !== null) return found
      from += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
      if (from > text.length) return null
    }
    return this.find(text, from)
  }

  private find(text: string, from: number): RegExpExecArray | null {
    for (let start = from; start <= text.length;) {
      this.searcher.lastIndex = start
      const found = execute(this.searcher, text)
      // V8 can report an empty match between the halves of a surrogate pair (a negated look-behind that takes any character).
      if (found === null || !isInsidePair(text, found.index)) return found
      start = found.index + 1
    }
    return null
  }

  private toMatch(found: RegExpExecArray | null): PythonMatch | null {
    if (found === null) return null
    const groups = this.names.map((name) => found.groups?.[name] ?? null)
    return { start: found.index, end: found.index + found[0].length, groups: [found[0], ...groups] }
  }
}
