/** The benchmarks that the page offers by name: one click sets tasks, limit and, where none was chosen, a model. */

export type BenchmarkId = 'hellaswag' | 'arc' | 'piqa' | 'mmlu' | 'afrimmlu' | 'truthfulqa'

export interface Benchmark {
  readonly id: BenchmarkId
  /** Names of the harness's tasks, groups or tags. */
  readonly tasks: readonly string[]
  /** How many single tasks these are: a limit holds for each of them. */
  readonly parts: number
  /** Docs of the splits that the harness evaluates, all parts together; null where no source was at hand. */
  readonly docs: number | null
  /** The dataset's id on the Hub, and its licence as stated there or by its authors. */
  readonly dataset: string
  readonly license: string
  /** Docs of each part for a first look: some minutes rather than hours. */
  readonly limit: number
}

/** In the order of the page. Where the counts and licences were seen: docs/decisions/0018-choosing.md. */
export const benchmarks: readonly Benchmark[] = [
  { id: 'hellaswag', tasks: ['hellaswag'], parts: 1, docs: 10_042, dataset: 'Rowan/hellaswag', license: 'MIT', limit: 100 },
  {
    id: 'arc',
    tasks: ['arc_easy', 'arc_challenge'],
    parts: 2,
    docs: 3548,
    dataset: 'allenai/ai2_arc',
    license: 'CC BY-SA 4.0',
    limit: 100,
  },
  { id: 'piqa', tasks: ['piqa'], parts: 1, docs: 1838, dataset: 'baber/piqa', license: 'AFL 3.0', limit: 100 },
  { id: 'mmlu', tasks: ['mmlu'], parts: 57, docs: 14_042, dataset: 'cais/mmlu', license: 'MIT', limit: 5 },
  {
    id: 'afrimmlu',
    tasks: ['afrimmlu_tasks_prompt_1'],
    parts: 18,
    docs: null,
    dataset: 'masakhane/afrimmlu',
    license: 'Apache 2.0',
    limit: 10,
  },
  {
    id: 'truthfulqa',
    tasks: ['truthfulqa_mc1', 'truthfulqa_mc2'],
    parts: 2,
    docs: 817,
    dataset: 'truthfulqa/truthful_qa',
    license: 'Apache 2.0',
    limit: 100,
  },
]

/** The benchmark that asks for exactly these tasks, in any order. */
export function benchmarkOf(tasks: readonly string[]): Benchmark | null {
  return benchmarks.find((one) => one.tasks.length === tasks.length && one.tasks.every((name) => tasks.includes(name))) ?? null
}
