/** Methods of Python's `str`, `list`, `tuple` and `dict`, as templates call them. */
import { OperationError } from '../operation-error.ts'
import * as text from '../string.ts'
import { isDict, isList, PyTuple, pyTuple, typeName, type PyDict, type PyValue } from '../value.ts'
import { Bound } from './arguments.ts'
import { brief } from './brief.ts'
import type { Budget } from './budget.ts'
import { replaced } from './filters.ts'
import { braceFormat } from './format.ts'
import { equals, keyOf, lookUp } from './metered.ts'
import { Callable, itemsOf, iterate, keysOf, orElse, plain, Walk, type CallArguments, type Value } from './values.ts'

/** Methods that take the same time however long the list or dict is. */
const atOnce: ReadonlySet<string> = new Set(['append', 'extend', 'get', 'setdefault', 'update'])

type Method<T> = (self: T, args: CallArguments, budget: Budget) => Value

/** The method `name` of a value, bound to it; undefined when Python's type has none (or it would change the value). */
export function methodOf(self: PyValue, name: string, budget: Budget): Callable | undefined {
  const bind = <T extends PyValue>(methods: ReadonlyMap<string, Method<T>>, value: T): Callable | undefined => {
    const method = methods.get(name)
    if (method === undefined) return undefined
    return new Callable(name, (args) => {
      if (!atOnce.has(name)) budget.read(value)
      return method(value, args, budget)
    })
  }
  if (typeof self === 'string') return bind(textMethods, self)
  if (isList(self)) return bind(self instanceof PyTuple ? tupleMethods : listMethods, self)
  return isDict(self) ? bind(dictMethods, self) : undefined
}

/** All methods by the name of their type. */
export function methodNames(): ReadonlyMap<'str' | 'list' | 'tuple' | 'dict', readonly string[]> {
  return new Map([
    ['str', [...textMethods.keys()]],
    ['list', [...listMethods.keys()]],
    ['tuple', [...tupleMethods.keys()]],
    ['dict', [...dictMethods.keys()]],
  ])
}

function define<T>(
  entries: readonly (readonly [string, readonly string[], (self: T, args: Bound, budget: Budget) => Value])[],
): Map<string, Method<T>> {
  return new Map(
    entries.map(([name, parameters, run]) => [name, (self, args, budget) => run(self, new Bound(`${name}()`, parameters, args), budget)]),
  )
}

function checked(out: string, budget: Budget): string {
  budget.allow(out.length)
  return out
}

function pieces(parts: readonly string[], budget: Budget): readonly string[] {
  budget.spend(parts.length)
  return parts
}

/** The separator of a split; null for white space. */
function separatorOf(self: string, args: Bound, budget: Budget): string | null {
  const separator = args.textOrNull('sep')
  if (separator === '') throw new OperationError('empty separator')
  budget.search(self.length, separator?.length ?? 0)
  return separator
}

/** What is looked for in the text. */
function soughtIn(self: string, args: Bound, budget: Budget, name = 'sub'): string {
  const sought = args.text(name)
  budget.search(self.length, sought.length)
  return sought
}

function affixes(args: Bound, name: string, budget: Budget): readonly string[] {
  const value = args.required(name)
  const list: readonly PyValue[] = value instanceof PyTuple ? value : [value]
  return list.map((item) => {
    if (typeof item !== 'string') throw new OperationError(`first argument must be text or a tuple of texts, not ${typeName(item)}`)
    budget.spend(1 + Math.floor(item.length / 64))
    return item
  })
}

function section(self: string, args: Bound): string {
  const points = text.codePoints(self)
  const end = args.wholeOrNull('end')
  return points
    .slice(text.clampIndex(args.whole('start', 0), points.length), end === null ? undefined : text.clampIndex(end, points.length))
    .join('')
}

function indexIn(position: number, what: PyValue): number {
  if (position < 0) throw new OperationError(`${brief(what)} is not in it`)
  return position
}

const noParameters: readonly string[] = []
const located = ['sub', 'start', 'end'] as const
const simple = (run: (self: string) => Value): ((self: string, _args: Bound, budget: Budget) => Value) => {
  return (self, _args, budget) => {
    budget.scan(self.length)
    return run(self)
  }
}

const textMethods: ReadonlyMap<string, Method<string>> = new Map([
  ...define<string>([
    ['strip', ['chars'], (self, args) => text.strip(self, args.textOrNull('chars'))],
    ['lstrip', ['chars'], (self, args) => text.lstrip(self, args.textOrNull('chars'))],
    ['rstrip', ['chars'], (self, args) => text.rstrip(self, args.textOrNull('chars'))],
    [
      'split',
      ['sep', 'maxsplit'],
      (self, args, budget) => pieces(text.split(self, separatorOf(self, args, budget), args.whole('maxsplit', -1)), budget),
    ],
    [
      'rsplit',
      ['sep', 'maxsplit'],
      (self, args, budget) => pieces(text.rsplit(self, separatorOf(self, args, budget), args.whole('maxsplit', -1)), budget),
    ],
    ['splitlines', ['keepends'], (self, args, budget) => pieces(text.splitLines(self, args.optional('keepends', false) === true), budget)],
    ['partition', ['sep'], (self, args, budget) => pyTuple(text.partition(self, soughtIn(self, args, budget, 'sep')))],
    ['rpartition', ['sep'], (self, args, budget) => pyTuple(text.rpartition(self, soughtIn(self, args, budget, 'sep')))],
    [
      'replace',
      ['old', 'new', 'count'],
      (self, args, budget) => {
        return replaced(self, { from: args.text('old'), to: args.text('new'), count: args.whole('count', -1) }, budget)
      },
    ],
    [
      'find',
      located,
      (self, args, budget) => text.find(self, soughtIn(self, args, budget), args.whole('start', 0), args.wholeOrNull('end')),
    ],
    [
      'rfind',
      located,
      (self, args, budget) => text.rfind(self, soughtIn(self, args, budget), args.whole('start', 0), args.wholeOrNull('end')),
    ],
    [
      'index',
      located,
      (self, args, budget) =>
        indexIn(text.find(self, soughtIn(self, args, budget), args.whole('start', 0), args.wholeOrNull('end')), args.text('sub')),
    ],
    [
      'rindex',
      located,
      (self, args, budget) =>
        indexIn(text.rfind(self, soughtIn(self, args, budget), args.whole('start', 0), args.wholeOrNull('end')), args.text('sub')),
    ],
    ['count', located, (self, args, budget) => text.count(section(self, args), soughtIn(self, args, budget))],
    [
      'startswith',
      ['prefix', 'start', 'end'],
      (self, args, budget) => {
        const part = section(self, args)
        return affixes(args, 'prefix', budget).some((affix) => part.startsWith(affix))
      },
    ],
    [
      'endswith',
      ['suffix', 'start', 'end'],
      (self, args, budget) => {
        const part = section(self, args)
        return affixes(args, 'suffix', budget).some((affix) => part.endsWith(affix))
      },
    ],
    ['removeprefix', ['prefix'], (self, args) => (self.startsWith(args.text('prefix')) ? self.slice(args.text('prefix').length) : self)],
    [
      'removesuffix',
      ['suffix'],
      (self, args) => {
        const suffix = args.text('suffix')
        return suffix !== '' && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self
      },
    ],
    ['ljust', ['width', 'fillchar'], (self, args, budget) => padded(text.ljust, self, args, budget)],
    ['rjust', ['width', 'fillchar'], (self, args, budget) => padded(text.rjust, self, args, budget)],
    ['center', ['width', 'fillchar'], (self, args, budget) => padded(text.center, self, args, budget)],
    ['zfill', ['width'], (self, args, budget) => padded(text.zfill, self, args, budget)],
    ['expandtabs', ['tabsize'], expandTabs],
    ['join', ['iterable'], (self, args, budget) => joined(self, args, budget)],
    ['lower', noParameters, simple(text.lower)],
    ['casefold', noParameters, simple(text.caseFold)],
    ['upper', noParameters, simple(text.upper)],
    ['capitalize', noParameters, simple(text.capitalize)],
    ['title', noParameters, simple(text.title)],
    ['swapcase', noParameters, simple(text.swapCase)],
    ['isspace', noParameters, simple(text.isSpace)],
    ['isdigit', noParameters, simple(text.isDigit)],
    ['isdecimal', noParameters, simple(text.isDecimal)],
    ['isnumeric', noParameters, simple(text.isNumeric)],
    ['isalpha', noParameters, simple(text.isAlpha)],
    ['isalnum', noParameters, simple(text.isAlnum)],
    ['islower', noParameters, simple(text.isLower)],
    ['isupper', noParameters, simple(text.isUpper)],
    ['isascii', noParameters, simple(text.isAscii)],
  ]),
  ['format', formatText],
  ['encode', encode],
])

/** The text's UTF-8 bytes: they can be counted, walked and printed, which is all that a prompt may want of them. */
function encode(self: string, args: CallArguments, budget: Budget): Value {
  const codec = new Bound('encode()', ['encoding', 'errors'], args).text('encoding', 'utf-8')
  if (!/^utf[-_]?8$/i.test(codec)) throw new OperationError(`only UTF-8 is known here, not '${codec}'`)
  budget.allow(self.length)
  return new Walk('view', 'bytes', [...new TextEncoder().encode(self)])
}

function formatText(self: string, args: CallArguments, budget: Budget): Value {
  const named = new Map([...args.named].map(([name, value]): [string, PyValue] => [name, plain(value)]))
  return checked(braceFormat(self, args.positional.map(plain), named, budget), budget)
}

function padded(method: (self: string, width: number, fill: string) => string, self: string, args: Bound, budget: Budget): string {
  const width = args.whole('width')
  budget.allow(width)
  const fill = args.has('fillchar') ? args.text('fillchar') : ' '
  if (text.length(fill) !== 1) throw new OperationError('The fill character must be exactly one character long')
  return method(self, width, fill)
}

function expandTabs(self: string, args: Bound, budget: Budget): string {
  const size = args.whole('tabsize', 8)
  budget.allow(self.length + Math.max(0, size) * text.count(self, '\t'))
  return text.expandTabs(self, size)
}

function joined(self: string, args: Bound, budget: Budget): string {
  const items = iterate(args.raw('iterable') ?? null, budget)
  let size = 0
  items.forEach((item, index) => {
    if (typeof item !== 'string') throw new OperationError(`sequence item ${index}: expected str instance, ${typeName(item)} found`)
    size += item.length + self.length
  })
  budget.spend(items.length)
  budget.allow(size)
  return items.map((item) => (typeof item === 'string' ? item : '')).join(self)
}

function indexOf(self: readonly PyValue[], args: Bound, budget: Budget): number {
  const what = args.required('value')
  const start = text.clampIndex(args.whole('start', 0), self.length)
  const stop = text.clampIndex(args.wholeOrNull('stop') ?? self.length, self.length)
  return indexIn(
    self.findIndex((item, index) => index >= start && index < stop && equals(item, what, budget)),
    what,
  )
}

const tupleMethods: ReadonlyMap<string, Method<readonly PyValue[]>> = define<readonly PyValue[]>([
  ['index', ['value', 'start', 'stop'], indexOf],
  ['count', ['value'], (self, args, budget) => self.filter((item) => equals(item, args.required('value'), budget)).length],
])

/** Methods that change a list are for templates that gather things (`{% set _ = list.append(x) %}`). */
const listMethods: ReadonlyMap<string, Method<readonly PyValue[]>> = new Map([
  ...tupleMethods,
  ...define<readonly PyValue[]>([
    ['copy', noParameters, (self) => [...self]],
    ['append', ['value'], (self, args, budget) => change(self, 1, budget, (list) => void list.push(args.required('value')))],
    [
      'extend',
      ['values'],
      (self, args, budget) => {
        const items = iterate(args.raw('values') ?? null, budget)
        const { length } = items
        return change(self, length, budget, (list) => {
          // Counted first: a list may extend itself.
          for (let at = 0; at < length; at++) list.push(items[at] ?? null)
        })
      },
    ],
    [
      'insert',
      ['index', 'value'],
      (self, args, budget) => change(self, 1, budget, (list) => void list.splice(args.whole('index'), 0, args.required('value'))),
    ],
    ['reverse', noParameters, (self, _args, budget) => change(self, 0, budget, (list) => void list.reverse())],
    ['clear', noParameters, (self, _args, budget) => change(self, 0, budget, (list) => void (list.length = 0))],
    [
      'pop',
      ['index'],
      (self, args, budget) => {
        const position = args.whole('index', -1)
        const at = position < 0 ? position + self.length : position
        const found = self[at]
        if (found === undefined) throw new OperationError('pop index out of range')
        change(self, 0, budget, (list) => void list.splice(at, 1))
        return found
      },
    ],
    [
      'remove',
      ['value'],
      (self, args, budget) => {
        const at = indexIn(
          self.findIndex((item) => equals(item, args.required('value'), budget)),
          args.required('value'),
        )
        return change(self, 0, budget, (list) => void list.splice(at, 1))
      },
    ],
  ]),
])

function change(self: readonly PyValue[], added: number, budget: Budget, run: (list: PyValue[]) => void): null {
  checkMayChange(budget)
  budget.list(added)
  // A template's lists are its own: rows are copied before rendering wherever a template names a method that changes them.
  run(self as PyValue[])
  return null
}

const dictMethods: ReadonlyMap<string, Method<PyDict>> = define<PyDict>([
  ['items', noParameters, (self) => new Walk('view', 'dict_items', itemsOf(self))],
  ['keys', noParameters, (self) => new Walk('view', 'dict_keys', keysOf(self))],
  ['values', noParameters, (self) => new Walk('view', 'dict_values', [...self.values()])],
  [
    'get',
    ['key', 'default'],
    (self, args, budget) => orElse(lookUp(self, args.required('key'), budget), () => args.raw('default') ?? null),
  ],
  ['copy', noParameters, (self) => new Map(self)],
  [
    'update',
    ['other'],
    (self, args, budget) => {
      const other = args.required('other')
      if (!isDict(other)) throw new OperationError('update() wants a dict')
      budget.entries(other.size)
      for (const [key, value] of other) writable(self, budget).set(key, value)
      return null
    },
  ],
  [
    'pop',
    ['key', 'default'],
    (self, args, budget) => {
      const key = args.required('key')
      const found = lookUp(self, key, budget)
      if (found === undefined && !args.has('default')) throw new OperationError(`KeyError: ${brief(key)}`)
      writable(self, budget).delete(keyOf(self, key, budget))
      return found === undefined ? args.optional('default', null) : found
    },
  ],
  [
    'setdefault',
    ['key', 'default'],
    (self, args, budget) => {
      const found = lookUp(self, args.required('key'), budget)
      if (found !== undefined) return found
      const value = args.optional('default', null)
      budget.entries(1)
      writable(self, budget).set(keyOf(self, args.required('key'), budget), value)
      return value
    },
  ],
])

function checkMayChange(budget: Budget): void {
  if (!budget.mayChange) throw new OperationError('a method that changes a list or dict has to be named where it is called')
}

function writable(self: PyDict, budget: Budget): Map<string, PyValue> {
  checkMayChange(budget)
  // Every dict that a template can reach is a Map made for it; see `change`.
  return self as Map<string, PyValue>
}
