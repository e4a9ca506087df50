/** A task's configuration: every key of the harness's TaskConfig and FewshotConfig, with its defaults. lm_eval 0.4.13. */
import { EvalError } from '../../base/errors.ts'
import type { OutputType } from '../../contracts/requests.ts'
import { isDict, pyFloat, repr, str, toNumber, type PyDict, type PyValue } from '../../python/value.ts'
import { FunctionRef, isConfigDict, isConfigList, toPlain, type ConfigDict, type ConfigValue } from '../../python/yaml/yaml-value.ts'
import { KeyReader } from './key-reader.ts'
import { publishedEvals } from './published-evals.ts'
import { readOwnKeys, type OwnKeys } from './yardstick-keys.ts'

/** How few-shot examples are drawn and worded; every field not given in the file is the task's own. */
export interface FewshotConfig {
  readonly sampler: string
  readonly split: string | null
  readonly processDocs: FunctionRef | null
  readonly samples: readonly PyDict[] | FunctionRef | null
  readonly docToText: ConfigValue
  readonly docToChoice: ConfigValue
  readonly docToTarget: ConfigValue
  readonly genPrefix: string | null
  readonly fewshotDelimiter: string
  readonly targetDelimiter: string
}

/** The keys of a task file under our names; `source` holds them all as written, in file order, after includes and overrides. */
export interface TaskConfig {
  readonly task: string
  readonly taskAlias: string | null
  readonly customDataset: FunctionRef | null
  readonly datasetPath: string | null
  readonly datasetName: string | null
  readonly datasetKwargs: PyDict | null
  readonly trainingSplit: string | null
  readonly validationSplit: string | null
  readonly testSplit: string | null
  readonly processDocs: FunctionRef | null
  readonly docToText: ConfigValue
  readonly docToTarget: ConfigValue
  readonly docToChoice: ConfigValue
  readonly processResults: FunctionRef | string | null
  readonly usePrompt: string | null
  readonly description: string
  readonly targetDelimiter: string
  readonly fewshotDelimiter: string
  readonly fewshot: FewshotConfig
  /** As the file says; null = unset. A 0 here beats the command line. */
  readonly numFewshot: number | null
  /** Entries as written (`metric`, `aggregation`, `higher_is_better`, …); null = the output type's defaults. */
  readonly metricList: readonly ConfigDict[] | null
  readonly outputType: OutputType
  /** With the harness's defaults filled in for `generate_until`; null where the file has none and the type needs none. */
  readonly generationKwargs: PyDict | null
  readonly repeats: number
  /** Entries as written (`name`, `filter: [{function, …}]`); null = `none: [take_first]`. */
  readonly filterList: readonly ConfigDict[] | null
  readonly genPrefix: string | null
  readonly metadata: PyDict
  readonly unsafeCode: boolean
  /** What no key of the harness can say. */
  readonly own: OwnKeys
  /** File that defines the task, or `inline`. */
  readonly file: string
  readonly source: ConfigDict
}

/** Keys of a task file in the order in which the harness writes them out. */
export const taskKeys: readonly string[] = [
  'task',
  'task_alias',
  'tag',
  'custom_dataset',
  'dataset_path',
  'dataset_name',
  'dataset_kwargs',
  'training_split',
  'validation_split',
  'test_split',
  'fewshot_split',
  'process_docs',
  'doc_to_text',
  'doc_to_target',
  'doc_to_image',
  'doc_to_audio',
  'unsafe_code',
  'doc_to_choice',
  'process_results',
  'use_prompt',
  'description',
  'target_delimiter',
  'fewshot_delimiter',
  'fewshot_config',
  'num_fewshot',
  'metric_list',
  'output_type',
  'generation_kwargs',
  'repeats',
  'filter_list',
  'should_decontaminate',
  'doc_to_decontamination_query',
  'gen_prefix',
  'metadata',
  // Ours; the harness refuses it.
  'yardstick',
]

/** Keys of `fewshot_config`, in the harness's order. */
export const fewshotKeys: readonly string[] = [
  'sampler',
  'split',
  'process_docs',
  'fewshot_indices',
  'samples',
  'doc_to_text',
  'doc_to_choice',
  'doc_to_target',
  'gen_prefix',
  'fewshot_delimiter',
  'target_delimiter',
]

const outputTypes: readonly OutputType[] = ['loglikelihood', 'loglikelihood_rolling', 'multiple_choice', 'generate_until']

/**
 * Reads a task's keys. Throws `task/invalid` for unknown keys and values of a wrong kind, and `task/unsupported` for tasks that are
 * Python classes; each names file, task and key.
 */
export function readTaskConfig(source: ConfigDict, file: string): TaskConfig {
  const name = str(toPlain(source.get('task') ?? null))
  const keys = new KeyReader(source, `${file}: task '${name}'`, { file, task: name })
  if (source.has('class')) {
    throw new EvalError('task/unsupported', `${file}: task '${name}' is written in Python ('class'), which this program can't run`, {
      details: { file, task: name },
    })
  }
  keys.refuseUnknown(taskKeys)
  const fewshotDelimiter = keys.text('fewshot_delimiter') ?? '\n\n'
  const outputType = readOutputType(keys)
  const metadata = keys.mapping('metadata') ?? new Map<string, PyValue>()
  const task = {
    task: name,
    taskAlias: keys.text('task_alias'),
    customDataset: keys.callable('custom_dataset'),
    ...publishedEvals(keys.text('dataset_path'), keys.text('dataset_name'), metadata),
    datasetKwargs: keys.mapping('dataset_kwargs'),
    trainingSplit: keys.text('training_split'),
    validationSplit: keys.text('validation_split'),
    testSplit: keys.text('test_split'),
    processDocs: keys.callable('process_docs'),
    docToText: keys.raw('doc_to_text'),
    docToTarget: keys.raw('doc_to_target'),
    docToChoice: keys.raw('doc_to_choice'),
    processResults: keys.callableOrText('process_results'),
    usePrompt: keys.text('use_prompt'),
    description: keys.text('description') ?? '',
    targetDelimiter: keys.text('target_delimiter') ?? ' ',
    fewshotDelimiter,
    numFewshot: keys.whole('num_fewshot'),
    metricList: readMetricList(keys),
    outputType,
    generationKwargs: readGenerationKwargs(keys, { outputType, fewshotDelimiter }),
    repeats: keys.whole('repeats') ?? 1,
    filterList: keys.mappings('filter_list'),
    genPrefix: keys.text('gen_prefix'),
    metadata,
    own: readOwnKeys(keys.raw('yardstick'), metadata, (key, problem) => keys.fail(key, problem)),
    unsafeCode: keys.raw('unsafe_code') !== null && keys.raw('unsafe_code') !== false,
    file,
    source,
  }
  if (task.own.choiceTokens !== 'continuation' && outputType !== 'multiple_choice')
    keys.fail('yardstick.choice_tokens', `wanted output_type multiple_choice, found ${outputType}`)
  return { ...task, fewshot: readFewshotConfig(keys, task) }
}

function readOutputType(keys: KeyReader): OutputType {
  const given = keys.text('output_type') ?? 'generate_until'
  const type = outputTypes.find((one) => one === given)
  return type ?? keys.fail('output_type', `wanted one of ${outputTypes.join(', ')}, found '${given}'`)
}

function readMetricList(keys: KeyReader): readonly ConfigDict[] | null {
  const entries = keys.mappings('metric_list')
  const nameless = entries?.findIndex((entry) => !entry.has('metric')) ?? -1
  return nameless < 0 ? entries : keys.fail('metric_list', `wanted a metric in every entry, found none in entry ${nameless + 1}`)
}

function readGenerationKwargs(
  keys: KeyReader,
  { outputType, fewshotDelimiter }: { outputType: OutputType; fewshotDelimiter: string },
): PyDict | null {
  const given = keys.mapping('generation_kwargs')
  if (given === null) {
    if (outputType !== 'generate_until') return null
    return new Map<string, PyValue>([
      ['temperature', pyFloat(0)],
      ['do_sample', false],
      ['max_gen_toks', 256],
      ['until', [fewshotDelimiter]],
    ])
  }
  const kwargs = new Map(given)
  const temperature = kwargs.get('temperature')
  if (temperature !== undefined) {
    const number = typeof temperature === 'string' && temperature.trim() !== '' ? Number(temperature) : toNumber(temperature)
    if (number === null || Number.isNaN(number))
      keys.fail('generation_kwargs', `wanted a number as temperature, found ${repr(temperature)}`)
    else kwargs.set('temperature', pyFloat(number))
  }
  if (!kwargs.has('until')) kwargs.set('until', [fewshotDelimiter])
  return kwargs
}

function readFewshotConfig(
  keys: KeyReader,
  task: Pick<
    TaskConfig,
    'processDocs' | 'docToText' | 'docToTarget' | 'docToChoice' | 'genPrefix' | 'fewshotDelimiter' | 'targetDelimiter'
  >,
): FewshotConfig {
  const given = keys.raw('fewshot_config') ?? new Map<string, ConfigValue>()
  if (!isConfigDict(given)) return keys.fail('fewshot_config', `wanted a mapping, found ${repr(toPlain(given))}`)
  const own = new KeyReader(given, `${keys.place}, fewshot_config`, keys.details)
  own.refuseUnknown(fewshotKeys)
  const sampler = given.get('sampler') ?? 'default'
  if (sampler !== 'default' && sampler !== 'first_n') own.fail('sampler', `wanted 'default' or 'first_n', found ${repr(toPlain(sampler))}`)
  return {
    sampler: str(toPlain(sampler)),
    split: given.has('split') ? own.text('split') : keys.text('fewshot_split'),
    processDocs: given.has('process_docs') ? own.callable('process_docs') : task.processDocs,
    samples: readSamples(own),
    docToText: given.has('doc_to_text') ? own.raw('doc_to_text') : task.docToText,
    docToChoice: given.has('doc_to_choice') ? own.raw('doc_to_choice') : task.docToChoice,
    docToTarget: given.has('doc_to_target') ? own.raw('doc_to_target') : task.docToTarget,
    genPrefix: given.has('gen_prefix') ? own.text('gen_prefix') : task.genPrefix,
    fewshotDelimiter: own.text('fewshot_delimiter') ?? task.fewshotDelimiter,
    targetDelimiter: own.text('target_delimiter') ?? task.targetDelimiter,
  }
}

function readSamples(keys: KeyReader): readonly PyDict[] | FunctionRef | null {
  const samples = keys.raw('samples')
  if (samples === null || samples instanceof FunctionRef) return samples
  if (!isConfigList(samples)) return keys.fail('samples', `wanted a list of mappings, found ${repr(toPlain(samples))}`)
  return samples.map((sample) => {
    const row = toPlain(sample)
    return isDict(row) ? row : keys.fail('samples', `wanted mappings, found ${repr(row)}`)
  })
}
