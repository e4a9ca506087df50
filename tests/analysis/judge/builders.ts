/** Samples of made-up candidates and judges. */
import { askedDocs, type JudgeDoc } from '../../../src/analysis/judge/docs.ts'
import type { TaskFile } from '../../../src/contracts/run-settings.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'
import { buildTask, type PromptTask } from '../../../src/harness/requests/task.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { readYamlMapping } from '../../../src/python/yaml/parse.ts'
import { tableOf, rowsOf } from '../../support/tables.ts'

export function sampleOf(docId: number, change: Partial<SampleView> = {}): SampleView {
  return {
    task: 'made',
    docId,
    filter: 'none',
    prompt: `Question ${docId}`,
    target: '42',
    choices: [],
    gold: [],
    picks: null,
    generated: ['42'],
    metrics: { exact_match: 1 },
    line: '{}',
    ...change,
  }
}

/** What a judge wrote of the doc in row `row`. */
export function replyOf(row: number, reply: string): SampleView {
  return sampleOf(row, { task: 'judge_made', filter: 'verdict', generated: [reply], metrics: {} })
}

/** The judge's task over these docs, as the harness's part of the core builds it. */
export function builtTask({ path, text }: TaskFile, docs: readonly JudgeDoc[]): PromptTask {
  const rows = rowsOf(askedDocs(docs).map(({ question, obj_gold, prediction }) => ({ question, obj_gold, prediction })))
  return buildTask(readTaskConfig(readYamlMapping(text, path), path), { test: tableOf(rows) }, { functions: functionTable() })
}
