import { describe, expect, it } from 'vitest'
import type { FunctionFamily } from '../../../src/harness/function-table.ts'
import { families } from '../../../src/ports/functions/families.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { FunctionRef } from '../../../src/python/yaml/yaml-value.ts'

const answering = (folder: string, answer: string): FunctionFamily => ({ folder, docTo: { 'utils.doc_to_text': () => answer } })

describe('looking a function up', () => {
  const table = functionTable([answering('pro', 'short'), answering('board/pro', 'long'), answering('afri/*/one', 'any')])
  const ask = (file: string) => table.docTo(new FunctionRef('utils.doc_to_text', file))(new Map())

  it('prefers the family whose folder says the most', () => {
    expect(ask('tasks/board/pro/a.yaml')).toBe('long')
    expect(ask('tasks/other/pro/a.yaml')).toBe('short')
  })

  it('lets a star stand for one folder', () => {
    expect(ask('tasks/afri/direct/one/a.yaml')).toBe('any')
    expect(() => ask('tasks/afri/one/a.yaml')).toThrow(/not ported/)
  })

  it('finds what lm_eval brings itself by its whole name, in any folder', () => {
    const inHarness = new FunctionRef('lm_eval.tasks.board.pro.utils.doc_to_text', 'tasks/a.yaml')
    expect(table.docTo(inHarness)(new Map())).toBe('long')
    expect(() => table.docTo(new FunctionRef('lm_eval.tasks.none.utils.doc_to_text', 'tasks/pro/a.yaml'))).toThrow(/not ported/)
  })

  it('refuses what is not ported by name, and says what is', () => {
    const unknown = new FunctionRef('utils.doc_to_target', 'tasks/pro/a.yaml')
    expect(() => table.docTo(unknown)).toThrow(/utils\.doc_to_target.*of its family Yardstick has 'utils\.doc_to_text'\./)
    expect(() => table.aggregation(unknown)).toThrow(
      /is Python code that is not ported: Yardstick has no function of its family\. Write the step as a template or filter in the task file, /,
    )
  })

  it('says why one that nobody can run is refused', () => {
    const known = functionTable()
    expect(() => known.aggregation(new FunctionRef('utils.acc_score', 'afrobench/masakhapos/prompt_2/a.yaml'))).toThrow(/fails in lm_eval/)
    expect(() => known.docTo(new FunctionRef('utils.doc_to_target', 'afrobench/masakhapos/prompt_2/a.yaml'))).not.toThrow()
  })

  it('does not mistake a borrowed filter or metric for another use', () => {
    const known = functionTable()
    expect(() => known.metric(new FunctionRef('utils.weighted_f1_score', 'tasks/afrobench/sib/prompt_1/a.yaml'))).toThrow(/not ported/)
    expect(known.aggregation(new FunctionRef('utils.weighted_f1_score', 'tasks/afrobench/sib/prompt_1/a.yaml'))).toBeTypeOf('function')
  })
})

it('every folder is ported once per use and name', () => {
  const uses = ['processDocs', 'docTo', 'samples', 'processResults', 'aggregation', 'metric', 'filter'] as const
  const names = families.flatMap((family) =>
    uses.flatMap((use) => Object.keys(family[use] ?? {}).map((name) => `${family.folder} ${use} ${name}`)),
  )
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
})
