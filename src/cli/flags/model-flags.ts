/** The flags that name a model and how it runs: `--model`, `--model_args`, `--revision`, `--dtype`, `--device`. */
import type { Json } from '../../base/errors.ts'
import type { DeviceChoice } from '../../contracts/engine.ts'
import { torchDtypes } from '../../contracts/torch-dtypes.ts'
import { asksForCap } from '../../settings/attention.ts'
import { effectiveModelArgs } from '../../settings/model-args.ts'
import { readChoice, text, UsageError, type Values } from './flag-values.ts'
import { editDistance } from '../../base/edit-distance.ts'

/** Model backends of the harness whose arguments name Hugging Face weights. */
const weightBackends = ['hf', 'hf-auto', 'huggingface', 'vllm']
/** Backends that ask a server or another runtime: there is nothing here to run. */
const otherBackends =
  /^(openai|local|anthropic|watsonx|textsynth|gguf|ggml|sglang|sglang-generate|nemo_lm|megatron_lm|mamba_ssm|hf-multimodal|vllm-vlm|hf-mistral3|steered|dummy|litellm|winml|openvino|optimum-lm|ipex|deepsparse|sparseml|neuronx|habana|gaudi|trtllm)(-(chat|chat-completions|completions|completions-chat|chat-completions-llms|llms))?$/

export function readModel(values: Values, modelArgs: { [key: string]: Json }): string | null {
  const model = text(values, 'model')
  const pretrained = modelArgs['pretrained']
  delete modelArgs['pretrained']
  if (pretrained !== undefined && typeof pretrained !== 'string')
    throw new UsageError(`--model_args pretrained: wanted a model, found ${JSON.stringify(pretrained)}`)
  if (model === null) return pretrained ?? null
  if (weightBackends.includes(model)) {
    if (pretrained === undefined) throw new UsageError(`--model ${model} needs --model_args pretrained=ID`)
    return pretrained
  }
  if (otherBackends.test(model))
    throw new UsageError(`--model ${model} runs elsewhere; here a model is a Hub id, a folder, or hf with --model_args pretrained=ID`)
  if (pretrained !== undefined && pretrained !== model)
    throw new UsageError(`two models are named: --model ${model} and pretrained=${pretrained}`)
  return model
}

/** A value that may be a flag of its own or a model argument; the flag wins, and is said to. */
export function readLifted(values: Values, modelArgs: { [key: string]: Json }, name: 'revision' | 'dtype', notes: string[]): string | null {
  const own = text(values, name)
  const given = modelArgs[name]
  delete modelArgs[name]
  if (given === undefined || given === null) return own
  if (typeof given === 'object') throw new UsageError(`--model_args ${name}: wanted text, found ${JSON.stringify(given)}`)
  if (own !== null && own !== String(given)) notes.push(`--${name} ${own} wins over ${name}=${given} in --model_args`)
  return own ?? String(given)
}

/**
 * The GGUF file that is named by `gguf_file` in the model arguments, as transformers has it, or as the model itself: a name inside the repository or folder. Null for none. Throws UsageError for another form of weights beside it, and for
 * a list of dtypes.
 */
export function readGgufFile(
  modelArgs: { [key: string]: Json },
  { model, format, dtype }: { readonly model: string | null; readonly format: string | null; readonly dtype: string | null },
  notes: string[],
): string | null {
  const given = modelArgs['gguf_file'] ?? null
  delete modelArgs['gguf_file']
  if (given !== null && (typeof given !== 'string' || !given.endsWith('.gguf')))
    throw new UsageError(`--model_args gguf_file: wanted the name of a .gguf file, found ${JSON.stringify(given)}`)
  if (given !== null && model?.endsWith('.gguf') === true)
    throw new UsageError(`two GGUF files are named: --model ${model} and gguf_file=${given}`)
  const file = given ?? (model?.endsWith('.gguf') === true ? (model.split(/[\\/]/).at(-1) ?? null) : null)
  if (file === null) return null
  if (format !== null && format !== 'gguf') throw new UsageError(`--model_format ${format} and the GGUF file ${file} don’t go together`)
  if (dtype?.includes(',') === true) throw new UsageError(`--dtype: a GGUF file has one dtype, found ${dtype}`)
  if (dtype !== null && dtype !== file)
    notes.push(`dtype ${dtype}: a GGUF file runs as it is stored, with its own values; name a repository or folder for --dtype`)
  return file
}

/** What a name of a dtype stands for, in the order in which it is tried: itself, or the counterparts of torch's. */
export function dtypesNamed(name: string): readonly string[] {
  return torchDtypes[name.replace(/^torch\./, '')] ?? [name]
}

/** Null also for a list of them, which is a sweep. */
export function mapDtype(asked: string | null, notes: string[]): readonly string[] | null {
  if (asked === null || asked.includes(',')) return null
  const name = asked.replace(/^torch\./, '')
  if (name === 'auto') {
    notes.push("dtype auto: the model's default is used")
    return null
  }
  return dtypesNamed(asked)
}

/** Keeps what has an effect; names the rest; refuses what looks like a misspelt one, because ignoring it would change scores. */
export function keepApplicable(modelArgs: { readonly [key: string]: Json }, notes: string[]): { readonly [key: string]: Json } {
  const kept: { [key: string]: Json } = {}
  for (const [key, value] of Object.entries(modelArgs)) {
    if (key === 'attn_implementation') Object.assign(kept, keepAttention(value, notes))
    else if (effectiveModelArgs.includes(key)) kept[key === 'max_model_len' ? 'max_length' : key] = value
    else {
      const meant = ['pretrained', 'revision', 'dtype', 'gguf_file', ...effectiveModelArgs].find((name) => editDistance(name, key) <= 2)
      if (meant !== undefined) throw new UsageError(`--model_args: ${key} is no argument that applies here; did you mean ${meant}?`)
      notes.push(`ignored: model argument ${key}`)
    }
  }
  return kept
}

/** The one way that moves scores: `sdpa` is the default here as in the harness. Kernels for one kind of GPU are named with what is computed instead. */
function keepAttention(value: Json, notes: string[]): { readonly attn_implementation?: 'eager' } {
  if (value === 'sdpa') return {}
  if (!asksForCap({ attn_implementation: value })) {
    notes.push(`ignored: model argument attn_implementation=${JSON.stringify(value)}`)
    return {}
  }
  if (typeof value === 'string' && value !== 'eager')
    notes.push(`attn_implementation ${value} is computed as eager: both keep a model’s cap of attention’s scores`)
  return { attn_implementation: 'eager' }
}

export function readDevice(values: Values, notes: string[]): DeviceChoice {
  const device = text(values, 'device')
  if (device === null) return 'auto'
  if (/^(cuda|mps|xpu|hpu|npu|rocm|hip)(:\d+)?$/.test(device)) {
    notes.push(`--device ${device} is a torch device: auto is used`)
    return 'auto'
  }
  if (device === 'cpu') {
    notes.push('--device cpu is a torch device: wasm is used')
    return 'wasm'
  }
  return readChoice(values, 'device', ['auto', 'webgpu', 'wasm'], 'auto')
}
