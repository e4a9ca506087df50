/** The lines that the original MMLU program prints (`Average accuracy 0.667 - anatomy`), as results of the harness's tasks. */
import { EvalError, isEvalError } from '../../base/errors.ts'
import { averageNotes, readAverageAccuracies } from '../../ports/original-mmlu/average-accuracies.ts'
import { readResults, type HarnessResults } from './harness-results.ts'

/** True for a text, not JSON, with such a line. */
export function isAccuracyList(beginning: string): boolean {
  return !/^[[{]/.test(beginning) && /^\s*Average accuracy \d*\.?\d+ - /m.test(beginning)
}

/**
 * Reads a file's text: `mmlu_anatomy` and so on for the subjects, the authors' areas under names of their own (`mmlu: math`); for `mmlu` the overall
 * number where one is stated, and the mean of the subjects as `acc_macro`. Names that are neither are left out; what doesn't fit together is warned
 * of. Throws `results/invalid`.
 */
export function readAccuracyList(text: string, name: string, id: string): HarnessResults {
  try {
    const printed = readAverageAccuracies(text)
    const { subjects, subcategories, categories, overall, macro } = printed
    const row = (alias: string, value: number): object => ({ alias, 'acc,none': value })
    const rows = Object.fromEntries([
      ...[...subjects].map(([subject, value]) => [`mmlu_${subject}`, row(subject, value)] as const),
      ...[...subcategories, ...categories].map(([area, value]) => [`mmlu: ${area}`, row(`mmlu: ${area}`, value)] as const),
    ])
    const whole = { alias: 'mmlu', ...(overall === null ? {} : { 'acc,none': overall }), 'acc_macro,none': macro }
    const read = readResults(JSON.stringify({ results: { mmlu: whole, ...rows } }), name, id)
    return { ...read, summary: { ...read.summary, warnings: averageNotes(printed) } }
  } catch (error) {
    if (isEvalError(error) && error.code === 'settings/invalid')
      throw new EvalError('results/invalid', `${name}: ${error.message}`, { cause: error })
    throw error
  }
}
