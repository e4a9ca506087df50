/** What corpus D leaves open: function tags, places of errors, limits. */
import { describe, expect, it } from 'vitest'
import { readYaml, readYamlMapping } from '../../../src/python/yaml/parse.ts'
import { FunctionRef } from '../../../src/python/yaml/yaml-value.ts'

const invalid = (place: { line: number; column: number }): unknown =>
  expect.objectContaining({ code: 'yaml/invalid', details: expect.objectContaining({ file: 'a/t.yaml', ...place }) as unknown })

describe('readYaml', () => {
  it('keeps the name of a function and the file that holds the tag', () => {
    expect(readYaml('process_docs: !function utils.process_docs\n', 'a/t.yaml')).toEqual(
      new Map([['process_docs', new FunctionRef('utils.process_docs', 'a/t.yaml')]]),
    )
  })

  it.each([
    ['an unknown tag', 'a: 1\nb: !python/name:os.system x\n', { line: 2, column: 30 }],
    ['wrong indentation', 'a: 1\n b: 2\n', { line: 1, column: 4 }],
    ['an open quote', 'a: "x\n', { line: 2, column: 1 }],
    ['an open list', 'a: [1, 2\n', { line: 2, column: 1 }],
    ['an alias without an anchor', 'a: *x\n', { line: 1, column: 4 }],
    ['a control character', 'a: b\nc: \x07\n', { line: 1, column: 1 }],
    ['a second document', 'a: 1\n---\nb: 1\n', { line: 2, column: 1 }],
    ['a list as a key', '? [a]\n: b\n', { line: 1, column: 3 }],
    ['a date that no calendar has', 'a: 2001-02-30\n', { line: 1, column: 4 }],
  ])('refuses %s with its place', (_what, source, { line }) => {
    expect(() => readYaml(source, 'a/t.yaml')).toThrow(
      expect.objectContaining({ code: 'yaml/invalid', details: expect.objectContaining({ file: 'a/t.yaml', line }) as unknown }),
    )
  })

  it('gives line and column in its message', () => {
    expect(() => readYaml('a: 1\nb: *nothing\n', 'a/t.yaml')).toThrow("a/t.yaml, line 2, column 4: an alias for 'nothing'")
    expect(() => readYaml('a: 1\nb: *nothing\n', 'a/t.yaml')).toThrow(invalid({ line: 2, column: 4 }))
  })

  it('lets quoted text and flow collections go on at any column, as libyaml does', () => {
    const source = 'a: "one\ntwo\n\n  three"\nb: {\n"x": 1,\n"y": [\n2\n]\n}\nc: |\n  "not\n  quoted\nd: \'it\'\'s\nfine\'\n'
    expect(readYaml(source, 't.yaml')).toEqual(
      new Map<string, unknown>([
        ['a', 'one two\nthree'],
        [
          'b',
          new Map<string, unknown>([
            ['x', 1],
            ['y', [2]],
          ]),
        ],
        ['c', '"not\nquoted\n'],
        ['d', "it's fine"],
      ]),
    )
  })

  it('gives a block scalar that ends with the file no newline that the file lacks', () => {
    expect(readYaml('a: |\n  x', 't.yaml')).toEqual(new Map([['a', 'x']]))
    expect(readYaml('a: |\n  x\n', 't.yaml')).toEqual(new Map([['a', 'x\n']]))
  })

  it('stops at aliases that multiply', () => {
    const levels = Array.from({ length: 9 }, (_, index) => `l${index + 1}: &l${index + 1} [${`*l${index}, `.repeat(9)}]`)
    expect(() => readYaml(`l0: &l0 [x]\n${levels.join('\n')}\n`, 'a/t.yaml')).toThrow(/more than 100000 nodes/)
  })

  it.each([
    ['more than a hundred aliases', `a: &a 1\nb: [${'*a, '.repeat(101)}]\n`, /more than 100 aliases/],
    ['more than a hundred levels', `a: ${'['.repeat(120)}${']'.repeat(120)}\n`, /deeper than 100/],
    ['more than 1 MiB', `a: ${'x'.repeat(1_048_577)}\n`, /longer than/],
    ['an alias for what it stands in', 'a: &a [*a]\n', /what it stands in/],
  ])('stops at %s', (_what, source, message) => {
    expect(() => readYaml(source, 'a/t.yaml')).toThrow(message)
  })
})

it('readYamlMapping wants a mapping', () => {
  expect(() => readYamlMapping('- a\n', 'a/t.yaml')).toThrow('a/t.yaml: wanted a mapping at the top level, found a list')
})
