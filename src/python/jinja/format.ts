/** Python's two ways of formatting: `'%s' % x` and `'{}'.format(x)` with its format specifications. */
import { exponentDigits, fixedDigits } from '../decimal.ts'
import { OperationError } from '../operation-error.ts'
import * as text from '../string.ts'
import { reprFloat } from '../number.ts'
import { isDict, isFloat, isInt, isList, PyTuple, toNumber, typeName, type PyDict, type PyValue } from '../value.ts'
import { brief } from './brief.ts'
import { bitsOf, type Budget } from './budget.ts'
import { checkDigits, lookUp, printed, represented } from './metered.ts'

/** A format is read character by character. */
const bytesPerFormatted = 40

/** `template % values`: `%s %r %d %i %f %e %g %x %o %c %%` with flags, width and precision. */
export function percentFormat(template: string, values: PyValue, budget: Budget): string {
  const list: readonly PyValue[] = values instanceof PyTuple ? values : [values]
  let used = 0
  let size = template.length
  const take = (): PyValue => {
    if (used >= list.length) throw new OperationError('not enough arguments for format string')
    return list[used++] ?? null
  }
  const out = template.replace(
    /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d*)(?:\.(\*|\d*))?[hlL]?([^])?/g,
    (_whole, key: string | undefined, flags: string, width: string, precision: string | undefined, kind: string | undefined) => {
      if (kind === '%') return '%'
      const wide = width === '*' ? wholeOf(take()) : Number(width)
      const precise = precision === undefined ? null : precision === '*' ? Math.max(0, wholeOf(take())) : Number(precision)
      const value = key === undefined ? take() : keyed(values, key, budget)
      if (key !== undefined) used = list.length
      const one = percentOne(value, { flags, width: wide, precision: precise, kind: kind ?? '' }, budget)
      size += one.length
      budget.print(one.length, size)
      return one
    },
  )
  if (used < list.length && !isDict(values)) throw new OperationError('not all arguments converted during string formatting')
  return out
}

function wholeOf(value: PyValue): number {
  if (!isInt(value)) throw new OperationError('* wants int')
  return Number(value)
}

function keyed(values: PyValue, key: string, budget: Budget): PyValue {
  if (!isDict(values)) throw new OperationError('format requires a mapping')
  const value = lookUp(values, key, budget)
  if (value === undefined) throw new OperationError(`KeyError: '${brief(key)}'`)
  return value
}

interface PercentSpec {
  readonly flags: string
  readonly width: number
  readonly precision: number | null
  readonly kind: string
}

function percentOne(value: PyValue, { flags, width, precision, kind }: PercentSpec, budget: Budget): string {
  if (width > 0) budget.allow(width)
  if (precision !== null && 'eEfFgG'.includes(kind)) chargeDigits(precision, budget)
  const sign = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : ''
  const align = flags.includes('-') ? '<' : flags.includes('0') && 'dioxXeEfFgGu'.includes(kind) ? '=' : '>'
  const body = { sign, align: '>', fill: ' ', width: 0, precision, grouping: '', isAlternate: flags.includes('#') }
  let out: string
  if (kind === 's' || kind === 'r' || kind === 'a') {
    const whole = kind === 's' ? printed(value, budget) : represented(value, budget)
    out = precision === null ? whole : text.codePoints(whole).slice(0, precision).join('')
  } else if (kind === 'c') out = typeof value === 'string' ? value : character(wholeOf(value))
  else if ('diuoxX'.includes(kind) && kind !== '') {
    const number = toNumber(value)
    if (number === null) throw new OperationError(`%${kind} format: a number is required, not ${typeName(value)}`)
    out = formatNumber(
      isFloat(value) ? Math.trunc(number) : value,
      { ...body, precision: null, kind: 'iu'.includes(kind) ? 'd' : kind },
      budget,
    )
  } else if ('eEfFgG'.includes(kind) && kind !== '') {
    if (toNumber(value) === null) throw new OperationError(`must be real number, not ${typeName(value)}`)
    out = formatNumber(value, { ...body, kind }, budget)
  } else throw new OperationError(`unsupported format character '${kind}'`)
  return pad(out, width, align, align === '=' ? '0' : ' ')
}

/** `template.format(*positional, **named)`: automatic and numbered fields, attributes by index, conversions and specifications. */
export function braceFormat(template: string, positional: readonly PyValue[], named: PyDict, budget: Budget): string {
  let next = 0
  budget.hold(bytesPerFormatted * template.length)
  const render = (source: string, depth: number): string => {
    if (depth > 2) throw new OperationError('Max string recursion exceeded')
    let out = ''
    for (let at = 0; at < source.length;) {
      const c = source.charAt(at)
      if (c !== '{' && c !== '}') {
        out += c
        at++
      } else if (source.charAt(at + 1) === c && depth === 1) {
        out += c
        at += 2
      } else {
        if (c === '}') throw new OperationError("Single '}' encountered in format string")
        const end = closing(source, at)
        out += field(source.slice(at + 1, end), depth)
        at = end + 1
      }
    }
    return out
  }
  const field = (source: string, depth: number): string => {
    const match = /^([^!:]*)(?:!([rsa]))?(?::([^]*))?$/.exec(source)
    if (match === null) throw new OperationError(`bad field '${source}' in format string`)
    const value = lookUp(match[1] ?? '')
    const spec = render(match[3] ?? '', depth + 1)
    const converted = match[2] === undefined ? value : match[2] === 's' ? printed(value, budget) : represented(value, budget)
    const out = formatValue(converted, spec, budget)
    budget.allow(out.length)
    return out
  }
  const lookUp = (path: string): PyValue => {
    const [, head = '', rest = ''] = /^([^.[]*)([^]*)$/.exec(path) ?? []
    const start = head === '' ? positional[next++] : /^\d+$/.test(head) ? positional[Number(head)] : named.get(head)
    if (start === undefined) throw new OperationError(`no argument for the field '${path}' of a format string`)
    let value: PyValue = start
    // Without what no bracket closes: every bracket in it would look through the rest.
    for (const [, index = ''] of rest.slice(0, rest.lastIndexOf(']') + 1).matchAll(/\[([^\]]*)\]/g)) {
      const inner: PyValue | undefined = isDict(value) ? value.get(index) : isList(value) ? value[Number(index)] : undefined
      if (inner === undefined) throw new OperationError(`no item [${index}] for the field '${path}' of a format string`)
      value = inner
    }
    if (/^\.|\]\./.test(rest)) throw new OperationError(`attributes can't be read in the field '${path}' of a format string`)
    return value
  }
  return render(template, 1)
}

function closing(source: string, open: number): number {
  let depth = 0
  for (let at = open; at < source.length; at++) {
    if (source.charAt(at) === '{') depth++
    else if (source.charAt(at) === '}' && --depth === 0) return at
  }
  throw new OperationError("expected '}' before end of string")
}

interface NumberSpec {
  readonly sign: string
  readonly align: string
  readonly fill: string
  readonly width: number
  readonly precision: number | null
  readonly grouping: string
  readonly isAlternate: boolean
  readonly kind: string
}

/** `format(value, spec)` for strings, numbers and whatever prints as text. */
function formatValue(value: PyValue, spec: string, budget: Budget): string {
  if (spec === '') return printed(value, budget)
  const match = /^(?:([^])?([<>=^]))?([-+ ]?)(z?)(#?)(0?)(\d*)([,_]?)(?:\.(\d+))?([bcdeEfFgGnosxX%]?)$/u.exec(spec)
  if (match === null) throw new OperationError(`Invalid format specifier '${spec}'`)
  const [, fill, align, sign = '', , alternate, zero, width = '', grouping = '', precision, kind = ''] = match
  budget.allow(Number(width))
  const isNumeric = toNumber(value) !== null
  if (isNumeric) chargeDigits(Number(precision ?? 0), budget)
  const parsed: NumberSpec = {
    sign: sign === '-' ? '' : sign,
    align: align ?? (!isNumeric ? '<' : zero === '0' ? '=' : '>'),
    fill: fill ?? (zero === '0' ? '0' : ' '),
    width: Number(width),
    precision: precision === undefined ? null : Number(precision),
    grouping,
    isAlternate: alternate === '#',
    kind,
  }
  if (toNumber(value) !== null && kind !== 's') return pad(formatNumber(value, parsed, budget), parsed.width, parsed.align, parsed.fill)
  if (typeof value !== 'string' || (kind !== '' && kind !== 's'))
    throw new OperationError(`unsupported format '${spec}' for ${typeName(value)}`)
  const cut = parsed.precision === null ? value : text.codePoints(value).slice(0, parsed.precision).join('')
  return pad(cut, parsed.width, parsed.align, parsed.fill)
}

function formatNumber(value: PyValue, spec: NumberSpec, budget: Budget): string {
  const number = toNumber(value) ?? NaN
  const isNegative = number < 0 || Object.is(number, -0)
  const sign = isNegative ? '-' : spec.sign
  const isWholeKind = /^[bcdoxXn]?$/.test(spec.kind) && !isFloat(value)
  const digits = isWholeKind ? wholeDigits(value, spec, budget) : floatDigits(Math.abs(number), spec)
  const isZeroFilled = spec.align === '=' && spec.fill === '0'
  return sign + group(digits, spec.grouping, isZeroFilled ? spec.width - sign.length : 0)
}

function wholeDigits(value: PyValue, { kind, isAlternate }: NumberSpec, budget: Budget): string {
  const whole = typeof value === 'bigint' ? value : BigInt(toNumber(value) ?? 0)
  const size = whole < 0n ? -whole : whole
  if (kind === 'c') return character(Number(size))
  const base = { b: 2, o: 8, x: 16, X: 16 }[kind] ?? 10
  if (base === 10) checkDigits(size)
  budget.text(bitsOf(size))
  const body = size.toString(base)
  const prefix = isAlternate && base !== 10 ? `0${kind}` : ''
  return prefix + (kind === 'X' ? body.toUpperCase() : body)
}

function floatDigits(size: number, spec: NumberSpec): string {
  const { kind, precision, isAlternate } = spec
  if (!Number.isFinite(size)) return Number.isNaN(size) ? 'nan' : 'inf'
  const places = precision ?? 6
  switch (kind) {
    case 'f':
    case 'F':
      return fixedDigits(size, places)
    case '%':
      return `${floatDigits(size * 100, { ...spec, kind: 'f' })}%`
    case 'e':
    case 'E': {
      const out = exponentDigits(size, places)
      return kind === 'E' ? out.toUpperCase() : out
    }
    case 'g':
    case 'n':
      return general(size, Math.max(1, places), { isAlternate, needsPoint: false })
    case 'G':
      return general(size, Math.max(1, places), { isAlternate, needsPoint: false }).toUpperCase()
    case '':
      return precision === null ? reprFloat(size) : general(size, Math.max(1, precision), { isAlternate, needsPoint: true })
    default:
      throw new OperationError(`Unknown format code '${kind}' for a float`)
  }
}

/** So many significant digits, with an exponent where that is shorter; `needsPoint` is how a float without a format letter prints. */
function general(size: number, digits: number, { isAlternate, needsPoint }: { isAlternate: boolean; needsPoint: boolean }): string {
  const scientific = exponentDigits(size, digits - 1)
  const power = Number(scientific.split('e')[1])
  const isScientific = power < -4 || power >= (needsPoint ? digits - 1 : digits)
  const out = isScientific ? scientific : fixedDigits(size, Math.max(0, digits - 1 - power))
  const short = isAlternate || !out.includes('.') ? out : withoutZeros(out)
  return needsPoint && /^\d+$/.test(short) ? `${short}.0` : short
}

/** Without the zeros that end the digits, and without a point that ends them then. */
function withoutZeros(digits: string): string {
  const exponent = digits.indexOf('e')
  const body = exponent < 0 ? digits : digits.slice(0, exponent)
  let end = body.length
  while (body.charAt(end - 1) === '0') end--
  if (body.charAt(end - 1) === '.') end--
  return body.slice(0, end) + digits.slice(body.length)
}

/** Digits in groups of three; zeros that fill up to the width are grouped too. */
function group(digits: string, separator: string, width: number): string {
  if (separator === '' || !/^\d/.test(digits)) return digits
  const [, start = '', rest = ''] = /^(\d*)([^]*)$/.exec(digits) ?? []
  // A separator stands before every three digits but the first: the least number of digits that fills what is left of the width.
  const room = width - rest.length
  const filled = Math.max(start.length, Math.ceil((3 * room - 2) / 4), 1)
  const whole = start.padStart(filled + (groupedLength(filled) < room ? 1 : 0), '0')
  const head = whole.length % 3 === 0 ? 3 : whole.length % 3
  const groups = [whole.slice(0, head)]
  for (let at = head; at < whole.length; at += 3) groups.push(whole.slice(at, at + 3))
  return groups.join(separator) + rest
}

function groupedLength(digits: number): number {
  return digits + Math.floor((digits - 1) / 3)
}

function character(codePoint: number): string {
  if (!(codePoint >= 0 && codePoint <= 0x10ffff)) throw new OperationError('%c arg not in range(0x110000)')
  return String.fromCodePoint(codePoint)
}

/** For so many digits behind the point, which are an int first. */
function chargeDigits(places: number, budget: Budget): void {
  const bits = 4 * places
  budget.allow(places)
  budget.digits(bits, bits)
}

function pad(body: string, width: number, align: string, fill: string): string {
  const missing = width - text.length(body)
  if (missing <= 0) return body
  if (align === '<') return body + fill.repeat(missing)
  if (align === '^') return fill.repeat(Math.floor(missing / 2)) + body + fill.repeat(Math.ceil(missing / 2))
  if (align === '=') {
    const sign = /^[+\- ]/.exec(body)?.[0] ?? ''
    return sign + fill.repeat(missing) + body.slice(sign.length)
  }
  return fill.repeat(missing) + body
}
