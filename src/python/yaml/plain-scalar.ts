/** Plain scalars as PyYAML 6.0 resolves them: YAML 1.1 with its own regular expressions. */
import { OperationError } from '../operation-error.ts'
import { pyFloat, pyInt } from '../value.ts'
import { YamlSpecial, type ConfigValue } from './yaml-value.ts'

/** The types that a scalar may resolve to; `merge` and `value` are `<<` and `=`, which only make sense as keys. */
export type ScalarType = 'str' | 'bool' | 'int' | 'float' | 'null' | 'timestamp' | 'merge' | 'value'

const patterns: readonly (readonly [ScalarType, RegExp])[] = [
  ['bool', /^(?:yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/],
  [
    'float',
    /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  ],
  ['int', /^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/],
  ['merge', /^<<$/],
  ['null', /^(?:~|null|Null|NULL|)$/],
  [
    'timestamp',
    /^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9][0-9]?-[0-9][0-9]?(?:[Tt]|[ \t]+)[0-9][0-9]?:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::[0-9]{2})?))?)$/,
  ],
  ['value', /^=$/],
]

/** What a plain scalar without a tag is. */
export function resolvePlain(text: string): ScalarType {
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? 'str'
}

/** The value of a scalar of a type. Throws `OperationError` where PyYAML's constructor fails, as for `2020-13-01` or `!!int x`. */
export function constructScalar(type: ScalarType | 'binary', text: string): ConfigValue {
  switch (type) {
    case 'str':
      return text
    case 'null':
      return null
    case 'bool':
      return constructBool(text)
    case 'int':
      return constructInt(text)
    case 'float':
      return constructFloat(text)
    case 'timestamp':
      return constructTimestamp(text)
    case 'binary':
      return constructBinary(text)
    case 'merge':
    case 'value':
      throw new OperationError(`'${text}' has no value of its own here`)
  }
}

function constructBool(text: string): boolean {
  const word = text.toLowerCase()
  if (/^(?:yes|true|on)$/.test(word)) return true
  if (/^(?:no|false|off)$/.test(word)) return false
  throw new OperationError(`'${text}' is no boolean`)
}

function signed(text: string): { readonly sign: bigint; readonly digits: string } {
  const plain = text.replaceAll('_', '')
  return { sign: plain.startsWith('-') ? -1n : 1n, digits: plain.replace(/^[-+]/, '') }
}

function whole(digits: string, prefix = ''): bigint {
  const pattern = { '0b': /^[01]+$/, '0o': /^[0-7]+$/, '0x': /^[\da-fA-F]+$/ }[prefix] ?? /^\d+$/
  if (!pattern.test(digits)) throw new OperationError(`'${digits}' is no integer`)
  return BigInt(prefix + digits)
}

const maxDigits = 4300

function constructInt(text: string): number | bigint {
  const { sign, digits } = signed(text)
  if (digits === '0') return 0
  // Where Python (3.11) stops reading decimal digits; a number in base 60 takes the square of its length beyond.
  if (digits.length > maxDigits) throw new OperationError(`Exceeds the limit (${maxDigits} digits) for integer string conversion`)
  if (/^0[bx]/.test(digits)) return pyInt(sign * whole(digits.slice(2), digits.slice(0, 2)))
  if (digits.startsWith('0')) return pyInt(sign * whole(digits, '0o'))
  if (digits.includes(':')) return pyInt(sign * digits.split(':').reduce((sum, part) => sum * 60n + whole(part), 0n))
  return pyInt(sign * whole(digits))
}

function constructFloat(text: string): ConfigValue {
  const { sign, digits } = signed(text.toLowerCase())
  const size = digits === '.inf' ? Infinity : digits === '.nan' ? NaN : decimal(digits)
  return pyFloat(sign < 0n ? -size : size)
}

/** A decimal, or several in base 60 (`12:30:45.5`), which PyYAML adds up from the right. */
function decimal(digits: string): number {
  let base = 1
  let sum = 0
  for (const part of digits.split(':').reverse()) {
    if (!/^(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(part)) throw new OperationError(`'${digits}' is no number`)
    sum += Number(part) * base
    base *= 60
  }
  return sum
}

function constructTimestamp(text: string): YamlSpecial {
  const match =
    /^(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|([-+])(\d\d?)(?::(\d\d))?))?)?$/.exec(text)
  if (match === null) throw new OperationError(`'${text}' is no date`)
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour,
    minute = '',
    second = '',
    fraction = '',
    zone,
    zoneSign,
    zoneHour = '',
    zoneMinute = '00',
  ] = match
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate()
  const isDate = Number(year) >= 1 && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= days
  if (!isDate) throw new OperationError(`'${text}' is no date of the calendar`)
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  if (hour === undefined) return new YamlSpecial('date', date)
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) throw new OperationError(`'${text}' is no time of day`)
  const micros = fraction.slice(0, 6).padEnd(6, '0')
  const time = `${hour.padStart(2, '0')}:${minute}:${second}${micros === '000000' ? '' : `.${micros}`}`
  return new YamlSpecial('datetime', `${date}T${time}${zoneText(zone, zoneSign, zoneHour, zoneMinute)}`)
}

function zoneText(zone: string | undefined, sign: string | undefined, hour: string, minute: string): string {
  if (zone === undefined) return ''
  if (sign === undefined) return '+00:00'
  const minutes = Number(hour) * 60 + Number(minute)
  if (minutes >= 24 * 60) throw new OperationError('a time zone is less than a day away')
  return `${minutes === 0 ? '+' : sign}${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

/** Base 64 as Python's lenient decoder reads it, given as hex. */
function constructBinary(text: string): YamlSpecial {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  const digits = [...text].map((c) => alphabet.indexOf(c)).filter((digit) => digit >= 0)
  const padding = [...text].filter((c) => c === '=').length
  if (digits.length % 4 === 1 || (digits.length % 4 > 1 && padding < 4 - (digits.length % 4)))
    throw new OperationError('base 64 text is cut short')
  const bits = digits.map((digit) => digit.toString(2).padStart(6, '0')).join('')
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2).toString(16).padStart(2, '0'))
  return new YamlSpecial('bytes', bytes.join(''))
}
