/**
 * Unicode as the `tokenizers` library (0.22.2) knows it, whatever the engine knows: its regular expressions know 16.0, its normal forms 9.0. A
 * character that is younger is a character without properties to it. Golden: tests/goldens/unicode.
 */
import { unassignedIn16, withoutNormalForm } from './unicode-tables.ts'

type NormalForm = 'NFC' | 'NFD' | 'NFKC' | 'NFKD'

/** `#` joins nothing: U+0295 is a lower-case letter in 16.0 and none in 17.0. */
const standsFor = new RegExp(`[${unassignedIn16}\\u0295]`, 'gu')
const keptAsTheyAre = new RegExp(`([${unassignedIn16}${withoutNormalForm}]+)`, 'u')

/** The text's normal form. Characters without one in 9.0 stay, and nothing is composed or reordered across them. */
export function normalizeAsPython(text: string, form: NormalForm): string {
  if (!keptAsTheyAre.test(text)) return text.normalize(form)
  return text
    .split(keptAsTheyAre)
    .map((part, place) => (place % 2 === 1 ? part : part.normalize(form)))
    .join('')
}

/** Whether an engine may see letters, digits or marks in the text where Python sees none. */
export function looksYounger(text: string): boolean {
  standsFor.lastIndex = 0
  return standsFor.test(text)
}

/** The text for matching: what 16.0 doesn't know is a noncharacter of the same length in UTF-16 units. */
function asIn16(text: string): string {
  return text.replace(standsFor, (character) => (character === '\u0295' ? '\u00df' : character.length === 1 ? '\uffff' : '\u{10ffff}'))
}

/** A regular expression with `\p{…}` as in Unicode 16.0. Slower than a plain one, for texts that `looksYounger`. */
export class RegExpOf16 extends RegExp {
  #seen = ''
  #text = ''

  override exec(text: string): RegExpExecArray | null {
    if (this.#seen !== text) [this.#seen, this.#text] = [text, asIn16(text)]
    const match = super.exec(this.#text)
    if (match === null) return null
    const start = match.index
    // Groups have no use in splitting; only the whole match is read.
    match[0] = text.slice(start, start + match[0].length)
    match.input = text
    return match
  }
}
