import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonFloat, parseJsonValues, type JsonNode } from '../../../src/data/decode/json-parser.ts'

/** As `JSON.parse` gives it; the integer -0 is 0 in a dataset. */
function plain(node: JsonNode): unknown {
  if (node instanceof JsonFloat) return node.value === 0 ? 0 : node.value
  if (typeof node === 'number') return node + 0
  if (typeof node === 'bigint') return Number(node)
  if (node instanceof Map) return Object.fromEntries([...node].map(([key, value]) => [key, plain(value as JsonNode)])) // A map of nodes, by its type.
  return Array.isArray(node) ? node.map((item: JsonNode) => plain(item)) : node
}

function parseByPlatform(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => (value === 0 ? 0 : value))
}

const values = fc.jsonValue({ noUnicodeString: false }).filter((value) => !/\\u|\p{Surrogate}/u.test(JSON.stringify(value)))

describe('the JSON parser', () => {
  it('agrees with JSON.parse on what that writes', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(parseJsonValues(text, 'f').map(plain)).toEqual([parseByPlatform(text)])
      }),
      { numRuns: 500 },
    )
  })

  it('accepts or refuses as JSON.parse does, whatever is cut or changed', () => {
    const inserted = fc.constantFrom('', '{', '}', '[', ']', '"', ',', ':', '1', '-', '.', 'e', '\\', 'n', ' ')
    fc.assert(
      fc.property(values, fc.nat(), inserted, fc.nat({ max: 2 }), (value, at, insert, cut) => {
        const text = Array.from(JSON.stringify(value))
        const start = at % (text.length + 1)
        const changed = [...text.slice(0, start), insert, ...text.slice(start + cut)].join('')
        const expected = attempt(() => [parseByPlatform(changed)])
        const found = attempt(() => parseJsonValues(changed, 'f').map(plain))
        if (found instanceof Error) expect(found).toMatchObject({ code: 'dataset/malformed', details: { file: 'f' } })
        // We refuse more: a key that comes twice, a float that overflows. And accept more: no value, or several.
        const isStricter = found instanceof Error && /comes twice|too large|surrogate/.test(found.message)
        const isMore = Array.isArray(found) && found.length !== 1
        if (isStricter || isMore) return
        if (expected instanceof Error) expect(found).toBeInstanceOf(Error)
        else expect(found).toEqual(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['{"a":1}\n{"a" 2}\n', 2, 6],
    ['{"a":1}\r\n{"a":x}\r\n', 2, 6],
    ['{\n  "a": [1,\n  2\n}', 4, 1],
    ['\n\n[1, 2', 3, 6],
    ['{"a":"x', 1, 8],
  ])('says where the error is in %j', (text, line, column) => {
    try {
      parseJsonValues(text, 'rows.jsonl')
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ code: 'dataset/malformed', details: { file: 'rows.jsonl', line, column } })
    }
  })

  it('reads integers of any length whole, whatever follows them', () => {
    const ends = ['', ' ', '\n', '\r\n', '\t']
    for (const digits of ['0', '7', '10', '123456789012345', '1234567890123456', '9007199254740993', '9223372036854775807']) {
      for (const text of [digits, `-${digits}`]) {
        for (const end of ends) expect(Number(parseJsonValues(`${text}${end}`, 'f')[0])).toBe(Number(text))
        const [list] = parseJsonValues(`[${text},${text} , {"a":${text}}]`, 'f')
        const wanted = Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text)
        expect(list).toEqual([wanted, wanted, new Map([['a', wanted]])])
      }
    }
  })

  it.each(['01', '-', '--1', '-01', '1_0', '1a', '+1', '1:2', '[1;2]', '[1"a"]', '00', '1.'])('refuses %s as a number', (text) => {
    expect(() => parseJsonValues(text, 'f')).toThrow(/line 1, column/)
  })

  it('refuses half of a surrogate pair, and takes whole ones, escaped or not', () => {
    for (const text of [
      String.raw`"\ud83d"`,
      String.raw`"a\ude00b"`,
      String.raw`"\ude00\ud83d"`,
      String.raw`["ok","\ud83d\n"]`,
      '"\ud83d"',
      '"😀\ude00"',
    ])
      expect(() => parseJsonValues(text, 'f')).toThrow(/half of a surrogate pair/)
    for (const text of [String.raw`"\ud83d\ude00"`, '"😀"', String.raw`"\ud83d` + '\ude00"'])
      expect(parseJsonValues(text, 'f')).toEqual(['😀'])
  })

  it('refuses nesting that would overflow the stack', () => {
    expect(() => parseJsonValues('['.repeat(100_000), 'f')).toThrow(/nested deeper/)
    expect(() => parseJsonValues('{"a":'.repeat(100_000), 'f')).toThrow(/nested deeper/)
  })

  it('leaves prototypes alone', () => {
    const [node] = parseJsonValues('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}', 'f')
    expect(Object.getPrototypeOf(plain(node ?? null))).toBe(Object.prototype)
    expect('polluted' in {}).toBe(false)
  })
})

function attempt<T>(run: () => T): T | Error {
  try {
    return run()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
