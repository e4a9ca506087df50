/** Tasks for tests of what comes after the model: columns, list literals and constants as targets and choices, no templates. */
import type { OutputType } from '../../src/contracts/requests.ts'
import type { Task } from '../../src/harness/requests/task.ts'
import type { TaskConfig } from '../../src/harness/tasks/task-config.ts'
import { harnessKeys } from '../../src/harness/tasks/yardstick-keys.ts'
import type { PyDict, PyValue } from '../../src/python/value.ts'
import { isDict, isInt, isList } from '../../src/python/value.ts'
import type { ConfigDict, ConfigValue } from '../../src/python/yaml/yaml-value.ts'
import { isConfigDict, isConfigList } from '../../src/python/yaml/yaml-value.ts'

const outputTypes: ReadonlyMap<string, OutputType> = new Map(
  (['loglikelihood', 'loglikelihood_rolling', 'multiple_choice', 'generate_until'] as const).map((type) => [type, type]),
)

/** A task over `docs` from the keys of a task file. */
export function makeTask(source: ConfigDict, docs: readonly PyDict[]): Task {
  const outputType = outputTypes.get(text(source.get('output_type')) ?? '') ?? 'generate_until'
  const resolve = (key: string, doc: PyDict): PyValue => resolveField(source.get(key) ?? null, doc)
  const [first = new Map<string, PyValue>()] = docs
  const hasChoices = (source.get('doc_to_choice') ?? null) !== null
  const firstText = resolve('doc_to_text', first)
  const firstTarget = resolve('doc_to_target', first)
  const choices = (doc: PyDict): readonly PyValue[] => {
    const value = resolve('doc_to_choice', doc)
    return isList(value) ? value : []
  }
  return {
    name: text(source.get('task')) ?? 'task',
    config: makeConfig(source, outputType),
    outputType,
    evalDocs: docs,
    fewshotPool: [],
    features: [...first.keys()],
    multipleInput: hasChoices && isInt(firstText) ? choices(first).length : 0,
    multipleTarget: isList(firstTarget) ? firstTarget.length : 0,
    evalSplit: 'test',
    docToText: (doc) => resolve('doc_to_text', doc),
    docToTarget: (doc) => resolve('doc_to_target', doc),
    docToChoice: choices,
  }
}

export function makeConfig(source: ConfigDict, outputType: OutputType): TaskConfig {
  const dicts = (key: string): readonly ConfigDict[] | null => {
    const value = source.get(key)
    return isConfigList(value) ? value.filter(isConfigDict) : null
  }
  const metadata = source.get('metadata')
  return {
    task: text(source.get('task')) ?? 'task',
    taskAlias: text(source.get('task_alias')),
    customDataset: null,
    datasetPath: text(source.get('dataset_path')),
    datasetName: text(source.get('dataset_name')),
    datasetKwargs: null,
    trainingSplit: text(source.get('training_split')),
    validationSplit: text(source.get('validation_split')),
    testSplit: text(source.get('test_split')),
    processDocs: null,
    docToText: source.get('doc_to_text') ?? null,
    docToTarget: source.get('doc_to_target') ?? null,
    docToChoice: source.get('doc_to_choice') ?? null,
    processResults: null,
    usePrompt: null,
    description: text(source.get('description')) ?? '',
    targetDelimiter: text(source.get('target_delimiter')) ?? ' ',
    fewshotDelimiter: text(source.get('fewshot_delimiter')) ?? '\n\n',
    fewshot: {
      sampler: 'default',
      split: null,
      processDocs: null,
      samples: null,
      docToText: source.get('doc_to_text') ?? null,
      docToChoice: source.get('doc_to_choice') ?? null,
      docToTarget: source.get('doc_to_target') ?? null,
      genPrefix: null,
      fewshotDelimiter: '\n\n',
      targetDelimiter: ' ',
    },
    numFewshot: null,
    metricList: dicts('metric_list'),
    outputType,
    generationKwargs: null,
    repeats: 1,
    filterList: dicts('filter_list'),
    genPrefix: null,
    metadata: isConfigDict(metadata) ? plainDict(metadata) : new Map<string, PyValue>(),
    unsafeCode: false,
    own: harnessKeys,
    file: 'test.yaml',
    source,
  }
}

function plainDict(value: ConfigDict): PyDict {
  return new Map(
    [...value].filter((entry): entry is [string, string | number] => typeof entry[1] === 'string' || typeof entry[1] === 'number'),
  )
}

function text(value: ConfigValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function resolveField(field: ConfigValue, doc: PyDict): PyValue {
  if (isConfigList(field)) return field.map((item) => (typeof item === 'string' ? item : null))
  if (typeof field === 'number') return field
  if (typeof field !== 'string') return null
  const column = doc.get(field)
  if (column !== undefined) return column
  if (/^\['/.test(field)) return field.slice(2, -2).split("', '")
  return field
}

export function asDict(value: PyValue): PyDict {
  return isDict(value) ? value : new Map<string, PyValue>()
}
