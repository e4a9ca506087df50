/** What an answer can stand for in math_verify: a formula, or what is made of formulas. */
import type { Expression } from '../algebra/expression.ts'

export type Value =
  | { readonly kind: 'formula'; readonly formula: Expression }
  /** Written with a percent sign behind: a hundredth of the formula, but equal to the formula's whole number too. */
  | { readonly kind: 'percent'; readonly formula: Expression }
  /** Items in the order written. */
  | { readonly kind: 'set'; readonly items: readonly Value[] }
  | { readonly kind: 'tuple'; readonly items: readonly Value[] }
  | { readonly kind: 'interval'; readonly from: Expression; readonly to: Expression; readonly fromOpen: boolean; readonly toOpen: boolean }
  | { readonly kind: 'joined'; readonly by: 'union' | 'intersection' | 'minus'; readonly left: Value; readonly right: Value }
  | { readonly kind: 'all'; readonly name: string }
  | { readonly kind: 'matrix'; readonly rows: readonly (readonly Expression[])[] }
  | Relation
  /** `a < b < c`. */
  | { readonly kind: 'chain'; readonly relations: readonly Relation[] }

export interface Relation {
  readonly kind: 'relation'
  readonly sign: '=' | '!=' | '<' | '<=' | '>' | '>='
  readonly left: Value
  readonly right: Value
}

export const asFormula = (formula: Expression): Value => ({ kind: 'formula', formula })
