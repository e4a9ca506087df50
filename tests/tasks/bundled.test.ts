/** The bundled task files are the harness's tasks: same config, same prompts, targets and choices. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHubServer, type RunningHub } from '../../src/cli/browser/hub-server.ts'
import type { Table } from '../../src/contracts/rows.ts'
import { loadSplits } from '../../src/data/dataset/dataset.ts'
import { hubClient } from '../../src/data/hub/hub.ts'
import { datasetReference, requiredSplits } from '../../src/harness/tasks/dataset-reference.ts'
import type { TaskNode } from '../../src/harness/tasks/registry-expand.ts'
import { str, toNumber, type PyDict } from '../../src/python/value.ts'
import { familyTexts } from '../../tools/tasks/families.ts'
import { dict, get, list, texts } from '../conformance/values.ts'
import { findShared } from '../data/shared.ts'
import { sampled } from '../support/long.ts'
import {
  bundledConfig,
  bundledRegistry,
  configText,
  fingerprintsOf,
  madeUpTables,
  ownConfigText,
  readTaskGoldens,
  type GoldenTask,
} from './bundled-goldens.ts'

type GroupNode = Extract<TaskNode, { readonly kind: 'group' }>

function groupsIn(node: TaskNode): GroupNode[] {
  return node.kind === 'group' ? [node, ...node.children.flatMap(groupsIn)] : []
}

function readGroup(group: PyDict) {
  const alias = group.get('alias') ?? null
  return {
    alias: alias === null ? null : str(alias),
    members: texts(group.get('members') ?? null),
    metrics: list(group.get('aggregate_metric_list') ?? null).map((one) => [str(get(one, 'metric')), get(one, 'weight_by_size')]),
    version: str(get(group.get('metadata') ?? null, 'version')),
  }
}

const golden = readTaskGoldens()
const registry = bundledRegistry()
const own = (name: string): boolean => /^(yardstick|dfir_mcq|mmlu_original|mmlu_hendrycks|meta_)|_unicode$/.test(name)
const named = (tasks: readonly GoldenTask[]) => tasks.map((task) => [task.name, task] as const)

describe('the bundled names', () => {
  const listed = registry.list().filter(({ name }) => !own(name))

  it('are tasks, groups and tags of the harness, each with a golden', () => {
    const namesOf = (kind: string) => listed.filter((one) => one.kind === kind).map(({ name }) => name)
    expect(namesOf('task')).toEqual(golden.tasks.map(({ name }) => name).sort())
    expect(namesOf('group').filter((name) => !golden.groups.has(name))).toEqual([])
    expect(namesOf('tag').filter((name) => !golden.tags.has(name))).toEqual([])
  })

  it('have as tags whole ones only, so that a tag means the same tasks as in the harness', () => {
    for (const { name, kind, members } of listed)
      if (kind === 'tag') expect([name, members]).toEqual([name, texts(golden.tags.get(name) ?? null)])
  })

  it.each(listed.filter(({ kind }) => kind === 'group').map(({ name }) => name))('%s groups and weighs as in the harness', (name) => {
    const nodes = registry.resolve([name]).tree.flatMap(groupsIn)
    const wanted = dict(golden.groups.get(name) ?? null)
    expect(nodes.map((node) => node.name).sort()).toEqual([...wanted.keys()].sort())
    for (const { name: group, config, children } of nodes) {
      const { alias, members, metrics, version } = readGroup(dict(wanted.get(group) ?? null))
      expect({ group, alias: config.groupAlias, members: children.map((child) => child.name) }).toEqual({ group, alias, members })
      expect(config.aggregateMetricList?.map(({ metric, weightBySize }) => [metric, weightBySize]) ?? []).toEqual(metrics)
      expect(str(config.metadata.get('version') ?? null)).toBe(version)
    }
  })

  it('come from files as the generator writes them, where they are generated', () => {
    for (const [path, text] of familyTexts()) {
      const file = join('public/tasks', path)
      expect(existsSync(file) ? readFileSync(file, 'utf8') : `${path} is missing`).toBe(text)
    }
  })
})

describe('a bundled task has the config of the harness’s task', () => {
  it.each(named(golden.tasks))('%s', (name, task) => {
    const config = bundledConfig(registry, name)
    expect(ownConfigText(config)).toBe(configText(task.config))
    expect(config.numFewshot).toBe(toNumber(task.config.get('num_fewshot') ?? null))
  })
})

describe('a bundled task words made-up rows as the harness does', () => {
  it.each(named(golden.tasks))('%s', (name, task) => {
    const config = bundledConfig(registry, name)
    const tables = madeUpTables(golden.rows, config.datasetPath ?? '')
    for (const [shots, wanted] of task.madeUp) expect([shots, fingerprintsOf(config, tables, shots)]).toEqual([shots, wanted])
  })
})

const root = findShared('hub/datasets')

describe.skipIf(root === null)('a bundled task words real rows as the harness does', () => {
  let hub: RunningHub
  const tables = new Map<string, Promise<{ readonly [split: string]: Table }>>()
  beforeAll(async () => {
    hub = await createHubServer({ datasetRoots: [root ?? ''] })
  })
  afterAll(() => hub.close())

  // Every task words made-up rows above; of real rows the short form reads every eighth task's.
  const sliced = sampled(
    golden.tasks.filter(({ slice }) => slice !== null),
    8,
  )
  it.each(named(sliced))('%s', async (name, task) => {
    const config = bundledConfig(registry, name)
    const dataset = datasetReference(config)
    const splits = requiredSplits(config, task.slice?.has('2') === true ? 2 : 0)
    const key = JSON.stringify([dataset, splits])
    const client = hubClient({ base: hub.address, fetch })
    const loaded =
      tables.get(key) ?? loadSplits(dataset, splits, { hubOf: () => client, fetch, dataFiles: {} }).then((found) => found.tables)
    tables.set(key, loaded)
    for (const [shots, wanted] of task.slice ?? []) expect([shots, fingerprintsOf(config, await loaded, shots)]).toEqual([shots, wanted])
  })
})
