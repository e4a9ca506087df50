/** Replacement templates of Python's `re.sub`; CPython 3.11 `re/_parser.py` `parse_template`. */
import { EvalError } from '../../base/errors.ts'

interface Groups {
  readonly groupCount: number
  readonly groupNames: ReadonlyMap<string, number>
}

interface MatchedGroups {
  readonly groups: readonly (string | null)[]
}

/** A replacement ready for use; `usesGroups` = it refers to a group other than the whole match. */
interface Replacement {
  readonly usesGroups: boolean
  readonly apply: (match: MatchedGroups) => string
}

const escapes: { readonly [letter: string]: string } = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' }

/** Reads `\1`, `\g<1>`, `\g<name>`, octal and control escapes. Throws `regex/unsupported` where Python raises. */
export function compileReplacement(template: string, { groupCount, groupNames }: Groups): Replacement {
  const fail = (reason: string) =>
    new EvalError('regex/unsupported', `The replacement ${JSON.stringify(template)} can't be used: ${reason}.`)
  const parts: (string | number)[] = []
  const refer = (index: number) => {
    if (index > groupCount) throw fail(`invalid group reference ${index}`)
    parts.push(index)
  }
  const pieces = /\\g<([^>]*)>|\\(0[0-7]{0,2}|[0-3][0-7]{2}|[1-9]\d?)|\\([\s\S]?)|([^\\]+)/g
  for (const [, name, number, escape, literal] of template.matchAll(pieces)) {
    if (literal !== undefined) parts.push(literal)
    else if (name !== undefined) refer(resolveName(name))
    else if (number !== undefined) {
      if (number.startsWith('0') || number.length === 3) parts.push(String.fromCharCode(parseInt(number, 8)))
      else refer(Number(number))
    } else parts.push(readEscape(escape ?? ''))
  }
  return {
    usesGroups: parts.some((part) => typeof part === 'number' && part > 0),
    apply: ({ groups }) => parts.map((part) => (typeof part === 'string' ? part : (groups[part] ?? ''))).join(''),
  }

  function resolveName(name: string): number {
    if (/^\d+$/.test(name)) return Number(name)
    const index = groupNames.get(name)
    if (index === undefined) throw fail(`unknown group name ${JSON.stringify(name)}`)
    return index
  }

  function readEscape(letter: string): string {
    const known = escapes[letter]
    if (known !== undefined) return known
    if (letter === '' || /[a-zA-Z]/.test(letter)) throw fail(`bad escape \\${letter}`)
    return `\\${letter}`
  }
}
