/**
 * `eval_config.yaml` of Meta's recipe (llama-cookbook, `meta_eval`): which model is asked which published evaluations. It becomes flags of a run
 * here, and the `lm_eval` command that `prepare_meta_eval.py` prints.
 */
import { EvalError, type Json } from '../base/errors.ts'
import { str, toJson } from '../python/value.ts'
import { toPlain, type ConfigDict } from '../python/yaml/yaml-value.ts'

/** What the file asks for, in the shape of `RunConfig`. */
interface EvalsConfig {
  readonly kind: 'evals'
  readonly flags: { readonly [flag: string]: Json }
  readonly notes: readonly string[]
  readonly command: string
}

const known = [
  'model_name',
  'evals_dataset',
  'tasks',
  'tensor_parallel_size',
  'data_parallel_size',
  'gpu_memory_utilization',
  'max_model_len',
  'batch_size',
  'output_path',
  'limit',
  'verbosity',
  'log_samples',
  'work_dir',
  'template_dir',
  'show_config',
]

interface Family {
  readonly datasets: readonly string[]
  /** Available tasks; the last one is the group of them. */
  readonly tasks: readonly string[]
  /** The group's name here, where upstream gives one name different tasks. */
  readonly groupHere: string
}

const named = (version: string, sizes: readonly string[], suffix: string): readonly string[] =>
  sizes.map((size) => `meta-llama/Llama-${version}-${size}${suffix}-evals`)

const families: readonly Family[] = [
  {
    datasets: named('3.1', ['8B', '70B', '405B'], '-Instruct'),
    tasks: ['meta_math_hard', 'meta_gpqa_cot', 'meta_mmlu_pro_instruct', 'meta_ifeval', 'meta_instruct'],
    groupHere: 'meta_instruct',
  },
  {
    datasets: named('3.1', ['8B', '70B', '405B'], ''),
    tasks: ['meta_bbh', 'meta_mmlu_pro_pretrain', 'meta_pretrain'],
    groupHere: 'meta_pretrain',
  },
  {
    datasets: named('3.2', ['1B', '3B'], '-Instruct'),
    tasks: ['meta_mmlu', 'meta_math', 'meta_gpqa', 'meta_instruct'],
    groupHere: 'meta_instruct_3_2',
  },
  { datasets: named('3.2', ['1B', '3B'], ''), tasks: ['meta_mmlu', 'meta_pretrain'], groupHere: 'meta_pretrain_3_2' },
]

/** What a POSIX shell takes as it stands: the command is there to be pasted. */
const isWord = /^[\w@%+=:,./~-]+$/

/**
 * Reads the file; keys that it leaves out have the values of the published example. Throws `settings/invalid` naming file and key for an
 * unknown key, an evals dataset that is none of the published ones, and a task that was not published for it.
 */
export function readEvalsConfig(config: ConfigDict, file: string): EvalsConfig {
  const fail = (key: string, problem: string): never => {
    throw new EvalError('settings/invalid', `${file}, ${key}: ${problem}`, { details: { file, key } })
  }
  const unknown = [...config.keys()].find((key) => !known.includes(key))
  if (unknown !== undefined) fail(unknown, `unknown key; the keys are ${known.join(', ')}`)
  const text = (key: string, fallback: string | null): string => {
    const value = toPlain(config.get(key) ?? null)
    if (value === null && fallback !== null) return fallback
    return typeof value === 'string' && isWord.test(value) ? value : fail(key, `wanted one plain word, found ${str(value)}`)
  }
  const number = (key: string, fallback: number): number => {
    const value = toJson(toPlain(config.get(key) ?? fallback))
    return typeof value === 'number' && value > 0 ? value : fail(key, `wanted a number above 0, found ${JSON.stringify(value)}`)
  }
  const isOn = (key: string, fallback: boolean): boolean => {
    const value = config.get(key) ?? fallback
    return typeof value === 'boolean' ? value : fail(key, `wanted true or false, found ${str(toPlain(value))}`)
  }
  const model = text('model_name', null)
  const dataset = text('evals_dataset', null)
  const family =
    families.find(({ datasets }) => datasets.includes(dataset)) ??
    fail('evals_dataset', `wanted one of ${families.flatMap(({ datasets }) => datasets).join(', ')}, found ${dataset}`)
  const tasks = text('tasks', null).split(',')
  const odd = tasks.find((task) => !family.tasks.includes(task))
  if (odd !== undefined) fail('tasks', `wanted some of ${family.tasks.join(', ')}, which are published in ${dataset}, found ${odd}`)
  const limit = config.get('limit') === undefined || config.get('limit') === null ? null : number('limit', 1)
  const batchSize = str(toPlain(config.get('batch_size') ?? 'auto'))
  if (!/^(?:auto(?::\d+)?|\d+)$/.test(batchSize)) fail('batch_size', `wanted auto, auto:N or a number, found ${batchSize}`)
  const outputPath = text('output_path', 'eval_results')
  const showConfig = isOn('show_config', false)
  const logSamples = isOn('log_samples', true)
  const modelArgs: { readonly [key: string]: string | number | boolean } = {
    pretrained: model,
    tensor_parallel_size: number('tensor_parallel_size', 1),
    dtype: 'auto',
    gpu_memory_utilization: number('gpu_memory_utilization', 0.9),
    data_parallel_size: number('data_parallel_size', 1),
    max_model_len: number('max_model_len', 8192),
    // The published prompts hold every special token but this one.
    add_bos_token: true,
    seed: 42,
  }
  const command = [
    'lm_eval --model vllm',
    `--model_args ${Object.entries(modelArgs)
      .map(([key, value]) => `${key}=${value === true ? 'True' : String(value)}`)
      .join(',')}`,
    `--tasks ${tasks.join(',')}`,
    `--batch_size ${batchSize}`,
    `--output_path ${outputPath}`,
    `--include_path ${text('work_dir', './work_dir')}`,
    '--seed 42',
    ...(limit === null ? [] : [`--limit ${limit}`]),
    ...(logSamples ? ['--log_samples'] : []),
    ...(showConfig ? ['--show_config'] : []),
  ].join(' ')
  return {
    kind: 'evals',
    flags: {
      model: 'vllm',
      model_args: modelArgs,
      tasks: tasks.map((task) => (task === family.tasks.at(-1) ? family.groupHere : task)),
      seed: '42',
      output_path: outputPath,
      metadata: { evals_dataset: dataset },
      ...(limit === null ? {} : { limit }),
      ...(logSamples ? {} : { log_samples: false }),
      ...(showConfig ? { show_config: true } : {}),
    },
    notes: [`The command for vLLM elsewhere: ${command}`, ...fitNotes(model, dataset)],
    command,
  }
}

/** Published prompts and verdicts are one model's: what asking another means. */
function fitNotes(model: string, dataset: string): readonly string[] {
  const ofDataset = dataset.replace(/-evals$/, '')
  if (model === ofDataset) return []
  const isInstruct = /-Instruct\b/
  return isInstruct.test(model) === isInstruct.test(dataset)
    ? [`${dataset} says what ${ofDataset} had right: held against ${model}, that is a difference between models.`]
    : [`${dataset} has prompts for ${isInstruct.test(dataset) ? 'an instruct' : 'a pretrained'} model, which ${model} does not seem to be.`]
}
