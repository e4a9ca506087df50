/** What an IFEval instruction is, and how its parameters are read. lm_eval 0.4.13, `ifeval/instructions.py`. */
import { EvalError } from '../../../base/errors.ts'
import { isFloat, isInt, isList, repr, toNumber, type PyDict } from '../../../python/value.ts'
import type { Draws } from './draws.ts'

/** Whether a response follows the instruction. */
export type Check = (response: string) => boolean

/** One kind of instruction. */
export interface Instruction {
  /** Names of its parameters. */
  readonly parameters: readonly string[]
  /** The check for one doc. What the doc leaves out is drawn, in the harness's order. Throws `metric/failed` for parameters that it refuses. */
  readonly build: (kwargs: PyDict, draws: Draws) => Check
}

export type Instructions = { readonly [id: string]: Instruction }

/** An instruction without parameters. */
export function plain(check: Check): Instruction {
  return { parameters: [], build: () => check }
}

export function wrongParameter(name: string, wanted: string, found: string): EvalError {
  return new EvalError('metric/failed', `IFEval wants ${wanted} as '${name}', found ${found}.`, { details: { name } })
}

/** A number; null when left out. */
export function numberOf(kwargs: PyDict, name: string): number | null {
  const value = kwargs.get(name) ?? null
  if (value === null) return null
  const number = isInt(value) || isFloat(value) ? toNumber(value) : null
  if (number !== null) return number
  throw wrongParameter(name, 'a number', repr(value))
}

/** A number, or a whole one drawn from `first` to `last` when it is left out or negative. */
export function countOf(kwargs: PyDict, name: string, draws: Draws, first: number, last: number): number {
  const value = numberOf(kwargs, name)
  return value === null || value < 0 ? draws.whole(first, last) : value
}

/** A text; null when left out. */
export function textOf(kwargs: PyDict, name: string): string | null {
  const value = kwargs.get(name) ?? null
  if (value === null || typeof value === 'string') return value
  throw wrongParameter(name, 'a text', repr(value))
}

/** Texts; null when left out. */
export function textsOf(kwargs: PyDict, name: string): readonly string[] | null {
  const value = kwargs.get(name) ?? null
  if (value === null) return null
  if (isList(value) && value.every((item) => typeof item === 'string')) return value
  throw wrongParameter(name, 'a list of texts', repr(value))
}

/** Compares a count with a bound, either `less than` or `at least`; drawn when left out. */
export function relationOf(kwargs: PyDict, name: string, draws: Draws): (count: number, bound: number) => boolean {
  const relation = textOf(kwargs, name) ?? draws.one(['less than', 'at least'])
  if (relation === 'less than') return (count, bound) => count < bound
  if (relation === 'at least') return (count, bound) => count >= bound
  throw wrongParameter(name, "'less than' or 'at least'", repr(relation))
}

/** Python's order of texts: by code points. */
export function sortTexts(texts: Iterable<string>): string[] {
  const points = (text: string): number[] => Array.from(text, (c) => c.codePointAt(0) ?? 0)
  return [...texts].sort((a, b) => {
    const [left, right] = [points(a), points(b)]
    const place = left.findIndex((code, index) => code !== right[index])
    return place < 0 ? left.length - right.length : (left[place] ?? 0) - (right[place] ?? -1)
  })
}
