/** Expands a name of the registry into leaf tasks and groups, with the overrides that groups push down. lm_eval 0.4.13, TaskFactory. */
import { EvalError } from '../../base/errors.ts'
import { nearNames } from '../../base/name-match.ts'
import { str, type PyDict } from '../../python/value.ts'
import { isConfigDict, isConfigList, toPlain, type ConfigDict, type ConfigValue } from '../../python/yaml/yaml-value.ts'
import { groupKeys, readGroupConfig, type GroupConfig } from './group-config.ts'
import type { RegistryEntry } from './registry-entry.ts'
import type { TaskFileReader } from './task-files.ts'

/** A leaf task's keys after includes, overrides and metadata; `tag`, `group` and `task_list` are gone. */
export interface TaskSource {
  readonly name: string
  readonly file: string
  readonly config: ConfigDict
}

export type TaskNode =
  | { readonly kind: 'task'; readonly name: string }
  | { readonly kind: 'group'; readonly name: string; readonly config: GroupConfig; readonly children: readonly TaskNode[] }

/** A node of the tree with the leaf tasks below it. */
export interface ResolvedItem {
  readonly node: TaskNode
  readonly tasks: readonly TaskSource[]
}

interface ExpandContext {
  readonly entries: ReadonlyMap<string, RegistryEntry>
  readonly reader: TaskFileReader
  /** Merged into every task's and group's metadata. */
  readonly metadata: PyDict
}

const maxDepth = 50
/** Tasks and groups that one name may stand for: the largest suites have some thousands, and a group of groups of groups grows without bounds. */
const maxItems = 100_000
const noOverrides: ConfigDict = new Map()

/** What a name stands for: one task, one group, or a tag's tasks in alphabetical order. Throws `task/invalid` and `task/unknown`. */
export function expandEntry(entry: RegistryEntry, context: ExpandContext): readonly ResolvedItem[] {
  return new Expander(context).expand(entry, noOverrides, 0)
}

/** `{{model_args['revision']}}`, as task files leave a place for it. */
const revisionPlace = /^\{\{\s*model_args(?:\[\s*(['"])revision\1\s*\]|\.revision)\s*\}\}$/

class Expander {
  private readonly context: ExpandContext
  private items = 0

  constructor(context: ExpandContext) {
    this.context = context
  }

  expand(entry: RegistryEntry, overrides: ConfigDict, depth: number): readonly ResolvedItem[] {
    if (depth > maxDepth)
      throw new EvalError('task/invalid', `${entry.file}: groups nest deeper than ${maxDepth}: '${entry.name}' seems to hold itself`, {
        details: { file: entry.file },
      })
    if (entry.kind === 'task') return [this.task(entry, overrides)]
    if (entry.kind === 'group')
      return [this.group(entry.name, this.context.reader.load(entry.root, entry.file), { file: entry.file, overrides, depth })]
    return [...entry.tagged].sort().flatMap((name) => {
      const task = this.context.entries.get(name)
      return task === undefined ? [] : [this.task(task, overrides)]
    })
  }

  private task(entry: RegistryEntry, overrides: ConfigDict): ResolvedItem {
    const config = new Map([...this.context.reader.load(entry.root, entry.file), ...overrides])
    const metadata = config.get('metadata') ?? new Map<string, ConfigValue>()
    const own = isConfigDict(metadata) ? metadata : new Map([['_metadata', metadata]])
    config.set('metadata', new Map([...this.metadataOf(own), ['config_source', entry.file]]))
    return this.leaf(config, entry.file)
  }

  private countOne(file: string): void {
    if (++this.items > maxItems)
      throw new EvalError('task/invalid', `${file}: one name stands for more than ${maxItems} tasks and groups`, { details: { file } })
  }

  private leaf(config: Map<string, ConfigValue>, file: string): ResolvedItem {
    this.countOne(file)
    for (const key of ['tag', 'group', 'task_list']) config.delete(key)
    const name = str(toPlain(config.get('task') ?? null))
    return { node: { kind: 'task', name }, tasks: [{ name, file, config }] }
  }

  private group(
    name: string,
    raw: ConfigDict,
    { file, overrides, depth }: { file: string; overrides: ConfigDict; depth: number },
  ): ResolvedItem {
    this.countOne(file)
    const config = readGroupConfig(name, raw, { file, metadata: this.context.metadata })
    const pushed = new Map([...[...raw].filter(([key]) => !groupKeys.includes(key)), ...overrides])
    const members = raw.get('task') ?? []
    // As in the harness, a group's member under a name that an earlier member has takes that one's place.
    const children = new Map<string, ResolvedItem>()
    if (isConfigList(members)) {
      for (const member of members) {
        for (const item of this.member(member, { group: name, file, overrides: pushed, depth: depth + 1 }))
          children.set(item.node.name, item)
      }
    }
    const items = [...children.values()]
    return { node: { kind: 'group', name, config, children: items.map(({ node }) => node) }, tasks: items.flatMap(({ tasks }) => tasks) }
  }

  /**
   * A task's own metadata with the run's over it. The harness fills no templates here, the run's values take their places; a run without a revision
   * is one of `main`, and says so where the task leaves a place for it.
   */
  private metadataOf(own: ConfigDict): Map<string, ConfigValue> {
    const merged = new Map<string, ConfigValue>([...own, ...this.context.metadata])
    const revision = merged.get('revision')
    if (typeof revision === 'string' && revisionPlace.test(revision)) merged.set('revision', 'main')
    return merged
  }

  private member(
    member: ConfigValue,
    place: { group: string; file: string; overrides: ConfigDict; depth: number },
  ): readonly ResolvedItem[] {
    const { group, file, overrides, depth } = place
    if (typeof member === 'string') return this.named(member, overrides, place)
    if (!isConfigDict(member))
      throw new EvalError(
        'task/invalid',
        `${file}: group '${group}' has a member that is neither a name nor a mapping: ${str(toPlain(member))}`,
        { details: { file, group } },
      )
    const subgroup = member.get('group')
    if (subgroup !== undefined) {
      const name = str(toPlain(subgroup))
      const known = this.context.entries.get(name)
      if (known === undefined) return [this.group(`${group}::${name}`, member, { file, overrides, depth })]
      const merged = new Map([...overrides, ...[...member].filter(([key]) => key !== 'group')])
      return this.expand(known, merged, depth)
    }
    const task = member.get('task')
    if (typeof task !== 'string') {
      throw new EvalError(
        'task/invalid',
        `${file}: group '${group}' has a member without 'task' or 'group': its keys are ${[...member.keys()].join(', ')}`,
        { details: { file, group } },
      )
    }
    return this.named(task, new Map([...overrides, ...member]), place)
  }

  private named(
    name: string,
    overrides: ConfigDict,
    { group, file, depth }: { group: string; file: string; depth: number },
  ): readonly ResolvedItem[] {
    const entry = this.context.entries.get(name)
    if (entry === undefined) return [this.inlineTask(name, overrides, { group, file })]
    if (entry.kind === 'group') return this.expand(entry, overrides, depth)
    const names = entry.kind === 'tag' ? [...entry.tagged].sort() : [name]
    return names.flatMap((one) => {
      const task = this.context.entries.get(one)
      return task === undefined ? [] : [this.task(task, new Map<string, ConfigValue>([['task', one], ...overrides]))]
    })
  }

  /** A task that stands only in its group's file. */
  private inlineTask(name: string, overrides: ConfigDict, { group, file }: { group: string; file: string }): ResolvedItem {
    if (!overrides.has('dataset_path') && !overrides.has('custom_dataset')) {
      const near = nearNames(name, this.context.entries.keys())
      const hint = near.length === 0 ? '' : `; did you mean ${near.map((one) => `'${one}'`).join(', ')}?`
      throw new EvalError('task/unknown', `${file}: group '${group}' names the task '${name}', which no file defines${hint}`, {
        details: { file, group, name, near },
      })
    }
    const metadata = overrides.get('metadata') ?? new Map<string, ConfigValue>()
    const config = new Map<string, ConfigValue>([...overrides, ['task', `${group}::${name}`]])
    config.set('metadata', this.metadataOf(isConfigDict(metadata) ? metadata : new Map()))
    return this.leaf(config, file)
  }
}
