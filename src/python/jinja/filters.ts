/** Jinja2's built-in filters on text and numbers, and the table of all of them. Equals Jinja2 3.1. */
import { fixedDigits } from '../decimal.ts'
import { OperationError } from '../operation-error.ts'
import * as text from '../string.ts'
import { isDict, isFloat, isList, pyFloat, pyInt, pyTuple, toNumber, type PyDict, type PyValue } from '../value.ts'
import type { Bound } from './arguments.ts'
import { brief } from './brief.ts'
import { maxIntDigits, type Budget } from './budget.ts'
import { filter, type Filter, type FilterContext, type FilterRun } from './filter.ts'
import { percentFormat } from './format.ts'
import { dumped, printed, textOf } from './metered.ts'
import { negate } from './operators.ts'
import { sequenceFilters } from './sequence-filters.ts'
import { isTrue, lengthOf, orElse, plain, Undefined, type CallArguments, type Value } from './values.ts'
import { wordWrap } from './word-wrap.ts'

// oxlint-disable-next-line no-control-regex -- Python's white space begins with some
const wordBorder = /([-\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000({[<]+)/

const texts = (name: string, run: (text: string) => string): readonly [string, Filter] =>
  filter(name, [], (value, _args, { budget }) => {
    const self = textOf(value, budget)
    budget.scan(self.length)
    return run(self)
  })

const fallback: FilterRun = (value, args) => {
  const replaces = value instanceof Undefined || (isTrue(args.raw('boolean') ?? false) && !isTrue(value))
  return replaces ? orElse(args.raw('default_value'), () => '') : value
}

const trim: FilterRun = (value, args, { budget }) => text.strip(textOf(value, budget), args.textOrNull('chars'))

const length: FilterRun = (value) => lengthOf(value)

const escape: FilterRun = (value, _args, { budget }) =>
  textOf(value, budget).replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;' })[c] ?? '&#39;')

/** A character that is escaped on its own is a string, and then up to six more. */
const bytesPerEscaped = 96

const textFilters: readonly (readonly [string, Filter])[] = [
  texts('lower', text.lower),
  texts('upper', text.upper),
  texts('capitalize', text.capitalize),
  texts('string', (self) => self),
  texts('safe', (self) => self),
  // Jinja2's own notion of title: it keeps apostrophes inside words.
  texts('title', (self) =>
    self
      .split(wordBorder)
      .filter((part) => part !== '')
      .map((part) => {
        const [first = '', ...rest] = text.codePoints(part)
        return first.toUpperCase() + rest.join('').toLowerCase()
      })
      .join(''),
  ),
  filter('trim', ['chars'], trim),
  filter('default', ['default_value', 'boolean'], fallback),
  filter('d', ['default_value', 'boolean'], fallback),
  filter('length', [], length),
  filter('count', [], length),
  filter('escape', [], escape),
  filter('e', [], escape),
  filter('forceescape', [], escape),
  filter('replace', ['old', 'new', 'count'], (value, args, { budget }) => {
    const self = textOf(value, budget)
    const from = printed(args.required('old'), budget)
    const to = printed(args.required('new'), budget)
    return replaced(self, { from, to, count: args.wholeOrNull('count') ?? -1 }, budget)
  }),
  filter('center', ['width'], (value, args, { budget }) => {
    const width = args.whole('width', 80)
    budget.allow(width)
    return text.center(textOf(value, budget), width)
  }),
  filter('wordcount', [], (value, _args, { budget }) => (textOf(value, budget).match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  filter('indent', ['width', 'first', 'blank'], indent),
  filter('wordwrap', ['width', 'break_long_words', 'wrapstring', 'break_on_hyphens'], wordWrap),
  filter('truncate', ['length', 'killwords', 'end', 'leeway'], truncate),
  filter('urlencode', [], (value, _args, { budget }) => {
    const self = textOf(value, budget)
    budget.hold(bytesPerEscaped * self.length)
    if (/\p{Cs}/u.test(self)) throw new OperationError("'utf-8' codec can't encode surrogates")
    return encodeURIComponent(self)
      .replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
      .replaceAll('%2F', '/')
  }),
  filter('striptags', [], (value, _args, { budget }) => text.split(withoutTags(textOf(value, budget))).join(' ')),
  ['format', (value, args, { budget }) => formatFilter(value, args, budget)],
  filter('int', ['default', 'base'], toInt),
  filter('float', ['default'], (value, args) => parseFloat_(plain(value)) ?? args.optional('default', pyFloat(0))),
  filter('abs', [], (value, _args, { budget }) => {
    const self = plain(value)
    const number = toNumber(self)
    if (number === null) throw new OperationError(`bad operand type for abs(): ${brief(self)}`)
    return negate(self, number < 0 ? '-' : '+', budget)
  }),
  filter('round', ['precision', 'method'], round),
  filter('tojson', ['indent'], (value, args, { budget }) => {
    // Jinja2's own tojson sorts keys, escapes what isn't ASCII, and what HTML would read.
    const out = dumped(sorted(plain(value), budget), args.wholeOrNull('indent'), budget)
    budget.hold(bytesPerEscaped * out.length)
    return out.replace(/[<>&'\x7f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
  }),
]

function indent(value: Value, args: Bound, { budget }: { readonly budget: Budget }): string {
  const width = args.optional('width', 4)
  const size = typeof width === 'string' ? width.length : Math.max(0, args.whole('width', 4))
  budget.allow(size)
  const by = typeof width === 'string' ? width : ' '.repeat(size)
  const [first = '', ...rest] = text.splitLines(`${textOf(value, budget)}\n`)
  budget.allow(by.length * (rest.length + 1))
  const isBlank = isTrue(args.raw('blank') ?? false)
  const lines = [first, ...rest.map((line) => (line === '' && !isBlank ? line : by + line))].join('\n')
  return isTrue(args.raw('first') ?? false) ? by + lines : lines
}

function truncate(value: Value, args: Bound, { budget }: FilterContext): string {
  const self = textOf(value, budget)
  const limit = args.whole('length', 255)
  const end = args.text('end', '...')
  const points = text.codePoints(self)
  if (points.length <= limit + args.whole('leeway', 5)) return self
  const kept = points.slice(0, limit - text.length(end)).join('')
  if (isTrue(args.raw('killwords') ?? false)) return kept + end
  return text.rsplit(kept, ' ', 1)[0] + end
}

function formatFilter(value: Value, args: CallArguments, budget: Budget): string {
  if (args.positional.length > 0 && args.named.size > 0)
    throw new OperationError("can't handle positional and keyword arguments at the same time")
  const named: PyDict = new Map([...args.named].map(([name, item]): [string, PyValue] => [name, plain(item)]))
  return percentFormat(textOf(value, budget), named.size > 0 ? named : pyTuple(args.positional.map(plain)), budget)
}

function toInt(value: Value, args: Bound, { budget }: FilterContext): PyValue {
  const self = plain(value)
  const otherwise = args.optional('default', 0)
  if (typeof self === 'string') return parseInt_(self, args.whole('base', 10), budget) ?? truncated(parseFloat_(self), budget) ?? otherwise
  return truncated(self, budget) ?? otherwise
}

function truncated(value: PyValue, budget: Budget): PyValue | null {
  if (value === null || toNumber(value) === null) return null
  if (!isFloat(value)) return negate(value, '+', budget)
  const number = toNumber(value) ?? NaN
  return Number.isFinite(number) ? pyInt(BigInt(Math.trunc(number))) : null
}

function parseInt_(self: string, base: number, budget: Budget): PyValue | null {
  // Python has no other bases.
  if (!Number.isInteger(base) || base < 2 || base > 36) return null
  const digits = text.strip(self).replaceAll(/(?<=[\da-z])_(?=[\da-z])/gi, '')
  const [, sign = '', body = ''] = /^([+-]?)([\da-zA-Z]+)$/.exec(base === 10 ? asciiDigits(digits) : digits) ?? []
  const prefix = { 16: /^0x/i, 8: /^0o/i, 2: /^0b/i }[base]
  const plainBody = (prefix === undefined ? body : body.replace(prefix, '')).toLowerCase()
  if (plainBody === '' || [...plainBody].some((c) => parseInt(c, 36) >= base)) return null
  // Python reads no more digits than it prints, but for bases that are powers of two.
  if (plainBody.length > maxIntDigits && (base & (base - 1)) !== 0) return null
  budget.digits(6 * plainBody.length, 6 * plainBody.length)
  const size = [...plainBody].reduce((sum, c) => sum * BigInt(base) + BigInt(parseInt(c, 36)), 0n)
  return pyInt(sign === '-' ? -size : size)
}

function parseFloat_(value: PyValue): PyValue | null {
  if (typeof value !== 'string') return toNumber(value) === null ? null : pyFloat(toNumber(value) ?? NaN)
  const digits = asciiDigits(text.strip(value)).replaceAll(/(?<=\d)_(?=\d)/g, '')
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(digits)
  if (special !== null) return pyFloat(special[2]?.toLowerCase() === 'nan' ? NaN : special[1] === '-' ? -Infinity : Infinity)
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(digits) ? pyFloat(Number(digits)) : null
}

/** Python reads decimal digits of any script. Every script's ten digits are contiguous. */
function asciiDigits(self: string): string {
  return self.replace(/\p{Nd}/gu, (c) => {
    let zero = c.codePointAt(0) ?? 0
    if (zero < 0x80) return c
    let value = 0
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && (zero & 0xf) !== 0 && (zero & 0xf) !== 6) {
      zero--
      value++
    }
    return String(value)
  })
}

function round(value: Value, args: Bound, { budget }: FilterContext): PyValue {
  const number = toNumber(plain(value))
  if (number === null) throw new OperationError(`round wants a number, found ${printed(brief(plain(value)), budget)}`)
  const precision = args.whole('precision', 0)
  const method = args.text('method', 'common')
  if (method === 'common') {
    const self = plain(value)
    return isFloat(self) ? pyFloat(roundHalfEven(number, precision)) : self
  }
  if (method !== 'ceil' && method !== 'floor') throw new OperationError('method must be common, ceil or floor')
  return pyFloat(Math[method](number * 10 ** precision) / 10 ** precision)
}

/** Python's `round`: correctly rounded from the exact binary value, ties to even. */
function roundHalfEven(number: number, precision: number): number {
  if (!Number.isFinite(number) || precision > 22) return number
  if (precision >= 0) return Math.sign(number) * Number(fixedDigits(Math.abs(number), precision))
  const unit = 10 ** -precision
  const quotient = number / unit
  return (Math.abs(quotient % 1) === 0.5 ? 2 * Math.round(quotient / 2) : Math.round(quotient)) * unit
}

/** The value with all dicts in the order of their keys. */
function sorted(value: PyValue, budget: Budget): PyValue {
  if (!isList(value) && !isDict(value)) return value
  budget.enter()
  budget.made(value)
  const result = isList(value)
    ? value.map((item) => sorted(item, budget))
    : new Map([...value].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]): [string, PyValue] => [key, sorted(item, budget)]))
  budget.leave()
  return result
}

interface Replacing {
  readonly from: string
  readonly to: string
  /** How many at most; below 0, all. */
  readonly count: number
}

/** `text.replace(old, new, count)`, for the filter and the method. */
export function replaced(self: string, { from, to, count }: Replacing, budget: Budget): string {
  budget.search(self.length, from.length)
  const found = text.count(self, from)
  budget.allow(self.length + to.length * (count < 0 ? found : Math.min(found, count)))
  return text.replace(self, from, to, count)
}

/** The text without comments (`<!-- … -->`) and tags, each of them up to where it first ends; what never ends stays. */
function withoutTags(self: string): string {
  const kept: string[] = []
  // Looked for no more once there is none: every `<` would look through the rest again.
  let [hasCommentEnd, hasTagEnd] = [true, true]
  let from = 0
  for (let at = self.indexOf('<'); at >= 0;) {
    const commentEnd: number = hasCommentEnd && self.startsWith('<!--', at) ? self.indexOf('-->', at + 4) : -1
    if (commentEnd < 0 && self.startsWith('<!--', at)) hasCommentEnd = false
    const tagEnd: number = commentEnd < 0 && hasTagEnd ? self.indexOf('>', at + 1) : -1
    if (commentEnd < 0 && tagEnd < 0) hasTagEnd = false
    const end = commentEnd >= 0 ? commentEnd + 3 : tagEnd + 1
    if (end > 0) {
      kept.push(self.slice(from, at))
      from = end
    } else if (!hasTagEnd) break
    at = self.indexOf('<', end > 0 ? end : at + 1)
  }
  return kept.join('') + self.slice(from)
}

/** Jinja2's filters by name. */
export const builtinFilters: ReadonlyMap<string, Filter> = new Map([...textFilters, ...sequenceFilters])
