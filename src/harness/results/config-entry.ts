/** A task's `configs` entry as the harness dumps it. lm_eval 0.4.13, `TaskConfig.to_dict`. */
import type { PyDict, PyValue } from '../../python/value.ts'
import type { ConfigValue } from '../../python/yaml/yaml-value.ts'
import { toPlain } from '../../python/yaml/yaml-value.ts'
import type { TaskConfig } from '../tasks/task-config.ts'
import { fewshotKeys, taskKeys } from '../tasks/task-config.ts'

export interface EffectiveSettings {
  readonly numFewshot: number
  /** With the command line's over the file's; null for tasks that generate nothing. */
  readonly generationKwargs: PyDict | null
  /** Only predictions are kept: the metrics are `bypass` alone. */
  readonly predictOnly: boolean
}

/** The task's keys in the harness's order, nulls left out, defaults filled in. Functions print as `<function NAME>`. */
export function dumpTaskConfig(config: TaskConfig, settings: EffectiveSettings): PyDict {
  const effective: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
    ['task', config.task],
    ['dataset_path', config.datasetPath],
    ['dataset_name', config.datasetName],
    ['unsafe_code', config.unsafeCode],
    ['description', config.description],
    ['target_delimiter', config.targetDelimiter],
    ['fewshot_delimiter', config.fewshotDelimiter],
    ['fewshot_config', dumpFewshot(config)],
    ['num_fewshot', settings.numFewshot],
    ['output_type', config.outputType],
    ['generation_kwargs', settings.generationKwargs],
    ['repeats', config.repeats],
    ['should_decontaminate', toPlain(config.source.get('should_decontaminate') ?? false)],
    ['metadata', config.metadata.size > 0 ? config.metadata : null],
    ...(settings.predictOnly
      ? [
          ['metric_list', [new Map([['metric', 'bypass']])]] as [string, PyValue],
          ['process_results', 'process_results'] as [string, PyValue],
        ]
      : []),
  ])
  const dumped = taskKeys
    .filter((key) => key !== 'tag')
    .map((key): [string, PyValue] => [key, effective.has(key) ? (effective.get(key) ?? null) : toPlain(config.source.get(key) ?? null)])
  return new Map(dumped.filter(([, value]) => value !== null))
}

function dumpFewshot({ fewshot }: TaskConfig): PyDict {
  const values: ReadonlyMap<string, ConfigValue> = new Map<string, ConfigValue>([
    ['sampler', fewshot.sampler],
    ['split', fewshot.split],
    ['process_docs', fewshot.processDocs],
    ['samples', fewshot.samples],
    ['doc_to_text', fewshot.docToText],
    ['doc_to_choice', fewshot.docToChoice],
    ['doc_to_target', fewshot.docToTarget],
    ['gen_prefix', fewshot.genPrefix],
    ['fewshot_delimiter', fewshot.fewshotDelimiter],
    ['target_delimiter', fewshot.targetDelimiter],
  ])
  return new Map(fewshotKeys.map((key) => [key, toPlain(values.get(key) ?? null)]))
}
