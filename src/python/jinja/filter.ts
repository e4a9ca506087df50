/** What a filter is, and how one is defined. */
import type { PyValue } from '../value.ts'
import { Bound } from './arguments.ts'
import type { Budget } from './budget.ts'
import type { CallArguments, Value } from './values.ts'

/** What filters may ask of the evaluator: its limits, attributes, and other filters and tests by name. */
export interface FilterContext {
  readonly budget: Budget
  readonly attribute: (value: Value, name: PyValue) => Value
  readonly filter: (name: string, value: Value, args: CallArguments) => Value
  readonly test: (name: string, value: Value, args: CallArguments) => boolean
}

export type Filter = (value: Value, args: CallArguments, context: FilterContext) => Value

export type FilterRun = (value: Value, args: Bound, context: FilterContext) => Value

/** A filter from its parameters' names and what it does with them. */
export function filter(name: string, parameters: readonly string[], run: FilterRun): readonly [string, Filter] {
  return [name, (value, args, context) => run(value, new Bound(`the filter '${name}'`, parameters, args), context)]
}
