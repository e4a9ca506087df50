/** A configuration file of a run as fields of the set-up form. */
import { append } from '../../base/arrays.ts'
import { EvalError, type Json } from '../../base/errors.ts'
import { torchDtypes } from '../../contracts/torch-dtypes.ts'
import { argumentsText } from '../../settings/arguments-text.ts'
import { parseKeyValues } from '../../settings/key-values.ts'
import { effectiveArgs, effectiveModelArgs, namingArgs, withoutNaming } from '../../settings/model-args.ts'
import type { RunConfig } from '../../settings/run-config.ts'
import type { SetupFields } from './setup-fields.ts'

interface ConfigFields {
  readonly fields: Partial<SetupFields>
  /** Flags and model arguments that mean nothing here, by name. */
  readonly ignored: readonly string[]
  /** `name=value` of what counts on a command line alone: it would name a model or let its code run. */
  readonly refused: readonly string[]
}

/** Backends of the harness that load weights of the Hub; their arguments name the model. */
const weightBackends = ['hf', 'hf-auto', 'huggingface', 'vllm']

/**
 * The fields that the file sets. A model that a file names by a key of its own (`model_name`, or `model` with an id) fills its field in;
 * `pretrained` and the like inside `model_args` don't. Throws `settings/invalid` for arguments that can't be read.
 */
export function configToFields(config: RunConfig): ConfigFields {
  const { flags } = config
  const fields: Partial<SetupFields> = {}
  const ignored: string[] = []
  const refused: string[] = []
  const take = (flag: string, value: Json): string => {
    const args = dictOf(value)
    const kind = flag === 'metadata' ? flag : undefined
    append(
      refused,
      namingArgs(args, kind).map((name) => spelled(name, args[name] ?? null)),
    )
    return formatOrEmpty(withoutNaming(args, kind))
  }
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
        fields.genKwargs = take(flag, value)
        break
      case 'metadata':
        fields.metadata = take(flag, value)
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
  if (flags['model'] !== undefined || flags['model_args'] !== undefined) readModel(config, fields, ignored, refused)
  return { fields, ignored, refused }
}

function readModel({ kind, flags }: RunConfig, fields: Partial<SetupFields>, ignored: string[], refused: string[]): void {
  const args = dictOf(flags['model_args'] ?? {})
  // What the harness's own file has in `model_args`, the others say by keys beside the model's name.
  const isNamedByKey = kind !== 'run'
  const { pretrained, revision, dtype } = args
  const backend = textOf(flags['model'] ?? 'hf')
  if (isNamedByKey && weightBackends.includes(backend) && typeof pretrained !== 'string')
    throw new EvalError('settings/invalid', `model_args: wanted pretrained=ID for the model ${backend}, found none`)
  if (isNamedByKey && typeof pretrained === 'string') {
    fields.model = pretrained
    fields.revision = revision === undefined || revision === null ? 'main' : textOf(revision)
    const wanted = textOf(dtype ?? '').replace(/^torch\./, '')
    fields.dtype = wanted === 'auto' ? '' : (torchDtypes[wanted]?.[0] ?? wanted)
  } else if (!weightBackends.includes(backend)) {
    fields.model = backend
    fields.revision = 'main'
  }
  const ownFields = isNamedByKey ? ['pretrained', 'revision', 'dtype'] : []
  const naming = namingArgs(args).filter((name) => !ownFields.includes(name))
  append(
    refused,
    naming.map((name) => spelled(name, args[name] ?? null)),
  )
  fields.modelArgs = formatOrEmpty(effectiveArgs(args))
  append(
    ignored,
    Object.keys(args).filter((name) => ![...effectiveModelArgs, ...naming, ...ownFields].includes(name)),
  )
}

function spelled(name: string, value: Json): string {
  return `${name}=${textOf(value)}`
}

function formatOrEmpty(args: { readonly [key: string]: Json }): string {
  return Object.keys(args).length === 0 ? '' : argumentsText(args)
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
