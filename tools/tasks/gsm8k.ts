/** GSM8K: five solutions of the data set, or Wei et al.'s eight chains of thought, or none. */
import { quote, taskText, type TaskTexts } from './task-texts.ts'
import { firstOf, readWorkedExamples } from './worked-examples.ts'

const rows = `dataset_path: openai/gsm8k
dataset_name: main
output_type: generate_until
test_split: test
`

const solutions = `training_split: train
fewshot_split: train
doc_to_target: "{{answer}}"
`

const ignored = String.raw`ignore_case: true
    ignore_punctuation: false
`
const ignoredTexts = String.raw`regexes_to_ignore: [",", "\\$", "(?s).*#### ", "\\.$"]`

const metrics = `metric_list:
  - metric: exact_match
    aggregation: mean
    higher_is_better: true
    ${ignored}    ${ignoredTexts}
`

const flexible = String.raw`  - name: flexible-extract
    filter:
      - {function: regex, group_select: -1, regex_pattern: "(-?[$0-9.,]{2,})|(-?[0-9]+)"}
      - {function: take_first}
`

const filters = (strict: string): string => `filter_list:
  - name: strict-match
    filter:
      - {function: regex, regex_pattern: ${quote(strict)}}
      - {function: take_first}
${flexible}`

/** The file of `gsm8k_cot` orders its keys otherwise, and results repeat them in that order. */
const reordered = `metric_list:
  - aggregation: mean
    higher_is_better: true
    ${ignored}    metric: exact_match
    ${ignoredTexts}
generation_kwargs: {do_sample: false, until: ["Q:", "</s>", "<|im_end|>"]}
`
const nameLast = (text: string): string =>
  text.replaceAll(
    / {2}- name: (\S+)\n {4}filter:\n((?: {6}.*\n)+)/g,
    (_, name: string, steps: string) => `  - filter:\n${steps}    name: ${name}\n`,
  )

const stops = (first: string): string => `until: ["${first}", "</s>", "<|im_end|>"], do_sample: false`
const theAnswerIs = String.raw`The answer is (\-?[0-9\.\,]+).`
const version = `metadata:
  version: 3.0
`

/** The strict pattern of the 64 answers ends in a digit, other than that of one answer. */
const endsInDigit = quote(String.raw`The answer is (\-?[0-9\.\,]*[0-9]+)`)

export function gsm8kTexts(): TaskTexts {
  return new Map([
    [
      'gsm8k/gsm8k.yaml',
      `# GSM8K with five solutions of its own training split.
task: gsm8k
${rows}${solutions}doc_to_text: ${quote('Question: {{question}}\nAnswer:')}
${metrics}generation_kwargs: {${stops('Question:')}, temperature: 0.0}
repeats: 1
num_fewshot: 5
${filters(String.raw`#### (\-?[0-9\.\,]+)`)}${version}`,
    ],
    [
      'gsm8k/gsm8k_cot_zeroshot.yaml',
      `# GSM8K, a chain of thought without examples.
task: gsm8k_cot_zeroshot
${rows}${solutions}doc_to_text: ${quote("Q: {{question}}\nA: Let's think step by step.")}
${metrics}generation_kwargs: {${stops('Q:')}}
repeats: 1
num_fewshot: 0
${filters(theAnswerIs)}${version}`,
    ],
    [
      'gsm8k/gsm8k_cot.yaml',
      `# GSM8K with the eight chains of thought of Wei et al. 2022.
task: gsm8k_cot
${rows}doc_to_text: ${quote('Q: {{question}}\nA:')}
doc_to_target: "{{answer.split('####')[-1].strip() if answer is defined else target}}"
fewshot_config:${firstOf(readWorkedExamples().gsm8k)}
${reordered}repeats: 1
num_fewshot: 8
${nameLast(filters(theAnswerIs))}${version}`,
    ],
    [
      'gsm8k/gsm8k_cot_self_consistency.yaml',
      taskText('GSM8K, 64 sampled chains of thought: the first one, and the majority of 8 and of 64.', [
        ['include', 'gsm8k_cot.yaml'],
        ['task', 'gsm8k_cot_self_consistency'],
        ['generation_kwargs', '{until: ["Q:", "\\n\\n"], do_sample: true, temperature: 0.2}'],
        ['repeats', '64'],
        [
          'filter_list',
          `
  - name: score-first
    filter:
      - {function: regex, regex_pattern: ${endsInDigit}}
      - {function: take_first}
  - name: maj@64
    filter:
      - {function: regex, regex_pattern: ${endsInDigit}}
      - {function: majority_vote}
      - {function: take_first}
  - name: maj@8
    filter:
      - {function: take_first_k, k: 8}
      - {function: regex, regex_pattern: ${endsInDigit}}
      - {function: majority_vote}
      - {function: take_first}`,
        ],
        ['metadata', '\n  version: 2.0'],
      ]),
    ],
  ])
}
