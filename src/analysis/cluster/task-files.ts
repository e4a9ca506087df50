/** Tasks as files that lm_eval 0.4.13 reads by themselves: includes and groups' overrides resolved, helpers beside them, rows where they lie. */
import { EvalError } from '../../base/errors.ts'
import type { TaskFile } from '../../contracts/run-settings.ts'
import { sanitizeModelName } from '../../harness/results/file-names.ts'
import type { TaskNode, TaskSource } from '../../harness/tasks/registry-expand.ts'
import type { Resolved } from '../../harness/tasks/registry.ts'
import { yamlText } from '../../python/yaml/write.ts'
import type { FunctionRef } from '../../python/yaml/yaml-value.ts'
import { isConfigDict, type ConfigDict, type ConfigValue } from '../../python/yaml/yaml-value.ts'

/** Split → path of a file of JSON lines, from the folder in which lm_eval is started. */
export type RowFiles = { readonly [split: string]: string }

export interface ClusterTasks {
  /** What `--tasks` names, in the order of the request; a tag stands there as its tasks. */
  readonly names: readonly string[]
  /** One file a task and group, and the Python files of their helpers; paths below the folder for `--include_path`. */
  readonly files: readonly TaskFile[]
}

/** Folders of bundled tasks that are ours: lm_eval doesn't bring the helpers that their files name. */
const ownFolders = /^(?:meta|unicode)(?:\/|$)/

/**
 * Writes out what was asked for. A task in `rows` reads them from those files; the others keep the address of their dataset. Throws
 * `task/unsupported` for what the harness can't run: keys of ours, and helpers whose Python nobody has.
 */
export function clusterTasks({ tasks, tree }: Resolved, rows: { readonly [task: string]: RowFiles }): ClusterTasks {
  const helpers = new Map<string, string>()
  const nameOf = (ref: FunctionRef): string => functionName(ref, helpers)
  const used = new Set<string>()
  const fileOf = (name: string, text: string): TaskFile => {
    const stem = sanitizeModelName(name)
    // Names that differ only in what a file's name can't hold.
    let path = `${stem}.yaml`
    for (let copy = 2; used.has(path.toLowerCase()); copy += 1) path = `${stem}_${copy}.yaml`
    used.add(path.toLowerCase())
    return { path, text }
  }
  const written = [
    ...groupsOf(tree).map((group) => fileOf(group.name, yamlText(groupConfig(group), nameOf))),
    ...tasks.map((task) => fileOf(task.name, yamlText(taskConfig(task, rows[task.name] ?? null), nameOf))),
  ]
  return { names: tree.map(({ name }) => name), files: [...written, ...[...helpers].map(([path, text]) => ({ path, text }))] }
}

function taskConfig({ name, file, config }: TaskSource, rows: RowFiles | null): ConfigDict {
  if (config.has('yardstick'))
    throw new EvalError(
      'task/unsupported',
      `${file}: task '${name}' has the key 'yardstick', which lm_eval doesn't know: it can't run there.`,
      {
        details: { file, task: name },
      },
    )
  const metadata = config.get('metadata') ?? null
  // The harness writes this key itself.
  const kept = isConfigDict(metadata) ? new Map([...metadata].filter(([key]) => key !== 'config_source')) : metadata
  const entries = [...config].map(([key, value]): [string, ConfigValue] => [key, key === 'metadata' ? kept : value])
  if (rows === null) return new Map(entries)
  const data = new Map<string, ConfigValue>([
    ['dataset_path', 'json'],
    ['dataset_kwargs', new Map([['data_files', new Map<string, ConfigValue>(Object.entries(rows))]])],
  ])
  const replaced = new Set(['task', 'dataset_path', 'dataset_name', 'dataset_kwargs'])
  return new Map([['task', name], ...data, ...entries.filter(([key]) => !replaced.has(key))])
}

type GroupNode = Extract<TaskNode, { kind: 'group' }>

/** Every group once, outer ones first. */
function groupsOf(tree: readonly TaskNode[]): readonly GroupNode[] {
  const found = new Map<string, GroupNode>()
  const walk = (node: TaskNode): void => {
    if (node.kind === 'task' || found.has(node.name)) return
    found.set(node.name, node)
    for (const child of node.children) walk(child)
  }
  for (const node of tree) walk(node)
  return [...found.values()]
}

function groupConfig({ name, config, children }: GroupNode): ConfigDict {
  const { groupAlias, aggregateMetricList, metadata } = config
  const metrics = aggregateMetricList?.map(
    ({ metric, filterList, weightBySize }) =>
      new Map<string, ConfigValue>([
        ['metric', metric],
        ['aggregation', 'mean'],
        ['weight_by_size', weightBySize],
        ...(filterList === null ? [] : [['filter_list', filterList] as const]),
      ]),
  )
  return new Map<string, ConfigValue>([
    ['group', name],
    ...(groupAlias === null ? [] : [['group_alias', groupAlias] as const]),
    ['task', children.map((child) => child.name)],
    ...(metrics === undefined ? [] : [['aggregate_metric_list', metrics] as const]),
    ...(metadata.size === 0 ? [] : [['metadata', metadata] as const]),
  ])
}

/** The function's name as the harness finds it from the folder of the task files: in a Python file that goes along, or in lm_eval itself. */
function functionName(ref: FunctionRef, helpers: Map<string, string>): string {
  // A file that was written here before names the harness's own already.
  if (ref.name.startsWith('lm_eval.tasks.')) return ref.name
  const cut = ref.file.lastIndexOf('/')
  const folder = cut < 0 ? '' : ref.file.slice(0, cut)
  const dot = ref.name.lastIndexOf('.')
  const module = ref.name.slice(0, Math.max(dot, 0))
  const home = [
    'helpers',
    ...folder
      .split('/')
      .filter((step) => step !== '')
      .map((step) => step.replace(/[^\w-]/g, '_')),
  ]
  if (copyModule(ref, folder, home, module, helpers)) return [...home, ref.name].join('.')
  if (folder !== '' && !ownFolders.test(folder)) return `lm_eval.tasks.${folder.replaceAll('/', '.')}.${ref.name}`
  throw new EvalError(
    'task/unsupported',
    `${ref.file}: '!function ${ref.name}' has no Python file here, and lm_eval brings none for it: the task can't run there.`,
    { details: { file: ref.file, function: ref.name } },
  )
}

/** Takes a module along, and the modules beside it that it imports; false where its file isn't given. */
function copyModule(ref: FunctionRef, folder: string, home: readonly string[], module: string, helpers: Map<string, string>): boolean {
  const relative = `${module.replaceAll('.', '/')}.py`
  const path = [...home, relative].join('/')
  if (helpers.has(path)) return true
  const text = ref.readSource?.(folder === '' ? relative : `${folder}/${relative}`) ?? null
  if (text === null) return false
  helpers.set(path, text)
  for (const [, from, imported] of text.matchAll(/^[ \t]*(?:from\s+\.?([\w.]+)\s+import|import\s+([\w.]+))/gm))
    copyModule(ref, folder, home, from ?? imported ?? '', helpers)
  return true
}
