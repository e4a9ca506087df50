/** Jinja2's expression grammar over its tokens, with its precedences. Equals Jinja2 3.1's parser. */
import { pyFloat, pyInt, type PyValue } from '../value.ts'
import type { Arguments, BinaryOperator, CompareOperator, Expression, Target } from './ast.ts'
import { maxIntDigits } from './budget.ts'
import { TokenReader } from './token-reader.ts'

const maxDepth = 200
/** Operands in a row, each of which holds the one before it. */
const maxChain = 1000
const constants: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])
const comparisons: readonly string[] = ['==', '!=', '<', '<=', '>', '>=']
const noArguments: Arguments = { positional: [], named: [], spread: null, spreadNamed: null }

/** Reads expressions from a token list; the statement parser shares its place in it. */
export class ExpressionParser extends TokenReader {
  private depth = 0

  /** One expression, a conditional one unless told otherwise. */
  expression(withConditional = true): Expression {
    if (++this.depth > maxDepth) this.fail(`expressions nest deeper than ${maxDepth}`)
    const result = withConditional ? this.conditional() : this.or()
    this.depth--
    return result
  }

  /** An expression, or several with commas as a tuple. `ends` names what may follow a trailing comma, such as `in`. */
  tuple(options: { withConditional?: boolean; isParenthesised?: boolean; ends?: readonly string[] } = {}): Expression {
    const { line } = this.current
    const items: Expression[] = []
    let isTuple = false
    for (;;) {
      if (this.isTupleEnd(options.ends ?? [])) break
      items.push(this.expression(options.withConditional ?? true))
      if (!this.skipIf('operator', ',')) break
      isTuple = true
    }
    const [only] = items
    if (!isTuple && only !== undefined) return only
    if (!isTuple && options.isParenthesised !== true) this.fail(`wanted an expression, found ${this.found()}`)
    return { kind: 'tuple', items, line }
  }

  /** What an assignment writes to. */
  target(options: { withTuple?: boolean; withAttribute?: boolean; ends?: readonly string[] } = {}): Target {
    if (options.withAttribute === true && this.peek(1).text === '.' && this.is('name')) {
      const object = this.next()
      this.next()
      return { kind: 'attribute', object: object.text, name: this.expect('name').text, line: object.line }
    }
    const items: Target[] = []
    let isTuple = false
    for (;;) {
      if (items.length > 0 && this.isTupleEnd(options.ends ?? [])) break
      items.push(this.singleTarget())
      if (options.withTuple === false || !this.skipIf('operator', ',')) break
      isTuple = true
    }
    const [only] = items
    return !isTuple && only !== undefined ? only : { kind: 'tuple', items }
  }

  private singleTarget(): Target {
    if (this.skipIf('operator', '(')) {
      if (++this.depth > maxDepth) this.fail(`targets nest deeper than ${maxDepth}`)
      const target = this.target()
      this.expect('operator', ')')
      this.depth--
      return target
    }
    const token = this.expect('name')
    if (constants.has(token.text)) this.fail(`can't assign to '${token.text}'`, token.line)
    return { kind: 'name', name: token.text }
  }

  private isTupleEnd(ends: readonly string[]): boolean {
    const { kind, text } = this.current
    if (kind === 'output-end' || kind === 'block-end' || kind === 'end') return true
    return (kind === 'operator' && text === ')') || (kind === 'name' && ends.includes(text))
  }

  private conditional(): Expression {
    let expression = this.or()
    for (let links = 0; this.is('name', 'if'); links++) {
      this.checkChain(links)
      const { line } = this.next()
      const test = this.or()
      const otherwise = this.skipIf('name', 'else') ? this.expression() : null
      expression = { kind: 'conditional', test, then: expression, otherwise, line }
    }
    return expression
  }

  private or(): Expression {
    let left = this.and()
    for (let links = 0; this.is('name', 'or'); links++) {
      this.checkChain(links)
      const { line } = this.next()
      left = { kind: 'or', left, right: this.and(), line }
    }
    return left
  }

  private and(): Expression {
    let left = this.not()
    for (let links = 0; this.is('name', 'and'); links++) {
      this.checkChain(links)
      const { line } = this.next()
      left = { kind: 'and', left, right: this.not(), line }
    }
    return left
  }

  private not(): Expression {
    if (!this.is('name', 'not')) return this.compare()
    const { line } = this.next()
    if (++this.depth > maxDepth) this.fail(`expressions nest deeper than ${maxDepth}`)
    const operand = this.not()
    this.depth--
    return { kind: 'unary', operator: 'not', operand, line }
  }

  private compare(): Expression {
    const { line } = this.current
    const first = this.sum()
    const rest: [CompareOperator, Expression][] = []
    for (;;) {
      const operator = this.compareOperator()
      if (operator === null) break
      rest.push([operator, this.sum()])
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest, line }
  }

  private compareOperator(): CompareOperator | null {
    if (this.current.kind === 'operator' && comparisons.includes(this.current.text)) {
      // `comparisons` holds nothing but compare operators.
      return this.next().text as CompareOperator
    }
    if (this.skipIf('name', 'in')) return 'in'
    if (!this.is('name', 'not') || this.peek(1).kind !== 'name' || this.peek(1).text !== 'in') return null
    this.next()
    this.next()
    return 'not in'
  }

  private sum(): Expression {
    return this.chain(['+', '-'], () => this.concat())
  }

  private concat(): Expression {
    const { line } = this.current
    const items = [this.product()]
    while (this.skipIf('operator', '~')) items.push(this.product())
    const [only] = items
    return items.length === 1 && only !== undefined ? only : { kind: 'concat', items, line }
  }

  private product(): Expression {
    return this.chain(['*', '/', '//', '%'], () => this.power())
  }

  private power(): Expression {
    return this.chain(['**'], () => this.unary(true))
  }

  private chain(operators: readonly BinaryOperator[], operand: () => Expression): Expression {
    let left = operand()
    for (let links = 0; ; links++) {
      this.checkChain(links)
      const operator = this.is('operator') ? operators.find((o) => o === this.current.text) : undefined
      if (operator === undefined) return left
      const { line } = this.next()
      left = { kind: 'binary', operator, left, right: operand(), line }
    }
  }

  /** The value of an integer as it is written, with or without underscores; of more digits than Python (3.11) reads it is refused. */
  private integer(written: string): PyValue {
    const digits = written.replaceAll('_', '').toLowerCase()
    if (!/^0[box]/.test(digits) && digits.length > maxIntDigits) this.fail(`an integer of more than ${maxIntDigits} digits`)
    return pyInt(BigInt(digits))
  }

  private checkChain(links: number): void {
    if (links > maxChain) this.fail(`more than ${maxChain} operands in a row`)
  }

  private unary(withFilter: boolean): Expression {
    const { line } = this.current
    const operator = this.is('operator', '-') ? '-' : this.is('operator', '+') ? '+' : null
    let node: Expression
    if (operator === null) node = this.postfix(this.primary())
    else {
      this.next()
      if (++this.depth > maxDepth) this.fail(`expressions nest deeper than ${maxDepth}`)
      node = this.postfix({ kind: 'unary', operator, operand: this.unary(false), line })
      this.depth--
    }
    return withFilter ? this.filters(node) : node
  }

  private primary(): Expression {
    const token = this.next()
    const { line } = token
    switch (token.kind) {
      case 'name':
        return constants.has(token.text)
          ? { kind: 'const', value: constants.get(token.text) ?? null, line }
          : { kind: 'name', name: token.text, line }
      case 'string': {
        let value = token.text
        while (this.is('string')) value += this.next().text
        return { kind: 'const', value, line }
      }
      case 'integer':
        return { kind: 'const', value: this.integer(token.text), line }
      case 'float':
        return { kind: 'const', value: pyFloat(Number(token.text.replaceAll('_', ''))), line }
      default:
    }
    if (token.kind === 'operator' && token.text === '(') {
      const inner = this.tuple({ isParenthesised: true })
      this.expect('operator', ')')
      return inner
    }
    if (token.kind === 'operator' && token.text === '[') return { kind: 'list', items: this.commaList(']', () => this.expression()), line }
    if (token.kind === 'operator' && token.text === '{') {
      const entries = this.commaList('}', (): readonly [Expression, Expression] => {
        const key = this.expression()
        this.expect('operator', ':')
        return [key, this.expression()]
      })
      return { kind: 'dict', entries, line }
    }
    this.back()
    return this.fail(`wanted an expression, found ${this.found()}`)
  }

  private commaList<T>(close: string, item: () => T): T[] {
    const items: T[] = []
    while (!this.is('operator', close)) {
      if (items.length > 0) this.expect('operator', ',')
      if (this.is('operator', close)) break
      items.push(item())
    }
    this.expect('operator', close)
    return items
  }

  private postfix(start: Expression): Expression {
    let node = start
    for (let links = 0; ; links++) {
      this.checkChain(links)
      const { line } = this.current
      if (this.skipIf('operator', '.')) node = this.attribute(node, line)
      else if (this.skipIf('operator', '[')) node = this.subscript(node, line)
      else if (this.is('operator', '(')) node = { kind: 'call', callee: node, args: this.arguments(), line }
      else return node
    }
  }

  private attribute(object: Expression, line: number): Expression {
    const token = this.next()
    if (token.kind === 'name') return { kind: 'attribute', object, name: token.text, line }
    if (token.kind === 'integer') return { kind: 'item', object, index: { kind: 'const', value: this.integer(token.text), line }, line }
    return this.fail(`wanted a name or a number after '.'`, line)
  }

  private subscript(object: Expression, line: number): Expression {
    if (this.is('operator', ']')) this.fail('wanted a subscript')
    const parts: Expression[] = []
    for (;;) {
      const part = this.sliceOrIndex(object, line)
      if (part.kind === 'slice' && part.object === object) {
        this.expect('operator', ']')
        return part
      }
      parts.push(part)
      if (!this.skipIf('operator', ',')) break
    }
    this.expect('operator', ']')
    const [only] = parts
    return { kind: 'item', object, index: parts.length === 1 && only !== undefined ? only : { kind: 'tuple', items: parts, line }, line }
  }

  private sliceOrIndex(object: Expression, line: number): Expression {
    const start = this.is('operator', ':') ? null : this.expression()
    if (start !== null && !this.is('operator', ':')) return start
    this.next()
    const stop = this.sliceBound()
    const step = this.skipIf('operator', ':') ? this.sliceBound() : null
    return { kind: 'slice', object, start, stop, step, line }
  }

  private sliceBound(): Expression | null {
    return this.is('operator', ':') || this.is('operator', ']') || this.is('operator', ',') ? null : this.expression()
  }

  private filters(start: Expression): Expression {
    let node = start
    for (let links = 0; ; links++) {
      this.checkChain(links)
      const { line } = this.current
      if (this.is('operator', '|')) node = this.filter(node)
      else if (this.is('name', 'is')) node = this.test(node)
      else if (this.is('operator', '(')) node = { kind: 'call', callee: node, args: this.arguments(), line }
      else return node
    }
  }

  /** `|name(args)` after an operand, or for a filter block the first `name(args)` without a bar. */
  filter(operand: Expression | null, isInline = true): Expression {
    if (isInline) this.expect('operator', '|')
    let node = operand
    let links = 0
    do {
      this.checkChain(links++)
      const { line } = this.current
      const name = this.dottedName()
      node = { kind: 'filter', name, operand: node, args: this.is('operator', '(') ? this.arguments() : noArguments, line }
    } while (!isInline && this.skipIf('operator', '|'))
    return node
  }

  private test(operand: Expression): Expression {
    const { line } = this.next()
    const isNegated = this.skipIf('name', 'not')
    const name = this.dottedName()
    return { kind: 'test', name, operand, args: this.testArguments(), isNegated, line }
  }

  private testArguments(): Arguments {
    if (this.is('operator', '(')) return this.arguments()
    const { kind, text } = this.current
    const startsOperand =
      kind === 'name' || kind === 'string' || kind === 'integer' || kind === 'float' || (kind === 'operator' && /^[[{]$/.test(text))
    if (!startsOperand || (kind === 'name' && ['else', 'or', 'and'].includes(text))) return noArguments
    if (this.is('name', 'is')) this.fail("tests can't be chained with 'is'")
    return { ...noArguments, positional: [this.postfix(this.primary())] }
  }

  private dottedName(): string {
    let name = this.expect('name').text
    while (this.skipIf('operator', '.')) name += `.${this.expect('name').text}`
    return name
  }

  /** `(a, *rest, key=value, **more)`, the opening parenthesis included. */
  arguments(): Arguments {
    this.expect('operator', '(')
    const positional: Expression[] = []
    const named: [string, Expression][] = []
    let spread: Expression | null = null
    let spreadNamed: Expression | null = null
    let isFirst = true
    while (!this.is('operator', ')')) {
      if (!isFirst) this.expect('operator', ',')
      isFirst = false
      if (this.is('operator', ')')) break
      if (this.skipIf('operator', '*')) spread = this.expression()
      else if (this.skipIf('operator', '**')) spreadNamed = this.expression()
      else if (this.is('name') && this.peek(1).kind === 'operator' && this.peek(1).text === '=') {
        const key = this.next().text
        this.next()
        named.push([key, this.expression()])
      } else if (named.length > 0 || spread !== null || spreadNamed !== null) this.fail('a positional argument follows a named one')
      else positional.push(this.expression())
    }
    this.expect('operator', ')')
    return { positional, named, spread, spreadNamed }
  }
}
