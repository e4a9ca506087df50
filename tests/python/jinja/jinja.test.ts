/** Templates print what Jinja2 3.1 over Python prints. Expected texts are the harness's own environment's. */
import { describe, expect, it } from 'vitest'
import { renderTemplate } from '../../../src/python/jinja/render.ts'
import { Callable } from '../../../src/python/jinja/values.ts'
import { OperationError } from '../../../src/python/operation-error.ts'
import { PyFloat, type PyDict, type PyValue } from '../../../src/python/value.ts'

const row: PyDict = new Map<string, PyValue>([
  ['q', 'What is é😀?  '],
  ['n', 3],
  ['f', new PyFloat(1)],
  ['none', null],
  ['l', ['x', "it's", 'z']],
  ['ints', [3, 1, 2]],
  [
    'd',
    new Map<string, PyValue>([
      ['k', 'v'],
      ['items', 5],
    ]),
  ],
  [
    'rows',
    [
      new Map<string, PyValue>([
        ['a', 1],
        ['b', 'x'],
      ]),
      new Map<string, PyValue>([
        ['a', 2],
        ['b', 'y'],
      ]),
    ],
  ],
])

describe('renderTemplate', () => {
  it.each([
    ['{{ f }} {{ none }} {{ l }} {{ d }} {{ true }}', "1.0 None ['x', \"it's\", 'z'] {'k': 'v', 'items': 5} True"],
    ['{{ n/2 }} {{ -7//2 }} {{ -7%3 }} {{ 2**-1 }} {{ -2**2 }} {{ 10**20 }} {{ 1e16 }}', '1.5 -4 2 0.5 4 100000000000000000000 1e+16'],
    ["{{ d['items'] }} {{ d.items()|list }} {{ d.k }}", "5 [('k', 'v'), ('items', 5)] v"],
    ['{{ q[8] }}{{ q[-3:] }}|{{ q[100:] }}|{{ l[::-1] }}', "é?  ||['z', \"it's\", 'x']"],
    ['{{ q|length }} {{ q.strip() }}|', '13 What is é😀?|'],
    ['{% for x in ints if x > 1 %}{{ loop.index }}:{{ x }}{% if not loop.last %}, {% endif %}{% else %}none{% endfor %}', '1:3, 2:2'],
    ['{% set i = 0 %}{% for x in l %}{% set i = i + 1 %}{% endfor %}{{ i }}', '0'],
    ['{% set ns = namespace(c=0) %}{% for x in ints %}{% set ns.c = ns.c + x %}{% endfor %}{{ ns.c }}', '6'],
    ['{% macro m(a, b=2) %}[{{a}}-{{b}}]{% endmacro %}{{ m(1) }}{{ m(b=1, a=none) }}', '[1-2][None-1]'],
    ["{{ rows|selectattr('a', 'gt', 1)|map(attribute='b')|join(',') }} {{ rows|groupby('a')|length }}", 'y 2'],
    ["{{ missing|default('d') }} {{ none|default('d') }} {{ none|default('d', true) }} {{ missing is defined }}", 'd None d False'],
    ["{{ 'x' if false }}|{{ 'a' if n > 2 else 'b' }}", '|a'],
    ["{{ '%05.1f|%s|%r' % (2.25, l, 'a') }} {{ '{:>5}|{x:,}'.format('r', x=1234567) }}", "002.2|['x', \"it's\", 'z']|'a'     r|1,234,567"],
    ['{{ 2.5|round }} {{ 3.5|round }} {{ 2.567|round(2) }} {{ "12"|int }} {{ "x"|int(5) }}', '2.0 4.0 2.57 12 5'],
    ["{{ ['A','B'].index('B') }} {{ 'a,b'.split(',')|last }} {{ \"it's ok\"|title }} {{ \"it's ok\".title() }}", "1 b It's Ok It'S Ok"],
    ["{{ 'hello'|regex_replace('l+', '<\\\\g<0>>') }}", 'he<ll>o'],
    ["{{ {'b': 1, 'a': '<é>'}|tojson }}", '{"a": "\\u003c\\u00e9\\u003e", "b": 1}'],
    ['{{ {1: "a", true: "b"} }} {{ (1,) }} {{ 1, 2 }}', "{1: 'b'} (1,) (1, 2)"],
    ['{{ l.0_0 }} {{ l.0x2 }} {{ 1_000 }}', 'x z 1000'],
    ['{# c #}{% raw %}{{ x }}{% endraw %}', '{{ x }}'],
    ['a  {{- "b" -}}  c\r\n\n', 'abc\n\n'],
    ['{{ "\\u00e9\\n" ~ 1 ~ 2.0 ~ none }}', 'é\n12.0None'],
  ])('renders %s', (source, expected) => {
    expect(renderTemplate(source, row)).toBe(expected)
  })

  it('names the template, the line, the variable and the columns of an undefined name', () => {
    expect(() => renderTemplate('a\n{{ nothing }}', row, { name: "task 't', doc_to_text" })).toThrow(
      "task 't', doc_to_text, line 2: 'nothing' is undefined; the columns are 'q', 'n', 'f', 'none', 'l', 'ints', 'd', 'rows'",
    )
  })

  it.each([
    '{{ nothing }}',
    '{{ d.zz }}',
    '{{ l[9] }}',
    '{{ none.x }}',
    '{% if nothing %}{% endif %}',
    '{% for x in nothing %}{% endfor %}',
    '{{ nothing == 1 }}',
    "{{ ''.constructor }}",
    '{{ d.__proto__ }}',
    '{{ l.constructor.constructor }}',
  ])('takes %s for undefined', (source) => {
    expect(() => renderTemplate(source, row)).toThrow(expect.objectContaining({ code: 'template/undefined' }))
  })

  it.each([
    "{{ 'a' + 1 }}",
    '{{ 1/0 }}',
    '{{ l|nofilter }}',
    "{{ 'a' is foo }}",
    '{{ }}',
    '{{ q',
    '{% for x in l %}',
    '{% foo %}',
    "{{ ['a'].index('z') }}",
    "{{ 'a' < 1 }}",
    '{% include "x" %}',
    '{{ (1 }}',
  ])('refuses %s', (source) => {
    expect(() => renderTemplate(source, row)).toThrow(expect.objectContaining({ code: 'template/invalid' }))
  })

  it.each([
    ['steps', '{% for a in range(2000) %}{% for b in range(2000) %}{% endfor %}{% endfor %}'],
    ['a long list', '{{ range(100000000)|list|length }}'],
    ['a long text', "{{ 'x' * 100000000 }}"],
    ['output', "{% for a in range(2000) %}{{ 'x' * 1000 }}{% endfor %}"],
    ['doubling', "{% set ns = namespace(s='x') %}{% for a in range(64) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}"],
    ['padding', "{{ 'x'.ljust(1000000000) }}"],
    ['width', "{{ '%1000000000d' % 1 }}"],
  ])('stops templates that use up %s', (_what, source) => {
    expect(() => renderTemplate(source, row)).toThrow(expect.objectContaining({ code: 'template/budget' }))
  })

  it('stops when its time is over', () => {
    expect(() => renderTemplate('{% for a in range(9000) %}{% endfor %}', row, { limits: { isExpired: () => true } })).toThrow(
      expect.objectContaining({ code: 'template/budget' }),
    )
  })

  it('stops macros that call themselves', () => {
    expect(() => renderTemplate('{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', row)).toThrow(/deeper than/)
  })

  it('leaves the row as it is when a template changes a list', () => {
    expect(renderTemplate('{% set _ = ints.append(9) %}{{ ints }}', row)).toBe('[3, 1, 2, 9]')
    expect(row.get('ints')).toEqual([3, 1, 2])
  })

  it('trims and strips blocks and prints undefined names as nothing when told to, for chat templates', () => {
    const source = '  {% if true %}\n  x{{ nothing }}\n  {% endif %}\n{# c #}\nend\n'
    expect(renderTemplate(source, row, { trimBlocks: true, lstripBlocks: true, keepTrailingNewline: false, isStrict: false })).toBe(
      '  x\nend',
    )
    expect(renderTemplate(source, row, { isStrict: false })).toBe('  \n  x\n  \n\nend\n')
  })

  it('takes functions and filters from outside', () => {
    const raise = new Callable('raise_exception', ({ positional: [message] }) => {
      throw new OperationError(typeof message === 'string' ? message : '')
    })
    expect(() =>
      renderTemplate('{{ raise_exception("no system role") }}', row, { functions: new Map([['raise_exception', raise]]) }),
    ).toThrow(/no system role/)
    expect(renderTemplate('{{ n|twice }}', row, { filters: new Map([['twice', (value) => Number(value) * 2]]) })).toBe('6')
  })
})
