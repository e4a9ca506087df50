/**
 * The harness's results file: scores of tasks and groups with all that describes the run, keys in its order. lm_eval 0.4.13,
 * `evaluator_utils`, `simple_evaluate` and `EvaluationTracker.save_results_aggregated`; `yardstick` is ours.
 */
import { maxOf } from '../../base/arrays.ts'
import { sha256 } from '../../base/sha256.ts'
import { compareCodePoints } from '../../python/compare-strings.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { jsonDumps, pyEquals, pyFloat, toNumber } from '../../python/value.ts'
import type { Aggregate, Aggregation } from '../metrics/aggregation/aggregate.ts'
import { aggregateMetric } from '../metrics/aggregation/aggregate.ts'
import type { BootstrapHooks } from '../metrics/aggregation/bootstrap.ts'
import type { GroupMetric, GroupMetrics, LeafMetrics } from '../metrics/aggregation/groups.ts'
import { aggregateGroup } from '../metrics/aggregation/groups.ts'
import type { TaskMetric } from '../metrics/metric-list.ts'
import { sanitizeModelName } from './file-names.ts'
import type { MetricValues, TaskSamples } from './samples-file.ts'

/** What a task contributes; `config` comes from `dumpTaskConfig`. */
export interface TaskOutcome {
  readonly name: string
  readonly alias: string
  readonly config: PyDict
  /** `metadata.version` as it is, or `"Yaml"`. */
  readonly version: PyValue
  readonly numFewshot: number
  readonly metrics: readonly TaskMetric[]
  readonly samples: TaskSamples
  /** Size of the whole evaluation split. */
  readonly docsOriginal: number
}

/** A group and what stands directly below it. */
export interface ResultGroup {
  readonly name: string
  readonly alias: string | null
  /** null or empty = no aggregation. */
  readonly metrics: readonly GroupMetric[] | null
  /** `str(metadata.version)`, or `"N/A"`. */
  readonly version: string
  readonly children: readonly ResultNode[]
}

export type ResultNode = { readonly kind: 'task'; readonly name: string } | { readonly kind: 'group'; readonly group: ResultGroup }

export interface TokenizerInfo {
  readonly pad: readonly [string, number] | null
  readonly eos: readonly [string, number] | null
  readonly bos: readonly [string, number] | null
  readonly maxLength: number
}

/** What describes the run besides its scores. */
export interface RunDescription {
  /** The `config` block, keys in the harness's order. */
  readonly config: PyDict
  readonly startedAtSeconds: number
  readonly totalSeconds: number
  readonly environment: string
  readonly transformersVersion: string
  readonly lmEvalVersion: string
  readonly tokenizer: TokenizerInfo
  readonly modelSource: string
  readonly modelName: string
  readonly systemInstruction: string | null
  readonly fewshotAsMultiturn: boolean | null
  /** The template that was applied; null without one. */
  readonly chatTemplate: string | null
  /** The `yardstick` key: where everything came from. */
  readonly provenance: PyDict
}

export interface ResultsInput {
  readonly tasks: readonly TaskOutcome[]
  readonly groups: readonly ResultGroup[]
  readonly bootstrapIters: number
  readonly run: RunDescription
}

/** The results file as a dict; `jsonDumps(results, { indent: 2 })` is its text. Throws `metric/failed` and what the hooks make it throw. */
export function buildResults({ tasks, groups, bootstrapIters, run }: ResultsInput, hooks: BootstrapHooks = {}): PyDict {
  const all = flattenGroups(groups)
  const rows = new Map<string, PyDict>(tasks.map((task) => [task.name, scoreTask(task, bootstrapIters, hooks)]))
  const groupRows = new Map<string, PyDict>()
  const leafRows = new Map(rows)
  for (const group of bottomUp(groups)) {
    const row = scoreGroup(group, leafRows)
    rows.set(group.name, row)
    if (group.metrics !== null && group.metrics.length > 0) groupRows.set(group.name, row)
  }
  const versions: [string, PyValue][] = [
    ...tasks.map((task): [string, PyValue] => [task.name, task.version]),
    ...all.map((group): [string, PyValue] => [group.name, group.version]),
  ]
  const sampleLen = (name: string): PyValue => leafRows.get(name)?.get('sample_len') ?? 0
  return new Map<string, PyValue>([
    ['results', rows],
    ...(groupRows.size > 0 ? [['groups', groupRows] as const] : []),
    ['group_subtasks', new Map(all.map((group) => [group.name, childNames(group)]))],
    ['configs', sortByName(tasks.map((task) => [task.name, task.config]))],
    ['versions', sortByName(versions)],
    ['n-shot', sortByName([...shotsByName(tasks, all)])],
    ['higher_is_better', sortByName([...directionsByName(tasks, all)])],
    [
      'n-samples',
      new Map(
        tasks.map((task) => [
          task.name,
          new Map([
            ['original', task.docsOriginal],
            ['effective', sampleLen(task.name)],
          ]),
        ]),
      ),
    ],
    ...describeRun(run),
    ['task_hashes', new Map(tasks.map((task) => [task.name, task.samples.hash]))],
    ...describeModel(run),
    ['yardstick', run.provenance],
  ])
}

/** The text of the results file. */
export function resultsText(results: PyDict): string {
  return jsonDumps(results, { indent: 2 })
}

function scoreTask(task: TaskOutcome, bootstrapIters: number, hooks: BootstrapHooks): PyDict {
  const row = new Map<string, PyValue>([
    ['name', task.name],
    ['alias', task.alias],
    [
      'sample_len',
      maxOf(
        task.samples.values.map(({ items }) => items.length),
        0,
      ),
    ],
  ])
  for (const values of task.samples.values) {
    const { value, stderr } = aggregateValues(values, task.metrics, bootstrapIters, hooks)
    row.set(`${values.metric},${values.filter}`, value)
    row.set(`${values.metric}_stderr,${values.filter}`, stderr === 'N/A' ? stderr : pyFloat(stderr))
  }
  return row
}

/** A metric that no entry of the list has, as a task's own function may return, is averaged. */
function aggregateValues(
  { metric, items }: MetricValues,
  metrics: readonly TaskMetric[],
  bootstrapIters: number,
  hooks: BootstrapHooks,
): Aggregate {
  const aggregation: Aggregation = metrics.find(({ name }) => name === metric)?.aggregation ?? 'mean'
  return aggregateMetric(items, { ...hooks, metric, aggregation, bootstrapIters })
}

function scoreGroup(group: ResultGroup, rows: ReadonlyMap<string, PyDict>): PyDict {
  const { sampleLen, values, sampleCount } = aggregateGroup(
    group.metrics ?? [],
    leafNames(group).map((name) => readLeaf(rows.get(name))),
  )
  return new Map<string, PyValue>([
    ['alias', group.alias ?? group.name],
    ['name', group.name],
    ...(sampleLen === null ? [] : [['sample_len', sampleLen] as const]),
    ...groupValues(values),
    ...(sampleCount.size > 0 ? [['sample_count', new Map(sampleCount)] as const] : []),
  ])
}

function groupValues(values: GroupMetrics['values']): readonly (readonly [string, PyValue])[] {
  return [...values].map(([key, value]) => [key, value === 'N/A' ? value : pyFloat(value)])
}

function readLeaf(row: PyDict | undefined): LeafMetrics | null {
  if (row === undefined) return null
  const values = [...row]
    .filter(([key]) => key.includes(','))
    .map(([key, value]): [string, number | 'N/A'] => [key, toNumber(value) ?? 'N/A'])
  return { sampleLen: toNumber(row.get('sample_len') ?? null) ?? 0, values: new Map(values) }
}

function childNames(group: ResultGroup): readonly string[] {
  return group.children.map((child) => (child.kind === 'task' ? child.name : child.group.name))
}

function leafNames(group: ResultGroup): readonly string[] {
  return group.children.flatMap((child) => (child.kind === 'task' ? [child.name] : leafNames(child.group)))
}

/** Every group, parents before their children. */
function flattenGroups(groups: readonly ResultGroup[]): readonly ResultGroup[] {
  const found = new Map<string, ResultGroup>()
  const visit = (group: ResultGroup): void => {
    found.set(group.name, group)
    for (const child of group.children) if (child.kind === 'group') visit(child.group)
  }
  groups.forEach(visit)
  return [...found.values()]
}

/** Every group once, children before their parents. */
function bottomUp(groups: readonly ResultGroup[]): readonly ResultGroup[] {
  const done = new Map<string, ResultGroup>()
  const visit = (group: ResultGroup): void => {
    if (done.has(group.name)) return
    for (const child of group.children) if (child.kind === 'group') visit(child.group)
    done.set(group.name, group)
  }
  groups.forEach(visit)
  return [...done.values()]
}

function sortByName(entries: readonly (readonly [string, PyValue])[]): PyDict {
  return new Map([...entries].sort(([a], [b]) => compareCodePoints(a, b)))
}

/** Groups whose direct children agree get their number; parents come first, so a group of groups sees none yet. */
function shotsByName(tasks: readonly TaskOutcome[], groups: readonly ResultGroup[]): ReadonlyMap<string, PyValue> {
  const shots = new Map<string, number>(tasks.map((task) => [task.name, task.numFewshot]))
  for (const group of groups) {
    const found = new Set(childNames(group).flatMap((name) => shots.get(name) ?? []))
    const [only] = found
    if (found.size === 1 && only !== undefined) shots.set(group.name, only)
  }
  return shots
}

function directionsByName(tasks: readonly TaskOutcome[], groups: readonly ResultGroup[]): ReadonlyMap<string, PyDict> {
  const directions = new Map<string, PyDict>(
    tasks.map((task) => [task.name, new Map(task.metrics.map(({ name, higherIsBetter }) => [name, higherIsBetter]))]),
  )
  for (const group of groups) {
    const merged = new Map<string, PyValue>()
    for (const name of childNames(group)) {
      for (const [metric, direction] of directions.get(name) ?? []) {
        const known = merged.get(metric)
        if (known === undefined) merged.set(metric, direction)
        else if (known !== null && !pyEquals(known, direction)) merged.set(metric, null)
      }
    }
    if (merged.size > 0) directions.set(group.name, merged)
  }
  return directions
}

function describeRun({
  config,
  startedAtSeconds,
  environment,
  transformersVersion,
  lmEvalVersion,
  tokenizer,
}: RunDescription): readonly (readonly [string, PyValue])[] {
  const token = (special: readonly [string, number] | null): PyValue =>
    special === null ? [null, 'None'] : [special[0], String(special[1])]
  return [
    ['config', config],
    ['git_hash', null],
    ['date', pyFloat(startedAtSeconds)],
    ['pretty_env_info', environment],
    ['transformers_version', transformersVersion],
    ['lm_eval_version', lmEvalVersion],
    ['upper_git_hash', null],
    ['tokenizer_pad_token', token(tokenizer.pad)],
    ['tokenizer_eos_token', token(tokenizer.eos)],
    ['tokenizer_bos_token', token(tokenizer.bos)],
    ['eot_token_id', tokenizer.eos?.[1] ?? null],
    ['max_length', tokenizer.maxLength],
  ]
}

function describeModel({
  modelSource,
  modelName,
  systemInstruction,
  fewshotAsMultiturn,
  chatTemplate,
  totalSeconds,
}: RunDescription): readonly (readonly [string, PyValue])[] {
  const hashOf = (text: string | null): PyValue => (text === null || text === '' ? null : sha256(text))
  return [
    ['model_source', modelSource],
    ['model_name', modelName],
    ['model_name_sanitized', sanitizeModelName(modelName)],
    ['system_instruction', systemInstruction],
    ['system_instruction_sha', hashOf(systemInstruction)],
    ['fewshot_as_multiturn', fewshotAsMultiturn],
    ['chat_template', chatTemplate],
    ['chat_template_sha', hashOf(chatTemplate)],
    ['total_evaluation_time_seconds', String(totalSeconds)],
  ]
}
