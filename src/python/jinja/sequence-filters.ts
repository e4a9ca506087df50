/** Jinja2's built-in filters on sequences: joining, sorting, picking, mapping. Equals Jinja2 3.1. */
import { OperationError } from '../operation-error.ts'
import * as text from '../string.ts'
import { isDict, isList, typeName, type PyValue } from '../value.ts'
import type { Bound } from './arguments.ts'
import type { Budget } from './budget.ts'
import { filter, type Filter, type FilterContext } from './filter.ts'
import { equals, printed } from './metered.ts'
import { binary, compare } from './operators.ts'
import { GroupTuple, isTrue, itemsOf, iterate, orElse, plain, Undefined, Walk, type CallArguments, type Value } from './values.ts'

/** An item with its keys while they are put in order. */
const bytesPerSorted = 128
/** A list of a few items. */
const bytesPerRow = 64

/** The sequence filters by name. */
export const sequenceFilters: readonly (readonly [string, Filter])[] = [
  filter('list', [], (value, _args, { budget }) => counted(iterate(value, budget), budget).slice()),
  filter('join', ['d', 'attribute'], join),
  filter('first', [], (value, _args, { budget }) =>
    orElse(iterate(value, budget)[0], () => new Undefined('No first item, sequence was empty.', true)),
  ),
  filter('last', [], (value, _args, { budget }) =>
    orElse(iterate(value, budget).at(-1), () => new Undefined('No last item, sequence was empty.', true)),
  ),
  filter('reverse', [], (value, _args, { budget }) =>
    typeof value === 'string'
      ? [...text.codePoints(value)].reverse().join('')
      : new Walk('generator', 'list_reverseiterator', [...iterate(value, budget)].reverse()),
  ),
  filter('sort', ['reverse', 'case_sensitive', 'attribute'], (value, args, context) => {
    const order = [...counted(iterate(value, context.budget), context.budget)]
    const keys = sortKeys(args.optional('attribute', null), isTrue(args.raw('case_sensitive') ?? false), context)
    return sortBy(order, keys, isTrue(args.raw('reverse') ?? false), context.budget)
  }),
  filter('unique', ['case_sensitive', 'attribute'], unique),
  filter('min', ['case_sensitive', 'attribute'], (value, args, context) => extreme(value, args, context, 1)),
  filter('max', ['case_sensitive', 'attribute'], (value, args, context) => extreme(value, args, context, -1)),
  filter('sum', ['attribute', 'start'], (value, args, context) => {
    const key = getter(args.optional('attribute', null), context)
    return iterate(value, context.budget).reduce(
      (sum: PyValue, item) => binary('+', sum, plain(key(item)), context.budget),
      args.optional('start', 0),
    )
  }),
  filter('items', [], (value) => {
    if (value instanceof Undefined) return []
    const self = plain(value)
    if (!isDict(self)) throw new OperationError('Can only get item pairs from a mapping.')
    return new Walk('generator', 'generator object', itemsOf(self))
  }),
  filter('dictsort', ['case_sensitive', 'by', 'reverse'], dictSort),
  filter('batch', ['linecount', 'fill_with'], batch),
  filter('slice', ['slices', 'fill_with'], sliceInto),
  filter('groupby', ['attribute', 'default', 'case_sensitive'], groupBy),
  filter('attr', ['name'], (value, args, context) => context.attribute(value, args.text('name'))),
  ['map', map],
  ['select', (value, args, context) => keep(value, args, context, { wanted: true, hasAttribute: false })],
  ['reject', (value, args, context) => keep(value, args, context, { wanted: false, hasAttribute: false })],
  ['selectattr', (value, args, context) => keep(value, args, context, { wanted: true, hasAttribute: true })],
  ['rejectattr', (value, args, context) => keep(value, args, context, { wanted: false, hasAttribute: true })],
]

function counted(items: readonly PyValue[], budget: Budget): readonly PyValue[] {
  budget.spend(items.length)
  return items
}

function join(value: Value, args: Bound, context: FilterContext): string {
  const key = getter(args.optional('attribute', null), context)
  const parts = counted(iterate(value, context.budget), context.budget).map((item) => printed(plain(key(item)), context.budget))
  const separator = printed(args.optional('d', ''), context.budget)
  context.budget.allow(parts.reduce((sum, part) => sum + part.length + separator.length, 0))
  return parts.join(separator)
}

/** Reads an attribute path such as `a.b.0` of each item; without a path, the item. */
function getter(attribute: PyValue, { attribute: read, budget }: FilterContext, fallback?: PyValue): (item: PyValue) => Value {
  if (attribute === null) return (item) => item
  const path: readonly PyValue[] =
    typeof attribute === 'string' ? attribute.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part)) : [attribute]
  return (item) => {
    let found: Value = item
    for (const part of path) {
      budget.spend()
      found = read(found, part)
    }
    return found instanceof Undefined && fallback !== undefined ? fallback : found
  }
}

function folded(value: PyValue, isCaseSensitive: boolean, budget: Budget): PyValue {
  return typeof value === 'string' && !isCaseSensitive ? budget.made(value.toLowerCase()) : value
}

function sortKeys(attribute: PyValue, isCaseSensitive: boolean, context: FilterContext): (item: PyValue) => PyValue[] {
  const attributes: readonly PyValue[] = typeof attribute === 'string' ? attribute.split(',') : [attribute]
  const getters = attributes.map((one) => getter(one, context))
  return (item) => getters.map((get) => folded(plain(get(item)), isCaseSensitive, context.budget))
}

function sortBy(items: PyValue[], keys: (item: PyValue) => PyValue[], isReverse: boolean, budget: Budget): PyValue[] {
  budget.take(bytesPerSorted * items.length)
  const keyed = items.map((item) => ({ item, key: keys(item) }))
  keyed.sort((a, b) => (isReverse ? compare(b.key, a.key, budget) : compare(a.key, b.key, budget)))
  return keyed.map(({ item }) => item)
}

function unique(value: Value, args: Bound, context: FilterContext): Value {
  const key = getter(args.optional('attribute', null), context)
  const isCaseSensitive = isTrue(args.raw('case_sensitive') ?? false)
  const seen: PyValue[] = []
  const kept = iterate(value, context.budget).filter((item) => {
    const mark = folded(plain(key(item)), isCaseSensitive, context.budget)
    if (seen.some((other) => equals(other, mark, context.budget))) return false
    seen.push(mark)
    return true
  })
  return new Walk('generator', 'generator object', kept)
}

function extreme(value: Value, args: Bound, context: FilterContext, sign: 1 | -1): Value {
  const key = getter(args.optional('attribute', null), context)
  const isCaseSensitive = isTrue(args.raw('case_sensitive') ?? false)
  const items = counted(iterate(value, context.budget), context.budget)
  const [first] = items
  if (first === undefined) return new Undefined('No aggregated item, sequence was empty.', true)
  const keyOfItem = (item: PyValue): PyValue => folded(plain(key(item)), isCaseSensitive, context.budget)
  return items.reduce((best, item) => (sign * compare(keyOfItem(item), keyOfItem(best), context.budget) < 0 ? item : best), first)
}

function dictSort(value: Value, args: Bound, { budget }: FilterContext): Value {
  const self = plain(value)
  if (!isDict(self)) throw new OperationError('dictsort wants a mapping')
  const position = args.text('by', 'key') === 'value' ? 1 : 0
  const isCaseSensitive = isTrue(args.raw('case_sensitive') ?? false)
  const keys = (pair: PyValue): PyValue[] => [folded(isList(pair) ? (pair[position] ?? null) : null, isCaseSensitive, budget)]
  return sortBy(itemsOf(self), keys, isTrue(args.raw('reverse') ?? false), budget)
}

function batch(value: Value, args: Bound, { budget }: FilterContext): Value {
  const size = args.whole('linecount')
  if (size < 1) throw new OperationError('batch wants a size above 0')
  const items = iterate(value, budget)
  budget.take(bytesPerRow * Math.ceil(items.length / size))
  budget.list(items.length)
  const rows: PyValue[] = []
  for (let at = 0; at < items.length; at += size) rows.push(items.slice(at, at + size))
  const fill = args.optional('fill_with', null)
  const last = rows.at(-1)
  if (fill !== null && isList(last ?? null) && last !== undefined && isList(last)) {
    budget.list(size)
    rows[rows.length - 1] = [...last, ...Array.from({ length: size - last.length }, () => fill)]
  }
  return new Walk('generator', 'generator object', rows)
}

function sliceInto(value: Value, args: Bound, { budget }: FilterContext): Value {
  const items = iterate(value, budget)
  const slices = args.whole('slices')
  if (slices === 0) throw new OperationError('integer division or modulo by zero')
  if (slices < 0) return new Walk('generator', 'generator object', [])
  budget.spend(slices)
  budget.take(bytesPerRow * slices)
  budget.list(items.length)
  const each = Math.floor(items.length / slices)
  const longer = items.length % slices
  const fill = args.optional('fill_with', null)
  const rows = Array.from({ length: slices }, (_, index) => {
    const start = index * each + Math.min(index, longer)
    const row = items.slice(start, start + each + (index < longer ? 1 : 0))
    return fill !== null && index >= longer ? [...row, fill] : row
  })
  return new Walk('generator', 'generator object', rows)
}

function groupBy(value: Value, args: Bound, context: FilterContext): Value {
  const isCaseSensitive = isTrue(args.raw('case_sensitive') ?? false)
  const fallback = args.has('default') ? args.required('default') : undefined
  const get = getter(args.required('attribute'), context, fallback)
  const keys = (item: PyValue): PyValue[] => [folded(plain(get(item)), isCaseSensitive, context.budget)]
  const groups: { key: PyValue; label: PyValue; items: PyValue[] }[] = []
  for (const item of sortBy([...iterate(value, context.budget)], keys, false, context.budget)) {
    const [key = null] = keys(item)
    const last = groups.at(-1)
    if (last !== undefined && equals(last.key, key, context.budget)) last.items.push(item)
    else {
      context.budget.take(bytesPerRow)
      groups.push({ key, label: plain(get(item)), items: [item] })
    }
  }
  return groups.map(({ label, items }) => {
    const group = new GroupTuple()
    group.push(label, items)
    return group
  })
}

function map(value: Value, args: CallArguments, context: FilterContext): Value {
  const items = counted(iterate(value, context.budget), context.budget)
  const attribute = args.named.get('attribute')
  if (args.positional.length === 0 && attribute !== undefined) {
    const fallback = args.named.get('default')
    const get = getter(plain(attribute), context, fallback === undefined ? undefined : plain(fallback))
    return new Walk(
      'generator',
      'generator object',
      items.map((item) => plain(get(item))),
    )
  }
  const [name, ...rest] = args.positional
  if (typeof name !== 'string') throw new OperationError('map requires a filter argument')
  const mapped = items.map((item) => plain(context.filter(name, item, { positional: rest, named: args.named })))
  return new Walk('generator', 'generator object', mapped)
}

function keep(value: Value, args: CallArguments, context: FilterContext, how: { wanted: boolean; hasAttribute: boolean }): Value {
  const [attribute, ...afterAttribute] = args.positional
  if (how.hasAttribute && attribute === undefined) throw new OperationError('Missing parameter for attribute name')
  const get = getter(how.hasAttribute && attribute !== undefined ? plain(attribute) : null, context)
  const [name, ...rest] = how.hasAttribute ? afterAttribute : args.positional
  if (name !== undefined && typeof name !== 'string')
    throw new OperationError(`wanted the name of a test, found a ${typeName(plain(name))}`)
  const kept = counted(iterate(value, context.budget), context.budget).filter((item) => {
    const tested = get(item)
    const holds = name === undefined ? isTrue(tested) : context.test(name, tested, { positional: rest, named: args.named })
    return holds === how.wanted
  })
  return new Walk('generator', 'generator object', kept)
}
