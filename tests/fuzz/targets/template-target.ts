/** Jinja templates: grown from the grammar, with every filter, test and method, and damaged ones. */
import { builtinFilters } from '../../../src/python/jinja/filters.ts'
import { methodNames } from '../../../src/python/jinja/methods.ts'
import { compileTemplate } from '../../../src/python/jinja/render.ts'
import { builtinTests } from '../../../src/python/jinja/tests.ts'
import { pyTuple, PyFloat, type PyDict, type PyValue } from '../../../src/python/value.ts'
import { mutate } from '../mutations.ts'
import type { Random } from '../random.ts'
import { textInput, type FuzzTarget } from '../target.ts'

type Names = readonly [string, ...string[]]

const listed = (names: Iterable<string>): Names => {
  const [first = '', ...rest] = names
  return [first, ...rest]
}
const filters = listed([...builtinFilters.keys(), 'regex_replace'])
const tests = listed([...builtinTests.keys()].filter((name) => /^\w+$/.test(name)))
const methods = listed([...methodNames().values()].flat())
const variables: Names = [
  'q',
  'n',
  'f',
  'l',
  'd',
  'rows',
  't',
  'none',
  'big',
  'long',
  'missing',
  'x',
  'y',
  'ns',
  'ns.l',
  'ns.s',
  'loop.index',
  'loop',
  'range(5)',
  "cycler('a', 2)",
  'dict(a=l)',
  'namespace',
]
const literals: Names = [
  '0',
  '1',
  '-1',
  '2',
  '7',
  '1000',
  '100000',
  '10**9',
  '10**18',
  '2**63',
  '1.5',
  '1e300',
  "'a'",
  "''",
  "'é😀'",
  "'%s'",
  "'{}'",
  "'{:>9}'",
  "'-'",
  "'\\n'",
  "'a b c'",
  '[]',
  '{}',
  '()',
  '[1, 2]',
  "{'a': 1}",
  '(1,)',
  'true',
  'none',
  "'x' * 999",
]
const operators: Names = ['+', '-', '*', '/', '//', '%', '**', '~', '==', '!=', '<', '<=', '>', '>=', 'in', 'not in', 'and', 'or']
const attributes: Names = [
  'a',
  'b',
  'items',
  '__class__',
  '__proto__',
  'constructor',
  'length',
  '0',
  'index0',
  'changed',
  'cycle',
  'next',
  'previtem',
]

function expression(random: Random, room: number): string {
  if (room <= 0) return random.chance(60) ? random.pick(variables) : random.pick(literals)
  const inner = (): string => expression(random, room - 1 - random.below(2))
  switch (random.below(13)) {
    case 0:
    case 1:
      return `${inner()}|${random.pick(filters)}${callArguments(random, room)}`
    case 2:
      return `(${inner()}).${random.pick(methods)}${callArguments(random, room, true)}`
    case 3:
      return `(${inner()} ${random.pick(operators)} ${inner()})`
    case 4:
      return `(${inner()} is ${random.chance(20) ? 'not ' : ''}${random.pick(tests)}${callArguments(random, room)})`
    case 5:
      return `(${inner()})[${inner()}]`
    case 6:
      return `(${inner()})[${random.chance(60) ? inner() : ''}:${random.chance(60) ? inner() : ''}${random.chance(30) ? `:${inner()}` : ''}]`
    case 7:
      return `(${inner()} if ${inner()}${random.chance(70) ? ` else ${inner()}` : ''})`
    case 8:
      return `[${inner()}, ${inner()}]`
    case 9:
      return `{${inner()}: ${inner()}}`
    case 10:
      return `${random.pick(['not ', '-', '+'])}(${inner()})`
    case 11:
      return `(${inner()}).${random.pick(attributes)}`
    default:
      return random.pick(variables)
  }
}

function callArguments(random: Random, room: number, always = false): string {
  if (!always && random.chance(50)) return ''
  const list = Array.from({ length: random.below(4) }, () => (random.chance(60) ? random.pick(literals) : expression(random, room - 2)))
  if (random.chance(10))
    list.push(`${random.pick(['attribute', 'default', 'width', 'indent', 'reverse', 'count', 'sep'])}=${random.pick(literals)}`)
  if (random.chance(4)) list.push(`*${expression(random, 1)}`)
  return `(${list.join(', ')})`
}

function statements(random: Random, room: number): string {
  const count = 1 + random.below(3)
  return Array.from({ length: count }, () => statement(random, room)).join(random.pick(['', '\n', ' ']))
}

function statement(random: Random, room: number): string {
  const value = (): string => expression(random, random.below(4))
  if (room <= 0) return `{{ ${value()} }}`
  switch (random.below(11)) {
    case 0:
    case 1:
      return `{% for x in ${random.chance(50) ? `range(${random.pick(['3', '50', '1000', 'n', '100000'])})` : value()} %}${statements(random, room - 1)}{% endfor %}`
    case 2:
      return `{% set x = ${value()} %}`
    case 3:
      return `{% set ns.${random.pick(['l', 's'])} = ${random.pick(['[ns.l, ns.l]', 'ns.s ~ ns.s', 'ns.l + ns.l', '(ns.l, ns.l)', '{1: ns.l}', 'ns.s * 2', value()])} %}`
    case 4:
      return `{% set _ = ns.l.${random.pick(['append', 'extend', 'insert', 'remove', 'pop'])}(${random.pick(['ns.l', '0, ns.l', 'big', 'ns.l.copy()', value()])}) %}`
    case 5:
      return `{% if ${value()} %}${statements(random, room - 1)}{% else %}${statements(random, room - 1)}{% endif %}`
    case 6:
      return `{% macro m(a, b=${random.pick(literals)}) %}${statements(random, room - 1)}{{ varargs }}{% endmacro %}{{ m(${value()}${random.chance(30) ? ', m(1)' : ''}) }}`
    case 7:
      return `{% filter ${random.pick(filters)} %}${statements(random, room - 1)}{% endfilter %}`
    case 8:
      return `{% for a, b in ${value()} recursive %}{{ loop(${value()}) }}{% endfor %}`
    case 9:
      return `{% with y = ${value()} %}${statements(random, room - 1)}{% endwith %}`
    default:
      return `{{ ${value()} }}`
  }
}

const seeds: Names = [
  '{{q.strip()}}\nA. {{l[0]}}\n{% for x in l %}{{ loop.index }}. {{ x }}\n{% endfor %}Answer:',
  "{% if messages is defined %}{% for m in messages %}{{ '<|' + m['role'] + '|>' + m['content'] }}{% endfor %}{% endif %}",
  "{%- set ns = namespace(l=[], s='x') -%}{%- for x in range(20) -%}{%- set ns.s = ns.s ~ ns.s -%}{%- endfor -%}{{ ns.s|length }}",
  '{% macro m(a) %}{{ a }}{% endmacro %}{% call(x) m(1) %}{{ x }}{% endcall %}{# c #}{% raw %}{{ }}{% endraw %}',
  "{{ rows|selectattr('a', 'gt', 0)|map(attribute='b')|join(', ') }}{{ d|dictsort|tojson(indent=2) }}{{ '%s-%05.1f' % (q, f) }}",
]
const tokens: Names = [
  '{{',
  '}}',
  '{%',
  '%}',
  '{#',
  '#}',
  '-',
  '|',
  '(',
  ')',
  '[',
  ']',
  ',',
  ':',
  "'",
  '"',
  '\\',
  '\\x',
  '\\u12',
  '{% endfor %}',
  '{% else %}',
  '{% raw %}',
  ' is ',
  ' in ',
  ' if ',
  '**',
  '//',
  '.',
  '..',
  '((((((((((',
  '[[[[[[[[',
  '----',
  'not not not ',
  '~',
  '|list',
  '|batch(3)',
  '0x',
  '1_0',
  '1e',
  '999999999999999999999',
  '\u2028',
  '\ud800',
  '{% for a in b %}',
]

const context = (): PyDict => {
  const nested = new Map<string, PyValue>([
    ['a', 1],
    ['b', 'x'],
  ])
  return new Map<string, PyValue>([
    ['q', 'What is é😀?  '],
    ['n', 3],
    ['f', new PyFloat(1)],
    ['none', null],
    ['l', ['x', "it's", 'z']],
    ['t', pyTuple([1, 'a'])],
    [
      'd',
      new Map<string, PyValue>([
        ['k', 'v'],
        ['items', 5],
        ['nested', nested],
      ]),
    ],
    [
      'rows',
      [
        nested,
        new Map<string, PyValue>([
          ['a', 2],
          ['b', null],
        ]),
      ],
    ],
    ['big', Array.from({ length: 300 }, (_, at) => (at % 3 === 0 ? `v${at}` : at))],
    ['long', 'lorem ipsum, <b>dolor</b> '.repeat(200)],
  ])
}

function make(random: Random): string {
  if (random.chance(12)) {
    const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
    return new TextDecoder().decode(mutate(random, encode(random.pick(seeds)), tokens, encode(random.pick(seeds))))
  }
  if (random.chance(2))
    return `{{ ${random.pick(['(', '[', '-', 'not ', '{1: ', 'a.b|', '1 + ', '1 if ', "'a' ~ ", 'x is ']).repeat(random.below(4000))}1 }}`
  if (random.chance(5))
    return random
      .pick(['{% for x in l %}', '{% if 1 %}', '{% macro m() %}', '{% set ((((', '{% with %}', '{{ {% '])
      .repeat(random.below(600))
  const start = random.chance(95) ? "{% set ns = namespace(l=[1], s='x') %}{% set x = 2 %}{% set y = 'y' %}" : ''
  const text = start + statements(random, 1 + random.below(3))
  return random.chance(8) ? new TextDecoder().decode(mutate(random, new TextEncoder().encode(text), tokens, new Uint8Array(0))) : text
}

export const templateTarget: FuzzTarget<string> = {
  make(random) {
    const text = make(random)
    return textInput(text, 'template.jinja', text)
  },
  run(source) {
    const limits = { steps: 50_000, bytes: 16 * 2 ** 20, characters: 2 ** 20 }
    const given = context()
    const before = JSON.stringify([...given.keys()])
    const printed = compileTemplate(source, { isStrict: source.length % 4 === 0, trimBlocks: source.length % 3 === 0, limits }).render(
      given,
    )
    if (printed.length > limits.characters) return `printed ${printed.length} characters`
    const list = given.get('l')
    return JSON.stringify(list) === '["x","it\'s","z"]' && JSON.stringify([...given.keys()]) === before ? null : 'changed its row'
  },
}
