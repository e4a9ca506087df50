/** Reads the columns that ported helpers name. */
import { EvalError } from '../errors.ts'
import { strip } from '../python/string.ts'
import { dictGet, isInt, isList, repr, type PyDict, type PyValue } from '../python/value.ts'

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
