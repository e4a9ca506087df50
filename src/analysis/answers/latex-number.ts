/** The value of a LaTeX expression that holds numbers only: fractions, roots, powers, π, scientific notation. */

/** Its value, or null where it holds anything else or has none. */
export function evaluateLatex(text: string): number | null {
  // Two numbers side by side are a list, or a mistake.
  if (/\d\s+[\d.]/.test(text)) return null
  const reader = new Reader(simplify(text))
  try {
    const value = reader.sum()
    return reader.isAtEnd() && Number.isFinite(value) ? value : null
  } catch (error) {
    if (error instanceof NotANumber) return null
    throw error
  }
}

class NotANumber extends Error {}

/** Deeper nesting than any answer has; beyond it untrusted text could fill the stack. */
const deepest = 100

function simplify(text: string): string {
  return text
    .replace(/\\(?:left|right|displaystyle|,|;|!|:)/g, '')
    .replace(/\\[dt]frac/g, '\\frac')
    .replace(/\\cdot|\\times/g, '*')
    .replace(/\\div/g, '/')
    .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
    .replace(/[−–]/g, '-')
    .replace(/\s+/g, '')
}

/** Recursive descent: sum → product → power → atom. */
class Reader {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  isAtEnd(): boolean {
    return this.#at === this.#text.length
  }

  sum(): number {
    let value = this.#product()
    for (;;) {
      if (this.#take('+')) value += this.#product()
      else if (this.#take('-')) value -= this.#product()
      else return value
    }
  }

  #product(): number {
    let value = this.#signed()
    for (;;) {
      if (this.#take('*')) value *= this.#signed()
      else if (this.#take('/')) value /= this.#signed()
      // Side by side, as in 6\sqrt{7}; two plain numbers side by side are no product.
      else if (/^(?:\\frac|\\sqrt|\\pi|π|\()/.test(this.#rest())) value *= this.#power()
      else return value
    }
  }

  #signed(): number {
    if (this.#take('-')) return -this.#signed()
    if (this.#take('+')) return this.#signed()
    return this.#power()
  }

  #power(): number {
    const base = this.#atom()
    return this.#take('^') ? base ** this.#argument() : base
  }

  /** What follows `^` or a command: a group, or one digit. */
  #argument(): number {
    if (this.#rest().startsWith('{')) return this.#group('{', '}')
    const digit = /^-?\d/.exec(this.#rest())?.[0]
    if (digit === undefined) return this.#atom()
    this.#at += digit.length
    return Number(digit)
  }

  #atom(): number {
    const number = /^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/.exec(this.#rest())?.[0]
    if (number !== undefined) {
      this.#at += number.length
      return Number(number)
    }
    if (this.#take('\\frac')) return this.#argument() / this.#argument()
    if (this.#take('\\sqrt')) {
      const degree = this.#rest().startsWith('[') ? this.#group('[', ']') : 2
      return this.#argument() ** (1 / degree)
    }
    if (this.#take('\\pi') || this.#take('π')) return Math.PI
    if (this.#rest().startsWith('(')) return this.#group('(', ')')
    if (this.#rest().startsWith('{')) return this.#group('{', '}')
    throw new NotANumber()
  }

  #group(open: string, close: string): number {
    if (++this.#depth > deepest || !this.#take(open)) throw new NotANumber()
    const value = this.sum()
    if (!this.#take(close)) throw new NotANumber()
    this.#depth--
    return value
  }

  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false
    this.#at += token.length
    return true
  }

  #rest(): string {
    return this.#text.slice(this.#at)
  }
}
