/** Runs a template's statements and gathers what they print. */
import { OperationError } from '../operation-error.ts'
import { isDict, pyTuple, type PyValue } from '../value.ts'
import type { Expression, Parameter, Statement, Target } from './ast.ts'
import { ExpressionEvaluator, type Environment } from './evaluate-expression.ts'
import { makeLoop, type LoopState } from './loop.ts'
import { textOf } from './metered.ts'
import { Scope } from './scope.ts'
import { Attributes, Callable, isTrue, iterate, orElse, plain, Undefined, type CallArguments, type Value } from './values.ts'

type Signal = 'break' | 'continue' | null
type ForLoop = Extract<Statement, { kind: 'for' }>

const maxCallDepth = 100

/** The text that the statements print in the scope. Raises `OperationError` and `UndefinedError`; see the renderer. */
export function run(body: readonly Statement[], scope: Scope, environment: Environment): string {
  const runner = new Runner(environment)
  runner.block(body, scope)
  return runner.output.join('')
}

class Runner {
  output: string[] = []
  private size = 0
  private depth = 0
  private readonly environment: Environment
  private readonly expressions: ExpressionEvaluator

  constructor(environment: Environment) {
    this.environment = environment
    this.expressions = new ExpressionEvaluator(environment)
  }

  block(body: readonly Statement[], scope: Scope): Signal {
    for (const statement of body) {
      const signal = this.statement(statement, scope)
      if (signal !== null) return signal
    }
    return null
  }

  private statement(node: Statement, scope: Scope): Signal {
    this.environment.budget.spend()
    this.environment.atLine(node.line)
    switch (node.kind) {
      case 'text':
        this.print(node.text)
        return null
      case 'output':
        this.print(this.text(this.value(node.expression, scope)))
        return null
      case 'if': {
        const taken = node.branches.find(([test]) => isTrue(this.value(test, scope)))
        return this.block(taken?.[1] ?? node.otherwise, scope)
      }
      case 'for':
        this.forLoop(node, scope, iterate(this.value(node.iterable, scope), this.environment.budget), 0)
        return null
      case 'set':
        this.assign(node.target, this.value(node.value, scope), scope)
        return null
      case 'set-block': {
        const text = this.capture(node.body, new Scope(scope))
        this.assign(node.target, node.filter === null ? text : this.expressions.throughFilter(node.filter, text, scope), scope)
        return null
      }
      case 'with': {
        const inner = new Scope(scope)
        const values = node.assignments.map(([, expression]) => this.value(expression, scope))
        node.assignments.forEach(([target], index) => this.assign(target, values[index] ?? null, inner))
        return this.block(node.body, inner)
      }
      case 'macro':
        scope.set(node.name, this.macro(node.name, node.parameters, node.body, scope))
        return null
      case 'call-block': {
        const caller = this.macro('caller', node.parameters, node.body, scope)
        if (node.call.kind !== 'call') throw new OperationError('wanted a call')
        const args = this.expressions.args(node.call.args, scope)
        const callee = this.value(node.call.callee, scope)
        this.print(
          this.text(this.expressions.call(callee, { positional: args.positional, named: new Map([...args.named, ['caller', caller]]) })),
        )
        return null
      }
      case 'filter-block':
        this.print(this.text(this.expressions.throughFilter(node.filter, this.capture(node.body, new Scope(scope)), scope)))
        return null
      case 'scope':
        return this.block(node.body, scope)
      case 'break':
      case 'continue':
        return node.kind
    }
  }

  private value(node: Expression, scope: Scope): Value {
    return this.expressions.evaluate(node, scope)
  }

  private text(value: Value): string {
    return textOf(value, this.environment.budget)
  }

  private print(text: string): void {
    this.size += text.length
    this.environment.budget.print(text.length, this.size)
    this.output.push(text)
  }

  /** What a body prints, kept apart from the output. */
  private capture(body: readonly Statement[], scope: Scope): string {
    const { output, size } = this
    this.output = []
    this.block(body, scope)
    const text = this.output.join('')
    this.output = output
    this.size = size
    return text
  }

  private forLoop(node: ForLoop, scope: Scope, all: readonly PyValue[], depth: number): void {
    if (depth > maxCallDepth) throw new OperationError(`loops recurse deeper than ${maxCallDepth}`)
    const items = node.condition === null ? all : all.filter((item) => this.passes(node, item, scope))
    if (items.length === 0) {
      this.block(node.otherwise, new Scope(scope))
      return
    }
    const recurse = ({ positional }: CallArguments): Value => {
      const outer = this.output
      const size = this.size
      this.output = []
      this.forLoop(node, scope, iterate(positional[0] ?? null, this.environment.budget), depth + 1)
      const text = this.output.join('')
      this.output = outer
      this.size = size
      return text
    }
    const state: LoopState = {
      items,
      index: 0,
      depth,
      isStrict: this.environment.isStrict,
      budget: this.environment.budget,
      recurse: node.isRecursive ? recurse : null,
    }
    const loop = makeLoop(state)
    for (const [index, item] of items.entries()) {
      this.environment.budget.spend()
      state.index = index
      const inner = new Scope(scope)
      inner.set('loop', loop)
      this.assign(node.target, item, inner)
      if (this.block(node.body, inner) === 'break') return
    }
  }

  private passes(node: ForLoop, item: PyValue, scope: Scope): boolean {
    if (node.condition === null) return true
    const inner = new Scope(scope)
    this.assign(node.target, item, inner)
    return isTrue(this.value(node.condition, inner))
  }

  private assign(target: Target, value: Value, scope: Scope): void {
    if (target.kind === 'name') {
      scope.set(target.name, value)
      return
    }
    if (target.kind === 'attribute') {
      const object = scope.get(target.object)
      if (!(object instanceof Attributes) || object.set === null)
        throw new OperationError('cannot assign attribute on non-namespace object')
      object.set(target.name, value)
      return
    }
    const items = iterate(value, this.environment.budget)
    if (items.length !== target.items.length)
      throw new OperationError(`wanted ${target.items.length} values to unpack, found ${items.length}`)
    target.items.forEach((one, index) => this.assign(one, items[index] ?? null, scope))
  }

  private macro(name: string, parameters: readonly Parameter[], body: readonly Statement[], scope: Scope): Callable {
    const usesRest = restOf(body)
    this.environment.budget.take(512)
    return new Callable(name, ({ positional, named }) => {
      if (++this.depth > maxCallDepth) throw new OperationError(`macros call each other deeper than ${maxCallDepth}`)
      const inner = new Scope(scope)
      const rest = new Map(named)
      parameters.forEach((parameter, index) => {
        const given = index < positional.length ? positional[index] : rest.get(parameter.name)
        rest.delete(parameter.name)
        const fallback = (): Value =>
          parameter.fallback === null
            ? new Undefined(`parameter '${parameter.name}' was not provided`, this.environment.isStrict)
            : this.value(parameter.fallback, inner)
        inner.set(parameter.name, orElse(given, fallback))
      })
      inner.set('caller', rest.get('caller') ?? new Undefined('No caller defined', this.environment.isStrict))
      rest.delete('caller')
      const surplus = positional.slice(parameters.length)
      this.environment.budget.spend(surplus.length)
      this.environment.budget.list(3 * surplus.length)
      if (surplus.length > 0 && !usesRest.varargs)
        throw new OperationError(`macro '${name}' takes not more than ${parameters.length} argument(s)`)
      const [unknown] = rest.keys()
      if (unknown !== undefined && !usesRest.kwargs) throw new OperationError(`macro '${name}' takes no keyword argument '${unknown}'`)
      inner.set('varargs', pyTuple(surplus.map(plain)))
      inner.set('kwargs', new Map([...rest].map(([key, value]): [string, PyValue] => [key, plain(value)])))
      const text = this.capture(body, inner)
      this.depth--
      return text
    })
  }
}

interface Rest {
  readonly varargs: boolean
  readonly kwargs: boolean
}

const rests = new WeakMap<readonly Statement[], Rest>()

/** Which surplus arguments a macro's body reads; looked for once, since a loop may make the macro again and again. */
function restOf(body: readonly Statement[]): Rest {
  const known = rests.get(body)
  if (known !== undefined) return known
  const rest = { varargs: mentions(body, 'varargs'), kwargs: mentions(body, 'kwargs') }
  rests.set(body, rest)
  return rest
}

/** True when a name stands anywhere in the statements: Jinja2 hands over surplus arguments only to macros that read them. */
function mentions(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((one) => mentions(one, name))
  if (typeof node !== 'object' || node === null || isDict(node as PyValue)) return false
  if ('kind' in node && node.kind === 'name' && 'name' in node && node.name === name) return true
  return Object.values(node).some((one) => mentions(one, name))
}
