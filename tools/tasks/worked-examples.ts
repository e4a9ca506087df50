/** The worked examples of `worked-examples.json` (`tests/make-goldens/make_worked_examples.py`), as values of a task file's keys. */
import { readFileSync } from 'node:fs'
import { quote } from './task-texts.ts'

/** One example: its columns as the task's templates name them. */
export type WorkedExample = { readonly [column: string]: string }

export interface BbhSubset {
  readonly description: string
  readonly cot_fewshot: readonly WorkedExample[]
  readonly fewshot: readonly WorkedExample[]
}

export interface WorkedExamples {
  readonly bbh: { readonly [subset: string]: BbhSubset }
  readonly gsm8k: readonly WorkedExample[]
}

export function readWorkedExamples(): WorkedExamples {
  // The shape is that of the script beside it, which is committed with its output.
  return JSON.parse(readFileSync(new URL('./worked-examples.json', import.meta.url), 'utf8')) as WorkedExamples
}

/** A `fewshot_config` that shows the examples in order. */
export function firstOf(examples: readonly WorkedExample[]): string {
  const samples = examples.map((example) => {
    const columns = Object.entries(example).map(([column, text]) => `${column}: ${quote(text)}`)
    return `\n    - ${columns.join('\n      ')}`
  })
  return `\n  sampler: first_n\n  samples:${samples.join('')}`
}
