/**
 * Per-sample rows that Meta published with its Llama 3 models (data sets `Llama-3.x-…-evals`, a configuration `…__TASK__details` each; their columns as the
 * data sets' cards and llama-cookbook's `meta_eval` name them): prompts as they were sent, what the model replied, and whether that was right.
 * One row a line, or a list of rows. The verdict is the file's own; nothing is scored here.
 */
import * as v from 'valibot'
import { minOf } from '../../base/arrays.ts'
import { EvalError, type Json } from '../../base/errors.ts'
import { sha256 } from '../../base/sha256.ts'
import type { SampleChoice, SampleView } from '../../contracts/samples.ts'
import { fromJson, str } from '../../python/value.ts'
import { limits } from './opened-run.ts'

const json = v.custom<Json>(() => true)
const texts = v.union([v.string(), v.array(v.nullable(v.string()))])
const optional = <S extends v.GenericSchema>(schema: S) => v.optional(v.nullable(schema))
const rowSchema = v.looseObject({
  task_name: optional(v.string()),
  subtask_name: optional(v.string()),
  input_question: optional(v.string()),
  input_choice_list: optional(json),
  input_final_prompts: optional(texts),
  input_correct_responses: optional(texts),
  output_prediction_text: optional(texts),
  output_parsed_answer: optional(json),
  output_choice_completions: optional(texts),
  output_choice_negative_log_likelihoods: optional(v.array(v.nullable(v.number()))),
  is_correct: optional(v.union([v.boolean(), v.number()])),
})
type Row = v.InferOutput<typeof rowSchema>

/** Columns that only these data sets have: a row begins with one of them, whatever order its writer chose. */
const firstKeys = 'task_type|task_name|subtask_name|benchmark_label|eval_config|is_correct|input_[a-z_]+|output_[a-z_]+'
const firstKey = new RegExp(`^(?:\\[\\s*)?\\{\\s*"(?:${firstKeys})"\\s*:`)

/** True when a file begins as those do. */
export function isMetaEvals(beginning: string): boolean {
  return firstKey.test(beginning)
}

/** The task of a row, or what a file's name says: `Llama-3.1-8B-Instruct-evals__mmlu_pro__details` is `mmlu_pro`. */
export function metaTask(value: Json, name: string): string {
  const named = typeof value === 'object' && value !== null && 'task_name' in value ? value.task_name : null
  if (typeof named === 'string' && named !== '') return named.slice(0, limits.nameChars)
  const stem = (name.split('/').at(-1) ?? name).replace(/(?:\.(?:jsonl?|gz|parquet|gzip))+$/, '')
  return (/__(.+)__details/.exec(stem)?.[1] ?? stem).slice(0, limits.nameChars)
}

/**
 * A row as a sample, `docId` its place among its task's. It carries the hash of its prompt as the harness's samples do, by which a run that was
 * asked the same is paired with it. Throws `results/invalid`, naming the column.
 */
export function readMetaRow(value: Json, task: string, docId: number, where: string): SampleView {
  const parsed = v.safeParse(rowSchema, value, { abortEarly: true })
  if (!parsed.success) {
    const [issue] = parsed.issues
    const column = v.getDotPath(issue) ?? ''
    throw new EvalError('results/invalid', `${where}: wanted a row of Meta's evals, found ${issue.received} in '${column}'.`)
  }
  const row = parsed.output
  const prompts = listOf(row.input_final_prompts)
  if (prompts.length === 0 && row.is_correct === undefined)
    throw new EvalError('results/invalid', `${where}: wanted 'input_final_prompts' and 'is_correct' of Meta's evals, found neither.`)
  const prompt = promptOf(prompts)
  const correct = listOf(row.input_correct_responses)
  const choices = choicesOf(row)
  const { is_correct: verdict, output_parsed_answer: answer } = row
  return {
    task,
    docId,
    filter: 'none',
    prompt: prompt ?? row.input_question ?? '',
    target: correct[0] ?? '',
    choices,
    gold: choices.flatMap(({ text }, at) => (correct.some((one) => one.trim() === text.trim()) ? [at] : [])),
    picks: null,
    generated: listOf(row.output_prediction_text),
    ...(answer === undefined || answer === null
      ? {}
      : { filterSteps: [{ name: 'output_parsed_answer', outputs: [str(fromJson(answer))] }] }),
    metrics: verdict === undefined || verdict === null ? {} : { is_correct: Number(verdict) },
    line: JSON.stringify({ ...row, ...(prompt === null ? {} : { prompt_hash: sha256(prompt) }) }),
  }
}

/**
 * What was sent. Where a prompt was published for each option, ending in its letter, what they share: the recipe asks that
 * (`ports/functions/exams/meta-evals.ts`), and so does a run of it.
 */
function promptOf(prompts: readonly string[]): string | null {
  const [first] = prompts
  if (first === undefined) return null
  return prompts.length > 1 && prompts.every((one) => / [A-Z]$/.test(one)) ? first.slice(0, -2) : first
}

/** Options that were scored by their likelihood, in the file's order; none where the model wrote. */
function choicesOf(row: Row): readonly SampleChoice[] {
  const completions = listOf(row.output_choice_completions)
  const losses = row.output_choice_negative_log_likelihoods ?? []
  if (completions.length === 0 || completions.length !== losses.length) return []
  const best = minOf(losses.map((loss) => loss ?? Infinity))
  return completions.map((text, at) => {
    const loss = losses[at] ?? null
    return { text, logprob: loss === null ? -Infinity : -loss, isGreedy: loss === best, unconditional: null }
  })
}

function listOf(value: v.InferOutput<typeof texts> | null | undefined): readonly string[] {
  if (value === null || value === undefined) return []
  return typeof value === 'string' ? [value] : value.filter((one) => one !== null)
}
