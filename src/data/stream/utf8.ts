/**
 * UTF-8 as text in the heap of JavaScript.
 *
 * A browser's TextDecoder gives strings whose content lies outside that heap. Those are freed by full collections alone, which such memory
 * asks for only every 64 MB: streaming through it would cost that much for nothing.
 */

const partUnits = 256

/**
 * Units on their way into a text. A list as JavaScript has them, and always of this length: `apply` takes its numbers where they lie, and would
 * copy those of a typed array.
 */
const part: number[] = Array.from({ length: partUnits }, () => 0)

/** The text of the bytes, or null when they aren't UTF-8 (by the rules of a `fatal` TextDecoder). A byte order mark is kept. */
export function decodeUtf8Text(bytes: Uint8Array): string | null {
  const { length } = bytes
  let text = ''
  let units = 0
  let at = 0
  while (at < length) {
    let unit = bytes[at] ?? 0
    if (unit < 0x80) at += 1
    else {
      const code = readCharacter(bytes, at, unit)
      if (code === -1) return null
      if (code > 0xffff) {
        part[units++] = 0xd7c0 + (code >> 10)
        if (units === partUnits) {
          text += String.fromCharCode.apply(null, part)
          units = 0
        }
        unit = 0xdc00 + (code & 0x3ff)
        at += 4
      } else {
        unit = code
        at += code > 0x7ff ? 3 : 2
      }
    }
    part[units++] = unit
    if (units === partUnits) {
      text += String.fromCharCode.apply(null, part)
      units = 0
    }
  }
  if (units === 0) return text
  // What an earlier text left there could make this one twice as large.
  part.fill(0, units)
  return text + String.fromCharCode.apply(null, part).slice(0, units)
}

/** The character of two to four bytes that begins with `first`; -1 for none. Overlong forms and surrogates are none. */
function readCharacter(bytes: Uint8Array, at: number, first: number): number {
  const second = (bytes[at + 1] ?? 0) ^ 0x80
  if (second > 0x3f || at + 1 >= bytes.length) return -1
  if (first < 0xe0) return first < 0xc2 ? -1 : ((first & 0x1f) << 6) | second
  const third = (bytes[at + 2] ?? 0) ^ 0x80
  if (third > 0x3f || at + 2 >= bytes.length) return -1
  if (first < 0xf0) {
    const code = ((first & 0x0f) << 12) | (second << 6) | third
    return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? -1 : code
  }
  const fourth = (bytes[at + 3] ?? 0) ^ 0x80
  if (fourth > 0x3f || at + 3 >= bytes.length) return -1
  const code = ((first & 0x07) << 18) | (second << 12) | (third << 6) | fourth
  return first > 0xf4 || code < 0x10000 || code > 0x10ffff ? -1 : code
}
