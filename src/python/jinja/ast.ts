/** The syntax tree of a Jinja2 template. Every node knows its line, for errors. */
import type { PyValue } from '../value.ts'

export type Expression = { readonly line: number } & ExpressionKind

type ExpressionKind =
  | { readonly kind: 'const'; readonly value: PyValue }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly Expression[] }
  | { readonly kind: 'dict'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'unary'; readonly operator: '-' | '+' | 'not'; readonly operand: Expression }
  | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'concat'; readonly items: readonly Expression[] }
  | { readonly kind: 'compare'; readonly first: Expression; readonly rest: readonly (readonly [CompareOperator, Expression])[] }
  | { readonly kind: 'conditional'; readonly test: Expression; readonly then: Expression; readonly otherwise: Expression | null }
  | { readonly kind: 'attribute'; readonly object: Expression; readonly name: string }
  | { readonly kind: 'item'; readonly object: Expression; readonly index: Expression }
  | {
      readonly kind: 'slice'
      readonly object: Expression
      readonly start: Expression | null
      readonly stop: Expression | null
      readonly step: Expression | null
    }
  | { readonly kind: 'call'; readonly callee: Expression; readonly args: Arguments }
  /** A null operand is the body of a filter block. */
  | { readonly kind: 'filter'; readonly name: string; readonly operand: Expression | null; readonly args: Arguments }
  | { readonly kind: 'test'; readonly name: string; readonly operand: Expression; readonly args: Arguments; readonly isNegated: boolean }

export type BinaryOperator = '+' | '-' | '*' | '/' | '//' | '%' | '**'
export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not in'

export interface Arguments {
  readonly positional: readonly Expression[]
  readonly named: readonly (readonly [string, Expression])[]
  readonly spread: Expression | null
  readonly spreadNamed: Expression | null
}

/** What `set`, `for` and `with` assign to. */
export type Target =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'attribute'; readonly object: string; readonly name: string; readonly line: number }
  | { readonly kind: 'tuple'; readonly items: readonly Target[] }

export interface Parameter {
  readonly name: string
  readonly fallback: Expression | null
}

export type Statement = { readonly line: number } & StatementKind

type StatementKind =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly expression: Expression }
  | {
      readonly kind: 'for'
      readonly target: Target
      readonly iterable: Expression
      readonly condition: Expression | null
      readonly body: readonly Statement[]
      readonly otherwise: readonly Statement[]
      readonly isRecursive: boolean
    }
  | {
      readonly kind: 'if'
      readonly branches: readonly (readonly [Expression, readonly Statement[]])[]
      readonly otherwise: readonly Statement[]
    }
  | { readonly kind: 'set'; readonly target: Target; readonly value: Expression }
  | { readonly kind: 'set-block'; readonly target: Target; readonly filter: Expression | null; readonly body: readonly Statement[] }
  | { readonly kind: 'with'; readonly assignments: readonly (readonly [Target, Expression])[]; readonly body: readonly Statement[] }
  | { readonly kind: 'macro'; readonly name: string; readonly parameters: readonly Parameter[]; readonly body: readonly Statement[] }
  | {
      readonly kind: 'call-block'
      readonly call: Expression
      readonly parameters: readonly Parameter[]
      readonly body: readonly Statement[]
    }
  | { readonly kind: 'filter-block'; readonly filter: Expression; readonly body: readonly Statement[] }
  | { readonly kind: 'scope'; readonly body: readonly Statement[] }
  | { readonly kind: 'break' | 'continue' }
