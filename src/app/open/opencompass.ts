/**
 * A prediction file of OpenCompass (`predictions/MODEL/DATASET.json`): an object by the doc's place, each with `origin_prompt`, `prediction` and, where
 * the dataset has one, `gold`. Source: opencompass 0.4, `openicl/icl_inferencer`. It holds no scores: whether a prediction is the gold answer to
 * the letter is told here.
 */
import * as v from 'valibot'
import { EvalError, type Json } from '../../base/errors.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { fromJson, str } from '../../python/value.ts'
import { parseLooseJson, parseNamed } from './loose-json.ts'
import { limits } from './opened-run.ts'

const json = v.custom<Json>(() => true)
const turn = v.looseObject({ prompt: v.optional(v.string()) })
const predictionSchema = v.looseObject({
  origin_prompt: v.optional(v.nullable(v.union([v.string(), v.array(v.union([v.string(), turn]))]))),
  prediction: v.union([v.string(), v.array(v.string())]),
  gold: v.optional(json),
})

/** True when a file begins as those do. */
export function isOpenCompass(beginning: string): boolean {
  return /^\{\s*"\d+"\s*:\s*\{/.test(beginning)
}

/** The task that a file's name says. */
export function openCompassTask(name: string): string {
  const stem = (name.split('/').at(-1) ?? name).replace(/\.json(?:\.gz)?$/, '')
  return stem.slice(0, limits.nameChars)
}

/** The samples of a file's text, by place. Throws `results/invalid`, naming the entry. */
export function readOpenCompass(text: string, name: string): readonly SampleView[] {
  const whole = parseNamed(parseLooseJson, text, name)
  const entries = typeof whole === 'object' && whole !== null && !Array.isArray(whole) ? Object.entries(whole) : []
  if (entries.length > limits.samples)
    throw new EvalError('results/invalid', `${name}: wanted at most ${limits.samples} samples, found more.`)
  const task = openCompassTask(name)
  return entries.map(([key, value]) => readPrediction(key, value, task, `${name}, entry ${key.slice(0, 20)}`))
}

function readPrediction(key: string, value: Json, task: string, where: string): SampleView {
  const parsed = v.safeParse(predictionSchema, value, { abortEarly: true })
  if (!/^\d{1,9}$/.test(key) || !parsed.success)
    throw new EvalError(
      'results/invalid',
      `${where}: wanted 'prediction' as text, 'origin_prompt' and 'gold' of OpenCompass, found something else.`,
    )
  const { origin_prompt: prompt, prediction, gold } = parsed.output
  const generated = typeof prediction === 'string' ? [prediction] : prediction
  const target = gold === undefined || gold === null ? '' : str(fromJson(oneOf(gold)))
  const isSame = generated[0]?.trim() === target.trim()
  return {
    task,
    docId: Number(key),
    filter: 'none',
    prompt: typeof prompt === 'string' ? prompt : (prompt ?? []).map(promptOf).join('\n'),
    target,
    choices: [],
    gold: [],
    picks: null,
    generated,
    metrics: gold === undefined || gold === null ? {} : { exact_match: Number(isSame) },
    line: JSON.stringify(value),
  }
}

/** A list of one is the one. */
function oneOf(gold: Json): Json {
  if (!Array.isArray(gold)) return gold
  const list = gold as readonly Json[]
  return list.length === 1 ? (list[0] ?? null) : list
}

function promptOf(part: string | v.InferOutput<typeof turn>): string {
  return typeof part === 'string' ? part : (part.prompt ?? '')
}
