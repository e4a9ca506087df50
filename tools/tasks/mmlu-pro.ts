/** MMLU-Pro: up to ten options, five worked chains of thought of the same category, an answer read from "the answer is (X)". */
import { listOf, quote, taskText, type TaskTexts } from './task-texts.ts'

const categories =
  'biology business chemistry computer_science economics engineering health history law math other philosophy physics psychology'
    .split(' ')
    .sort()

const template = String.raw`# MMLU-Pro, five worked examples, a chain of thought.
dataset_path: TIGER-Lab/MMLU-Pro
test_split: test
fewshot_split: validation
fewshot_config:
  sampler: first_n
  doc_to_text: !function utils.fewshot_to_text
  doc_to_target: !function utils.fewshot_to_target
output_type: generate_until
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
filter_list:
  - name: custom-extract
    filter:
      - {function: regex, regex_pattern: "answer is \\(?([ABCDEFGHIJ])\\)?"}
      - {function: take_first}
generation_kwargs: {until: ["Question:"], max_gen_toks: 2048, do_sample: false, temperature: 0.0}
num_fewshot: 5
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true, ignore_case: true, ignore_punctuation: true}
metadata:
  version: 3.1
`

export function mmluProTexts(): TaskTexts {
  const tasks = categories.map((category): [string, string] => {
    const spaced = category.replaceAll('_', ' ')
    const finish = 'Think step by step and then finish your answer with "the answer is (X)" where X is the correct letter choice.'
    return [
      `mmlu_pro/mmlu_pro_${category}.yaml`,
      taskText(`MMLU-Pro, ${spaced}.`, [
        ['include', '_mmlu_pro'],
        ['task', `mmlu_pro_${category}`],
        ['task_alias', category],
        ['description', quote(`The following are multiple choice questions (with answers) about ${spaced}. ${finish}\n`)],
        ['process_docs', `!function utils.process_${category}`],
      ]),
    ]
  })
  const group = taskText(`MMLU-Pro: all ${categories.length} categories.`, [
    ['group', 'mmlu_pro'],
    ['task', listOf(categories.map((category) => `mmlu_pro_${category}`))],
    ['aggregate_metric_list', '\n  - {aggregation: mean, metric: exact_match, weight_by_size: true, filter_list: custom-extract}'],
    ['metadata', '\n  version: 2.0'],
  ])
  return new Map([['mmlu_pro/_mmlu_pro', template], ...tasks, ['mmlu_pro/mmlu_pro.yaml', group]])
}
