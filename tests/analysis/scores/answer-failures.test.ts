/** MMLU-Pro's replies: failures are counted by category, and guessed only where it is asked for. */
import { describe, expect, it } from 'vitest'
import { answerFailures, fallbacksOf } from '../../../src/analysis/scores/answer-failures.ts'
import { requestArguments, walkRequests } from '../../../src/harness/requests/output-types.ts'
import { buildTask } from '../../../src/harness/requests/task.ts'
import { collectSamples } from '../../../src/harness/results/samples-file.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { PyRandom } from '../../../src/python/random.ts'
import { str } from '../../../src/python/value.ts'
import { taskScorer } from '../../../src/text-worker/task-scorer.ts'
import { plainSettings } from '../../requirements/run-task.ts'
import { rowsOf, tableOf } from '../../support/tables.ts'
import { bundledRegistry } from '../../tasks/bundled-goldens.ts'

const registry = bundledRegistry()
const letters = 'ABCDEFGHIJ'
/** Rows of two categories with three to ten options; the reference is the last one. */
const rows = Array.from({ length: 16 }, (_, i) => {
  const count = 3 + (i % 8)
  return {
    question: `Q${i}?`,
    options: Array.from({ length: count }, (_option, at) => `option ${at}`),
    answer: letters[count - 1] ?? '',
    category: i % 2 === 0 ? 'law' : 'computer science',
    cot_content: '',
  }
})

function failuresOf(
  name: string,
  reply: (doc: number, answer: string) => string,
  metadata: { readonly [key: string]: number } = {},
  docs = rows,
) {
  const [source] = registry.resolve([name], new Map(Object.entries(metadata))).tasks
  if (source === undefined) throw new Error(`no ${name}`)
  const table = tableOf(rowsOf(docs))
  const task = buildTask(
    readTaskConfig(source.config, source.file),
    { test: table, validation: table, train: table },
    { functions: functionTable() },
  )
  const answered = [...walkRequests(task, plainSettings)].map(({ docId, doc, target, requests }) => ({
    docId,
    doc,
    target,
    requests: requests.map((request) => ({
      args: requestArguments(request),
      responses: [reply(docId, str(doc.get('answer') ?? ''))],
      tokenCount: null,
    })),
  }))
  const scorer = taskScorer(task, false)
  const samples = collectSamples(answered, scorer.pipelines, scorer.score)
  return answerFailures({ task, answered, samples, score: scorer.score, isMean: (metric) => scorer.isMean(metric) })
}

/** The first two docs of a category say nothing that the filter knows, the others the right letter. */
const mumbles = (doc: number, answer: string): string => (doc < 2 ? `It must be ${answer}.` : `So the answer is (${answer}).`)

describe('replies without an answer', () => {
  it('are counted by category, which is a task each', () => {
    const expected = { filter: 'custom-extract', n: 8, failed: 2, metric: 'exact_match', value: 0.75, guessed: null }
    expect(failuresOf('mmlu_pro_law', mumbles)).toEqual([{ task: 'mmlu_pro_law', alias: 'law', ...expected }])
    expect(failuresOf('mmlu_pro_computer_science', mumbles)).toEqual([
      { task: 'mmlu_pro_computer_science', alias: 'computer_science', ...expected },
    ])
  })

  it('are none where every reply names a letter, J included', () => {
    expect(failuresOf('mmlu_pro_law', (_doc, answer) => `the answer is ${answer}`)[0]).toMatchObject({ failed: 0, value: 1 })
  })

  it('are guessed with the seed that was asked for, among the row’s own options, in a score beside the task’s', () => {
    for (const seed of [0, 7, 1234]) {
      const [law] = failuresOf('mmlu_pro_law', mumbles, { guess_seed: seed })
      // Docs 0 and 1 of the category are rows 0 and 2, with 3 and 5 options; the reference is the last.
      const random = new PyRandom(seed)
      const hits = [3, 5].filter((options) => Math.floor(random.random() * options) === options - 1).length
      expect(law).toMatchObject({ value: 0.75, guessed: { seed, docs: [0, 1], value: (6 + hits) / 8 } })
    }
  })

  it('are not guessed where the reference is no letter, or nothing says how many options there are', () => {
    const numbers = rows.map((row) => ({ ...row, answer: '#### 4' }))
    const letterAlone = rows.map((row) => ({ ...row, options: [] }))
    for (const docs of [numbers, letterAlone]) {
      const [strict] = failuresOf('gsm8k_cot_zeroshot', () => 'no number', { guess_seed: 1 }, docs)
      expect(strict).toMatchObject({ failed: 16, guessed: null })
    }
  })

  it('are looked for in pipelines that search, with the fallback that the task names', () => {
    const config = (name: string) => {
      const [source] = registry.resolve([name]).tasks
      return source === undefined ? null : readTaskConfig(source.config, source.file).filterList
    }
    expect([...fallbacksOf(config('gsm8k'))]).toEqual([
      ['strict-match', '[invalid]'],
      ['flexible-extract', '[invalid]'],
    ])
    expect([...fallbacksOf(config('nq_open'))]).toEqual([])
    expect([...fallbacksOf(config('bbh_zeroshot_web_of_lies'))]).toEqual([['flexible-extract', '[invalid]']])
  })
})
