/** `cycler(…)` and `joiner(…)`, Jinja2's two counters. Equals `Cycler` and `Joiner` of Jinja2 3.1. */
import { OperationError } from '../operation-error.ts'
import { Bound } from './arguments.ts'
import { Attributes, Callable, orElse, type CallArguments, type Value } from './values.ts'

/** An object whose `next()` gives the items in turn, `current` the one that is next, `reset()` begins anew. */
export function makeCycler({ positional }: CallArguments): Attributes {
  if (positional.length === 0) throw new OperationError('at least one item has to be provided')
  let at = 0
  const current = (): Value => orElse(positional[at], () => null)
  const next = new Callable('next', () => {
    const item = current()
    at = (at + 1) % positional.length
    return item
  })
  const reset = new Callable('reset', () => {
    at = 0
    return null
  })
  return new Attributes('cycler', {
    get: (name) => (name === 'current' ? current() : name === 'next' ? next : name === 'reset' ? reset : undefined),
  })
}

/** An object that gives nothing when it is called first, and its separator from then on. */
export function makeJoiner(args: CallArguments): Attributes {
  const separator = new Bound('joiner()', ['sep'], args).raw('sep') ?? ', '
  let isUsed = false
  const call = (): Value => {
    const text = isUsed ? separator : ''
    isUsed = true
    return text
  }
  return new Attributes('joiner', { get: (name) => (name === 'sep' ? separator : undefined), call })
}
