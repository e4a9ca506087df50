/** The docs that a judge decides: the generated answers of a run beside their references, in the order of the samples. */
import { EvalError } from '../../base/errors.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { isInvalid, isRight } from '../viewer/verdict.ts'
import { postprocess, type Postprocessor } from './postprocess.ts'

/** What is taken of a task's samples. */
export interface JudgedTexts {
  /** The filter whose verdicts stand beside the judge's, and whose output `filtered` takes; null = the task's first. */
  readonly filter: string | null
  readonly prediction: Postprocessor
  readonly gold: Exclude<Postprocessor, 'filtered'>
}

export interface JudgeDoc {
  readonly docId: number
  /** What the candidate was asked. */
  readonly question: string
  readonly obj_gold: string
  /** Empty for a reply of which nothing is left: it is not asked about, and counts as not right. */
  readonly prediction: string
  /** What the task's own metric says; null where it doesn't say right or wrong. */
  readonly naive: boolean | null
  /** The task's filter whose verdict that is; absent for answers that come without one. */
  readonly filter?: string
}

/** The docs of one task under one filter. Throws `settings/invalid` where the task has no generated answers or no such filter. */
export function judgeDocs(samples: readonly SampleView[], { filter, prediction, gold }: JudgedTexts): readonly JudgeDoc[] {
  const [first] = samples
  const wanted = filter ?? first?.filter
  const own = samples.filter((sample) => sample.filter === wanted)
  if (first === undefined || own.length === 0) {
    const filters = [...new Set(samples.map((sample) => sample.filter))]
    throw new EvalError('settings/invalid', `The samples have no filter '${wanted ?? ''}'; they have ${filters.join(', ') || 'none'}.`, {
      details: { filters },
    })
  }
  if (own.every(({ generated }) => generated.length === 0))
    throw new EvalError('settings/invalid', `'${first.task}' has no generated answers to judge: its docs are scored by log-likelihood.`)
  return own.map((sample) => ({
    docId: sample.docId,
    question: sample.prompt,
    obj_gold: postprocess(sample.target, gold),
    prediction: predictionOf(sample, prediction),
    naive: isRight(sample),
    filter: sample.filter,
  }))
}

/** Those that a judge is asked about, in their order: doc i of the judge's task is the i-th of them. */
export function askedDocs(docs: readonly JudgeDoc[]): readonly JudgeDoc[] {
  return docs.filter(({ prediction }) => prediction !== '')
}

function predictionOf(sample: SampleView, by: Postprocessor): string {
  if (by !== 'filtered') return postprocess(sample.generated[0] ?? '', by)
  // The harness's mark for a reply in which its filter found nothing is no answer.
  return isInvalid(sample) ? '' : postprocess(filteredOf(sample), by)
}

function filteredOf({ filterSteps, line }: SampleView): string {
  const kept = filterSteps?.at(-1)?.outputs[0]
  if (kept !== undefined) return kept
  const found = filteredInLine(line)
  return found === '[invalid]' ? '' : found
}

/** Of a samples file's line; empty where it says nothing readable. */
function filteredInLine(line: string): string {
  try {
    const value: unknown = JSON.parse(line.replace(/(?<=[[,:]\s*)(?:NaN|-?Infinity)(?=\s*[\],}])/g, 'null'))
    const filtered: unknown = typeof value === 'object' && value !== null && 'filtered_resps' in value ? value.filtered_resps : null
    const first: unknown = Array.isArray(filtered) ? filtered[0] : filtered
    return typeof first === 'string' || typeof first === 'number' ? String(first) : ''
  } catch {
    return ''
  }
}

/** The rows of the judge's task as lines of JSON. */
export function rowsOfDocs(docs: readonly JudgeDoc[]): string {
  return askedDocs(docs)
    .map(({ docId, question, obj_gold, prediction }) => `${JSON.stringify({ id: docId, question, obj_gold, prediction })}\n`)
    .join('')
}
