/** The `*_unicode` tasks score any script, beside the harness's, which scores Amharic as 0. */
import { describe, expect, it } from 'vitest'
import { aggregateMetric } from '../../src/harness/metrics/aggregation/aggregate.ts'
import { requestArguments, walkRequests } from '../../src/harness/requests/output-types.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { collectSamples } from '../../src/harness/results/samples-file.ts'
import { comparabilityNotes } from '../../src/harness/tasks/published-evals.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { str, toNumber, type PyValue } from '../../src/python/value.ts'
import { taskScorer } from '../../src/text-worker/task-scorer.ts'
import { plainSettings } from '../requirements/run-task.ts'
import { rowsOf, tableOf } from '../support/tables.ts'
import { bundledConfig, bundledRegistry } from './bundled-goldens.ts'

const registry = bundledRegistry()

/** Scores by metric, from one reply a row. */
function scoresOf(name: string, rows: readonly { readonly [column: string]: PyValue }[], replies: readonly string[]) {
  const table = tableOf(rowsOf(rows))
  const task = buildTask(bundledConfig(registry, name), { test: table, validation: table, train: table }, { functions: functionTable() })
  const docs = [...walkRequests(task, plainSettings)].map(({ docId, doc, target, requests }) => ({
    docId,
    doc,
    target,
    requests: requests.map((request) => ({ args: requestArguments(request), responses: [replies[docId] ?? ''], tokenCount: null })),
  }))
  const scorer = taskScorer(task, false)
  const samples = collectSamples(docs, scorer.pipelines, scorer.score)
  const values = samples.values.map(({ metric, items }) => {
    const entry = scorer.metrics.find((one) => one.name === metric)
    if (entry === undefined) throw new Error(`no metric ${metric}`)
    return [metric, toNumber(aggregateMetric(items, { metric, aggregation: entry.aggregation, bootstrapIters: 0 }).value)] as const
  })
  return { prompt: str(docs[0]?.requests[0]?.args[0] ?? ''), scores: Object.fromEntries(values) }
}

describe('tasks scored in any script', () => {
  it('say what they are not comparable to, and are refused by the harness for their own key', () => {
    const names = registry
      .list()
      .filter(({ name, kind }) => kind === 'task' && name.endsWith('_unicode'))
      .map(({ name }) => name)
    expect(names).toHaveLength(12 + 9 + 20 + 20)
    for (const name of names) {
      const config = bundledConfig(registry, name)
      expect(config.own.recipe).toBe('unicode')
      expect(comparabilityNotes(name, config.metadata)[0]).toContain('harness')
    }
  })

  it('give an answer that equals its reference 1 in Amharic, and less with half of its words', () => {
    const row = { question_lang: 'ዋና ከተማ?', context: 'አዲስ አበባ ዋና ከተማ ናት።', answer_pivot: 'አዲስ አበባ' }
    const { scores } = scoresOf('afriqa_swa_unicode', [row, row, row], [' አዲስ አበባ።', ' አዲስ', ' Kánò'])
    // F1 of one word of two: 2·1/(1+2).
    expect(scores).toEqual({ exact_match: 1 / 3, f1: (1 + 2 / 3 + 0) / 3 })
  })

  it('take ọ́ in any order of its marks for the same letter', () => {
    const row = { question_lang: 'q', context: 'c', answer_pivot: 'ọ́jà'.normalize('NFC') }
    expect(scoresOf('afriqa_yor_unicode', [row], ['ọ́jà'.normalize('NFD')]).scores).toEqual({ exact_match: 1, f1: 1 })
  })

  it('count spans over all docs, whatever their script', () => {
    const rows = [
      { text: 't', target: 'PER: አበበ በቂላ $$ LOC: ሮም' },
      { text: 't', target: 'LOC: Àbújá' },
    ]
    const { scores } = scoresOf('masakhaner_am_unicode', rows, ['PER: አበበ በቂላ $$ LOC: አቴና', 'LOC: Àbújá $$ DATE: 1960'])
    // 2 of 4 predicted and of 3 there: 2·2/(4+3).
    expect(scores['span_f1']).toBeCloseTo(4 / 7, 12)
  })

  it('hold tags against their places, and let surplus and missing ones cost', () => {
    const rows = [{ tokens: ['Bàbá', 'lọ', '.'], upos: [0, 16, 1] }]
    expect(scoresOf('masakhapos_yor_unicode', rows, ["[('Bàbá', 'NOUN'), ('lọ', 'VERB'), ('.', 'PUNCT')]"]).scores).toEqual({ tag_f1: 1 })
    expect(scoresOf('masakhapos_yor_unicode', rows, ["[('Bàbá', 'NOUN'), ('lọ', 'ADV')]"]).scores).toEqual({ tag_f1: 2 / 5 })
    expect(scoresOf('masakhapos_yor_unicode', rows, ['I cannot.']).scores).toEqual({ tag_f1: 0 })
  })

  it('put the document into the prompt of a summary, where the harness has the word "text"', () => {
    const row = { text: 'ረጅም ጽሑፍ።', summary: 'አጭር ጽሑፍ' }
    const ours = scoresOf('xlsum_amharic_unicode', [row], ['አጭር ጽሑፍ'])
    expect(ours.prompt).toContain('Document in Amharic: ረጅም ጽሑፍ።\nSummary: ')
    expect(ours.scores['rougeL_unicode']).toBe(1)
    const harness = scoresOf('xlsum_amharic_prompt_1', [row], ['አጭር ጽሑፍ'])
    expect(harness.prompt).toContain('Document in Amharic: text\\nSummary: ')
    expect(harness.scores['rougeL']).toBe(0)
  })
})
