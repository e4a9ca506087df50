/** The harness's `exact_match` metric over numpy string arrays. lm_eval 0.4.13, `exact_match_hf_evaluate`. */
import { EvalError } from '../../base/errors.ts'
import { compilePython } from '../../python/regex/compile.ts'
import { codePoints, length, lower } from '../../python/string.ts'
import type { PyValue } from '../../python/value.ts'
import { isList, pyEquals, typeName } from '../../python/value.ts'

export interface ExactMatchOptions {
  readonly regexesToIgnore: readonly string[] | null
  readonly ignoreCase: boolean
  readonly ignorePunctuation: boolean
  readonly ignoreNumbers: boolean
}

const punctuation = /[!-/:-@[-`{-~]/g
const digits = /[0-9]/g

/**
 * Mean equality of predictions and references, which are broadcast when one of them holds lists. Regexes are removed first, then
 * case, punctuation and digits, on both sides. Throws `metric/failed` where numpy raises.
 */
export function exactMatch(predictions: readonly PyValue[], references: readonly PyValue[], options: ExactMatchOptions): number {
  const normalise = makeNormaliser(options)
  const left = normalise(predictions)
  const right = normalise(references)
  const scores = compare(left, right)
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}

function makeNormaliser({
  regexesToIgnore,
  ignoreCase,
  ignorePunctuation,
  ignoreNumbers,
}: ExactMatchOptions): (values: readonly PyValue[]) => readonly PyValue[] {
  const regexes = (regexesToIgnore ?? []).map((pattern) => compilePython(pattern))
  const needsText = ignoreCase || ignorePunctuation || ignoreNumbers
  const withoutMatches = (value: PyValue, isNested: boolean): PyValue => {
    if (typeof value !== 'string') {
      if (needsText || regexes.length > 0)
        throw new EvalError('metric/failed', `exact_match wanted text to normalise, found ${typeName(value)}.`)
      return value
    }
    if (isNested && regexes.length > 0)
      throw new EvalError('metric/failed', 'exact_match wanted text to remove regexes from, found a list.')
    // Arrays of strings drop trailing NULs at every step.
    return regexes.reduce((text, regex) => trimNuls(regex.sub('', text)), value)
  }
  return (values) => {
    const texts = values.map((value) => mapLeaves(value, withoutMatches))
    const width = longest(texts)
    return texts.map((value) =>
      mapLeaves(value, (text) => {
        if (typeof text !== 'string') return text
        const cased = ignoreCase ? cut(lower(trimNuls(text)), width) : trimNuls(text)
        const bare = ignorePunctuation ? cased.replace(punctuation, '') : cased
        return trimNuls(ignoreNumbers ? bare.replace(digits, '') : bare)
      }),
    )
  }
}

/** Length of the longest text, in code points: the width of numpy's array, which lower case can't outgrow. */
function longest(values: readonly PyValue[]): number {
  const lengths = values.flatMap((value) => (isList(value) ? value : [value])).map((text) => (typeof text === 'string' ? length(text) : 0))
  return lengths.reduce((most, one) => Math.max(most, one), 0)
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : codePoints(text).slice(0, width).join('')
}

function trimNuls(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '\0') end--
  return text.slice(0, end)
}

function mapLeaves(value: PyValue, map: (value: PyValue, isNested: boolean) => PyValue): PyValue {
  return isList(value) ? value.map((item) => map(item, true)) : map(value, false)
}

function compare(left: readonly PyValue[], right: readonly PyValue[]): readonly number[] {
  const rows = left.length === 1 || right.length === 1 ? Math.max(left.length, right.length) : left.length
  if (left.length !== rows && left.length !== 1) throw mismatch()
  if (right.length !== rows && right.length !== 1) throw mismatch()
  const at = (list: readonly PyValue[], i: number): PyValue => list[list.length === 1 ? 0 : i] ?? null
  const pairs = left.some(isList) || right.some(isList)
  if (!pairs) return Array.from({ length: rows }, (_, i) => equality(at(left, i), at(right, i)))
  // A list among them makes an array of two dimensions, against whose columns the other side is laid.
  const columns = [...left, ...right].filter(isList).map((list) => list.length)
  const [width = 0] = columns
  if (columns.some((length) => length !== width)) throw mismatch()
  const grid = (list: readonly PyValue[]): readonly (readonly PyValue[])[] => (list.some(isList) ? list.filter(isList) : [list])
  const [a, b] = [grid(left), grid(right)]
  const height = Math.max(a.length, b.length)
  const cell = (table: readonly (readonly PyValue[])[], i: number, j: number): PyValue => at(table[table.length === 1 ? 0 : i] ?? [], j)
  if ([...a, ...b].some((row) => row.length !== 1 && row.length !== width)) throw mismatch()
  return Array.from({ length: height * width }, (_, k) =>
    equality(cell(a, Math.floor(k / width), k % width), cell(b, Math.floor(k / width), k % width)),
  )
}

function equality(left: PyValue, right: PyValue): number {
  return pyEquals(left, right) ? 1 : 0
}

function mismatch(): EvalError {
  return new EvalError('metric/failed', 'exact_match got predictions and references of shapes that do not fit together.')
}
