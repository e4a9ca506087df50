/** The `loop` variable of a `for`. */
import { OperationError } from '../operation-error.ts'
import type { PyValue } from '../value.ts'
import type { Budget } from './budget.ts'
import { equals } from './metered.ts'
import { Attributes, Callable, orElse, plain, Undefined, type CallArguments, type Value } from './values.ts'

export interface LoopState {
  readonly items: readonly PyValue[]
  index: number
  readonly depth: number
  readonly isStrict: boolean
  readonly budget: Budget
  readonly recurse: ((args: CallArguments) => Value) | null
}

/** `loop` for the current turn of a loop; it reads the state as the loop goes on. */
export function makeLoop(state: LoopState): Attributes {
  let last: readonly PyValue[] | null = null
  const outside = (what: string): Undefined => new Undefined(`there is no ${what}`, state.isStrict)
  const cycle = new Callable('cycle', ({ positional }) => {
    const chosen = positional[state.index % positional.length]
    if (chosen === undefined) throw new OperationError('no items for cycling given')
    return chosen
  })
  const changed = new Callable('changed', ({ positional }) => {
    const values = positional.map(plain)
    const isSame = last !== null && equals(last, values, state.budget)
    last = values
    return !isSame
  })
  return new Attributes('loop', {
    ...(state.recurse === null ? {} : { call: state.recurse }),
    get: (name) => {
      const { items, index } = state
      switch (name) {
        case 'index':
          return index + 1
        case 'index0':
          return index
        case 'revindex':
          return items.length - index
        case 'revindex0':
          return items.length - index - 1
        case 'first':
          return index === 0
        case 'last':
          return index === items.length - 1
        case 'length':
          return items.length
        case 'depth':
          return state.depth + 1
        case 'depth0':
          return state.depth
        case 'previtem':
          return orElse(items[index - 1], () => outside('previous item'))
        case 'nextitem':
          return orElse(items[index + 1], () => outside('next item'))
        case 'cycle':
          return cycle
        case 'changed':
          return changed
        default:
          return undefined
      }
    },
  })
}
