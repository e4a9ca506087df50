/** The value of an expression, as Jinja2 over Python would give it. */
import { OperationError } from '../operation-error.ts'
import { length } from '../string.ts'
import { isDict, isList, pyTuple, type PyDict, type PyValue } from '../value.ts'
import type { Arguments, CompareOperator, Expression } from './ast.ts'
import { brief } from './brief.ts'
import type { Budget } from './budget.ts'
import type { Filter, FilterContext } from './filter.ts'
import { equals, keyOf, textOf } from './metered.ts'
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
  plain,
  Undefined,
  UndefinedError,
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
        return this.environment.budget.made(node.items.map((one) => this.plain(one, scope)))
      case 'tuple':
        return this.environment.budget.made(pyTuple(node.items.map((one) => this.plain(one, scope))))
      case 'dict': {
        const dict = new Map<string, PyValue>()
        const { budget } = this.environment
        for (const [key, value] of node.entries) dict.set(keyOf(dict, this.plain(key, scope), budget), this.plain(value, scope))
        return budget.made(dict)
      }
      case 'unary':
        if (node.operator === 'not') return !isTrue(this.evaluate(node.operand, scope))
        return negate(this.plain(node.operand, scope), node.operator, this.environment.budget)
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
        const parts = node.items.map((one) => textOf(this.evaluate(one, scope), this.environment.budget))
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
    this.environment.budget.text(description.length)
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
    const { budget } = this.environment
    if (node.spread !== null) {
      const items = iterate(this.evaluate(node.spread, scope), budget)
      budget.list(items.length)
      for (const item of items) positional.push(item)
    }
    const named = new Map(node.named.map(([name, one]): [string, Value] => [name, this.evaluate(one, scope)]))
    if (node.spreadNamed !== null) {
      const more = plain(this.evaluate(node.spreadNamed, scope))
      if (!isDict(more)) throw new OperationError('** wants a mapping')
      budget.entries(more.size)
      for (const [name, value] of more) named.set(name, value)
    }
    return { positional, named }
  }

  call(callee: Value, args: CallArguments): Value {
    const { budget } = this.environment
    this.readArguments(args)
    if (callee instanceof Callable) return budget.made(callee.call(args))
    if (callee instanceof Attributes && callee.call !== null) return budget.made(callee.call(args))
    if (callee instanceof Undefined) throw new UndefinedError(callee)
    throw new OperationError(`${isPlainValue(callee) ? brief(callee) : 'it'} is not callable`)
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
    const order = compare(plain(left), plain(right), this.environment.budget)
    if (operator === '<') return order < 0
    if (operator === '<=') return order <= 0
    return operator === '>' ? order > 0 : order >= 0
  }

  private isIn(left: PyValue, right: Value): boolean {
    if (right instanceof Undefined && !right.isStrict) return false
    return contains(plain(right), left, this.environment.budget)
  }

  private equals(left: Value, right: Value): boolean {
    if (isPlainValue(left) && isPlainValue(right)) return equals(left, right, this.environment.budget)
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
    return (
      methodOf(object, name, this.environment.budget) ??
      orElse(item(object, name, this.environment.budget), () => this.missing(object, name))
    )
  }

  /** `object[index]`: items first, then for text indices attributes. */
  private subscript(object: Value, index: PyValue): Value {
    return typeof index === 'string' ? this.itemThenAttribute(object, index) : this.item(object, index)
  }

  private itemThenAttribute(object: Value, name: string): Value {
    if (object instanceof GroupTuple) return this.attribute(object, name)
    if (isPlainValue(object))
      return orElse(
        item(object, name, this.environment.budget),
        () => methodOf(object, name, this.environment.budget) ?? this.missing(object, name),
      )
    return this.attribute(object, name)
  }

  private item(object: Value, index: PyValue): Value {
    if (object instanceof Undefined) throw new UndefinedError(object)
    if (!isPlainValue(object)) return this.undefined(`it has no item ${brief(index)}`)
    return orElse(item(object, index, this.environment.budget), () => this.missing(object, index))
  }

  private missing(object: PyValue, index: PyValue): Undefined {
    if (isDict(object)) return this.undefined(`a dict with the keys ${keyList(object)} has no '${brief(index)}'`)
    const size = isList(object) ? `a list of ${object.length}` : typeof object === 'string' ? this.textSize(object) : brief(object)
    return this.undefined(`${size} has no item or attribute '${brief(index)}'`)
  }

  private textSize(object: string): string {
    this.environment.budget.scan(object.length)
    return `a text of ${length(object)}`
  }

  private slice(node: Extract<Expression, { kind: 'slice' }>, scope: Scope): PyValue {
    const object = plain(this.evaluate(node.object, scope))
    const bound = (one: Expression | null): PyValue => (one === null ? null : this.plain(one, scope))
    const { budget } = this.environment
    budget.read(object)
    return budget.made(slice(object, { start: bound(node.start), stop: bound(node.stop), step: bound(node.step) }))
  }

  private applyFilter(name: string, value: Value, args: CallArguments): Value {
    const filter = this.environment.filters.get(name)
    if (filter === undefined) throw new OperationError(`there is no filter named '${name}'`)
    this.environment.budget.read(value)
    this.readArguments(args)
    return this.environment.budget.made(filter(value, args, this.filterContext))
  }

  private readArguments({ positional, named }: CallArguments): void {
    const { budget } = this.environment
    for (const value of positional) budget.read(value)
    for (const value of named.values()) budget.read(value)
  }

  private applyTest(name: string, value: Value, args: CallArguments): boolean {
    const { tests, filters, budget } = this.environment
    const test = tests.get(name)
    if (test === undefined) throw new OperationError(`there is no test named '${name}'`)
    budget.spend()
    budget.read(value)
    this.readArguments(args)
    return test(value, args, { budget, hasFilter: (one) => filters.has(one), hasTest: (one) => tests.has(one) })
  }
}

/** The first keys of a dict, for a message. */
function keyList(dict: PyDict): string {
  const keys: string[] = []
  for (const key of dict.keys()) if (keys.push(`'${brief(key)}'`) === 30) break
  return keys.length === 0 ? '(none)' : keys.join(', ')
}
