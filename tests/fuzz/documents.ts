/** Well-formed files to begin from, small and full of what readers stumble over. */
import { gzipSync } from 'node:zlib'
import type { Random } from './random.ts'

const words: readonly [string, ...string[]] = [
  ...([
    '',
    'a',
    'the quick brown fox',
    'é',
    '日本',
    '😀',
    'x\u2028y',
    'n\u0085l',
    'tab\there',
    'say "hi"',
    'back\\slash',
    'a,b',
    "it's",
  ] as const),
  ...[
    '2024-01-01',
    '2024-01-01T10:00:00Z',
    '5',
    '[1]',
    '{"a":1}',
    'null',
    'NaN',
    'NA',
    'True',
    '1e5',
    '007',
    ' padded ',
    'line\nbreak',
    '\u0000',
    '__proto__',
  ],
]
const names: readonly [string, ...string[]] = [
  'a',
  'b',
  'question',
  'choices',
  '__proto__',
  'constructor',
  'toString',
  '1',
  '0',
  'é',
  '',
  'a.b',
]
const numbers: readonly [string, ...string[]] = [
  '0',
  '1',
  '-1',
  '1.0',
  '1.5',
  '-0',
  '0.1',
  '1e2',
  '9007199254740993',
  '9223372036854775807',
  '5e-324',
  '12345678901234567890',
]

/** JSON text of a value. Depth is at most `room`. */
export function jsonValue(random: Random, room: number): string {
  const kind = random.below(room > 0 ? 10 : 7)
  if (kind < 3) return JSON.stringify(random.pick(words))
  if (kind < 5) return random.pick(numbers)
  if (kind === 5) return random.pick(['true', 'false', 'null'])
  if (kind === 6) return random.chance(10) ? random.pick(['NaN', 'Infinity', '-Infinity']) : JSON.stringify(random.pick(words))
  if (kind < 9) return `[${list(random, random.below(4), () => jsonValue(random, room - 1)).join(random.pick([',', ', ']))}]`
  return jsonObject(random, room - 1)
}

/** JSON text of an object with names that differ. */
export function jsonObject(random: Random, room: number): string {
  const keys = [...new Set(list(random, random.below(4), () => random.pick(names)))]
  return `{${keys.map((key) => `${JSON.stringify(key)}:${jsonValue(random, room)}`).join(',')}}`
}

function list<T>(_random: Random, count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

/** Rows of one shape, or of many; line ends of every kind. */
export function jsonlText(random: Random): string {
  const rows = 1 + random.below(6)
  const end = random.pick(['\n', '\n', '\n', '\r\n'])
  const keys = [...new Set(list(random, 1 + random.below(4), () => random.pick(names)))]
  const kinds = keys.map(() => random.below(4))
  const cell = (kind: number): string => {
    if (kind === 0) return JSON.stringify(random.pick(words))
    if (kind === 1) return random.pick(numbers)
    return kind === 2 ? random.pick(['true', 'false', 'null']) : jsonValue(random, 2)
  }
  const isUniform = random.chance(70)
  const lines = list(random, rows, () =>
    isUniform ? `{${keys.map((key, at) => `${JSON.stringify(key)}: ${cell(kinds[at] ?? 3)}`).join(', ')}}` : jsonObject(random, 2),
  )
  return (random.chance(5) ? '\uFEFF' : '') + lines.join(end) + (random.chance(80) ? end : '')
}

export function jsonText(random: Random): string {
  if (random.chance(10)) return jsonObject(random, 3)
  const space = random.pick(['', '\n', '\n  ', ' '])
  const items = list(random, random.below(6), () => (random.chance(85) ? jsonObject(random, 2) : jsonValue(random, 1)))
  return `[${space}${items.join(`,${space}`)}${random.pick(['', '\n'])}]${random.pick(['', '\n'])}`
}

export function csvText(random: Random): string {
  const width = 1 + random.below(4)
  const end = random.pick(['\n', '\n', '\r\n', '\r'])
  const field = (): string => {
    const text = random.chance(40) ? random.pick(numbers) : random.pick(words)
    return /[",\n\r]/.test(text) || random.chance(10) ? `"${text.replaceAll('"', '""')}"` : text
  }
  const header = list(random, width, (at) => (random.chance(70) ? `c${at}` : random.pick(names))).join(',')
  const lines = list(random, random.below(8), () => list(random, width, field).join(','))
  return [header, ...lines].join(end) + (random.chance(80) ? end : '')
}

/** One member or several, of any level, with and without a name. */
export function packed(random: Random, text: Uint8Array): Uint8Array {
  const cut = random.chance(25) ? random.below(text.length) : text.length
  const parts = [text.subarray(0, cut), ...(cut < text.length ? [text.subarray(cut)] : [])]
  const members = parts.map((part) => {
    const member = gzipSync(part, { level: random.below(10) })
    if (!random.chance(15)) return member
    // A header with the file's name in it.
    const head = Buffer.from(member.subarray(0, 10))
    head[3] = 8
    return Buffer.concat([head, Buffer.from('rows.jsonl\0'), member.subarray(10)])
  })
  if (random.chance(5)) members.push(Buffer.alloc(random.below(20)))
  return new Uint8Array(Buffer.concat(members))
}
