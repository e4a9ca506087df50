/** A reader's place in a formula's tokens. */
import { UnreadableFormula } from './expression.ts'

/** One token: its kind is what grammars ask for, such as `LETTER`, `\frac` or `(`; `broken` is text that no token begins with. */
export interface Token {
  readonly kind: string
  readonly text: string
}

/** Deeper nesting than any answer has; beyond it untrusted text could fill the stack. */
const deepest = 150

/** Beyond so many looks a formula counts as unreadable: unclosed brackets can be read in exponentially many ways. */
const mostLooks = 100_000

const end: Token = { kind: 'end', text: '' }

export class Cursor {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0
  #looks = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** The token that many places on. Throws `UnreadableFormula` at text that is no token, and after too many looks. */
  peek(ahead = 0): Token {
    if (++this.#looks > mostLooks) throw new UnreadableFormula('too many ways to read it')
    const token = this.#tokens[this.#at + ahead] ?? end
    if (token.kind === 'broken' && ahead === 0) throw new UnreadableFormula(`no token begins with ${token.text}`)
    return token
  }

  is(...kinds: readonly string[]): boolean {
    return kinds.includes(this.peek().kind)
  }

  /** The next token where it is of a kind, which it then goes past; null where it isn't. */
  take(...kinds: readonly string[]): Token | null {
    const token = this.peek()
    if (!kinds.includes(token.kind)) return null
    this.#at++
    return token
  }

  /** As `take`. Throws `UnreadableFormula` where the token is of no such kind. */
  want(...kinds: readonly string[]): Token {
    const token = this.take(...kinds)
    if (token === null) throw new UnreadableFormula(`wanted ${kinds.join(' or ')}, found ${this.peek().text || 'the end'}`)
    return token
  }

  /** What a reader finds here; null, and the place unchanged, where it finds the formula unreadable. */
  attempt<T>(read: () => T): T | null {
    const [at, depth] = [this.#at, this.#depth]
    try {
      return read()
    } catch (error) {
      if (!(error instanceof UnreadableFormula)) throw error
      this.#at = at
      this.#depth = depth
      return null
    }
  }

  /** Runs a reader one level deeper. Throws `UnreadableFormula` below the deepest level. */
  nest<T>(read: () => T): T {
    if (++this.#depth > deepest) throw new UnreadableFormula('nested too deeply')
    const result = read()
    this.#depth--
    return result
  }
}
