/**
 * Indents the later lines of quoted scalars and flow collections, which libyaml lets stand at any column and the `yaml` package doesn't.
 *
 * The added spaces change no value: both fold leading white space away. Only used for texts that can't be read as they are.
 */

/** The text with every later line of a quoted scalar or flow collection moved behind the column at which it begins. */
export function indentContinuations(text: string): string {
  return new Indenter(text).run()
}

class Indenter {
  private readonly text: string
  private at = 0
  private out = ''

  constructor(text: string) {
    this.text = text
  }

  run(): string {
    while (this.at < this.text.length) this.line()
    return this.out
  }

  /** Copies one line, and what its scalars and collections span. */
  private line(): void {
    const start = this.at
    this.copy(/[ ]*/y)
    const indent = this.at - start
    for (;;) {
      this.copy(/(?:[ \t]+|[-?:](?=[ \t\r\n]|$)|[&!][^ \t\r\n]*(?=[ \t\r\n]|$))*/y)
      const c = this.text.charAt(this.at)
      if (c === '"' || c === "'") this.spanning(this.quotedEnd(this.at), this.at - start)
      else if (c === '{' || c === '[') this.spanning(this.flowEnd(), this.at - start)
      else if (c === '|' || c === '>') {
        this.blockScalar(indent)
        return
      } else if (!this.copy(/[^#\r\n](?:(?!:[ \t\r\n]| #)[^\r\n])*(?=:[ \t\r\n])/y)) break
      if (this.text.charAt(this.at) !== ':' && !/^[ \t]+:[ \t\r\n]/.test(this.text.slice(this.at, this.at + 200))) break
    }
    this.copy(/[^\n]*\n?/y)
  }

  /** Copies a block scalar: every line that is blank or stands deeper than the line that opened it. */
  private blockScalar(indent: number): void {
    this.copy(/[^\n]*\n?/y)
    const inside = new RegExp(`(?:[ \\t\\r]*\\n|[ ]{${indent + 1},}[^\\n]*(?:\\n|$))*`, 'y')
    this.copy(inside)
  }

  private spanning(end: number, column: number): void {
    const indentation = ' '.repeat(column + 1)
    this.out += this.text.slice(this.at, end).replaceAll('\n', `\n${indentation}`)
    this.at = end
  }

  /** Offset after the quote that closes the scalar at `from`; the end of the text when none does. */
  private quotedEnd(from: number): number {
    const pattern = this.text.charAt(from) === "'" ? /'(?:[^']|'')*'/y : /"(?:[^"\\]|\\[^])*"/y
    pattern.lastIndex = from
    return pattern.exec(this.text) === null ? this.text.length : pattern.lastIndex
  }

  private flowEnd(): number {
    let depth = 0
    for (let at = this.at; at < this.text.length; at++) {
      const c = this.text.charAt(at)
      const startsScalar = /[\s,[{:]/.test(this.text.charAt(at - 1))
      if ((c === '"' || c === "'") && startsScalar) at = this.quotedEnd(at) - 1
      else if (c === '#' && /\s/.test(this.text.charAt(at - 1))) at = this.endOfLine(at)
      else if (c === '{' || c === '[') depth++
      else if ((c === '}' || c === ']') && --depth === 0) return at + 1
    }
    return this.text.length
  }

  private endOfLine(from: number): number {
    const end = this.text.indexOf('\n', from)
    return end < 0 ? this.text.length : end
  }

  /** Copies what the pattern matches here; false when that is nothing. */
  private copy(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? ''
    this.out += found
    this.at += found.length
    return found !== ''
  }
}
