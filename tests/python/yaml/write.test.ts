/** Task files written out are read back as they were, by our reader, which equals PyYAML over the conformance corpus. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PyFloat } from '../../../src/python/value.ts'
import { readYamlMapping } from '../../../src/python/yaml/parse.ts'
import { yamlString, yamlText } from '../../../src/python/yaml/write.ts'
import { FunctionRef, YamlSpecial, type ConfigValue } from '../../../src/python/yaml/yaml-value.ts'

const nameOf = ({ name }: FunctionRef): string => name

describe('a mapping written as YAML', () => {
  test('is the same when it is read, whatever its texts and numbers are', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'yes',
        'NO',
        'null',
        '~',
        '1e-05',
        '1_000',
        '0o7',
        '12:30:45',
        '- a',
        'a: b',
        '#x',
        '',
        ' ',
        '\u2028',
        '\u0085',
        '\ufeff',
        "it's",
        '"',
      ),
    )
    const leaf = fc.oneof(
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.double().map((value) => (Number.isInteger(value) || !Number.isFinite(value) ? new PyFloat(value) : value)),
      fc.constantFrom(1e-5, 1.5e-7, new PyFloat(2e20), new PyFloat(-0)),
    )
    const { value } = fc.letrec<{ value: ConfigValue; list: ConfigValue; dict: ConfigValue }>((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, leaf, tie('list'), tie('dict')),
      list: fc.array(tie('value'), { maxLength: 4 }),
      dict: fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
    }))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ minLength: 1 }), value), { minLength: 1, maxLength: 5 }), (entries) => {
        const config = new Map(entries)
        expect(readYamlMapping(yamlText(config, nameOf), 'made.yaml')).toEqual(config)
      }),
      { numRuns: 150 },
    )
  })

  test('keeps functions, dates, sets and bytes', () => {
    const text = 'a: !function utils.f\nb: 2024-02-29\nc: 2024-02-29T10:00:00\nd: !!set {x: null, y: null}\ne: !!binary "AP8QIA=="\n'
    const config = readYamlMapping(text, 'made.yaml')
    const again = readYamlMapping(
      yamlText(config, (ref) => `helpers.${ref.name}`),
      'made.yaml',
    )
    expect(again.get('a')).toEqual(new FunctionRef('helpers.utils.f', 'made.yaml'))
    for (const key of ['b', 'c', 'd', 'e']) expect(again.get(key), key).toEqual(config.get(key))
    expect(config.get('e')).toBeInstanceOf(YamlSpecial)
  })

  test('has no character within quotes that PyYAML refuses or folds', () => {
    expect(yamlString('a\u2028b\u0085c\ufeff\u007f')).toBe('"a\\u2028b\\u0085c\\ufeff\\u007f"')
    expect(yamlString('on')).toBe('"on"')
    expect(yamlString('acc_norm')).toBe('acc_norm')
  })
})
