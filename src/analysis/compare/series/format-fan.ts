/**
 * One prompt in many formats that mean the same, to show how far a score depends on punctuation. The axes are those of Sclar et al. (2023),
 * arXiv 2310.11324: separators, spaces, casing of field names, and the marks of options.
 */
import { EvalError } from '../../../base/errors.ts'

export interface FanField {
  /** Its name as the prompt shows it, such as `Question`. */
  readonly name: string
  /** Its value as a template, such as `{{question.strip()}}`. */
  readonly value: string
}

export interface FanPrompt {
  readonly fields: readonly FanField[]
  /** Templates of the options, in order; empty for none. */
  readonly options: readonly string[]
  /** The name behind which the model answers, such as `Answer`. */
  readonly answer: string
}

export interface FanFormat {
  /** The choices on each axis, for a table. */
  readonly name: string
  readonly docToText: string
}

const separators: readonly (readonly [name: string, text: string])[] = [
  ['colon', ': '],
  ['dash', ' - '],
  ['line', '\n'],
  ['double colon', ':: '],
]
const gaps: readonly (readonly [name: string, text: string])[] = [
  ['new line', '\n'],
  ['blank line', '\n\n'],
  ['bar', ' || '],
]
const casings: readonly (readonly [name: string, change: (text: string) => string])[] = [
  ['as given', (text) => text],
  ['upper', (text) => text.toUpperCase()],
  ['lower', (text) => text.toLowerCase()],
]
const marks: readonly (readonly [name: string, mark: (letter: string) => string])[] = [
  ['A.', (letter) => `${letter}.`],
  ['(A)', (letter) => `(${letter})`],
  ['A)', (letter) => `${letter})`],
]

/** Every combination, as `doc_to_text` templates; 108 with options, 36 without. The first is the usual one. */
export function formatFan({ fields, options, answer }: FanPrompt): readonly FanFormat[] {
  return separators.flatMap(([separatorName, separator]) =>
    gaps.flatMap(([gapName, gap]) =>
      casings.flatMap(([casingName, change]) =>
        (options.length === 0 ? marks.slice(0, 1) : marks).map(([markName, mark]) => {
          const parts = [
            ...fields.map(({ name, value }) => `${change(name)}${separator}${value}`),
            ...options.map((option, i) => `${mark(String.fromCodePoint(65 + i))} ${option}`),
            // White space at the end would move into the continuation.
            `${change(answer)}${separator}`.trimEnd(),
          ]
          const name = [separatorName, gapName, casingName, ...(options.length === 0 ? [] : [markName])].join(', ')
          return { name, docToText: parts.join(gap) }
        }),
      ),
    ),
  )
}

export interface FanSpread {
  readonly formats: number
  /** Best less worst score. */
  readonly spread: number
  readonly best: { readonly name: string; readonly value: number }
  readonly worst: { readonly name: string; readonly value: number }
  readonly median: number
}

/** The spread of scores over formats, the first of equals named. Throws `metric/failed` for fewer than two. */
export function spreadOf(scores: readonly { readonly name: string; readonly value: number }[]): FanSpread {
  const sorted = [...scores].sort((a, b) => a.value - b.value)
  const [worst] = sorted
  const top = sorted.at(-1)?.value
  const best = sorted.find(({ value }) => value === top)
  if (worst === undefined || best === undefined || scores.length < 2)
    throw new EvalError('metric/failed', `A spread wants two formats at least, found ${scores.length}.`)
  const at = (index: number): number => sorted[index]?.value ?? NaN
  const middle = (sorted.length - 1) / 2
  return {
    formats: scores.length,
    spread: best.value - worst.value,
    best,
    worst,
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
  }
}
