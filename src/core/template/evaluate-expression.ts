/** The value of an expression, as Jinja2 over Python would give it. */
import * as text from '../python/string.ts'
import { isDict, isList, pyEquals, pyTuple, str, type PyDict, type PyValue } from '../python/value.ts'
import type { Arguments, CompareOperator, Expression } from './ast.ts'
import type { Budget } from './budget.ts'
import { OperationError } from '../python/operation-error.ts'
import { textOf, type Filter, type FilterContext } from './filter.ts'
import { methodOf } from './methods.ts'
import { binary, compare, contains, item, negate, slice } from './operators.ts'
import type { Scope } from './scope.ts'
import type { Test } from './tests.ts'
import {
  orElse,
  Attributes,
  GroupTuple,
  Callable,
  isPlainValue,
  isTrue,
  iterate,
  keyOf,
  plain,
  Undefined,
  UndefinedError,
  Walk,
  type CallArguments,
  type Value,
} from './values.ts'

export interface Environment {
  readonly budget: Budget
  readonly filters: ReadonlyMap<string, Filter>
  readonly tests: ReadonlyMap<string, Test>
  readonly isStrict: boolean
  /** Told the line of what is being evaluated, for errors. */
  readonly atLine: (line: number) => void
}

/** Evaluates expressions in scopes. Raises `OperationError` and `UndefinedError`, to which the renderer adds the place. */
export class ExpressionEvaluator {
  readonly environment: Environment
  private readonly filterContext: FilterContext

  constructor(environment: Environment) {
    this.environment = environment
    this.filterContext = {
      budget: environment.budget,
      attribute: (value, name) => (typeof name === 'string' ? this.itemThenAttribute(value, name) : this.item(value, name)),
      filter: (name, value, args) => this.applyFilter(name, value, args),
      test: (name, value, args) => this.applyTest(name, value, args),
    }
  }

  evaluate(node: Expression, scope: Scope): Value {
    this.environment.budget.spend()
    this.environment.atLine(node.line)
    switch (node.kind) {
      case 'const':
        return node.value
      case 'name':
        return orElse(scope.get(node.name), () => this.undefined(`'${node.name}' is undefined`))
      case 'list':
        return node.items.map((one) => this.plain(one, scope))
      case 'tuple':
        return pyTuple(node.items.map((one) => this.plain(one, scope)))
      case 'dict': {
        const dict = new Map<string, PyValue>()
        for (const [key, value] of node.entries) dict.set(keyOf(dict, this.plain(key, scope)), this.plain(value, scope))
        return dict
      }
      case 'unary':
        if (node.operator === 'not') return !isTrue(this.evaluate(node.operand, scope))
        return negate(this.plain(node.operand, scope), node.operator)
      case 'binary':
        return binary(node.operator, this.plain(node.left, scope), this.plain(node.right, scope), this.environment.budget)
      case 'and': {
        const left = this.evaluate(node.left, scope)
        return isTrue(left) ? this.evaluate(node.right, scope) : left
      }
      case 'or': {
        const left = this.evaluate(node.left, scope)
        return isTrue(left) ? left : this.evaluate(node.right, scope)
      }
      case 'concat': {
        const parts = node.items.map((one) => textOf(this.evaluate(one, scope)))
        this.environment.budget.allow(parts.reduce((sum, part) => sum + part.length, 0))
        return parts.join('')
      }
      case 'compare':
        return this.compare(node.first, node.rest, scope)
      case 'conditional':
        if (isTrue(this.evaluate(node.test, scope))) return this.evaluate(node.then, scope)
        if (node.otherwise !== null) return this.evaluate(node.otherwise, scope)
        // Jinja2 makes this one undefined value lenient even when all others are strict.
        return new Undefined("the inline if-expression evaluated to false and no 'else' section was defined", false)
      case 'attribute':
        return this.attribute(this.evaluate(node.object, scope), node.name)
      case 'item':
        return this.subscript(this.evaluate(node.object, scope), this.plain(node.index, scope))
      case 'slice':
        return this.slice(node, scope)
      case 'call':
        return this.call(this.evaluate(node.callee, scope), this.args(node.args, scope))
      case 'filter':
        if (node.operand === null) throw new OperationError('a filter without a value')
        return this.applyFilter(node.name, this.evaluate(node.operand, scope), this.args(node.args, scope))
      case 'test': {
        const holds = this.applyTest(node.name, this.evaluate(node.operand, scope), this.args(node.args, scope))
        return node.isNegated ? !holds : holds
      }
    }
  }

  undefined(description: string): Undefined {
    return new Undefined(description, this.environment.isStrict)
  }

  /** `value` through a chain of filters that ends in a null operand. */
  throughFilter(node: Expression, value: Value, scope: Scope): Value {
    if (node.kind !== 'filter') throw new OperationError('wanted a filter')
    const operand = node.operand === null ? value : this.throughFilter(node.operand, value, scope)
    return this.applyFilter(node.name, operand, this.args(node.args, scope))
  }

  args(node: Arguments, scope: Scope): CallArguments {
    const positional = node.positional.map((one) => this.evaluate(one, scope))
    if (node.spread !== null) positional.push(...iterate(this.evaluate(node.spread, scope)))
    const named = new Map(node.named.map(([name, one]): [string, Value] => [name, this.evaluate(one, scope)]))
    if (node.spreadNamed !== null) {
      const more = plain(this.evaluate(node.spreadNamed, scope))
      if (!isDict(more)) throw new OperationError('** wants a mapping')
      for (const [name, value] of more) named.set(name, value)
    }
    return { positional, named }
  }

  call(callee: Value, args: CallArguments): Value {
    if (callee instanceof Callable) return callee.call(args)
    if (callee instanceof Attributes && callee.call !== null) return callee.call(args)
    if (callee instanceof Undefined) throw new UndefinedError(callee)
    throw new OperationError(`${textOf(callee)} is not callable`)
  }

  private plain(node: Expression, scope: Scope): PyValue {
    return plain(this.evaluate(node, scope))
  }

  private compare(first: Expression, rest: readonly (readonly [CompareOperator, Expression])[], scope: Scope): boolean {
    let left = this.evaluate(first, scope)
    for (const [operator, node] of rest) {
      const right = this.evaluate(node, scope)
      if (!this.holds(operator, left, right)) return false
      left = right
    }
    return true
  }

  private holds(operator: CompareOperator, left: Value, right: Value): boolean {
    if (operator === 'in' || operator === 'not in') return this.isIn(plain(left), right) === (operator === 'in')
    if (operator === '==' || operator === '!=') return this.equals(left, right) === (operator === '==')
    const order = compare(plain(left), plain(right))
    if (operator === '<') return order < 0
    if (operator === '<=') return order <= 0
    return operator === '>' ? order > 0 : order >= 0
  }

  private isIn(left: PyValue, right: Value): boolean {
    if (right instanceof Walk) return contains(right.take(), left)
    if (right instanceof Undefined && !right.isStrict) return false
    const container = plain(right)
    if (isList(container)) this.environment.budget.spend(container.length)
    return contains(container, left)
  }

  private equals(left: Value, right: Value): boolean {
    if (isPlainValue(left) && isPlainValue(right)) return pyEquals(left, right)
    for (const side of [left, right]) if (side instanceof Undefined && side.isStrict) throw new UndefinedError(side)
    return left === right || (left instanceof Undefined && right instanceof Undefined)
  }

  /** `object.name`: Python's attributes and methods first, then items. */
  private attribute(object: Value, name: string): Value {
    if (object instanceof Undefined) throw new UndefinedError(object)
    if (object instanceof Attributes) return orElse(object.get(name), () => this.undefined(`'${object.kind}' has no attribute '${name}'`))
    if (!isPlainValue(object)) return this.undefined(`it has no attribute '${name}'`)
    const part = object instanceof GroupTuple ? object.named(name) : undefined
    if (part !== undefined) return part
    return methodOf(object, name, this.environment.budget) ?? orElse(item(object, name), () => this.missing(object, name))
  }

  /** `object[index]`: items first, then for text indices attributes. */
  private subscript(object: Value, index: PyValue): Value {
    return typeof index === 'string' ? this.itemThenAttribute(object, index) : this.item(object, index)
  }

  private itemThenAttribute(object: Value, name: string): Value {
    if (object instanceof GroupTuple) return this.attribute(object, name)
    if (isPlainValue(object))
      return orElse(item(object, name), () => methodOf(object, name, this.environment.budget) ?? this.missing(object, name))
    return this.attribute(object, name)
  }

  private item(object: Value, index: PyValue): Value {
    if (object instanceof Undefined) throw new UndefinedError(object)
    if (!isPlainValue(object)) return this.undefined(`it has no item ${str(index)}`)
    return orElse(item(object, index), () => this.missing(object, index))
  }

  private missing(object: PyValue, index: PyValue): Undefined {
    if (isDict(object)) return this.undefined(`a dict with the keys ${keyList(object)} has no '${str(index)}'`)
    const size = isList(object)
      ? `a list of ${object.length}`
      : typeof object === 'string'
        ? `a text of ${text.length(object)}`
        : str(object)
    return this.undefined(`${size} has no item or attribute '${str(index)}'`)
  }

  private slice(node: Extract<Expression, { kind: 'slice' }>, scope: Scope): PyValue {
    const object = plain(this.evaluate(node.object, scope))
    const bound = (one: Expression | null): PyValue => (one === null ? null : this.plain(one, scope))
    this.environment.budget.spend(isList(object) || typeof object === 'string' ? 1 + Math.floor(object.length / 64) : 1)
    return slice(object, { start: bound(node.start), stop: bound(node.stop), step: bound(node.step) })
  }

  private applyFilter(name: string, value: Value, args: CallArguments): Value {
    const filter = this.environment.filters.get(name)
    if (filter === undefined) throw new OperationError(`there is no filter named '${name}'`)
    return filter(value, args, this.filterContext)
  }

  private applyTest(name: string, value: Value, args: CallArguments): boolean {
    const { tests, filters, budget } = this.environment
    const test = tests.get(name)
    if (test === undefined) throw new OperationError(`there is no test named '${name}'`)
    return test(value, args, { budget, hasFilter: (one) => filters.has(one), hasTest: (one) => tests.has(one) })
  }
}

function keyList(dict: PyDict): string {
  const keys = [...dict.keys()].slice(0, 30).map((key) => `'${key}'`)
  return keys.length === 0 ? '(none)' : keys.join(', ')
}
