/** What larger corpora of the same kind as the conformance corpora brought to light. Expected values are the harness's own. */
import { describe, expect, it } from 'vitest'
import { isEvalError } from '../../src/base/errors.ts'
import { buildPipeline } from '../../src/harness/filters/filters.ts'
import { aggregate, estimateStderr } from '../../src/harness/metrics/aggregation/aggregate.ts'
import { exactMatch } from '../../src/harness/metrics/exact-match.ts'
import { readTaskConfig } from '../../src/harness/tasks/task-config.ts'
import { renderTemplate } from '../../src/python/jinja/render.ts'
import { docsOfTable } from '../../src/python/cells.ts'
import { repr, type PyValue } from '../../src/python/value.ts'
import { readYaml } from '../../src/python/yaml/parse.ts'

describe('templates', () => {
  it.each([
    ["{{ 'a well-known long-word here  now--then' | wordwrap(9) }}", 'a well-\nknown\nlong-word\nhere  now\n--then'],
    ["{{ 'incomprehensibilities go' | wordwrap(8) }}", 'incompre\nhensibil\nities go'],
    ["{{ 'aa bb-cc dd' | wordwrap(4, false, '|', false) }}", 'aa|bb-cc|dd'],
    [
      "{% for g in [{'n':'x'},{'n':'x'},{'n':'y'}]|groupby('n') %}{{ g.grouper }}{{ g.list|length }}{{ g }};{% endfor %}",
      "x2('x', [{'n': 'x'}, {'n': 'x'}]);y1('y', [{'n': 'y'}]);",
    ],
    [
      "{% set c = cycler('a','b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }}{% set j = joiner('; ') %}{{ j() }}x{{ j() }}y",
      'ababx; y',
    ],
    ["{% macro m() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 'a', z=2) }}", "(1, 'a'){'z': 2}"],
    ["{{ '%5.1f|%-4s|' | format(2.345, 'ab') }}{{ '%s' | format([1, 2]) }}", '  2.3|ab  |[1, 2]'],
    ["{{ 'Stra\u00dfe \u017fharp \u1e9e \u03c2 \u0131'.casefold() }}", 'strasse sharp ss σ ı'],
    ["{{ 'ab cd-ef' | wordwrap(3, wrapstring='/') }}", 'ab/cd-/ef'],
  ])('%s', (template, wanted) => {
    expect(renderTemplate(template, new Map(), { name: 'case' })).toBe(wanted)
  })
})

describe('the rest of the core', () => {
  it('keeps a null that is written out as the fallback of a regex filter', () => {
    const pipeline = buildPipeline([
      new Map<string, PyValue>([
        ['function', 'regex'],
        ['regex_pattern', 'x(.)'],
        ['fallback', null],
      ]),
    ])
    expect(pipeline([['none here']], [new Map()])).toEqual([[null]])
  })

  it('refuses a standard error of acc_all over one question, but not its value', () => {
    const doc = new Map<string, PyValue>([
      [
        'idx',
        new Map([
          ['paragraph', 1],
          ['question', 2],
        ]),
      ],
      ['label', 1],
    ])
    const items = [
      [false, doc],
      [false, doc],
    ]
    expect(repr(aggregate(items, 'acc_all'))).toBe('0.0')
    expect(() => estimateStderr(items, { metric: 'm', aggregation: 'acc_all', bootstrapIters: 100 })).toThrow(/more than one question/)
  })

  it('cuts lower-case texts that outgrow their array, as numpy does', () => {
    const options = { regexesToIgnore: null, ignoreCase: true, ignorePunctuation: true, ignoreNumbers: false }
    expect(exactMatch(['daraja İzmir.'], ['daraja İzmir'], options)).toBe(0)
    expect(exactMatch(['daraja İzmir'], ['daraja İzmir'], options)).toBe(1)
  })

  it('keeps floats of columns of mixed shapes floats', () => {
    const [doc] = docsOfTable({ columns: [{ name: 'x', type: 'json' }], rows: [[[1, 1n, 2.5]]] })
    expect(repr(doc?.get('x') ?? null)).toBe('[1.0, 1, 2.5]')
  })

  it('refuses a metric_list entry without a metric', () => {
    const source = new Map<string, PyValue>([
      ['task', 't'],
      ['output_type', 'generate_until'],
      ['metric_list', [new Map([['aggregation', 'mean']])]],
    ])
    const run = () => readTaskConfig(source, 't.yaml')
    expect(run).toThrow(/metric_list/)
    expect(run).toThrow(expect.toSatisfy((error: unknown) => isEvalError(error) && error.code === 'task/invalid'))
  })

  it('takes a next-line character for the end of a line', () => {
    expect(readYaml("b: 'x\u0085y'\n", 't.yaml')).toEqual(new Map([['b', 'x y']]))
  })
})
