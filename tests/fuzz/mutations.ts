/** Damage: to any bytes, and such as each format feels most. */
import type { Random } from './random.ts'

/** `bytes` with one to four changes, mostly one. `tokens` are what the format gives a meaning; `other` is a file to splice from. */
export function mutate(random: Random, bytes: Uint8Array, tokens: readonly [string, ...string[]], other: Uint8Array): Uint8Array {
  let changed = bytes
  for (let count = random.chance(60) ? 1 : 2 + random.below(3); count > 0; count--) changed = change(random, changed, tokens, other)
  return changed
}

function change(random: Random, bytes: Uint8Array, tokens: readonly [string, ...string[]], other: Uint8Array): Uint8Array {
  const at = random.below(bytes.length + 1)
  const length = random.chance(80) ? 1 + random.below(8) : random.below(bytes.length)
  switch (random.below(10)) {
    case 0:
      return replaced(bytes, at, 1, [(bytes[at] ?? 0) ^ (1 << random.below(8))])
    case 1:
      return replaced(bytes, at, 1, [random.pick([0, 0x0a, 0x0d, 0x1f, 0x20, 0x22, 0x5c, 0x7f, 0x80, 0xc3, 0xed, 0xff])])
    case 2:
      return replaced(bytes, at, length, [])
    case 3:
      return bytes.slice(0, at)
    case 4:
      return replaced(bytes, at, 0, bytes.slice(at, at + length))
    case 5: {
      const from = random.below(other.length)
      return replaced(bytes, at, random.chance(50) ? length : 0, other.slice(from, from + 1 + random.below(40)))
    }
    case 6:
      return replaced(bytes, at, length, bytes.slice(0, random.below(bytes.length)))
    default:
      return replaced(bytes, at, random.chance(30) ? length : 0, new TextEncoder().encode(random.pick(tokens)))
  }
}

function replaced(bytes: Uint8Array, at: number, length: number, by: ArrayLike<number>): Uint8Array {
  const end = Math.min(bytes.length, at + length)
  const result = new Uint8Array(at + by.length + bytes.length - end)
  result.set(bytes.subarray(0, at))
  result.set(by, at)
  result.set(bytes.subarray(end), at + by.length)
  return result
}

export const jsonTokens: readonly [string, ...string[]] = [
  ...([
    '"',
    '\\',
    '\\u',
    '\\ud800',
    '\\udc00',
    '\\u0000',
    '\\x',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '\n',
    '\r\n',
    '\r',
    '\n\n',
    ' ',
    '\t',
  ] as const),
  ...[
    'NaN',
    '-Infinity',
    '1e400',
    '-1e-400',
    '123456789012345678901234567890',
    '.5',
    '1.',
    '01',
    '-',
    'true',
    'nul',
    '\uFEFF',
    '\u2028',
    '\u0085',
    '\u000b',
  ],
  ...[
    '"__proto__":{"polluted":1},',
    '"constructor":1,',
    '{}',
    '[]',
    '{"a":1}',
    '/*x*/',
    "'",
    '[[[[[[[[',
    '{"a":{"a":{"a":',
    '\u00e9',
    '\u{1f600}',
    '"a":1,"a":2',
  ],
]

export const csvTokens: readonly [string, ...string[]] = [
  ...([
    '"',
    '""',
    '"""',
    ',',
    ',,',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    ' ',
    '\t',
    ' "',
    '" ',
    '","',
    '"\n"',
    'NA',
    'NaN',
    'null',
    'True',
    'false',
  ] as const),
  ...[
    '1',
    '-1.5',
    '1e400',
    'inf',
    '9223372036854775808',
    '99999999999999999999',
    '+5',
    '0x1F',
    '1_000',
    '\uFEFF',
    '\u0000',
    '\u2028',
    '\u00e9',
    '__proto__',
    ';',
    '|',
    "'",
  ],
]

export const gzipTokens: readonly [string, ...string[]] = [
  '\u001f',
  '\u0000',
  '\u0000\u0000\u0000\u0000',
  '\u0008',
  '\u0001',
  '\u007f\u007f\u007f\u007f',
]

/** A change where gzip keeps what it needs: flags, method, checksum, length, or a second member. */
export function mutateGzip(random: Random, bytes: Uint8Array): Uint8Array {
  const tail = bytes.length - 8
  switch (random.below(7)) {
    case 0:
      return replaced(bytes, 3, 1, [random.below(256)])
    case 1:
      return replaced(bytes, 2, 1, [random.below(16)])
    case 2:
      return replaced(bytes, Math.max(0, tail + random.below(4)), 1, [random.below(256)])
    case 3:
      return replaced(bytes, Math.max(0, tail + 4 + random.below(4)), 1, [random.below(256)])
    case 4:
      return replaced(bytes, bytes.length, 0, bytes)
    case 5:
      return replaced(bytes, bytes.length, 0, new Uint8Array(random.below(12)))
    default:
      return replaced(bytes, bytes.length, 0, bytes.subarray(0, random.below(bytes.length)))
  }
}

/** A change where parquet keeps what it needs: the footer and its length, numbers in it, page headers. */
export function mutateParquet(random: Random, bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const footerBytes = bytes.length > 12 ? view.getUint32(bytes.length - 8, true) : 0
  const footer = Math.max(4, bytes.length - 8 - footerBytes)
  const inFooter = footer + random.below(Math.max(1, bytes.length - 8 - footer))
  switch (random.below(7)) {
    case 0:
      return replaced(bytes, bytes.length - 8 + random.below(4), 1, [random.below(256)])
    case 1:
      // A number that goes on and on.
      return replaced(bytes, inFooter, 1, [0xff])
    case 2:
      return replaced(bytes, inFooter, 5, [0xff, 0xff, 0xff, 0xff, 0x7f])
    case 3:
      return replaced(bytes, inFooter, 1, [random.below(256)])
    case 4:
      return replaced(bytes, 4 + random.below(40), 1, [random.below(256)])
    case 5:
      return replaced(bytes, 4 + random.below(Math.max(1, footer - 4)), 1, [random.below(256)])
    default:
      return replaced(bytes, random.pick([0, bytes.length - 4]) + random.below(4), 1, [random.below(256)])
  }
}
