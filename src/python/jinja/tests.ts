/** Jinja2's built-in tests (`x is even`). Equals Jinja2 3.1. */
import { OperationError } from '../operation-error.ts'
import { isLower, isUpper } from '../string.ts'
import { isDict, isFloat, isInt, isList, toNumber, type PyValue } from '../value.ts'
import type { BinaryOperator } from './ast.ts'
import type { Budget } from './budget.ts'
import { equals, printed } from './metered.ts'
import { binary, compare, contains } from './operators.ts'
import { Callable, isPlainValue, plain, Undefined, Walk, type CallArguments, type Value } from './values.ts'

export interface TestContext {
  readonly budget: Budget
  readonly hasFilter: (name: string) => boolean
  readonly hasTest: (name: string) => boolean
}

export type Test = (value: Value, args: CallArguments, context: TestContext) => boolean

const other = ({ positional: [first] }: CallArguments): PyValue => {
  if (first === undefined) throw new OperationError('the test wants an argument')
  return plain(first)
}

const equal: Test = (value, args, { budget }) => equals(plain(value), other(args), budget)
const ordered =
  (holds: (order: number) => boolean): Test =>
  (value, args, { budget }) =>
    holds(compare(plain(value), other(args), budget))

const modulo = (value: PyValue, by: PyValue, budget: Budget): PyValue => {
  const operator: BinaryOperator = '%'
  return binary(operator, value, by, budget)
}

const less = ordered((order) => order < 0)
const lessOrEqual = ordered((order) => order <= 0)
const greater = ordered((order) => order > 0)
const greaterOrEqual = ordered((order) => order >= 0)
const notEqual: Test = (value, args, { budget }) => !equals(plain(value), other(args), budget)

/** Jinja2's tests by name. */
export const builtinTests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['defined', (value) => !(value instanceof Undefined)],
  ['undefined', (value) => value instanceof Undefined],
  ['none', (value) => value === null],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['boolean', (value) => typeof value === 'boolean'],
  ['integer', (value) => isPlainValue(value) && isInt(value)],
  ['float', (value) => isPlainValue(value) && isFloat(value)],
  ['number', (value) => isPlainValue(value) && toNumber(value) !== null],
  ['string', (value) => typeof value === 'string'],
  ['mapping', (value) => isPlainValue(value) && isDict(value)],
  ['sequence', (value) => isPlainValue(value) && (typeof value === 'string' || isList(value) || isDict(value))],
  ['iterable', (value) => value instanceof Walk || (isPlainValue(value) && (typeof value === 'string' || isList(value) || isDict(value)))],
  ['callable', (value) => value instanceof Callable],
  ['escaped', () => false],
  ['lower', (value, _args, { budget }) => isLower(printed(plain(value), budget))],
  ['upper', (value, _args, { budget }) => isUpper(printed(plain(value), budget))],
  ['even', (value, _args, { budget }) => equals(modulo(plain(value), 2, budget), 0, budget)],
  ['odd', (value, _args, { budget }) => equals(modulo(plain(value), 2, budget), 1, budget)],
  ['divisibleby', (value, args, { budget }) => equals(modulo(plain(value), other(args), budget), 0, budget)],
  ['sameas', (value, args) => value === args.positional[0]],
  ['in', (value, args, { budget }) => contains(other(args), plain(value), budget)],
  ['filter', (value, _args, { hasFilter, budget }) => hasFilter(printed(plain(value), budget))],
  ['test', (value, _args, { hasTest, budget }) => hasTest(printed(plain(value), budget))],
  ['eq', equal],
  ['equalto', equal],
  ['==', equal],
  ['ne', notEqual],
  ['!=', notEqual],
  ['lt', less],
  ['lessthan', less],
  ['<', less],
  ['le', lessOrEqual],
  ['<=', lessOrEqual],
  ['gt', greater],
  ['greaterthan', greater],
  ['>', greater],
  ['ge', greaterOrEqual],
  ['>=', greaterOrEqual],
])
