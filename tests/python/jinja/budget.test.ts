/** What templates may use up: every attack ends with a typed error, and nothing that an operation makes goes uncounted. */
import { describe, expect, it } from 'vitest'
import { isEvalError } from '../../../src/base/errors.ts'
import type { BinaryOperator, CompareOperator, Expression } from '../../../src/python/jinja/ast.ts'
import { Budget, defaultLimits } from '../../../src/python/jinja/budget.ts'
import { ExpressionEvaluator } from '../../../src/python/jinja/evaluate-expression.ts'
import { builtinFilters } from '../../../src/python/jinja/filters.ts'
import { methodNames } from '../../../src/python/jinja/methods.ts'
import { harnessOptions, renderTemplate } from '../../../src/python/jinja/render.ts'
import { Scope } from '../../../src/python/jinja/scope.ts'
import { builtinTests } from '../../../src/python/jinja/tests.ts'
import { UndefinedError, Walk, type Value } from '../../../src/python/jinja/values.ts'
import { OperationError } from '../../../src/python/operation-error.ts'
import { PyFloat, pyTuple, type PyValue } from '../../../src/python/value.ts'
import { isLong } from '../../support/long.ts'
import { slowTemplates, templateAttacks } from './attacks.ts'

describe('a template that asks for too much', () => {
  it.each(templateAttacks)('is stopped: %s', (_what, source) => {
    expect(() => renderTemplate(source, new Map())).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^template\/(budget|invalid)$/) as string }),
    )
  })

  it.each(slowTemplates)('prints what it may: %s', (_what, source, length) => {
    expect(renderTemplate(source, new Map()).length).toBe(length)
  })

  it('can not reach the rows that are not its own', () => {
    const list: PyValue[] = [1]
    for (const call of ["l['app' ~ 'end'](2)", "(l|attr('app' ~ 'end'))(2)"])
      expect(() => renderTemplate(`{% set _ = ${call} %}`, new Map([['l', list]]))).toThrow(/has to be named/)
    renderTemplate("{% set _ = l['append'](2) %}{% set f = l.extend %}{% set _ = f([3]) %}", new Map([['l', list]]))
    expect(list).toEqual([1])
  })
})

const filters = new Map([...builtinFilters, ...harnessOptions.filters])
const line = 1
const name = (of: string): Expression => ({ kind: 'name', name: of, line })

/** A list that holds itself so many times that nobody could print it, and yet is small. */
const folded = (wrap: (inner: PyValue) => PyValue): PyValue => {
  let value: PyValue = wrap(1)
  for (let times = 0; times < 60; times++) value = wrap(value)
  return value
}

/** Values of every kind, each awkward in its own way. They are made anew for each call, since methods change them. */
const values: readonly (() => PyValue)[] = [
  () => 'ab '.repeat(3000),
  () => '<'.repeat(5000),
  () => '-'.repeat(5000),
  () => '{[%('.repeat(1000),
  () => '',
  () => '\ud800é😀',
  () => '7'.repeat(5000),
  () => Array.from({ length: 2000 }, (_, at) => at % 700),
  () => Array.from({ length: 500 }, (_, at) => `${at}x`),
  () => folded((inner) => [inner, inner]),
  () => folded((inner) => pyTuple([inner, inner])),
  () =>
    folded(
      (inner) =>
        new Map([
          ['a', inner],
          ['b', inner],
        ]),
    ),
  () => new Map(Array.from({ length: 1000 }, (_, at): [string, PyValue] => [`k${at}`, at])),
  () => [],
  () => 3,
  () => 10 ** 9,
  () => -(10 ** 9),
  () => 10n ** 3000n,
  () => -(10n ** 400n),
  () => 0.1,
  () => new PyFloat(Infinity),
  () => new PyFloat(NaN),
  () => true,
  () => null,
]

const limits = { ...defaultLimits, steps: 20_000, bytes: 4 * 2 ** 20, characters: 100_000 }

/** Bytes that a value takes at the very least, without what lies within it. */
function leastBytes(value: Value): number {
  if (typeof value === 'string') return value.length
  if (value instanceof Walk) return 8 * value.size
  if (Array.isArray(value)) return 8 * value.length
  return value instanceof Map ? 8 * value.size : 0
}

/** Whether the value was there before: it is one of these, or a part of one. */
function liesWithin(given: readonly PyValue[], value: Value): boolean {
  const seen = new Set<unknown>()
  const waiting: unknown[] = [...given]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === value) return true
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(next)
    for (const part of Array.isArray(next) ? next : next instanceof Map ? next.values() : []) waiting.push(part)
  }
  return false
}

/** Evaluates on a small budget; what comes of it is a value that was paid for, or an error of a template's own. */
function evaluate(node: Expression, given: readonly PyValue[]): string | null {
  const budget = new Budget('t', limits)
  const evaluator = new ExpressionEvaluator({ budget, filters, tests: builtinTests, isStrict: true, atLine: () => undefined })
  const scope = new Scope(null)
  given.forEach((value, index) => {
    scope.set(`v${index}`, value)
  })
  try {
    const made = evaluator.evaluate(node, scope)
    return leastBytes(made) <= budget.used.bytes + 2 || liesWithin(given, made)
      ? null
      : `${leastBytes(made)} bytes, paid for ${budget.used.bytes}`
  } catch (error) {
    if (error instanceof OperationError || error instanceof UndefinedError) return null
    if (isEvalError(error) && (error.code === 'template/budget' || error.code === 'regex/unsupported')) return null
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

const argument = (count: number) => ({
  positional: Array.from({ length: count }, (_, at) => name(`v${at + 1}`)),
  named: [],
  spread: null,
  spreadNamed: null,
})

/**
 * Every value alone, with every other, with every other twice, and with it after a number. From a `start` on, a quarter of the pairs, each in one
 * of these three ways by turns: the three operations after this one have the others.
 */
function* combinations(start: number | null): Generator<readonly PyValue[]> {
  for (const [row, self] of values.entries()) {
    yield [self()]
    for (const [column, first] of values.entries()) {
      const turn = start === null ? null : (row + column + 3 * start) % 12
      if (turn === null || turn === 0) yield [self(), first()]
      if (turn === null || turn === 1) yield [self(), first(), first()]
      if (turn === null || turn === 2) yield [self(), 3, first()]
    }
  }
}

function problemsOf(make: (given: readonly PyValue[]) => Expression | null, start: number | null = null): string[] {
  const problems: string[] = []
  for (const given of combinations(start)) {
    const node = make(given)
    const problem = node === null ? null : evaluate(node, given)
    if (problem !== null) problems.push(problem)
    if (problems.length === 3) break
  }
  return problems
}

/** Names with their place in turn, by which the short form chooses pairs. */
const byTurns = (names: Iterable<string>): readonly (readonly [string, number | null])[] =>
  [...new Set(names)].map((one, at) => [one, isLong ? null : at])

describe('every operation pays for what it does, whatever it is given', () => {
  it.each(byTurns(filters.keys()))('the filter %s', (filter, start) => {
    expect(
      problemsOf((given) => ({ kind: 'filter', name: filter, operand: name('v0'), args: argument(given.length - 1), line }), start),
    ).toEqual([])
  })

  it.each(byTurns(builtinTests.keys()))('the test %s', (test, start) => {
    expect(
      problemsOf(
        (given) => ({ kind: 'test', name: test, operand: name('v0'), args: argument(given.length - 1), isNegated: false, line }),
        start,
      ),
    ).toEqual([])
  })

  it.each(byTurns([...methodNames().values()].flat()))('the method %s', (method, start) => {
    expect(
      problemsOf(
        (given) => ({
          kind: 'call',
          callee: { kind: 'attribute', object: name('v0'), name: method, line },
          args: argument(given.length - 1),
          line,
        }),
        start,
      ),
    ).toEqual([])
  })

  const operators: readonly BinaryOperator[] = ['+', '-', '*', '/', '//', '%', '**']
  it.each(operators)('the operator %s', (operator) => {
    expect(
      problemsOf((given) => (given.length === 2 ? { kind: 'binary', operator, left: name('v0'), right: name('v1'), line } : null)),
    ).toEqual([])
  })

  const comparisons: readonly CompareOperator[] = ['==', '!=', '<', '<=', '>', '>=', 'in', 'not in']
  it.each(comparisons)('the comparison %s', (operator) => {
    expect(
      problemsOf((given) => (given.length === 2 ? { kind: 'compare', first: name('v0'), rest: [[operator, name('v1')]], line } : null)),
    ).toEqual([])
  })

  it('indices, slices, joined texts and signs', () => {
    expect(problemsOf((given) => (given.length === 2 ? { kind: 'item', object: name('v0'), index: name('v1'), line } : null))).toEqual([])
    expect(problemsOf(() => ({ kind: 'concat', items: [name('v0'), name('v0')], line }))).toEqual([])
    expect(problemsOf(() => ({ kind: 'unary', operator: '-', operand: name('v0'), line }))).toEqual([])
    expect(
      problemsOf((given) =>
        given.length === 3 ? { kind: 'slice', object: name('v0'), start: name('v1'), stop: null, step: name('v2'), line } : null,
      ),
    ).toEqual([])
  })
})
