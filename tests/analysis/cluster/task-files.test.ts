/** Tasks as files for lm_eval: groups with overrides, helpers with and without their Python, names that files can't have. */
import { beforeAll, describe, expect, test } from 'vitest'
import { clusterTasks } from '../../../src/analysis/cluster/task-files.ts'
import type { TaskFile } from '../../../src/contracts/run-settings.ts'
import { buildRegistry } from '../../../src/harness/tasks/registry.ts'
import { functionsIn, signaturesOf } from '../../../src/ports/functions/function-signatures.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { loadSignatures } from '../../../src/ports/functions/signatures/signatures.ts'
import { FunctionRef } from '../../../src/python/yaml/yaml-value.ts'

beforeAll(loadSignatures)

const task = (name: string, more = ''): TaskFile => ({
  path: `mine/${name}.yaml`,
  text: `task: ${name}\ndataset_path: owner/set\ntest_split: test\ndoc_to_text: "{{q}}"\ndoc_to_target: "{{a}}"\n${more}`,
})

function resolve(files: readonly TaskFile[], names: readonly string[]) {
  return buildRegistry([{ name: 'given', files }]).resolve(names)
}

/** Names and files of what is written, read again. */
function written(files: readonly TaskFile[], names: readonly string[], rows = {}) {
  const made = clusterTasks(resolve(files, names), rows)
  return {
    ...made,
    again: resolve(made.files, made.names),
    text: (path: string) => made.files.find((one) => one.path === path)?.text ?? '',
  }
}

describe('what is written for lm_eval', () => {
  test('a group’s overrides stand in its tasks, and nested groups keep their members and means', () => {
    const group = (name: string, members: string, more = ''): TaskFile => ({
      path: `${name}.yaml`,
      text: `group: ${name}\ntask: [${members}]\n${more}`,
    })
    const files = [
      task('one'),
      task('two', 'num_fewshot: 5\n'),
      group('inner', 'two', 'num_fewshot: 3\n'),
      group(
        'outer',
        'one, inner',
        'group_alias: All\naggregate_metric_list:\n  - metric: acc\n    weight_by_size: false\n    filter_list: x\n',
      ),
    ]
    const { names, text, again } = written(files, ['outer'])
    expect(names).toEqual(['outer'])
    expect(text('outer.yaml')).toBe(
      'group: outer\ngroup_alias: All\ntask:\n  - one\n  - inner\naggregate_metric_list:\n  - metric: acc\n    aggregation: mean\n    weight_by_size: false\n    filter_list:\n      - x\n',
    )
    const before = resolve(files, ['outer'])
    expect(again.tasks.map(({ name, config }) => [name, config.get('num_fewshot')])).toEqual([
      ['one', undefined],
      ['two', 3],
    ])
    expect(again.tree.map((node) => (node.kind === 'group' ? node.children.length : 0))).toEqual(
      before.tree.map((node) => (node.kind === 'group' ? node.children.length : 0)),
    )
  })

  test('a tag is named by its tasks, and rows of one’s own come from files', () => {
    const files = [task('one', 'tag: both\ndataset_name: part\ndataset_kwargs: {revision: x}\n'), task('two', 'tag: both\n')]
    const { names, text } = written(files, ['both'], { one: { test: 'rows/one/test.jsonl' } })
    expect(names).toEqual(['one', 'two'])
    expect(text('one.yaml')).toBe(
      'task: one\ndataset_path: json\ndataset_kwargs:\n  data_files:\n    test: rows/one/test.jsonl\ntest_split: test\ndoc_to_text: "{{q}}"\ndoc_to_target: "{{a}}"\nmetadata: {}\n',
    )
    expect(text('two.yaml')).toContain('dataset_path: owner/set')
  })

  test('a helper’s Python goes along with what it imports; without it lm_eval’s own is named', () => {
    const python = [
      { path: 'mine/utils.py', text: 'from shared import x\n\ndef process_docs(d):\n    return d\n' },
      { path: 'mine/shared.py', text: 'x = 1\n' },
    ]
    const { text, files } = written([task('one', 'process_docs: !function utils.process_docs\n'), ...python], ['one'])
    expect(text('one.yaml')).toContain('process_docs: !function helpers.mine.utils.process_docs\n')
    expect(files.map(({ path }) => path)).toEqual(['one.yaml', 'helpers/mine/utils.py', 'helpers/mine/shared.py'])
    const bundled = { path: 'hellaswag/h.yaml', text: 'task: h\ndataset_path: o/s\nprocess_docs: !function utils.process_docs\n' }
    expect(written([bundled], ['h']).text('h.yaml')).toContain('!function lm_eval.tasks.hellaswag.utils.process_docs')
    // Read again, it runs here too, and is written as it was.
    const { files: once, again } = written([bundled], ['h'])
    const [ref] = functionsIn(again.tasks[0]?.config ?? new Map())
    expect(() => functionTable().processDocs(ref ?? new FunctionRef('', ''))).not.toThrow()
    expect(ref === undefined ? [] : signaturesOf(ref)).toHaveLength(1)
    expect(written(once, ['h']).text('h.yaml')).toBe(written([bundled], ['h']).text('h.yaml'))
  })

  test('a helper that nobody has, and a key of ours, are refused by name', () => {
    const ours = { path: 'meta/math/m.yaml', text: 'task: m\ndataset_path: o/s\nprocess_docs: !function utils.process_docs\n' }
    expect(() => written([ours], ['m'])).toThrow(/meta\/math\/m.yaml: '!function utils.process_docs' has no Python file here/)
    expect(() => written([task('one', 'yardstick: {recipe: mine}\n')], ['one'])).toThrow(/has the key 'yardstick'/)
  })

  test('two names that a file can’t tell apart get a file each', () => {
    const files = [task('a/b'), { ...task('a:b'), path: 'mine/other.yaml' }].map((file, index) => ({ ...file, path: `f${index}.yaml` }))
    const { files: made, again } = written(files, ['a/b', 'a:b'])
    expect(made.map(({ path }) => path)).toEqual(['a__b.yaml', 'a__b_2.yaml'])
    expect(again.tasks.map(({ name }) => name)).toEqual(['a/b', 'a:b'])
  })
})
