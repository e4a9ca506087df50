import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/errors.ts'
import { LiteralError, parseKeyValues, parsePythonLiteral, parseValue, pythonFloat, pythonRepr } from '../../scripts/lib/python-text.ts'

describe('values of k=v arguments', () => {
  // Right sides printed by lm_eval 0.4.13, `_cli.utils.key_val_to_dict`.
  it.each([
    ['1_000', 1000],
    ['.5', 0.5],
    ['5.', 5],
    [' 3', 3],
    ['[1,]', [1]],
    ['TRUE', true],
    ['None', null],
    ['none', 'none'],
    ['"quoted"', 'quoted'],
    ["'a\\n\\u00e9\\x41'", 'a\né' + 'A'],
    ['org/name', 'org/name'],
    ['[a, b]', '[a, b]'],
    ["{'a': [1, None]}", { a: [1, null] }],
    ['', ''],
    ['inf', 'inf'],
  ])('%s', (text, expected) => {
    expect(parseValue(text)).toEqual(expected)
  })

  it('splits only at commas outside brackets and quotes', () => {
    expect(parseKeyValues('a=[1,2],b="x,y",c={"k": (1,2)},,d=1')).toEqual({ a: [1, 2], b: 'x,y', c: { k: [1, 2] }, d: 1 })
  })
})

describe('literals', () => {
  it.each(['[1', "'a", '{1: 2}', '1 2', 'x', "{'a' 1}", "'\\xZ'"])('refuses %s', (text) => {
    expect(() => parsePythonLiteral(text)).toThrow(LiteralError)
  })

  it('reads back what it prints', () => {
    const key = fc.string().filter((name) => name !== '__proto__')
    const leaf: fc.Arbitrary<Json> = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string())
    const branch = (item: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
      fc.oneof(leaf, fc.array(item, { maxLength: 3 }), fc.dictionary(key, item, { maxKeys: 3, noNullPrototype: true }))
    const json = branch(branch(branch(leaf)))
    fc.assert(
      fc.property(json, (value) => {
        expect(parsePythonLiteral(pythonRepr(value))).toEqual(value)
      }),
    )
  })

  it('prints floats and quotes as Python does', () => {
    expect([pythonFloat(10), pythonFloat(0.25), pythonRepr("it's"), pythonRepr('a"b\'c')]).toEqual(['10.0', '0.25', `"it's"`, `'a"b\\'c'`])
  })
})
