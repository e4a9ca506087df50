/** Tasks, groups and tags over task files. */
import { describe, expect, it } from 'vitest'
import type { TaskNode } from '../../../src/harness/tasks/registry-expand.ts'
import { buildRegistry } from '../../../src/harness/tasks/registry.ts'

const files = (texts: { readonly [path: string]: string }) => Object.entries(texts).map(([path, text]) => ({ path, text }))
const registry = (...roots: { readonly [path: string]: string }[]) =>
  buildRegistry(roots.map((root, index) => ({ name: `root${index}`, files: files(root) })))

/** The tree as nested arrays of names. */
const shape = (node: TaskNode): unknown => (node.kind === 'task' ? node.name : [node.name, ...node.children.map(shape)])

const basic = {
  'x/a.yaml': 'task: a\ntag: [t, u]\ndataset_path: d\nnum_fewshot: 1\n',
  'x/b.yaml': 'task: b\ntag: t\ndataset_path: d\nmetadata: {version: 2}\n',
  'x/c.yaml': 'task: c\ninclude: ../shared/base\n',
  'shared/base': 'dataset_path: base\nrepeats: 2\ntask_list: [zz]\nprocess_docs: !function utils.f\n',
  'x/g.yaml':
    'group: g\ngroup_alias: G\ntask: [c, t, {task: a, num_fewshot: 5}]\nrepeats: 7\naggregate_metric_list:\n  - {metric: acc, filter_list: none}\n',
}

describe('buildRegistry', () => {
  it('lists tasks, groups and tags by name with their kinds and members', () => {
    expect(
      registry(basic)
        .list()
        .map(({ name, kind, members }) => [name, kind, members]),
    ).toEqual([
      ['a', 'task', []],
      ['b', 'task', []],
      ['c', 'task', []],
      ['g', 'group', ['c', 't', 'a']],
      ['t', 'tag', ['a', 'b']],
      ['u', 'tag', ['a']],
    ])
  })

  it('lists the members of groups that are defined inside another one, for these can’t be asked for themselves', () => {
    const outer = 'group: outer\ntask:\n  - group: g\n  - group: inline\n    task: [a, {group: deeper, task: [b]}]\n  - c\n'
    const listed = registry({ ...basic, 'x/outer.yaml': outer }).list()
    expect(listed.find(({ name }) => name === 'outer')?.members).toEqual(['g', 'a', 'b', 'c'])
  })

  it('lists the data files that a task names for a local loader, through includes too', () => {
    const files = (text: string) =>
      registry({ 't.yaml': text, base: 'dataset_path: json\ndataset_kwargs: {data_files: {test: [a.jsonl, b/c.jsonl], train: a.jsonl}}\n' })
        .list()
        .map(({ dataFiles }) => dataFiles)
    expect(files('task: t\ninclude: base\n')).toEqual([['a.jsonl', 'b/c.jsonl']])
    expect(files('task: t\ndataset_path: csv\ndataset_kwargs: {data_files: x.csv}\n')).toEqual([['x.csv']])
    expect(files('task: t\ndataset_path: org/data\ndataset_kwargs: {data_files: x.csv}\n')).toEqual([[]])
    expect(files('group: t\ntask: [u]\n')).toEqual([[]])
  })

  it('merges includes shallowly, own keys last, and drops task_list; a function keeps its own file', () => {
    const [task] = registry(basic).resolve(['c']).tasks
    expect([...(task?.config.keys() ?? [])]).toEqual(['dataset_path', 'repeats', 'process_docs', 'task', 'metadata'])
    expect(task?.config.get('process_docs')).toMatchObject({ name: 'utils.f', file: 'shared/base' })
  })

  it('expands tags alphabetically and names globs', () => {
    expect(registry(basic).resolve(['t']).tree.map(shape)).toEqual(['a', 'b'])
    expect(registry(basic).resolve(['[ab]']).tree.map(shape)).toEqual(['a', 'b'])
  })

  it("pushes a group's other keys down, and a member's own keys over them", () => {
    const { tasks, tree } = registry(basic).resolve(['g'])
    expect(tree.map(shape)).toEqual([['g', 'c', 'a', 'b']])
    expect(tasks.map(({ name, config }) => [name, config.get('repeats'), config.get('num_fewshot')])).toEqual([
      ['c', 7, undefined],
      ['a', 7, 5],
      ['b', 7, undefined],
    ])
  })

  it('names inline subgroups and tasks after their parent', () => {
    const inline = { ...basic, 'x/h.yaml': 'group: h\ntask:\n  - group: sub\n    task: [a]\n  - {task: fresh, dataset_path: d}\n' }
    expect(registry(inline).resolve(['h']).tree.map(shape)).toEqual([['h', ['h::sub', 'a'], 'h::fresh']])
  })

  it('adds metadata and the source file', () => {
    const [task] = registry(basic).resolve(['b'], new Map([['pretrained', 'm']])).tasks
    expect(task?.config.get('metadata')).toEqual(
      new Map<string, unknown>([
        ['version', 2],
        ['pretrained', 'm'],
        ['config_source', 'x/b.yaml'],
      ]),
    )
  })

  it('lets the first definition win within a root and the later root over the earlier', () => {
    const twice = registry({ 'a.yaml': 'task: t\nrepeats: 1\n', 'b.yaml': 'task: t\nrepeats: 2\n' }, {})
    expect(twice.resolve(['t']).tasks[0]?.config.get('repeats')).toBe(1)
    const overridden = registry({ 'a.yaml': 'task: t\nrepeats: 1\n' }, { 'z.yaml': 'task: t\nrepeats: 3\n' })
    expect(overridden.resolve(['t']).tasks[0]?.config.get('repeats')).toBe(3)
  })

  it('takes a listing for what it says: the same names resolve to the same tasks, and no file is read before', () => {
    const read = registry(basic)
    const unread = { ...basic, 'x/broken.yaml': 'task: [' }
    const listed = buildRegistry([{ name: 'root0', files: files(unread), listing: read.list() }])
    expect(listed.list()).toEqual(read.list())
    expect(listed.problems).toEqual([])
    expect(listed.resolve(['g'])).toEqual(read.resolve(['g']))
    expect(listed.resolve(['t']).tree.map(shape)).toEqual(['a', 'b'])
  })

  it('lets a later root override names of a listed one, in lists and when resolved', () => {
    const own = { name: 'given', files: files({ 'my/a.yaml': 'task: a\noutput_type: loglikelihood\ninclude: ../shared/base\n' }) }
    const both = buildRegistry([{ name: 'bundled', files: files(basic), listing: registry(basic).list() }, own])
    expect(both.list().find(({ name }) => name === 'a')).toMatchObject({ root: 'given', file: 'my/a.yaml', outputType: 'loglikelihood' })
    // Its include is one of the bundled files.
    expect(both.resolve(['a']).tasks[0]?.config.get('dataset_path')).toBe('base')
    expect(both.resolve(['g']).tasks.map(({ name, file }) => [name, file])).toContainEqual(['a', 'my/a.yaml'])
  })

  it('keeps a malformed file to itself until what it defines is asked for', () => {
    const broken = registry({ ...basic, 'x/broken.yaml': 'task: broken\nrepeats: [1\n' })
    expect(broken.problems.map(({ file }) => file)).toEqual(['x/broken.yaml'])
    expect(broken.resolve(['a']).tasks).toHaveLength(1)
    expect(() => broken.resolve(['broken'])).toThrow(expect.objectContaining({ code: 'yaml/invalid' }))
  })

  it('suggests near names for unknown ones', () => {
    const named = registry({ 'a.yaml': 'task: arc_easy\n' })
    expect(() => named.resolve(['arc_esay'])).toThrow("There is no task, group or tag 'arc_esay': did you mean 'arc_easy'?")
    expect(() => named.resolve(['arc_esay'])).toThrow(expect.objectContaining({ code: 'task/unknown' }))
  })

  it.each([
    ['the same leaf under two items', basic, ['g', 'a'], /'a' was asked for twice: in 'g' and in 'a'/],
    ['an unknown member of a group', { 'g.yaml': 'group: g\ntask: [nothing]\n' }, ['g'], /names the task 'nothing'/],
    [
      'an unknown key of aggregate_metric_list',
      { 'g.yaml': 'group: g\ntask: []\naggregate_metric_list: [{metric: acc, weight: 1}]\n' },
      ['g'],
      /unknown key 'weight'/,
    ],
    ['an include cycle', { 'a.yaml': 'task: a\ninclude: b\n', b: 'include: a.yaml\n' }, ['a'], /stands twice in one include tree/],
    ['an include that is not there', { 'a.yaml': 'task: a\ninclude: b\n' }, ['a'], /there is no file 'b'/],
    ['a group that holds itself', { 'g.yaml': 'group: g\ntask: [g]\n' }, ['g'], /seems to hold itself/],
  ])('refuses %s', (_what, root, names, message) => {
    expect(() => registry(root).resolve(names)).toThrow(message)
  })
})
