/** Python 3.11's `str` methods over JS strings. Lengths and positions count code points, and white space is Python's. */

const space = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const spaceRun = new RegExp(`${space}+`)
const onlySpace = new RegExp(`^${space}+$`)
const leadingSpace = new RegExp(`^${space}+`)
// oxlint-disable-next-line no-control-regex -- Python ends lines at these too
const lineBreak = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/
const surrogate = /[\ud800-\udfff]/
/** Numeric type Digit without being decimal: superscripts, circled digits and the like (Unicode 14.0). */
const otherDigits =
  '\\u00b2\\u00b3\\u00b9\\u1369-\\u1371\\u19da\\u2070\\u2074-\\u2079\\u2080-\\u2089\\u2460-\\u2468\\u2474-\\u247c\\u2488-\\u2490\\u24ea\\u24f5-\\u24fd\\u24ff' +
  '\\u2776-\\u277e\\u2780-\\u2788\\u278a-\\u2792\\u{10a40}-\\u{10a43}\\u{10e60}-\\u{10e68}\\u{11052}-\\u{1105a}\\u{1f100}-\\u{1f10a}'
const onlyDigits = new RegExp(`^[\\p{Nd}${otherDigits}]+$`, 'u')

/** `len(text)`: code points. */
export function length(text: string): number {
  return surrogate.test(text) ? Array.from(text).length : text.length
}

/** The text as its code points, one string each. */
export function codePoints(text: string): readonly string[] {
  return surrogate.test(text) ? Array.from(text) : text.split('')
}

/** The UTF-16 offset of a code point's position. */
function offsetOf(text: string, position: number): number {
  return surrogate.test(text) ? Array.from(text).slice(0, position).join('').length : Math.min(position, text.length)
}

/** `text.isspace()` */
export function isSpace(text: string): boolean {
  return onlySpace.test(text)
}

/** `text.isdigit()`, superscripts and circled digits included. */
export function isDigit(text: string): boolean {
  return onlyDigits.test(text)
}

export function isDecimal(text: string): boolean {
  return /^\p{Nd}+$/u.test(text)
}

export function isNumeric(text: string): boolean {
  return /^\p{N}+$/u.test(text)
}

export function isAlpha(text: string): boolean {
  return /^\p{L}+$/u.test(text)
}

export function isAlnum(text: string): boolean {
  return /^[\p{L}\p{N}]+$/u.test(text)
}

/** `text.islower()`: at least one cased character, and none of them upper or title case. */
export function isLower(text: string): boolean {
  return /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)
}

export function isUpper(text: string): boolean {
  return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)
}

/** `text.isascii()` */
export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text)
}

/** `text.strip(characters)`; null = white space. */
export function strip(text: string, characters: string | null = null): string {
  return lstrip(rstrip(text, characters), characters)
}

export function lstrip(text: string, characters: string | null = null): string {
  if (characters === null) return text.replace(leadingSpace, '')
  const set = new Set(characters)
  let start = 0
  for (const c of text) {
    if (!set.has(c)) break
    start += c.length
  }
  return text.slice(start)
}

export function rstrip(text: string, characters: string | null = null): string {
  const points = codePoints(text)
  const set = characters === null ? null : new Set(characters)
  let end = points.length
  while (end > 0 && isStripped(points[end - 1] ?? '', set)) end--
  return end === points.length ? text : points.slice(0, end).join('')
}

function isStripped(c: string, set: ReadonlySet<string> | null): boolean {
  return set === null ? onlySpace.test(c) : set.has(c)
}

/** `text.split(separator, limit)`; a null separator splits at runs of white space, a limit below 0 is none. */
export function split(text: string, separator: string | null = null, limit = -1): string[] {
  const parts: string[] = []
  let rest = separator === null ? lstrip(text) : text
  while (limit < 0 || parts.length < limit) {
    const found = separator === null ? spaceRun.exec(rest) : null
    const at = separator === null ? (found?.index ?? -1) : rest.indexOf(separator)
    if (at < 0) break
    parts.push(rest.slice(0, at))
    rest = rest.slice(at + (separator?.length ?? found?.[0].length ?? 0))
  }
  if (separator !== null || rest !== '') parts.push(rest)
  return parts
}

/** `text.rsplit(separator, limit)`: as `split`, counted from the right. */
export function rsplit(text: string, separator: string | null = null, limit = -1): string[] {
  if (limit < 0) return split(text, separator)
  const mirror = (part: string): string => [...codePoints(part)].reverse().join('')
  return split(mirror(text), separator === null ? null : mirror(separator), limit)
    .map(mirror)
    .reverse()
}

/** `text.splitlines(keepends)` with all of Python's line ends. */
export function splitLines(text: string, keepEnds = false): string[] {
  const lines: string[] = []
  let rest = text
  while (rest !== '') {
    const end = lineBreak.exec(rest)
    if (end === null) {
      lines.push(rest)
      break
    }
    lines.push(rest.slice(0, end.index + (keepEnds ? end[0].length : 0)))
    rest = rest.slice(end.index + end[0].length)
  }
  return lines
}

export function lower(text: string): string {
  return text.toLowerCase()
}

export function upper(text: string): string {
  return text.toUpperCase()
}

/** Title-case characters, each followed by the ones that it is the title case of. */
const titleRows = ['ǅǄǅǆ', 'ǈǇǈǉ', 'ǋǊǋǌ', 'ǲǱǲǳ', 'ᾼᾳᾼ', 'ῌῃῌ', 'ῼῳῼ']
const titles: ReadonlyMap<string, string> = new Map(
  titleRows.flatMap((row) => Array.from(row.slice(1), (c): [string, string] => [c, row.charAt(0)])),
)

/** The title case of one code point: upper case but for digraphs, ligatures, Georgian, and Greek with iota subscript. */
function titleOf(c: string): string {
  const known = titles.get(c)
  if (known !== undefined) return known
  const code = c.codePointAt(0) ?? 0
  if (code >= 0x10d0 && code <= 0x10ff) return c
  if (code >= 0x1f80 && code <= 0x1faf) return String.fromCodePoint(code | 8)
  const up = c.toUpperCase()
  if (code >= 0x1fb2 && code <= 0x1ff7 && up.endsWith('Ι')) {
    const base = up.slice(0, -1)
    return base.endsWith('͂') ? `${titleOf(iotaForms.get(base.charAt(0)) ?? '')}͂` : `${base}ͅ`
  }
  const isLigature = c === 'ß' || c === 'և' || (code >= 0xfb00 && code <= 0xfb17)
  return isLigature ? up.charAt(0) + up.slice(1).toLowerCase() : up
}

const iotaForms: ReadonlyMap<string, string> = new Map([
  ['Α', 'ᾳ'],
  ['Η', 'ῃ'],
  ['Ω', 'ῳ'],
])

/** `text.capitalize()`: title case for the first character, lower case for the rest. */
export function capitalize(text: string): string {
  const [first = '', ...rest] = codePoints(text)
  // The letter before the rest decides the form of a final sigma.
  const lead = /[\p{Lowercase}\p{Uppercase}\p{Lt}]/u.test(first) ? 'a' : ''
  return titleOf(first) + (lead + rest.join('')).toLowerCase().slice(lead.length)
}

/** `text.title()`: every run of cased letters begins in title case. */
export function title(text: string): string {
  return text.replace(/[\p{Lowercase}\p{Uppercase}\p{Lt}]+/gu, capitalize)
}

/** `text.swapcase()`, save that a final capital sigma becomes the ordinary small one. */
export function swapCase(text: string): string {
  return Array.from(text, (c) => (/\p{Uppercase}/u.test(c) ? c.toLowerCase() : /\p{Lowercase}/u.test(c) ? c.toUpperCase() : c)).join('')
}

/** `text.replace(old, new, count)`; a count below 0 replaces all. */
export function replace(text: string, from: string, to: string, count = -1): string {
  if (count < 0) return from === '' ? spread(text, to, Infinity) : text.split(from).join(to)
  if (from === '') return spread(text, to, count)
  const parts = split(text, from, count)
  return parts.join(to)
}

/** `text.replace('', to, count)`: before every character and at the end. */
function spread(text: string, to: string, count: number): string {
  const points = codePoints(text)
  let out = ''
  points.forEach((c, index) => (out += (index < count ? to : '') + c))
  return points.length < count ? out + to : out
}

/** `text.find(part, start, end)` in code points; -1 when absent. */
export function find(text: string, part: string, start = 0, end: number | null = null): number {
  return search(text, part, start, end, (inside) => inside.indexOf(part))
}

export function rfind(text: string, part: string, start = 0, end: number | null = null): number {
  return search(text, part, start, end, (inside) => inside.lastIndexOf(part))
}

function search(text: string, part: string, start: number, end: number | null, locate: (inside: string) => number): number {
  const size = length(text)
  const from = clampIndex(start, size)
  const to = end === null ? size : clampIndex(end, size)
  if (from > to || start > size) return -1
  const inside = text.slice(offsetOf(text, from), offsetOf(text, to))
  if (part === '') return locate(inside) === 0 ? from : to
  const at = locate(inside)
  return at < 0 ? -1 : from + length(inside.slice(0, at))
}

/** `text.count(part)`: occurrences that don't overlap. */
export function count(text: string, part: string): number {
  return part === '' ? length(text) + 1 : text.split(part).length - 1
}

/** An index as slices take it: negative from the end, then held within the text. */
export function clampIndex(index: number, size: number): number {
  return Math.max(0, Math.min(size, index < 0 ? index + size : index))
}

/** `text.partition(separator)`: before, the separator, after; the text and two empty strings when absent. */
export function partition(text: string, separator: string): [string, string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, '', ''] : [text.slice(0, at), separator, text.slice(at + separator.length)]
}

export function rpartition(text: string, separator: string): [string, string, string] {
  const at = text.lastIndexOf(separator)
  return at < 0 ? ['', '', text] : [text.slice(0, at), separator, text.slice(at + separator.length)]
}

export function ljust(text: string, width: number, fill = ' '): string {
  return text + fill.repeat(Math.max(0, width - length(text)))
}

export function rjust(text: string, width: number, fill = ' '): string {
  return fill.repeat(Math.max(0, width - length(text))) + text
}

/** `text.center(width, fill)`: the odd one goes left when the width is odd, as in CPython. */
export function center(text: string, width: number, fill = ' '): string {
  const missing = Math.max(0, width - length(text))
  const left = Math.floor(missing / 2) + (missing & width & 1)
  return fill.repeat(left) + text + fill.repeat(missing - left)
}

export function zfill(text: string, width: number): string {
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  return sign + rjust(text.slice(sign.length), width - sign.length, '0')
}

/** `text.expandtabs(size)` */
export function expandTabs(text: string, size = 8): string {
  let column = 0
  return Array.from(text, (c) => {
    if (c === '\t') {
      const width = size > 0 ? size - (column % size) : 0
      column += width
      return ' '.repeat(width)
    }
    column = c === '\n' || c === '\r' ? 0 : column + 1
    return c
  }).join('')
}

/** `str.casefold`: Unicode's full case folding. */
export function caseFold(self: string): string {
  return Array.from(self, foldCharacter).join('')
}

/** Folding is lower case of the upper case of lower case, but for the dotless i, which stays, and Cherokee, which folds to its capitals. */
function foldCharacter(character: string): string {
  if (character === 'ı') return character
  return /\p{Script=Cherokee}/u.test(character)
    ? character.toUpperCase()
    : character.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}
