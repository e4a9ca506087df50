/** Task files written out: the way back from `yaml.ts`, in the part of YAML 1.1 that PyYAML, which the harness reads with, takes alike. */
import { reprFloat } from '../number.ts'
import { decodeKey, isFloat, PyFloat, toNumber } from '../value.ts'
import { FunctionRef, isConfigDict, isConfigList, YamlSpecial, type ConfigDict, type ConfigValue } from './yaml-value.ts'

/** A mapping as YAML blocks. `nameOf` says what a `!function` is called from the folder that the text will lie in. */
export function yamlText(config: ConfigDict, nameOf: (ref: FunctionRef) => string): string {
  return blockLines(config, nameOf)
    .map((line) => `${line}\n`)
    .join('')
}

/** A text as a scalar: bare where YAML 1.1 can only read the same text, else in double quotes on one line. */
export function yamlString(text: string): string {
  const isBare = /^[A-Za-z_][\w./-]*$/.test(text) && !/^(?:y|n|yes|no|true|false|on|off|null)$/i.test(text)
  if (isBare) return text
  // PyYAML refuses control characters and folds Unicode's line separators, also within quotes.

  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function blockLines(value: ConfigValue, nameOf: (ref: FunctionRef) => string): readonly string[] {
  if (isConfigDict(value) && value.size > 0) return [...value].flatMap(([key, item]) => entryLines(`${keyText(key)}:`, item, nameOf))
  if (isConfigList(value) && value.length > 0) return value.flatMap((item) => entryLines('-', item, nameOf))
  return [scalar(value, nameOf)]
}

/** What stands before a value, and the value: beside it, or below it and indented. An item of a list begins beside its dash. */
function entryLines(head: string, item: ConfigValue, nameOf: (ref: FunctionRef) => string): readonly string[] {
  const isBlock = (isConfigDict(item) && item.size > 0) || (isConfigList(item) && item.length > 0)
  if (!isBlock) return [`${head} ${scalar(item, nameOf)}`]
  const lines = blockLines(item, nameOf)
  if (head === '-') return lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`)
  return [head, ...lines.map((line) => `  ${line}`)]
}

function keyText(key: string): string {
  const decoded = decodeKey(key)
  return typeof decoded === 'string' ? yamlString(decoded) : scalar(decoded, () => '')
}

function scalar(value: ConfigValue, nameOf: (ref: FunctionRef) => string): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return yamlString(value)
  if (value instanceof FunctionRef) return `!function ${nameOf(value)}`
  if (value instanceof YamlSpecial) return specialText(value)
  if (isConfigList(value)) return '[]'
  if (isConfigDict(value)) return '{}'
  if (value instanceof PyFloat || isFloat(value)) return floatText(toNumber(value) ?? NaN)
  return String(value)
}

/** YAML 1.1 knows a float by its point, so that `1e-05` would be text. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return '.nan'
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf'
  return reprFloat(value).replace(/^(-?\d+)e/, '$1.0e')
}

function specialText({ kind, text, keys }: YamlSpecial): string {
  if (kind === 'set') return `!!set {${keys.map((key) => `${yamlString(key)}: null`).join(', ')}}`
  if (kind !== 'bytes') return text
  const bytes = (text.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return `!!binary ${JSON.stringify(toBase64(bytes.join('')))}`
}

const base64Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** RFC 4648, of a text of bytes; the core has no `btoa`. */
function toBase64(bytes: string): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const [a, b, c] = [bytes.charCodeAt(at), bytes.charCodeAt(at + 1), bytes.charCodeAt(at + 2)]
    const word = (a << 16) | ((b || 0) << 8) | (c || 0)
    for (let digit = 0; digit < 4; digit += 1)
      text += at + digit > bytes.length ? '=' : (base64Digits[(word >> (18 - 6 * digit)) & 63] ?? '')
  }
  return text
}
