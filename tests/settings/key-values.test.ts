/** One reader of `k=v,…` for the command line and the page. Right sides printed by lm_eval 0.4.13, `_cli.utils.key_val_to_dict`. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFields } from '../../src/app/setup/read-fields.ts'
import { defaultFields } from '../../src/app/setup/setup-fields.ts'
import type { Json } from '../../src/base/errors.ts'
import { parseCommandLine } from '../../src/cli/flags/args.ts'
import { argumentsText } from '../../src/settings/arguments-text.ts'
import { parseKeyValues } from '../../src/settings/key-values.ts'

const cases: readonly (readonly [text: string, expected: { readonly [key: string]: Json }])[] = [
  ["until=['Q:']", { until: ['Q:'] }],
  ['until=["a","b"]', { until: ['a', 'b'] }],
  ['until=[\'\\n\\n\',"Q, A"],temperature=0', { until: ['\n\n', 'Q, A'], temperature: 0 }],
  ['until=Q:', { until: 'Q:' }],
  ['a=(1)', { a: 1 }],
  ['a=(1,)', { a: [1] }],
  ['a=1e3', { a: 1000 }],
  ['a= 3', { a: 3 }],
  ['a=1_000', { a: 1000 }],
  ['a=.5,b=5.,c=1.5e-3,d=-2', { a: 0.5, b: 5, c: 0.0015, d: -2 }],
  ['a=0x10', { a: 16 }],
  ['a=007', { a: 7 }],
  ['a=True,b=false,c=TRUE', { a: true, b: false, c: true }],
  ['a=None,b=none', { a: null, b: 'none' }],
  ['a="x" "y"', { a: 'xy' }],
  ["a='a\\n\\u00e9\\x41'", { a: 'a\néA' }],
  ["a={'k': [1, None, True]},b=2", { a: { k: [1, null, true] }, b: 2 }],
  ['a=', { a: '' }],
  ['a=b=c', { a: 'b=c' }],
  ['a=[-1,+2,1e2,0x1f]', { a: [-1, 2, 100, 31] }],
  ['a=[a,b]', { a: '[a,b]' }],
  ['a="unclosed', { a: '"unclosed' }],
  ['a=[--1],b=-[1]', { a: '[--1]', b: '-[1]' }],
  ['a=org/name', { a: 'org/name' }],
  ['a=1,,b=2', { a: 1, b: 2 }],
  ['{"until": ["a", "b"], "k": {"x": 1}}', { until: ['a', 'b'], k: { x: 1 } }],
  // The harness keeps the space, and its model then refuses the key.
  ['a=1, b=2', { a: 1, b: 2 }],
  // JSON has no such number.
  ['a=inf,b=nan,c=1e999', { a: 'inf', b: 'nan', c: '1e999' }],
  ['__proto__=1', JSON.parse('{"__proto__": 1}') as { readonly [key: string]: Json }],
  ['', {}],
]

describe('arguments as k=v', () => {
  it.each(cases)('%j', (text, expected) => {
    expect(parseKeyValues(text)).toEqual(expected)
    const fields = { ...defaultFields(), model: 'a/b', tasks: ['t'], genKwargs: text, metadata: text }
    const read = readFields(fields, [])
    expect(read.ok ? [read.settings.genKwargs, read.settings.metadata] : read.problems).toEqual([expected, expected])
    if (text !== '') expect(parseCommandLine(['--gen_kwargs', text]).genKwargs).toEqual(expected)
  })

  it('may come in several words on the command line, of which later ones win', () => {
    expect(parseCommandLine(['--gen_kwargs', 'a=1,b=2', 'b=3', '--gen_kwargs', "c=['x']"]).genKwargs).toEqual({ a: 1, b: 3, c: ['x'] })
  })

  it.each(['max_length', '=5', '{"a":', '{a: 1}', 'a=1,x'])('refuse %j in both places', (text) => {
    expect(() => parseKeyValues(text)).toThrow(expect.objectContaining({ code: 'settings/invalid' }))
    expect(() => parseCommandLine(['--gen_kwargs', text])).toThrow(/^--gen_kwargs: /)
    const read = readFields({ ...defaultFields(), model: 'a/b', tasks: ['t'], genKwargs: text }, [])
    expect(read).toEqual({ ok: false, problems: [{ field: 'genKwargs', kind: 'not-arguments', found: text }] })
  })
})

it('what is written as arguments is read back as it was', () => {
  const leaf: fc.Arbitrary<Json> = fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.string(),
    fc.constantFrom('true', 'None', '0x10', '1_0', '1e5', '.5', 'a,b', "it's", '[1]', '-1', '+x', 'inf', ' a ', '00', '1j', "b'x'", '5.'),
  )
  const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 3 }))
  const key = fc.oneof(fc.stringMatching(/^[a-z_.-]+$/), fc.string({ minLength: 1 })).filter((name) => name !== '__proto__')
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }), (values) => {
      expect(parseKeyValues(argumentsText(values))).toEqual(values)
    }),
    { numRuns: 500 },
  )
  expect(argumentsText({ max_length: 1024, add_bos_token: true, x: 'org/name' })).toBe('max_length=1024,add_bos_token=True,x=org/name')
})
