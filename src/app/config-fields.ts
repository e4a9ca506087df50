/** A configuration file of a run as fields of the set-up form. */
import { argumentsText } from '../core/arguments-text.ts'
import { EvalError, type Json } from '../core/errors.ts'
import { parseKeyValues } from '../core/key-values.ts'
import { effectiveModelArgs } from '../core/model-args.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { SetupFields } from './setup-fields.ts'

export interface ConfigFields {
  readonly fields: Partial<SetupFields>
  /** Flags and model arguments that mean nothing here, by name. */
  readonly ignored: readonly string[]
}

/** Backends of the harness that load weights of the Hub; their arguments name the model. */
const weightBackends = ['hf', 'hf-auto', 'huggingface', 'vllm']
const dtypes: { readonly [torch: string]: string } = {
  float32: 'fp32',
  float: 'fp32',
  float16: 'fp16',
  half: 'fp16',
  bfloat16: 'fp16',
  auto: '',
}

/** The fields that the file sets. Throws `settings/invalid` for a model that isn't one of the Hub, and arguments that can't be read. */
export function configToFields({ flags }: RunConfig): ConfigFields {
  const fields: Partial<SetupFields> = {}
  const ignored: string[] = []
  for (const [flag, value] of Object.entries(flags)) {
    switch (flag) {
      case 'model':
      case 'model_args':
        break
      case 'tasks':
        fields.tasks = Array.isArray(value) ? [...new Set(value.map(String))] : []
        break
      case 'num_fewshot':
        fields.numFewshot = textOf(value)
        break
      case 'limit':
        fields.limit = textOf(value)
        break
      case 'seed':
        fields.seed = textOf(value)
        break
      case 'system_instruction':
        fields.systemInstruction = textOf(value)
        break
      case 'gen_kwargs':
        fields.genKwargs = argumentsText(dictOf(value))
        break
      case 'metadata':
        fields.metadata = argumentsText(dictOf(value))
        break
      case 'apply_chat_template':
        fields.applyChatTemplate = value !== false
        if (typeof value === 'string') fields.chatTemplateName = value
        break
      case 'fewshot_as_multiturn':
        fields.fewshotAsMultiturn = value === true ? 'true' : 'false'
        break
      case 'predict_only':
        fields.predictOnly = value === true
        break
      case 'device':
        if (value === 'webgpu' || value === 'wasm') fields.device = value
        break
      // The page always keeps samples, and its files are saved where the reader wants.
      case 'log_samples':
      case 'output_path':
      case 'write_out':
        break
      default:
        ignored.push(flag)
    }
  }
  if (flags['model'] !== undefined || flags['model_args'] !== undefined) readModel(flags, fields, ignored)
  return { fields, ignored }
}

function readModel(flags: RunConfig['flags'], fields: Partial<SetupFields>, ignored: string[]): void {
  const { pretrained, revision, dtype, ...rest } = dictOf(flags['model_args'] ?? {})
  const backend = textOf(flags['model'] ?? 'hf')
  if (weightBackends.includes(backend) && typeof pretrained !== 'string')
    throw new EvalError('settings/invalid', `model_args: wanted pretrained=ID for the model ${backend}, found none`)
  fields.model = typeof pretrained === 'string' ? pretrained : backend
  fields.revision = revision === undefined || revision === null ? 'main' : textOf(revision)
  const wanted = textOf(dtype ?? '').replace(/^torch\./, '')
  fields.dtype = dtypes[wanted] ?? wanted
  // vLLM's name for the length that HFLM calls max_length, which is the one that is read here.
  const kept = Object.entries(rest)
    .filter(([name]) => effectiveModelArgs.includes(name))
    .map(([name, value]) => [name === 'max_model_len' ? 'max_length' : name, value] as const)
  fields.modelArgs = kept.length === 0 ? '' : argumentsText(Object.fromEntries(kept))
  ignored.push(...Object.keys(rest).filter((name) => !effectiveModelArgs.includes(name)))
}

/** A mapping, or the text that spells one. */
function dictOf(value: Json): { readonly [key: string]: Json } {
  if (typeof value === 'string') return parseKeyValues(value)
  // What is neither text nor a list is one of JSON's objects.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { readonly [key: string]: Json }) : {}
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
