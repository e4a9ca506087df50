/** Reads the columns that ported helpers name. */
import { EvalError } from '../../base/errors.ts'
import { strip } from '../../python/string.ts'
import { dictGet, isDict, isFloat, isInt, isList, repr, str, toNumber, type PyDict, type PyValue } from '../../python/value.ts'

/** A column's value. Throws `dataset/schema` naming the column and those that exist. */
export function columnOf(doc: PyDict, name: string): PyValue {
  const value = dictGet(doc, name)
  if (value !== undefined) return value
  throw new EvalError('dataset/schema', `wanted a column '${name}', but the columns are ${[...doc.keys()].join(', ')}`, {
    details: { column: name, columns: [...doc.keys()] },
  })
}

/** A column that must hold text. Throws `dataset/schema`. */
export function textOf(doc: PyDict, name: string): string {
  const value = columnOf(doc, name)
  if (typeof value === 'string') return value
  throw new EvalError('dataset/schema', `wanted text in the column '${name}', found ${repr(value)}`, { details: { column: name } })
}

/** `int(column)` of a column that holds a whole number or its decimal text. Throws `dataset/schema`. */
export function wholeTextOf(doc: PyDict, name: string): number {
  const value = columnOf(doc, name)
  const text = typeof value === 'string' ? strip(value) : isInt(value) ? String(value) : ''
  if (/^[+-]?\d+$/.test(text)) return Number(text)
  throw new EvalError('dataset/schema', `wanted a whole number in the column '${name}', found ${repr(value)}`, {
    details: { column: name },
  })
}

/** A column that must hold a list of texts. Throws `dataset/schema`. */
export function textsOf(doc: PyDict, name: string): readonly string[] {
  const value = columnOf(doc, name)
  if (isList(value) && value.every((item) => typeof item === 'string')) return value
  throw new EvalError('dataset/schema', `wanted a list of texts in the column '${name}', found ${repr(value)}`, {
    details: { column: name },
  })
}

/** `str(column)`, as in f-strings. */
export function wordOf(doc: PyDict, name: string): string {
  return str(columnOf(doc, name))
}

/** A column that must hold a list. Throws `dataset/schema`. */
export function listOf(doc: PyDict, name: string): readonly PyValue[] {
  const value = columnOf(doc, name)
  if (isList(value)) return value
  throw new EvalError('dataset/schema', `wanted a list in the column '${name}', found ${repr(value)}`, { details: { column: name } })
}

/** A column that must hold a dict. Throws `dataset/schema`. */
export function dictOf(doc: PyDict, name: string): PyDict {
  const value = columnOf(doc, name)
  if (isDict(value)) return value
  throw new EvalError('dataset/schema', `wanted a record in the column '${name}', found ${repr(value)}`, { details: { column: name } })
}

/** A column that must hold a number. Throws `dataset/schema`. */
export function numberOf(doc: PyDict, name: string): number {
  const value = columnOf(doc, name)
  const number = isInt(value) || isFloat(value) ? toNumber(value) : null
  if (number !== null) return number
  throw new EvalError('dataset/schema', `wanted a number in the column '${name}', found ${repr(value)}`, { details: { column: name } })
}

/** `options.index(column)`: the place of the column's value. Throws `dataset/schema` when it is none of them. */
export function placeOf(doc: PyDict, name: string, options: readonly string[]): number {
  const value = columnOf(doc, name)
  const place = typeof value === 'string' ? options.indexOf(value) : -1
  if (place >= 0) return place
  throw new EvalError('dataset/schema', `wanted one of ${options.join(', ')} in the column '${name}', found ${repr(value)}`, {
    details: { column: name },
  })
}

/** `mapping[column]`, for text columns. Throws `dataset/schema` when the mapping lacks it. */
export function lookUp<T>(doc: PyDict, name: string, mapping: { readonly [value: string]: T }): T {
  const value = columnOf(doc, name)
  const key = typeof value === 'string' || isInt(value) ? String(value) : ''
  const found = Object.hasOwn(mapping, key) ? mapping[key] : undefined
  if (found !== undefined) return found
  throw new EvalError('dataset/schema', `wanted one of ${Object.keys(mapping).join(', ')} in the column '${name}', found ${repr(value)}`, {
    details: { column: name },
  })
}

/** An item of a list that a helper indexes. Throws `dataset/schema` beyond its end. */
export function itemOf<T>(items: readonly T[], index: number, what: string): T {
  const item = items.at(index)
  if (item !== undefined) return item
  throw new EvalError('dataset/schema', `wanted at least ${index + 1} items in ${what}, found ${items.length}`, {
    details: { column: what },
  })
}

/** Python's `bool(value)`. */
export function isTruthy(value: PyValue): boolean {
  if (value === null || value === '') return false
  if (isList(value)) return value.length > 0
  if (isDict(value)) return value.size > 0
  return typeof value === 'string' || toNumber(value) !== 0
}
