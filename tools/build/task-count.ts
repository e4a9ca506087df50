/** What a folder of task files holds, and how much of it this program can load and run. */
import { EvalError, isEvalError } from '../../src/base/errors.ts'
import { buildPipelines } from '../../src/harness/filters/filters.ts'
import type { FunctionTable } from '../../src/harness/function-table.ts'
import { resolveMetrics } from '../../src/harness/metrics/metric-list.ts'
import type { Registry } from '../../src/harness/tasks/registry.ts'
import { readTaskConfig, type TaskConfig } from '../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { compileTemplate } from '../../src/python/jinja/render.ts'
import { FunctionRef, isConfigDict, isConfigList, type ConfigDict, type ConfigValue } from '../../src/python/yaml/yaml-value.ts'

/** One task's standing. `missing` are the `!function`s without a port, once each, as `use folder/file.name`. */
export interface TaskStanding {
  readonly name: string
  readonly file: string
  readonly isDeclarative: boolean
  /** Why the task can't even be read; null when it loads. */
  readonly problem: EvalError | null
  readonly missing: readonly string[]
  /** What else keeps a loaded task from running here: images, custom datasets, metrics of other libraries. */
  readonly obstacle: EvalError | null
}

/** The standing of every task of the registry, in alphabetical order. */
export function standings(registry: Registry): readonly TaskStanding[] {
  const functions = functionTable()
  const tasks = [...registry.entries.values()].filter(({ kind }) => kind === 'task')
  return tasks.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, file }) => standingOf(registry, name, { file, functions }))
}

function standingOf(registry: Registry, name: string, { file, functions }: { file: string; functions: FunctionTable }): TaskStanding {
  const unread = { name, file, isDeclarative: false, missing: [], obstacle: null }
  let source: ConfigDict | undefined
  try {
    source = registry.resolve([name]).tasks[0]?.config
  } catch (error) {
    return { ...unread, problem: asEvalError(error) }
  }
  if (source === undefined) return { ...unread, problem: new EvalError('task/unknown', `There is no task '${name}'`) }
  const isDeclarative = !source.has('class') && !holdsFunction(source)
  try {
    const config = readTaskConfig(source, file)
    for (const template of templatesOf(config)) compileTemplate(template)
    const missing = missingFunctions(config, functions)
    return { name, file, isDeclarative, problem: null, missing, obstacle: missing.length > 0 ? null : obstacleOf(config, functions) }
  } catch (error) {
    return { ...unread, isDeclarative, problem: asEvalError(error) }
  }
}

function asEvalError(error: unknown): EvalError {
  if (isEvalError(error)) return error
  throw error
}

function holdsFunction(value: ConfigValue): boolean {
  if (value instanceof FunctionRef) return true
  if (isConfigDict(value)) return [...value.values()].some(holdsFunction)
  return isConfigList(value) && value.some(holdsFunction)
}

function templatesOf(config: TaskConfig): readonly string[] {
  const { fewshot } = config
  return [
    ...[config.docToText, config.docToTarget, config.docToChoice, config.description, config.genPrefix],
    ...[fewshot.docToText, fewshot.docToTarget, fewshot.docToChoice, fewshot.genPrefix],
  ].filter((field) => typeof field === 'string')
}

/** Looks up every function that the harness would call; where it would call none, as for decontamination, none is needed. */
function missingFunctions(config: TaskConfig, functions: FunctionTable): readonly string[] {
  const { fewshot } = config
  const missing = new Set<string>()
  const need = (value: ConfigValue, use: string, look: (ref: FunctionRef) => unknown) => {
    if (!(value instanceof FunctionRef)) return
    try {
      look(value)
    } catch (error) {
      if (!isEvalError(error)) throw error
      missing.add(`${use} ${value.file.slice(0, value.file.lastIndexOf('/') + 1)}${value.name}`)
    }
  }
  for (const value of [config.processDocs, fewshot.processDocs]) need(value, 'process_docs', (ref) => functions.processDocs(ref))
  for (const field of [config, fewshot])
    for (const value of [field.docToText, field.docToTarget, field.docToChoice]) need(value, 'doc_to', (ref) => functions.docTo(ref))
  if (fewshot.samples instanceof FunctionRef) need(fewshot.samples, 'samples', (ref) => functions.samples(ref))
  if (config.processResults instanceof FunctionRef) need(config.processResults, 'process_results', (ref) => functions.processResults(ref))
  for (const entry of config.metricList ?? []) {
    need(entry.get('aggregation') ?? null, 'aggregation', (ref) => functions.aggregation(ref))
    if (config.processResults === null && config.outputType === 'generate_until')
      need(entry.get('metric') ?? null, 'metric', (ref) => functions.metric(ref))
  }
  for (const entry of config.filterList ?? []) {
    const steps = entry.get('filter') ?? null
    for (const step of isConfigList(steps) ? steps : []) {
      if (!isConfigDict(step)) continue
      need(step.get('function') ?? null, 'filter', (ref) => functions.filter(ref))
      need(step.get('filter_fn') ?? null, 'filter', (ref) => functions.filter(ref))
    }
  }
  return [...missing]
}

function obstacleOf(config: TaskConfig, functions: FunctionTable): EvalError | null {
  if (config.customDataset !== null) return new EvalError('task/unsupported', `custom_dataset ${config.customDataset.name}`)
  if (config.unsafeCode) return new EvalError('task/unsupported', 'unsafe_code')
  if (['doc_to_image', 'doc_to_audio'].some((key) => (config.source.get(key) ?? null) !== null))
    return new EvalError('task/unsupported', 'images or sound')
  try {
    resolveMetrics(config, functions)
    buildPipelines(config.filterList, (reference, options) =>
      reference instanceof FunctionRef ? functions.filter(reference)(options) : null,
    )
    return null
  } catch (error) {
    return asEvalError(error)
  }
}
