import { describe, expect, it } from 'vitest'
import { buildRegistry } from '../../../src/harness/tasks/registry.ts'
import { standings } from '../../../tools/build/task-count.ts'

const plain = 'dataset_path: d\ntest_split: test\noutput_type: multiple_choice\ndoc_to_text: q\ndoc_to_target: 0\ndoc_to_choice: [a, b]\n'
const standing = (text: string) =>
  standings(buildRegistry([{ name: 'mine', files: [{ path: 'sib/prompt_1/t.yaml', text: `task: t\n${plain}${text}` }] }]))[0]

describe('the standing of a task', () => {
  it('is declarative without functions', () => {
    expect(standing('')).toMatchObject({ isDeclarative: true, problem: null, missing: [], obstacle: null })
  })

  it('lists the functions without a port, once each, by use and folder', () => {
    const text = 'process_docs: !function utils.mine\nfewshot_config: {split: test, process_docs: !function utils.mine}\n'
    expect(standing(text)).toMatchObject({ isDeclarative: false, problem: null, missing: ['process_docs sib/prompt_1/utils.mine'] })
  })

  it('needs no function that the harness never calls', () => {
    expect(standing('doc_to_decontamination_query: !function utils.mine\n')).toMatchObject({ isDeclarative: false, missing: [] })
    expect(standing('metric_list: [{metric: !function utils.mine, aggregation: mean}]\n')).toMatchObject({ missing: [] })
  })

  it('says why a task does not load or run', () => {
    expect(standing('unknown_key: 1\n')?.problem?.code).toBe('task/invalid')
    expect(standing('doc_to_text: "{% if %}"\n')?.problem?.code).toBe('template/invalid')
    expect(standing('doc_to_image: [image]\n')?.obstacle?.code).toBe('task/unsupported')
    expect(standing('custom_dataset: !function utils.rows\n')?.obstacle?.message).toContain('utils.rows')
  })
})
