/** Printing, equality and keys of Python values as templates use them: on a budget, since a list may hold another any number of times. */
import { OperationError } from '../operation-error.ts'
import { dictGet, isDict, isList, jsonDumps, keyWithin, pyEquals, PyTuple, repr, str, type PyDict, type PyValue } from '../value.ts'
import { brief } from './brief.ts'
import { bitsOf, maxIntDigits, type Budget } from './budget.ts'
import { Callable, isPlainValue, plain, Undefined, Walk, type Value } from './values.ts'

/** What of a value is printed, about. */
interface Weight {
  characters: number
  values: number
  depth: number
}

/** A text that is escaped and quoted is built character by character. */
const bytesPerPrinted = 40
const mostDigits = 10n ** BigInt(maxIntDigits)

/** Walks over everything that would be printed, a step each. */
function weigh(value: PyValue, budget: Budget, weight: Weight = { characters: 0, values: 0, depth: 0 }, depth = 0): Weight {
  weight.values++
  weight.depth = Math.max(weight.depth, depth)
  if (typeof value === 'string') {
    weight.characters += value.length
    budget.spend(1 + Math.floor(value.length / 64))
    budget.hold(bytesPerPrinted * weight.characters)
    return weight
  }
  budget.spend()
  if (typeof value === 'bigint') checkDigits(value)
  if (isList(value)) {
    budget.enter()
    for (const item of value) weigh(item, budget, weight, depth + 1)
    budget.leave()
  } else if (isDict(value)) {
    budget.enter()
    for (const [key, item] of value) {
      weight.characters += key.length
      weigh(item, budget, weight, depth + 1)
    }
    budget.leave()
  }
  return weight
}

/** Python (3.11) refuses to write or read an int of more decimal digits than `maxIntDigits`. */
export function checkDigits(value: bigint): void {
  if (bitsOf(value) > 64 && (value >= mostDigits || value <= -mostDigits))
    throw new OperationError(`Exceeds the limit (${maxIntDigits} digits) for integer string conversion`)
}

/** Python's `str(value)`. */
export function printed(value: PyValue, budget: Budget): string {
  if (typeof value === 'string') return value
  if (typeof value === 'object' || typeof value === 'bigint') weigh(value, budget)
  return charged(str(value), budget)
}

/** Python's `repr(value)`. */
export function represented(value: PyValue, budget: Budget): string {
  weigh(value, budget)
  return charged(repr(value), budget)
}

/** Python's `json.dumps(value, ensure_ascii=False, indent=indent)`. */
export function dumped(value: PyValue, indent: number | null, budget: Budget): string {
  const { values, depth } = weigh(value, budget)
  // Each value may stand on a line of its own, as far in as values nest.
  if (indent !== null) budget.allow(values * Math.max(0, indent) * depth)
  return charged(jsonDumps(value, { indent: indent === null ? null : Math.max(0, indent) }), budget)
}

function charged(text: string, budget: Budget): string {
  budget.text(text.length)
  return text
}

/** Python's `==`. */
export function equals(left: PyValue, right: PyValue, budget: Budget): boolean {
  return pyEquals(left, right, budget)
}

/** Refuses keys as Python does, and pays for those that are held by what they print as. */
function checkKey(key: PyValue, budget: Budget): void {
  if (isDict(key) || (isList(key) && !(key instanceof PyTuple))) throw new OperationError(`unhashable: ${brief(key)}`)
  if (typeof key === 'object' || typeof key === 'bigint') {
    const { characters, values } = weigh(key, budget)
    budget.take(2 * characters + 16 * values)
  }
}

/** `dict.get`: undefined when there is none. */
export function lookUp(dict: PyDict, key: PyValue, budget: Budget): PyValue | undefined {
  checkKey(key, budget)
  return dictGet(dict, key)
}

/** Where a dict keeps a key, or will; refuses lists and dicts as Python does. */
export function keyOf(dict: PyDict, key: PyValue, budget: Budget): string {
  checkKey(key, budget)
  return keyWithin(dict, key)
}

/** What `{{ value }}` prints: `soft_str` of it. */
export function textOf(value: Value, budget: Budget): string {
  if (isPlainValue(value)) return printed(value, budget)
  if (value instanceof Undefined) return printed(plain(value), budget)
  if (!(value instanceof Walk)) return value instanceof Callable ? `<function ${value.name}>` : `<${value.kind}>`
  if (value.label === 'bytes') return printBytes(value.take(), budget)
  return value.kind === 'view' ? `${value.label}(${represented(value.take(), budget)})` : `<${value.label}>`
}

/** Python's repr of bytes. */
function printBytes(bytes: readonly PyValue[], budget: Budget): string {
  budget.scan(bytes.length)
  const characters = bytes.map((byte) => {
    const code = Number(byte)
    if (code >= 0x20 && code < 0x7f) return String.fromCharCode(code).replace('\\', '\\\\')
    return { 9: '\\t', 10: '\\n', 13: '\\r' }[code] ?? `\\x${code.toString(16).padStart(2, '0')}`
  })
  const body = characters.join('')
  return charged(body.includes("'") && !body.includes('"') ? `b"${body}"` : `b'${body.replaceAll("'", "\\'")}'`, budget)
}
