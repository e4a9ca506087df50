/** What a results file says of the model and of how it was run, for a table of several runs beside each other. */
import type { Json } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { ResultFile } from './result-file.ts'

export interface RunFacts {
  /** Empty where the file doesn't say. */
  readonly model: string
  readonly revision: string
  readonly commit: string
  readonly dtype: string
  /** Of the weights: `onnx`, `safetensors` or `gguf`; empty where the file doesn't say. */
  readonly format: string
  readonly device: string
  readonly scoring: string
  /** Whether the prompts were put into a chat template; null where the file doesn't say. */
  readonly hasChatTemplate: boolean | null
  /** Numbers of few-shot examples, of all tasks. */
  readonly shots: readonly number[]
  readonly limit: string
  readonly seed: string
  readonly version: string
}

/** Reads them from a file of the harness, of ours, or of either as an older version wrote it. */
export function runFactsOf({ whole, results }: ResultFile): RunFacts {
  const config = whole['config']
  const own = whole['yardstick']
  const args = isRecord(config) ? config['model_args'] : undefined
  const arg = (name: string): string =>
    typeof args === 'string' ? (new RegExp(`(?:^|,)${name}=([^,]+)`).exec(args)?.[1] ?? '') : isRecord(args) ? text(args[name]) : ''
  const ofConfig = (name: string): string => (isRecord(config) ? text(config[name]) : '')
  const ofOwn = (name: string): string => (isRecord(own) ? text(own[name]) : '')
  const shots = whole['n-shot']
  const template = whole['chat_template_sha']
  return {
    model: text(whole['model_name']) || arg('pretrained'),
    revision: arg('revision') || ofConfig('model_revision') || 'main',
    commit: ofConfig('model_sha'),
    dtype: ofOwn('dtype') || ofConfig('model_dtype') || arg('dtype'),
    format: ofOwn('model_format'),
    device: ofOwn('device') || ofConfig('device'),
    scoring: ofOwn('scoring'),
    hasChatTemplate: template === undefined ? null : template !== null && template !== '',
    shots: isRecord(shots)
      ? [...new Set(Object.keys(results).flatMap((task) => (typeof shots[task] === 'number' ? [shots[task]] : [])))].sort((a, b) => a - b)
      : [],
    limit: ofConfig('limit'),
    seed: ofConfig('fewshot_seed'),
    version: text(whole['lm_eval_version']),
  }
}

function text(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}
