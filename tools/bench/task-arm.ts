/** The arm `--tasks`: what the task engine costs, in this process: prompts with examples, filters, bootstrap. */
import type { Table } from '../../src/contracts/rows.ts'
import { buildPipelines } from '../../src/harness/filters/filters.ts'
import { aggregateMetric } from '../../src/harness/metrics/aggregation/aggregate.ts'
import { buildRequests } from '../../src/harness/requests/output-types.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { collectSamples } from '../../src/harness/results/samples-file.ts'
import { readTaskConfig } from '../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { pyFloat, type PyValue } from '../../src/python/value.ts'
import { readYamlMapping } from '../../src/python/yaml/parse.ts'
import { isConfigDict, isConfigList } from '../../src/python/yaml/yaml-value.ts'
import { randomOf } from '../../tests/fuzz/random.ts'

export interface TaskRow {
  readonly what: string
  readonly count: number
  readonly unit: string
  /** Wall time of the fastest of the repetitions; other work on the machine only adds to it. */
  readonly seconds: number
  /** CPU time of the same repetition, garbage collection included. */
  readonly cpu_seconds: number
}

const yaml = `task: bench
dataset_path: made
test_split: test
fewshot_split: dev
output_type: multiple_choice
description: "The following are multiple choice questions (with answers) about made things.\\n\\n"
doc_to_text: "{{question.strip()}}\\nA. {{choices[0]}}\\nB. {{choices[1]}}\\nC. {{choices[2]}}\\nD. {{choices[3]}}\\nAnswer:"
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: answer
`
const filterList = `filter_list:
  - name: strict-match
    filter:
      - {function: regex, regex_pattern: 'answer is \\(?([A-J])\\)?'}
      - {function: take_first}
`

/** Each figure the best of `repeats`. `draws` is the number of resamples of the bootstrap. */
export function measureTasks({
  seed,
  docs = 10_000,
  draws,
  repeats = 3,
  say,
}: {
  readonly seed: number
  readonly docs?: number
  readonly draws: number
  readonly repeats?: number
  readonly say: (line: string) => void
}): readonly TaskRow[] {
  const random = randomOf(seed, 'tasks')
  const table = (count: number): Table => ({
    columns: [
      { name: 'question', type: 'string' },
      { name: 'choices', type: { list: 'string' } },
      { name: 'answer', type: 'int64' },
    ],
    rows: Array.from({ length: count }, (_, i) => [
      `Question ${i}: which of these would one say of a set of ${random.below(1e6)} elements that were drawn from it at random?`,
      [`choice ${random.below(1e6)}`, `something else ${random.below(1e6)}`, `none of these ${random.below(1e6)}`, 'all of them'],
      random.below(4),
    ]),
  })
  const config = readTaskConfig(readYamlMapping(yaml, 'bench.yaml'), 'bench.yaml')
  const datasets = { test: table(docs), dev: table(285) }
  const prompts = () => {
    const settings = { numFewshot: 5, limit: null, samples: null, fewshotSeed: 1234, systemInstruction: null, chat: null }
    return buildRequests(buildTask(config, datasets, { functions: functionTable() }), settings).docs
  }
  const list = readYamlMapping(filterList, 'bench.yaml').get('filter_list') ?? null
  const pipelines = buildPipelines(isConfigList(list) ? list.filter(isConfigDict) : null)
  const replies = Array.from({ length: docs }, () => `Let's think step by step. ${'It is so. '.repeat(80)}The answer is (C).`)
  const answered = replies.map((reply, docId) => ({
    docId,
    doc: new Map<string, PyValue>([['question', `Question ${docId}`]]),
    target: 'C',
    requests: [{ args: ['prompt'], responses: [reply], tokenCount: null }],
  }))
  const values = Array.from({ length: docs }, () => pyFloat(-random.below(1000) / 100))
  const measure = (what: string, count: number, unit: string, run: () => unknown, times = repeats): TaskRow => {
    say(what)
    return { what, count, unit, ...best(run, times) }
  }
  return [
    measure('5-shot prompts, with their four requests each', docs, 'prompts', prompts),
    measure('filtered and scored docs of 850 characters, with their sample lines', docs, 'docs', () =>
      collectSamples(answered, pipelines, () => new Map([['exact_match', pyFloat(1)]])),
    ),
    measure(
      `bootstrap of a perplexity over ${docs} docs`,
      draws,
      'resamples',
      () => aggregateMetric(values, { metric: 'perplexity', aggregation: 'perplexity', bootstrapIters: draws }),
      1,
    ),
  ]
}

function best(run: () => unknown, times: number): Pick<TaskRow, 'seconds' | 'cpu_seconds'> {
  const rounds = Array.from({ length: times }, () => {
    const before = process.cpuUsage()
    const start = performance.now()
    run()
    const { user, system } = process.cpuUsage(before)
    return { seconds: (performance.now() - start) / 1000, cpu_seconds: (user + system) / 1e6 }
  })
  return rounds.reduce((fastest, round) => (round.seconds < fastest.seconds ? round : fastest))
}

/** The rows as a Markdown table. */
export function taskTable(rows: readonly TaskRow[]): string {
  const lines = rows.map(
    ({ what, count, unit, seconds, cpu_seconds }) =>
      `| ${what} | ${count} ${unit} | ${seconds.toFixed(2)} s | ${cpu_seconds.toFixed(2)} s |`,
  )
  return ['| what | how many | wall | CPU |', '|---|---|---|---|', ...lines].join('\n')
}
