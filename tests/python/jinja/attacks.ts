/** Templates that ask for more than any prompt needs. Each must be stopped by the budget, long before memory or patience ends. */

const big = `{% set big = range(100000)|list %}`
const deep = (times: number): string =>
  `{% set ns = namespace(l=[1]) %}{% for _ in range(${times}) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}`
const digits = (turns: number, step: string): string =>
  `{% set ns = namespace(x=3) %}{% for _ in range(${turns}) %}{% set ns.x = ${step} %}{% endfor %}`

/** What is attacked, and the template. */
export const templateAttacks: readonly (readonly [string, string])[] = [
  ['copies of a list', `${big}{% set ns = namespace(l=[]) %}{% for _ in range(100000) %}{% set _ = ns.l.append(big.copy()) %}{% endfor %}`],
  ['a batch that is filled up', "{{ [1]|batch(10**9, 'x')|list|length }}"],
  ['slices without items', '{{ []|slice(10**9)|list|length }}'],
  [
    'a refund by a negative number of slices',
    "{% for _ in range(900) %}{% set _ = 'x'|slice(-1000000)|list %}{% for _ in range(100000) %}{% endfor %}{% endfor %}",
  ],
  [
    'a refund by a negative width',
    "{% for _ in range(9000) %}{% set _ = 'x'.ljust(0 - 10**12) %}{% for _ in range(9999) %}{% endfor %}{% endfor %}",
  ],
  [
    'a budget that is no number any more',
    "{% set _ = '' * 10**400 %}{% for _ in range(99999) %}{% for _ in range(9999) %}{% endfor %}{% endfor %}",
  ],
  ['printing of a list that holds itself many times', `${deep(60)}{{ ns.l }}`],
  ['printing as JSON', `${deep(60)}{{ ns.l|tojson }}`],
  ['JSON with a wide indent', '{{ [[[1]]]|tojson(indent=10**9) }}'],
  ['a text of a nested list', `${deep(60)}{{ ns.l|string }}`],
  ['a nested list in a format', `${deep(60)}{{ '%s' % [ns.l] }}`],
  ['a nested list in braces', `${deep(60)}{{ '{}'.format(ns.l) }}`],
  ['a nested list joined', `${deep(60)}{{ ns.l|join }}`],
  ['a nested list in a message', `${deep(60)}{{ ns.l|abs }}`],
  [
    'a nested tuple as a key',
    '{% set ns = namespace(t=(1,)) %}{% for _ in range(60) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}{{ {ns.t: 1}|length }}',
  ],
  [
    'a nested tuple looked up',
    '{% set ns = namespace(t=(1,)) %}{% for _ in range(60) %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}{{ ns.t in {} }}',
  ],
  [
    'equality of nested lists',
    `${deep(60)}{% set a = ns.l %}{% set ns = namespace(l=[1]) %}{% for _ in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ a == ns.l }}`,
  ],
  [
    'order of nested lists',
    `${deep(60)}{% set a = ns.l %}{% set ns = namespace(l=[1]) %}{% for _ in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ a < ns.l }}`,
  ],
  ['equality of wide lists', `${big}{% set other = range(100000)|list %}{% for _ in range(99999) %}{% set _ = big == other %}{% endfor %}`],
  ['equality by a test', `${big}{% set other = range(100000)|list %}{% for _ in range(99999) %}{% set _ = big is eq(other) %}{% endfor %}`],
  ['membership', `${big}{% for _ in range(99999) %}{% set _ = 5.5 is in(big) %}{% endfor %}`],
  ['counting in a list', `${big}{% for _ in range(99999) %}{% set _ = big.count(5.5) %}{% endfor %}`],
  ['an index in a list', `${big}{% for _ in range(99999) %}{% set _ = big.index(99999) %}{% endfor %}`],
  ['a change of a long loop', `${big}{% for _ in range(99999) %}{% set _ = loop.changed(big[:]) %}{% endfor %}`],
  ['squares', digits(99, 'ns.x * ns.x')],
  ['powers', digits(99, 'ns.x ** 9')],
  ['remainders', `${digits(14, 'ns.x * ns.x')}{% for _ in range(99999) %}{% set _ = (ns.x * ns.x) % ns.x %}{% endfor %}`],
  ['a long number printed', `${digits(16, 'ns.x * ns.x')}{% for _ in range(9999) %}{% set _ = '%x' % ns.x %}{% endfor %}`],
  ['decimals', "{% for _ in range(9999) %}{% set _ = '%.900000f' % 0.1 %}{% endfor %}"],
  ['an int of many digits', "{% set s = '7' * 900000 %}{% for _ in range(999) %}{% set _ = s|int(base=16) %}{% endfor %}"],
  [
    'comments in tags',
    "{{ ('<!--' * 200000)|striptags|length }}{% for _ in range(9999) %}{% set _ = ('<!--' * 200000)|striptags %}{% endfor %}",
  ],
  ['tags that stay open', "{% for _ in range(9999) %}{% set _ = ('<' * 900000)|striptags %}{% endfor %}"],
  ['dashes to wrap', "{% for _ in range(9999) %}{% set _ = ('-' * 900000)|wordwrap(5) %}{% endfor %}"],
  ['a long word to wrap', "{{ ('x' * 900000)|wordwrap(1)|length }}"],
  ['a wide indent', "{{ 'x'|indent(10**9) }}"],
  ['wide tabs', "{{ '\\t'.expandtabs(10**9) }}"],
  ['characters by index', "{% set s = 'x' * 1000000 %}{% for _ in range(300000) %}{% set _ = s[5] %}{% endfor %}"],
  ['missing names of a long text', "{% set s = 'x' * 1000000 %}{% for _ in range(300000) %}{% set _ = s.zz is defined %}{% endfor %}"],
  [
    'missing keys of a long dict',
    `{% set d = namespace(d={}) %}{% for i in range(50000) %}{% set _ = d.d.update({i: i}) %}{% endfor %}{% for _ in range(200000) %}{% set _ = d.d.zz is defined %}{% endfor %}`,
  ],
  ['loops that end at once', "{% set s = 'x' * 1000000 %}{% for _ in range(99999) %}{% for c in s %}{% break %}{% endfor %}{% endfor %}"],
  ['a long text compared', "{% set s = 'x' * 1000000 %}{% set t = s ~ 'y' %}{% for _ in range(99999) %}{% set _ = s < t %}{% endfor %}"],
  [
    'a long text in a longer one',
    "{% set s = 'b' ~ 'a' * 400000 %}{% set t = 'a' * 1000000 %}{% for _ in range(99999) %}{% set _ = s in t %}{% endfor %}",
  ],
  [
    'many prefixes',
    "{% set s = 'x' * 1000000 %}{% set p = ('y',) * 100000 %}{{ s.startswith(p) }}{% for _ in range(9999) %}{% set _ = s.startswith(p) %}{% endfor %}",
  ],
  [
    'a list that is joined to itself',
    '{% set ns = namespace(l=[1, 2]) %}{% for _ in range(64) %}{% set _ = ns.l.extend(ns.l) %}{% endfor %}',
  ],
  [
    'a dict that grows',
    "{% set d = {} %}{% for a in range(1000) %}{% for b in range(1000) %}{% set _ = d.update({a ~ '-' ~ b: 'x' * 1000}) %}{% endfor %}{% endfor %}",
  ],
  [
    'views of a dict',
    '{% set d = dict(a=1) %}{% for i in range(50000) %}{% set _ = d.update({i: i}) %}{% endfor %}{% set l = [] %}{% for _ in range(99999) %}{% set _ = l.append(d.items()) or l.append(d.copy()) %}{% endfor %}',
  ],
  ['replacements of nothing', "{{ ('x' * 900000)|regex_replace('', 'y' * 900000)|length }}"],
  ['replacements by a text', "{{ ('x' * 900000).replace('', 'y' * 900000)|length }}"],
  ['texts kept', "{% set l = [] %}{% for i in range(99999) %}{% set _ = l.append(i ~ 'é' * 100000) %}{% endfor %}"],
  ['sorting', `${big}{% for _ in range(9999) %}{% set _ = big|sort(reverse=true) %}{% endfor %}`],
  ['groups by a key', `${big}{% for _ in range(9999) %}{% set _ = big|groupby('x', default=1) %}{% endfor %}`],
  [
    'sums of lists',
    '{{ ([[1] * 1000] * 900)|sum(start=[])|length }}{% for _ in range(999) %}{% set _ = ([[1] * 1000] * 900)|sum(start=[]) %}{% endfor %}',
  ],
  ['arguments', `${big}{% macro m() %}{{ varargs|length }}{% endmacro %}{% for _ in range(99999) %}{% set _ = m(*big) %}{% endfor %}`],
  ['slices of a list', `${big}{% for _ in range(99999) %}{% set _ = big[1:] %}{% endfor %}`],
  ['a list turned round', `${big}{% set l = [] %}{% for _ in range(99999) %}{% set _ = l.append(big|reverse|list) %}{% endfor %}`],
  ['bytes', "{% set s = 'é' * 500000 %}{% set l = [] %}{% for _ in range(99999) %}{% set _ = l.append(s.encode()|list) %}{% endfor %}"],
  [
    'namespaces',
    '{% set l = [] %}{% for a in range(999) %}{% for b in range(999) %}{% set l = [l, namespace(a=1, b=2, c=3).a] %}{% endfor %}{% endfor %}',
  ],
  [
    'one list within another, a thousand times',
    '{% set ns = namespace(l=[]) %}{% for _ in range(5000) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}',
  ],
  ['a list in itself', '{% set l = [1] %}{% set _ = l.append(l) %}{{ l }}'],
]

/** Templates that are within the budget and were slow beyond all patience, with the lengths of what they print. */
export const slowTemplates: readonly (readonly [string, string, number])[] = [
  ['a number filled up with groups', "{{ '{:0900000,}'.format(1) }}", 900_001],
  ['long numbers in groups', `${digits(14, 'ns.x * ns.x')}{% for _ in range(999) %}{% set _ = '{:_x}'.format(ns.x) %}{% endfor %}`, 0],
  ['macros that are made again', `{% for _ in range(99999) %}{% macro m() %}${'{{ 1 }}'.repeat(20_000)}{% endmacro %}{% endfor %}`, 0],
  ['an empty list, often', '{{ ([] * 10**10)|length }}', 1],
  ['comments that stay open', "{{ ('<!--' * 200000)|striptags|length }}", 6],
]
