/** Jinja2's statements: what stands in `{% … %}`, over the expression grammar. */
import type { Expression, Parameter, Statement, Target } from './ast.ts'
import { tokenize, type LexOptions } from './lex.ts'
import { ExpressionParser } from './parse-expression.ts'

/** The statements of a template. Throws `template/invalid` with the template's name and line. */
export function parseTemplate(source: string, options: LexOptions): readonly Statement[] {
  const parser = new StatementParser(new ExpressionParser(options.name, tokenize(source, options)))
  return parser.template()
}

class StatementParser {
  private readonly on: ExpressionParser
  private loopDepth = 0
  private depth = 0

  constructor(on: ExpressionParser) {
    this.on = on
  }

  template(): Statement[] {
    const body = this.body([])
    if (!this.on.is('end')) this.on.fail(`unexpected ${this.on.found()}`)
    return body
  }

  /** Statements up to a tag with one of these names; that tag's name is left as the current token. */
  private body(ends: readonly string[]): Statement[] {
    if (++this.depth > 100) this.on.fail('blocks nest deeper than 100')
    const statements: Statement[] = []
    for (;;) {
      const token = this.on.current
      if (token.kind === 'end') {
        if (ends.length > 0) this.on.fail(`wanted ${ends.map((end) => `'${end}'`).join(' or ')}, found the end of the template`)
        break
      }
      this.on.next()
      if (token.kind === 'text') statements.push({ kind: 'text', text: token.text, line: token.line })
      else if (token.kind === 'output-begin') {
        statements.push({ kind: 'output', expression: this.on.tuple(), line: token.line })
        this.on.expect('output-end')
      } else {
        if (this.on.is('name') && ends.includes(this.on.current.text)) break
        statements.push(this.statement())
        this.on.expect('block-end')
      }
    }
    this.depth--
    return statements
  }

  /** A body whose closing tag is read too, up to its `%}`. */
  private closedBody(end: string): Statement[] {
    this.on.expect('block-end')
    const body = this.body([end])
    this.on.next()
    return body
  }

  private statement(): Statement {
    const { text, line } = this.on.expect('name')
    switch (text) {
      case 'for':
        return this.forLoop(line)
      case 'if':
        return this.branches(line)
      case 'set':
        return this.set(line)
      case 'with':
        return this.withBlock(line)
      case 'macro':
        return {
          kind: 'macro',
          name: this.on.expect('name').text,
          parameters: this.parameters(),
          body: this.closedLoopless('endmacro'),
          line,
        }
      case 'call': {
        const parameters = this.on.is('operator', '(') ? this.parameters() : []
        const call = this.on.expression()
        if (call.kind !== 'call') this.on.fail('wanted a call', line)
        return { kind: 'call-block', call, parameters, body: this.closedLoopless('endcall'), line }
      }
      case 'filter':
        return { kind: 'filter-block', filter: this.on.filter(null, false), body: this.closedBody('endfilter'), line }
      case 'print':
        return { kind: 'output', expression: this.on.tuple(), line }
      case 'generation':
        return { kind: 'scope', body: this.closedBody('endgeneration'), line }
      case 'break':
      case 'continue':
        if (this.loopDepth === 0) this.on.fail(`'${text}' stands outside a loop`, line)
        return { kind: text, line }
      case 'block':
      case 'extends':
      case 'include':
      case 'import':
      case 'from':
        return this.on.fail(`'${text}' needs other templates, of which a task has none`, line)
      default:
        return this.on.fail(`unknown tag '${text}'`, line)
    }
  }

  private closedLoopless(end: string): Statement[] {
    const { loopDepth } = this
    this.loopDepth = 0
    const body = this.closedBody(end)
    this.loopDepth = loopDepth
    return body
  }

  private forLoop(line: number): Statement {
    const target = this.on.target({ ends: ['in'] })
    this.on.expect('name', 'in')
    const iterable = this.on.tuple({ withConditional: false, ends: ['recursive', 'if'] })
    const condition = this.on.skipIf('name', 'if') ? this.on.expression() : null
    const isRecursive = this.on.skipIf('name', 'recursive')
    this.on.expect('block-end')
    this.loopDepth++
    const body = this.body(['endfor', 'else'])
    this.loopDepth--
    let otherwise: Statement[] = []
    if (this.on.next().text === 'else') otherwise = this.closedBody('endfor')
    return { kind: 'for', target, iterable, condition, body, otherwise, isRecursive, line }
  }

  private branches(line: number): Statement {
    const branches: [Expression, Statement[]][] = []
    let otherwise: Statement[] = []
    for (;;) {
      const test = this.on.tuple({ withConditional: false })
      this.on.expect('block-end')
      branches.push([test, this.body(['elif', 'else', 'endif'])])
      const { text } = this.on.next()
      if (text === 'elif') continue
      if (text === 'else') otherwise = this.closedBody('endif')
      return { kind: 'if', branches, otherwise, line }
    }
  }

  private set(line: number): Statement {
    const target = this.on.target({ withAttribute: true })
    if (this.on.skipIf('operator', '=')) return { kind: 'set', target, value: this.on.tuple(), line }
    const filter = this.on.skipIf('operator', '|') ? this.on.filter(null, false) : null
    return { kind: 'set-block', target, filter, body: this.closedBody('endset'), line }
  }

  private withBlock(line: number): Statement {
    const assignments: [Target, Expression][] = []
    while (!this.on.is('block-end')) {
      if (assignments.length > 0) this.on.expect('operator', ',')
      const target = this.on.target({ withTuple: false })
      this.on.expect('operator', '=')
      assignments.push([target, this.on.expression()])
    }
    return { kind: 'with', assignments, body: this.closedBody('endwith'), line }
  }

  private parameters(): Parameter[] {
    this.on.expect('operator', '(')
    const parameters: Parameter[] = []
    while (!this.on.is('operator', ')')) {
      if (parameters.length > 0) this.on.expect('operator', ',')
      if (this.on.is('operator', ')')) break
      const name = this.on.expect('name').text
      const fallback = this.on.skipIf('operator', '=') ? this.on.expression() : null
      if (fallback === null && parameters.some((parameter) => parameter.fallback !== null))
        this.on.fail('a parameter without a default follows one with')
      parameters.push({ name, fallback })
    }
    this.on.expect('operator', ')')
    return parameters
  }
}
