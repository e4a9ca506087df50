/**
 * Configuration files of whole runs: lm_eval 0.4.13's own (`--config FILE`, `config/evaluate_config.py`), and the pair of the
 * African-language suite, one file for a model and one for tasks (`--model-config-yaml`, `--task-config-yaml`), and Meta's `eval_config.yaml`.
 * All become flags.
 */
import { EvalError, type Json } from '../base/errors.ts'
import { str, toJson } from '../python/value.ts'
import { readYamlMapping } from '../python/yaml/parse.ts'
import { isConfigDict, isConfigList, toPlain, type ConfigDict, type ConfigValue } from '../python/yaml/yaml-value.ts'
import { readEvalsConfig } from './evals-config.ts'

/** `run`: the harness's; `model` and `tasks`: the suite's; `evals`: Meta's;
 *  null in `kindOfConfig` for anything else, such as a task file. */
export type RunConfigKind = 'run' | 'model' | 'tasks' | 'evals'

/** What a configuration file asks for. */
export interface RunConfig {
  readonly kind: RunConfigKind
  /** Flags by the harness's names: text, numbers, booleans, lists (`tasks`) and mappings (`model_args`). Empty ones are left out. */
  readonly flags: { readonly [flag: string]: Json }
  /** What the reader should know: keys without a meaning here, and defaults that the suite has of its own. */
  readonly notes: readonly string[]
  /** The command of lm_eval that such a file stands for elsewhere, where it stands for one. */
  readonly command?: string
}

/** Keys of the harness's EvaluatorConfig, in its order. */
const runConfigKeys: readonly string[] = [
  'config',
  'model',
  'model_args',
  'tasks',
  'num_fewshot',
  'batch_size',
  'max_batch_size',
  'device',
  'limit',
  'samples',
  'use_cache',
  'cache_requests',
  'check_integrity',
  'write_out',
  'log_samples',
  'output_path',
  'predict_only',
  'system_instruction',
  'apply_chat_template',
  'fewshot_as_multiturn',
  'show_config',
  'include_path',
  'gen_kwargs',
  'verbosity',
  'wandb_args',
  'wandb_config_args',
  'hf_hub_log_args',
  'trackio_args',
  'seed',
  'trust_remote_code',
  'confirm_run_unsafe_code',
  'metadata',
]

/** The seed that the suite's `EvaluationConfig` gives all four generators. */
const suiteSeed = '42'

/** Which kind of configuration a mapping is; null for none of them, so that a task file is never taken for one. */
export function kindOfConfig(config: ConfigDict): RunConfigKind | null {
  if (config.has('evals_dataset')) return 'evals'
  if (config.has('task_template')) return 'tasks'
  if (config.has('model_name')) return 'model'
  const isTask = ['task', 'group', 'class', 'include', 'output_type', 'doc_to_text'].some((key) => config.has(key))
  return !isTask && (config.has('tasks') || config.has('model_args') || config.has('model')) ? 'run' : null
}

/**
 * Reads a configuration file of any kind. Throws `yaml/invalid` with line and column, and `settings/invalid` naming the key for a
 * key that the harness doesn't know, a value of a wrong kind, or a file that is no configuration.
 */
export function readRunConfig(text: string, file: string): RunConfig {
  const config = readYamlMapping(text, file)
  const kind = kindOfConfig(config)
  switch (kind) {
    case 'run':
      return readHarnessConfig(config, file)
    case 'evals':
      return readEvalsConfig(config, file)
    case 'model':
      return readModelConfig(config, file)
    case 'tasks':
      return readTaskList(config, file)
    case null:
      throw fail(
        file,
        null,
        `wanted a configuration of a run ('model', 'tasks', …), of a model ('model_name') or of tasks ('task_template', 'languages'), found the keys ${[...config.keys()].join(', ')}`,
      )
  }
}

function readHarnessConfig(config: ConfigDict, file: string): RunConfig {
  const flags: { [flag: string]: Json } = {}
  for (const [key, value] of config) {
    if (!runConfigKeys.includes(key)) throw fail(file, key, `unknown key; the keys are ${runConfigKeys.join(', ')}`)
    const json = toJson(toPlain(value))
    // For this switch alone false is not the default: with a chat template examples are turns unless it says no.
    const isGiven = !isEmpty(json) || (key === 'fewshot_as_multiturn' && json === false)
    if (key === 'config' || !isGiven) continue
    if (key === 'tasks') flags[key] = taskNames(value, file)
    else if (key === 'seed') flags[key] = seedText(json, file)
    else flags[key] = json
  }
  return { kind: 'run', flags, notes: [] }
}

/** As Python's truth: what the harness's command line takes for "not given". A zero counts as given. */
function isEmpty(value: Json): boolean {
  if (value === null || value === '' || value === false) return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

function taskNames(value: ConfigValue, file: string): readonly string[] {
  const items = isConfigList(value) ? value : [value]
  return items.flatMap((item) => {
    if (typeof item !== 'string')
      throw fail(
        file,
        'tasks',
        `wanted task names as text, found ${isConfigDict(item) ? 'a mapping; give such a task a file of its own' : str(toPlain(item))}`,
      )
    return splitNames(item)
  })
}

function splitNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function seedText(value: Json, file: string): string {
  const items = Array.isArray(value) ? value : [value]
  const isSeeds = items.every((item) => item === null || typeof item === 'number' || typeof item === 'string')
  if (!isSeeds || items.length === 2 || items.length > 4) throw fail(file, 'seed', 'wanted one number, or four')
  return items.map((item) => (item === null ? 'None' : String(item))).join(',')
}

/**
 * `model_name`, `model_type` and arguments of the model. As in the suite, an argument that is false is not passed at all, so
 * `add_bos_token: false` leaves the tokenizer its own default.
 */
function readModelConfig(config: ConfigDict, file: string): RunConfig {
  const args: { [key: string]: Json } = { pretrained: textOf(config, 'model_name', file) }
  for (const [key, value] of config) {
    const json = toJson(toPlain(value))
    if (!['model_name', 'model_type', 'languages_supported'].includes(key) && !isEmpty(json)) args[key] = json
  }
  const type = config.has('model_type') ? textOf(config, 'model_type', file) : 'hf'
  return { kind: 'model', flags: { model: type, model_args: args }, notes: [] }
}

/** The template once for each language; a template may hold several names with commas. */
function readTaskList(config: ConfigDict, file: string): RunConfig {
  const known = ['task_name', 'task_template', 'languages', 'wandb_project', 'wandb_job_type', 'include_path']
  const unknown = [...config.keys()].find((key) => !known.includes(key))
  if (unknown !== undefined) throw fail(file, unknown, `unknown key; the keys are ${known.join(', ')}`)
  const template = textOf(config, 'task_template', file)
  const languages = config.get('languages') ?? []
  if (!isConfigList(languages) || languages.length === 0) throw fail(file, 'languages', 'wanted a list of at least one language')
  const names = languages.flatMap((language) => splitNames(template.replaceAll('{{language}}', languageCode(language))))
  const include = config.get('include_path')
  return {
    kind: 'tasks',
    flags: { tasks: [...new Set(names)], seed: suiteSeed, ...(typeof include === 'string' ? { include_path: include } : {}) },
    notes: [`${file}: seeds are ${suiteSeed}, as this suite sets them; --seed changes that`],
  }
}

/** `no` is Norwegian here, whatever YAML 1.1 makes of it. */
function languageCode(value: ConfigValue): string {
  if (value === false) return 'no'
  return str(toPlain(value))
}

function textOf(config: ConfigDict, key: string, file: string): string {
  const value = config.get(key)
  if (typeof value !== 'string' || value === '') throw fail(file, key, `wanted text, found ${str(toPlain(value ?? null))}`)
  return value
}

function fail(file: string, key: string | null, problem: string): EvalError {
  return new EvalError('settings/invalid', key === null ? `${file}: ${problem}` : `${file}, ${key}: ${problem}`, {
    details: { file, ...(key === null ? {} : { key }) },
  })
}
