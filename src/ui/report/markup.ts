/** HTML as text in which nothing untrusted is ever markup: every value of a template is escaped unless it is markup itself. */
import { splitEscapes } from '../format.ts'

/** Text that is HTML already. Only `html` makes it. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = Markup | string | number | null | readonly Piece[]

/** Markup from a template; values are escaped, lists are joined, null is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  return new Markup(parts.map((part, index) => (index === 0 ? part : print(values[index - 1] ?? null) + part)).join(''))
}

/** Untrusted text: its own writing direction, and hidden characters as escapes, as on the page. */
export function untrusted(text: string): Markup {
  return html`<bdi>${visible(text)}</bdi>`
}

/** Untrusted text of several lines, each in the direction of what stands in it. */
export function untrustedLines(text: string): Markup {
  return html`<pre dir="auto">${visible(text)}</pre>`
}

/** The text with hidden characters as escapes, for places that take no markup. */
export function visible(text: string): string {
  return splitEscapes(text)
    .map((part) => part.text)
    .join('')
}

function print(piece: Piece): string {
  if (piece === null) return ''
  if (piece instanceof Markup) return piece.text
  if (typeof piece === 'object') return piece.map(print).join('')
  return String(piece).replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`)
}
