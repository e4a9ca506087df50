/** Methods of Python's `str`, `list`, `tuple` and `dict`, as templates call them. */
import * as text from '../python/string.ts'
import { dictGet, isDict, isList, pyEquals, PyTuple, pyTuple, repr, str, typeName, type PyDict, type PyValue } from '../python/value.ts'
import { Bound } from './arguments.ts'
import type { Budget } from './budget.ts'
import { OperationError } from '../python/operation-error.ts'
import { braceFormat } from './format.ts'
import { Callable, itemsOf, iterate, keyOf, keysOf, orElse, plain, Walk, type CallArguments, type Value } from './values.ts'

type Method<T> = (self: T, args: CallArguments, budget: Budget) => Value

/** The method `name` of a value, bound to it; undefined when Python's type has none (or it would change the value). */
export function methodOf(self: PyValue, name: string, budget: Budget): Callable | undefined {
  const bind = <T>(methods: ReadonlyMap<string, Method<T>>, value: T): Callable | undefined => {
    const method = methods.get(name)
    return method === undefined ? undefined : new Callable(name, (args) => method(value, args, budget))
  }
  if (typeof self === 'string') return bind(textMethods, self)
  if (isList(self)) return bind(self instanceof PyTuple ? tupleMethods : listMethods, self)
  return isDict(self) ? bind(dictMethods, self) : undefined
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

function separatorOf(args: Bound): string | null {
  const separator = args.textOrNull('sep')
  if (separator === '') throw new OperationError('empty separator')
  return separator
}

function affixes(args: Bound, name: string): readonly string[] {
  const value = args.required(name)
  const list: readonly PyValue[] = value instanceof PyTuple ? value : [value]
  return list.map((item) => {
    if (typeof item !== 'string') throw new OperationError(`first argument must be text or a tuple of texts, not ${typeName(item)}`)
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
  if (position < 0) throw new OperationError(`${repr(what)} is not in it`)
  return position
}

const noParameters: readonly string[] = []
const located = ['sub', 'start', 'end'] as const
const simple = (run: (self: string) => Value): ((self: string, _args: Bound, budget: Budget) => Value) => {
  return (self, _args, budget) => {
    budget.allow(self.length)
    return run(self)
  }
}

const textMethods: ReadonlyMap<string, Method<string>> = new Map([
  ...define<string>([
    ['strip', ['chars'], (self, args) => text.strip(self, args.textOrNull('chars'))],
    ['lstrip', ['chars'], (self, args) => text.lstrip(self, args.textOrNull('chars'))],
    ['rstrip', ['chars'], (self, args) => text.rstrip(self, args.textOrNull('chars'))],
    ['split', ['sep', 'maxsplit'], (self, args, budget) => pieces(text.split(self, separatorOf(args), args.whole('maxsplit', -1)), budget)],
    [
      'rsplit',
      ['sep', 'maxsplit'],
      (self, args, budget) => pieces(text.rsplit(self, separatorOf(args), args.whole('maxsplit', -1)), budget),
    ],
    ['splitlines', ['keepends'], (self, args, budget) => pieces(text.splitLines(self, args.optional('keepends', false) === true), budget)],
    ['partition', ['sep'], (self, args) => pyTuple(text.partition(self, args.text('sep')))],
    ['rpartition', ['sep'], (self, args) => pyTuple(text.rpartition(self, args.text('sep')))],
    [
      'replace',
      ['old', 'new', 'count'],
      (self, args, budget) => {
        const to = args.text('new')
        const from = args.text('old')
        budget.allow(self.length + to.length * text.count(self, from))
        return text.replace(self, from, to, args.whole('count', -1))
      },
    ],
    ['find', located, (self, args) => text.find(self, args.text('sub'), args.whole('start', 0), args.wholeOrNull('end'))],
    ['rfind', located, (self, args) => text.rfind(self, args.text('sub'), args.whole('start', 0), args.wholeOrNull('end'))],
    [
      'index',
      located,
      (self, args) => indexIn(text.find(self, args.text('sub'), args.whole('start', 0), args.wholeOrNull('end')), args.text('sub')),
    ],
    [
      'rindex',
      located,
      (self, args) => indexIn(text.rfind(self, args.text('sub'), args.whole('start', 0), args.wholeOrNull('end')), args.text('sub')),
    ],
    ['count', located, (self, args) => text.count(section(self, args), args.text('sub'))],
    [
      'startswith',
      ['prefix', 'start', 'end'],
      (self, args) => affixes(args, 'prefix').some((affix) => section(self, args).startsWith(affix)),
    ],
    ['endswith', ['suffix', 'start', 'end'], (self, args) => affixes(args, 'suffix').some((affix) => section(self, args).endsWith(affix))],
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
    ['expandtabs', ['tabsize'], (self, args, budget) => checked(text.expandTabs(self, args.whole('tabsize', 8)), budget)],
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

function joined(self: string, args: Bound, budget: Budget): string {
  const items = iterate(args.raw('iterable') ?? null)
  items.forEach((item, index) => {
    if (typeof item !== 'string') throw new OperationError(`sequence item ${index}: expected str instance, ${typeName(item)} found`)
    budget.allow(item.length)
  })
  return checked(items.map(str).join(self), budget)
}

function indexOf(self: readonly PyValue[], args: Bound): number {
  const what = args.required('value')
  const start = text.clampIndex(args.whole('start', 0), self.length)
  const stop = text.clampIndex(args.wholeOrNull('stop') ?? self.length, self.length)
  return indexIn(
    self.findIndex((item, index) => index >= start && index < stop && pyEquals(item, what)),
    what,
  )
}

const tupleMethods: ReadonlyMap<string, Method<readonly PyValue[]>> = define<readonly PyValue[]>([
  ['index', ['value', 'start', 'stop'], indexOf],
  ['count', ['value'], (self, args) => self.filter((item) => pyEquals(item, args.required('value'))).length],
])

/** Methods that change a list are for templates that gather things (`{% set _ = list.append(x) %}`). */
const listMethods: ReadonlyMap<string, Method<readonly PyValue[]>> = new Map([
  ...tupleMethods,
  ...define<readonly PyValue[]>([
    ['copy', noParameters, (self) => [...self]],
    ['append', ['value'], (self, args, budget) => change(self, budget, (list) => void list.push(args.required('value')))],
    ['extend', ['values'], (self, args, budget) => change(self, budget, (list) => void list.push(...iterate(args.raw('values') ?? null)))],
    [
      'insert',
      ['index', 'value'],
      (self, args, budget) => change(self, budget, (list) => void list.splice(args.whole('index'), 0, args.required('value'))),
    ],
    ['reverse', noParameters, (self, _args, budget) => change(self, budget, (list) => void list.reverse())],
    ['clear', noParameters, (self, _args, budget) => change(self, budget, (list) => void (list.length = 0))],
    [
      'pop',
      ['index'],
      (self, args, budget) => {
        const position = args.whole('index', -1)
        const at = position < 0 ? position + self.length : position
        const found = self[at]
        if (found === undefined) throw new OperationError('pop index out of range')
        change(self, budget, (list) => void list.splice(at, 1))
        return found
      },
    ],
    [
      'remove',
      ['value'],
      (self, args, budget) => {
        const at = indexIn(
          self.findIndex((item) => pyEquals(item, args.required('value'))),
          args.required('value'),
        )
        return change(self, budget, (list) => void list.splice(at, 1))
      },
    ],
  ]),
])

function change(self: readonly PyValue[], budget: Budget, run: (list: PyValue[]) => void): null {
  budget.spend(1 + Math.floor(self.length / 64))
  // A template's lists are its own: rows are copied before rendering wherever a template names a method that changes them.
  run(self as PyValue[])
  return null
}

const dictMethods: ReadonlyMap<string, Method<PyDict>> = define<PyDict>([
  ['items', noParameters, (self) => new Walk('view', 'dict_items', itemsOf(self))],
  ['keys', noParameters, (self) => new Walk('view', 'dict_keys', keysOf(self))],
  ['values', noParameters, (self) => new Walk('view', 'dict_values', [...self.values()])],
  ['get', ['key', 'default'], (self, args) => orElse(dictGet(self, args.required('key')), () => args.raw('default') ?? null)],
  ['copy', noParameters, (self) => new Map(self)],
  [
    'update',
    ['other'],
    (self, args) => {
      const other = args.required('other')
      if (!isDict(other)) throw new OperationError('update() wants a dict')
      for (const [key, value] of other) writable(self).set(key, value)
      return null
    },
  ],
  [
    'pop',
    ['key', 'default'],
    (self, args) => {
      const key = args.required('key')
      const found = dictGet(self, key)
      if (found === undefined && !args.has('default')) throw new OperationError(`KeyError: ${repr(key)}`)
      writable(self).delete(keyOf(self, key))
      return found === undefined ? args.optional('default', null) : found
    },
  ],
  [
    'setdefault',
    ['key', 'default'],
    (self, args) => {
      const found = dictGet(self, args.required('key'))
      if (found !== undefined) return found
      const value = args.optional('default', null)
      writable(self).set(keyOf(self, args.required('key')), value)
      return value
    },
  ],
])

function writable(self: PyDict): Map<string, PyValue> {
  // Every dict that a template can reach is a Map made for it; see `change`.
  return self as Map<string, PyValue>
}
