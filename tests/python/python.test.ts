/** Python's values: printing, comparing, reading back. Expected texts are CPython 3.11's. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isEvalError } from '../../src/base/errors.ts'
import { literalEval } from '../../src/python/literal.ts'
import { PyRandom } from '../../src/python/random.ts'
import * as text from '../../src/python/string.ts'
import { docsOfTable } from '../../src/python/cells.ts'
import {
  dictGet,
  encodeKey,
  jsonDumps,
  pyEquals,
  PyFloat,
  pyFloat,
  pyTuple,
  repr,
  str,
  toJson,
  type PyValue,
} from '../../src/python/value.ts'

const dict = (...entries: [string, PyValue][]): PyValue => new Map(entries)

describe('repr and str', () => {
  const printed: [PyValue, string][] = [
    [null, 'None'],
    [true, 'True'],
    [3, '3'],
    [12345678901234567890n, '12345678901234567890'],
    [new PyFloat(1), '1.0'],
    [pyFloat(-0), '-0.0'],
    [0.1, '0.1'],
    [1e-5, '1e-05'],
    [0.0001, '0.0001'],
    [pyFloat(1e16), '1e+16'],
    [pyFloat(123456789012345680), '1.2345678901234568e+17'],
    [pyFloat(1e15), '1000000000000000.0'],
    [5e-324, '5e-324'],
    [pyFloat(Infinity), 'inf'],
    [pyFloat(NaN), 'nan'],
    ["it's", '"it\'s"'],
    ['a\'b"c', "'a\\'b\"c'"],
    ['\t\n\\\x7f\u00a0\u200b\ufeffé😀\u{e0001}', "'\\t\\n\\\\\\x7f\\xa0\\u200b\\ufeffé😀\\U000e0001'"],
    ['\ud800', "'\\ud800'"],
    [[1, 'a', [null]], "[1, 'a', [None]]"],
    [pyTuple([1]), '(1,)'],
    [pyTuple([]), '()'],
    [dict(['a', 1], [encodeKey(2), 'b'], [encodeKey(pyTuple([1, 'x'])), null]), "{'a': 1, 2: 'b', (1, 'x'): None}"],
  ]
  it.each(printed.map(([value, expected]) => ({ value, expected })))('prints $expected', ({ value, expected }) => {
    expect(repr(value)).toBe(expected)
  })

  it('prints text as it is, but quotes it inside a list', () => {
    expect(str("it's")).toBe("it's")
    expect(str(["it's"])).toBe('["it\'s"]')
  })
})

describe('equality', () => {
  it('counts 1, 1.0 and True as equal, and lists and tuples as different', () => {
    expect(pyEquals(1, new PyFloat(1))).toBe(true)
    expect(pyEquals(true, 1)).toBe(true)
    expect(pyEquals([1], pyTuple([1]))).toBe(false)
    expect(pyEquals('1', 1)).toBe(false)
  })

  it('compares dicts without regard to order and finds equal keys of other types', () => {
    expect(pyEquals(dict(['a', 1], ['b', 2]), dict(['b', 2], ['a', 1]))).toBe(true)
    expect(dictGet(new Map([[encodeKey(1), 'one']]), true)).toBe('one')
    expect(dictGet(new Map([['__proto__', 'safe']]), '__proto__')).toBe('safe')
  })
})

describe('literalEval', () => {
  it.each<[string, string]>([
    ["[1, 2.0, 'a', None, True,]", "[1, 2.0, 'a', None, True]"],
    ['\'a\' "b"', "'ab'"],
    ['[1,\n 2 # two\n]', '[1, 2]'],
    ["{'a': (1,), 2: -3}", "{'a': (1,), 2: -3}"],
    ['1, 2', '(1, 2)'],
    ["r'\\n'", "'\\\\n'"],
    ["'\\x41\\u00e9\\101\\q'", "'AéA\\\\q'"],
    ['1_000', '1000'],
    ['0x1F', '31'],
    ['1e400', 'inf'],
    ['00', '0'],
  ])('reads %s', (source, expected) => {
    expect(repr(literalEval(source))).toBe(expected)
  })

  it.each(['01', '--1', '-(+1)', '[1 2]', 'nan', '[1', "'open", '1 + 2', 'x', '', '[,]', '1if', "'a'b", '²'])('refuses %s', (source) => {
    expect(() => literalEval(source)).toThrow(expect.objectContaining({ code: 'task/invalid' }))
  })

  it('reads back what repr prints', () => {
    const value: fc.Arbitrary<PyValue> = fc.letrec<{ value: PyValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constant(null),
        fc.boolean(),
        fc.maxSafeInteger(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map(pyFloat),
        fc.string({ unit: 'binary' }),
        fc.array(tie('value')),
        fc.array(fc.tuple(fc.string(), tie('value'))).map((entries) => new Map(entries)),
      ),
    })).value
    fc.assert(fc.property(value, (one) => pyEquals(literalEval(repr(one)), one)))
  })
})

describe('jsonDumps', () => {
  it('writes what json.dumps writes with ensure_ascii=False', () => {
    const value = dict(['a', new PyFloat(2)], ['é"\\', ['\x01\x7f', null, 1e-5]], [encodeKey(true), pyFloat(NaN)])
    expect(jsonDumps(value)).toBe('{"a": 2.0, "é\\"\\\\": ["\\u0001\x7f", null, 1e-05], "true": NaN}')
    expect(jsonDumps(dict(['a', [1]], ['b', []]), { indent: 2 })).toBe('{\n  "a": [\n    1\n  ],\n  "b": []\n}')
  })
})

describe('docsOfTable', () => {
  it('prints an integral value of a float column as a float, and keeps the order of fields', () => {
    const table = {
      columns: [
        { name: 'x', type: 'float64' as const },
        { name: 'r', type: { struct: [['b', 'int64'] as const, ['1', 'string'] as const] } },
      ],
      rows: [[1, { '1': 'z', b: 2 }]],
    }
    expect(docsOfTable(table).map(repr)).toEqual(["{'x': 1.0, 'r': {'b': 2, '1': 'z'}}"])
    expect(toJson(docsOfTable(table)[0] ?? null)).toEqual({ x: 1, r: { '1': 'z', b: 2 } })
  })
})

describe('text methods', () => {
  it('strips what Python calls white space and nothing else', () => {
    expect(text.strip('\x1c\x85 a \ufeff\u3000')).toBe('a \ufeff')
    expect(text.strip('xxaxx', 'x')).toBe('a')
  })

  it('counts code points', () => {
    expect(text.length('é😀')).toBe(2)
    expect(text.find('😀a😀b', 'b')).toBe(3)
    expect(text.find('abc', 'c', -1)).toBe(2)
  })

  it('splits as Python splits', () => {
    expect(text.split('  a  b c ', null, 1)).toEqual(['a', 'b c '])
    expect(text.split('a,,b', ',')).toEqual(['a', '', 'b'])
    expect(text.rsplit('a b c', null, 1)).toEqual(['a b', 'c'])
    expect(text.splitLines('a\x0bb\r\nc\u2028')).toEqual(['a', 'b', 'c'])
  })

  it('cases as Python cases', () => {
    expect(text.title("it's ǆ ﬁx")).toBe("It'S ǅ Fix")
    expect(text.capitalize('ßAΣ')).toBe('Ssaς')
    expect(text.swapCase('aBǅ')).toBe('Abǅ')
    expect(text.isDigit('²٣')).toBe(true)
    expect(text.isDigit('½')).toBe(false)
  })
})

describe('PyRandom', () => {
  it('refuses a sample larger than its population', () => {
    expect(() => new PyRandom(1).sample([1, 2], 3)).toThrow(expect.objectContaining({ code: 'fewshot/failed' }))
  })

  it('draws a population of 22 by index when five are wanted, and one of 21 from a copy', () => {
    const range = (n: number) => Array.from({ length: n }, (_, index) => index)
    expect(new PyRandom(1234).sample(range(21), 5)).toEqual([14, 3, 0, 2, 1])
    expect(new PyRandom(1234).sample(range(22), 5)).toEqual([14, 3, 0, 2, 18])
    expect(new PyRandom(1234).sample(range(86), 6)).toEqual([56, 14, 0, 11, 74, 4])
  })
})

it('literalEval throws errors of this project only', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('[', ']', '{', '}', "'", '"', '\\', ',', ':', '1', '.', 'e', '-', ' ', '\n', 'a', '(') }),
      (source) => {
        try {
          literalEval(source)
        } catch (error) {
          expect(isEvalError(error)).toBe(true)
        }
      },
    ),
  )
})
