/**
 * The files that hendrycks/test `evaluate.py` writes for models of transformers: per subject its rows with what the model made of them, and
 * the accuracies of subcategories and categories. Columns, order and number formats are pandas' and json's there.
 */
import { isInt, isList, jsonDumps, pyFloat, str, type PyDict, type PyValue } from '../../python/value.ts'
import { hendrycksCategories, hendrycksSubcategories } from './mmlu-categories.ts'

const letters = 'ABCDEFGHIJ'

/** The cells of a row of `<subject>_test.csv`: question, options, letter. A row of `cais/mmlu` is turned into one. */
export function originalCells(doc: PyDict): readonly PyValue[] {
  const choices = doc.get('choices') ?? null
  if (!isList(choices)) return [...doc.values()]
  const answer = doc.get('answer') ?? null
  return [doc.get('question') ?? null, ...choices, isInt(answer) ? (letters[Number(answer)] ?? null) : answer]
}

/** The header of a subject's file: pandas numbers columns that have no names. `cells` = columns of the test file. */
export function originalHeader(model: string, cells: number): string {
  const own = Array.from({ length: cells - 2 }, (_, at) => `${model}_choice${letters[at] ?? ''}_probs`)
  return csvLine([...Array.from({ length: cells }, (_, at) => at), `${model}_correct`, ...own])
}

/** A row of a subject's file; `probabilities` are rounded to 32 bits, as there. */
export function originalLine(doc: PyDict, isCorrect: boolean, probabilities: readonly number[]): string {
  return csvLine([...originalCells(doc), isCorrect, ...probabilities.map((one) => shortestFloat32(one))])
}

/** A line as pandas' `to_csv` writes it, without its end. */
function csvLine(cells: readonly PyValue[]): string {
  return cells
    .map((cell) => {
      const text = cell === null ? '' : str(cell)
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
    })
    .join(',')
}

/** The shortest decimal that reads back as the same 32-bit float. */
function shortestFloat32(value: number): PyValue {
  const rounded = Math.fround(value)
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(rounded.toPrecision(digits))
    if (Math.fround(short) === rounded) return pyFloat(short)
  }
  return pyFloat(Number(rounded.toPrecision(9)))
}

/** What became of one subject's docs. */
export interface SubjectCounts {
  readonly subject: string
  readonly correct: number
  readonly docs: number
}

interface Accuracies {
  readonly subjects: ReadonlyMap<string, number>
  readonly subcategories: ReadonlyMap<string, number>
  readonly categories: ReadonlyMap<string, number>
  /** Over all docs, each counting once. */
  readonly weighted: number
}

/** Accuracies over docs, as `evaluate.py` takes them. Areas without docs are left out; there they end the program. */
export function accuraciesOf(counts: readonly SubjectCounts[]): Accuracies {
  const over = (subjects: readonly string[]): number | null => {
    const members = counts.filter(({ subject }) => subjects.includes(subject))
    const docs = members.reduce((sum, one) => sum + one.docs, 0)
    return docs === 0 ? null : members.reduce((sum, one) => sum + one.correct, 0) / docs
  }
  const present = (entries: readonly (readonly [string, number | null])[]) =>
    new Map(entries.filter((entry): entry is readonly [string, number] => entry[1] !== null))
  const subjectsOf = (names: readonly string[]) => names.flatMap((name) => hendrycksSubcategories.get(name) ?? [])
  return {
    subjects: present(counts.map(({ subject }) => [subject, over([subject])])),
    subcategories: present([...hendrycksSubcategories].map(([name, subjects]) => [name, over(subjects)])),
    categories: present([...hendrycksCategories].map(([name, inner]) => [name, over(subjectsOf(inner))])),
    weighted: over(counts.map(({ subject }) => subject)) ?? NaN,
  }
}

/** The text of `accuracies_<model>.json`; `seconds` is `cost_time`. */
export function accuraciesText({ subcategories, categories, weighted }: Accuracies, seconds: number): string {
  const block = (entries: ReadonlyMap<string, number>): PyDict => new Map([...entries].map(([name, value]) => [name, pyFloat(value)]))
  const dict = new Map<string, PyValue>([
    ['subcategories', block(subcategories)],
    ['categories', block(categories)],
    ['weighted_accuracy', pyFloat(weighted)],
    ['cost_time', pyFloat(seconds)],
  ])
  return jsonDumps(dict, { indent: 4 })
}

/** The lines that `evaluate.py` prints: subjects, then subcategories, categories and the whole. */
export function averageAccuracyLines({ subjects, subcategories, categories, weighted }: Accuracies): readonly string[] {
  return [
    ...[...subjects, ...subcategories, ...categories].map(([name, value]) => `Average accuracy ${value.toFixed(3)} - ${name}`),
    `Average accuracy: ${weighted.toFixed(3)}`,
  ]
}
