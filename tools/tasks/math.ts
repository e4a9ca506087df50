/** MATH, as Minerva was asked (four worked solutions) and as a bare question; and the 500 problems of MATH-500. */
import { listOf, quote, taskText, type TaskTexts } from './task-texts.ts'

/** Subjects by the end of a task's name: config of the data set. */
const subjects: ReadonlyMap<string, string> = new Map([
  ['algebra', 'algebra'],
  ['counting_and_prob', 'counting_and_probability'],
  ['geometry', 'geometry'],
  ['intermediate_algebra', 'intermediate_algebra'],
  ['num_theory', 'number_theory'],
  ['prealgebra', 'prealgebra'],
  ['precalc', 'precalculus'],
])

const rows = `dataset_path: EleutherAI/hendrycks_math
process_docs: !function utils.process_docs
output_type: generate_until
training_split: train
test_split: test
generation_kwargs: {until: ["Problem:"], do_sample: false, temperature: 0}
process_results: !function utils.process_results
`

const minerva = `# MATH, as Minerva was asked: four worked solutions, "The final answer is $…$".
${rows}doc_to_text: !function utils.doc_to_text
doc_to_target: "{{answer if few_shot is undefined else solution}}"
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
  - {metric: math_verify, aggregation: mean, higher_is_better: true}
num_fewshot: 4
fewshot_config:
  sampler: first_n
  samples: !function utils.list_fewshot_samples
metadata:
  version: 3.1
`

const hendrycks = `# MATH, a bare question; the answer is what stands between the first and the last dollar sign.
${rows}doc_to_text: ${quote('Problem: {{problem}}\nAnswer:')}
doc_to_target: "{{answer}}"
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
metadata:
  version: 1.0
`

export function mathTexts(): TaskTexts {
  const group = taskText('MATH: all seven subjects.', [
    ['group', 'hendrycks_math'],
    ['task', listOf([...subjects.keys()].map((subject) => `hendrycks_math_${subject}`))],
    ['aggregate_metric_list', '\n  - {metric: exact_match, aggregation: mean, weight_by_size: true}'],
    ['metadata', '\n  version: 1.0'],
  ])
  return new Map([
    ['minerva_math/_minerva_math', minerva],
    ...subjectTexts('minerva_math'),
    ['hendrycks_math/_hendrycks_math', hendrycks],
    ...subjectTexts('hendrycks_math'),
    ['hendrycks_math/hendrycks_math.yaml', group],
  ])
}

function subjectTexts(family: string): readonly (readonly [string, string])[] {
  const tasks = [...subjects].map(([subject, config]): [string, string] => [
    `${family}/${family}_${subject}.yaml`,
    taskText(`MATH, ${config.replaceAll('_', ' ')}.`, [
      ['include', `_${family}`],
      ['task', `${family}_${subject}`],
      ['dataset_name', config],
    ]),
  ])
  const five: [string, string] = [
    `${family}/${family}500.yaml`,
    taskText('MATH-500: 500 problems of MATH’s test split.', [
      ['include', `_${family}`],
      ['task', `${family}500`],
      ['dataset_path', 'HuggingFaceH4/MATH-500'],
      ['dataset_name', 'default'],
      ['training_split', 'null'],
    ]),
  ]
  return [...tasks, five]
}
