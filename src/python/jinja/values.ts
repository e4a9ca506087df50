/** Values as a template sees them: Python values, and what only lives while a template runs. */
import { OperationError } from '../operation-error.ts'
import * as text from '../string.ts'
import { decodeKey, isDict, isList, PyFloat, PyTuple, pyTuple, type PyDict, type PyValue } from '../value.ts'
import { brief } from './brief.ts'

/** A name, attribute or item that isn't there. `describe` says which, for the error that using it raises. */
export class Undefined {
  readonly description: string
  /** A non-strict undefined prints as nothing and counts as false; a strict one raises when it is used at all. */
  readonly isStrict: boolean

  constructor(description: string, isStrict: boolean) {
    this.description = description
    this.isStrict = isStrict
  }
}

/** Use of an undefined value; the evaluator adds template, line and columns. */
export class UndefinedError extends Error {
  constructor(undefinedValue: Undefined) {
    super(undefinedValue.description)
    this.name = 'UndefinedError'
  }
}

export interface CallArguments {
  readonly positional: readonly Value[]
  readonly named: ReadonlyMap<string, Value>
}

/** A method, macro or function. */
export class Callable {
  readonly name: string
  readonly call: (args: CallArguments) => Value

  constructor(name: string, call: (args: CallArguments) => Value) {
    this.name = name
    this.call = call
  }
}

/** `namespace(…)`, `loop`, `cycler(…)` and `joiner(…)`: an object with attributes, of which only a namespace's can be set. */
export class Attributes {
  readonly kind: 'namespace' | 'loop' | 'cycler' | 'joiner'
  readonly get: (name: string) => Value | undefined
  readonly set: ((name: string, value: Value) => void) | null
  /** For `loop` of a recursive loop, and for a joiner. */
  readonly call: ((args: CallArguments) => Value) | null

  constructor(
    kind: Attributes['kind'],
    access: { get: (name: string) => Value | undefined; set?: (name: string, value: Value) => void; call?: (args: CallArguments) => Value },
  ) {
    this.kind = kind
    this.get = access.get
    this.set = access.set ?? null
    this.call = access.call ?? null
  }
}

/** A Python generator, iterator or dict view: can be walked, has no length (a view does) and no items by index. */
export class Walk {
  readonly kind: 'generator' | 'view'
  readonly label: string
  private items: readonly PyValue[]

  constructor(kind: 'generator' | 'view', label: string, items: readonly PyValue[]) {
    this.kind = kind
    this.label = label
    this.items = items
  }

  get size(): number {
    return this.items.length
  }

  /** The items; a generator has none left afterwards. */
  take(): readonly PyValue[] {
    const { items } = this
    if (this.kind === 'generator') this.items = []
    return items
  }
}

export type Value = PyValue | Undefined | Callable | Attributes | Walk

/** One group of the filter `groupby`: a tuple whose two items have names. */
export class GroupTuple extends PyTuple {
  /** The item with a name; undefined for any other name. */
  named(name: string): PyValue | undefined {
    return name === 'grouper' ? this[0] : name === 'list' ? this[1] : undefined
  }
}

/** True for values that containers may hold. */
export function isPlainValue(value: Value): value is PyValue {
  return !(value instanceof Undefined || value instanceof Callable || value instanceof Attributes || value instanceof Walk)
}

/** The value, or the error that using an undefined one is. A function where a value is wanted is refused too. */
export function plain(value: Value): PyValue {
  if (isPlainValue(value)) return value
  if (value instanceof Undefined) {
    if (value.isStrict) throw new UndefinedError(value)
    return ''
  }
  if (value instanceof Walk) return value.take()
  throw new OperationError(`wanted a value, found ${value instanceof Callable ? `the function ${value.name}` : `a ${value.kind}`}`)
}

/** Python's `bool(value)`. */
export function isTrue(value: Value): boolean {
  if (value instanceof Undefined) {
    if (value.isStrict) throw new UndefinedError(value)
    return false
  }
  if (!isPlainValue(value)) return !(value instanceof Walk && value.kind === 'view') || value.size > 0
  if (value === null || value === false || value === 0 || value === '' || value === 0n) return false
  if (value instanceof PyFloat) return value.value !== 0
  if (isList(value)) return value.length > 0
  return isDict(value) ? value.size > 0 : true
}

/** What charges for walking over a value (`Budget` does). */
interface Reader {
  read(value: Value): void
}

/** The items that a `for` visits: a list's items, a text's characters, a dict's keys. */
export function iterate(value: Value, budget: Reader): readonly PyValue[] {
  budget.read(value)
  if (value instanceof Walk) return value.take()
  if (value instanceof Undefined && !value.isStrict) return []
  const it = plain(value)
  if (isList(it)) return it
  if (typeof it === 'string') return text.codePoints(it)
  if (isDict(it)) return keysOf(it)
  throw new OperationError(`${brief(it)} can't be iterated over`)
}

export function keysOf(dict: PyDict): PyValue[] {
  return [...dict.keys()].map(decodeKey)
}

/** A dict's items as tuples. */
export function itemsOf(dict: PyDict): PyValue[] {
  return [...dict].map(([key, value]) => pyTuple([decodeKey(key), value]))
}

/** Python's `len`. */
export function lengthOf(value: Value): number {
  if (value instanceof Walk && value.kind === 'view') return value.size
  if (value instanceof Undefined && !value.isStrict) return 0
  if (!(value instanceof Walk)) {
    const it = plain(value)
    if (typeof it === 'string') return text.length(it)
    if (isList(it)) return it.length
    if (isDict(it)) return it.size
  }
  throw new OperationError(`${isPlainValue(value) ? brief(value) : 'it'} has no length`)
}

/** The value, or another one when there is none. Not `??`, because null is Python's None, which is a value. */
export function orElse(value: Value | undefined, otherwise: () => Value): Value {
  return value === undefined ? otherwise() : value
}
