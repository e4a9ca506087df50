/** GPQA, three subsets, asked in four of the harness's five ways. */
import { quote, taskText, type TaskTexts } from './task-texts.ts'

const subsets = ['diamond', 'extended', 'main']

const choices = '\nChoices:\n(A) {{choice1}}\n(B) {{choice2}}\n(C) {{choice3}}\n(D) {{choice4}}\n'
const thinks = "Let's think step by step: "
const bare = `What is the correct answer to this question:{{Question}}${choices}`
const shown = `Question: {{Question}}${choices}`
const examples =
  'Here are some example questions from experts. Answer the final question yourself, following the format of the previous questions exactly.\n'

const letters = `doc_to_choice: ["(A)", "(B)", "(C)", "(D)"]
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
  - {metric: acc_norm, aggregation: mean, higher_is_better: true}
`

const written = (generation: string): string => String.raw`filter_list:
  - name: strict-match
    filter:
      - {function: regex, regex_pattern: "(?<=The answer is )(.*)(?=.)"}
      - {function: take_first}
  - name: flexible-extract
    filter:
      - {function: multi_choice_regex, group_select: -1, ignore_case: true, ignore_punctuation: true, regex_pattern: "(\\([A-Z]\\))"}
      - {function: take_first}
generation_kwargs: ${generation}
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true, ignore_case: true, ignore_punctuation: true}
`

interface Form {
  readonly title: string
  /** Whether examples may stand before the question, which words both otherwise. */
  readonly hasExamples: boolean
  /** What the model goes on from. */
  readonly lead: string
  /** How it is answered and scored, as YAML lines. */
  readonly lines: string
}

const thought = written('{until: ["</s>"], do_sample: false, temperature: 0.0}')
const answer = written('{until: ["</s>", "Question:", "<|im_end|>"], temperature: 0.0}')

/**
 * By folder, which the ports of `src/ports/functions/exams/gpqa.ts` know them by. `n_shot` is left out: the harness shows its options in one
 * order and scores them in another.
 */
const forms: { readonly [form: string]: Form } = {
  zeroshot: { title: 'no examples, letters', hasExamples: false, lead: 'Answer:', lines: letters },
  generative: { title: 'answers written', hasExamples: true, lead: 'Answer:', lines: answer },
  cot_zeroshot: { title: 'no examples, a chain of thought', hasExamples: false, lead: thinks, lines: thought },
  cot_n_shot: { title: 'a chain of thought', hasExamples: true, lead: thinks, lines: thought },
}

export function gpqaTexts(): TaskTexts {
  return new Map(Object.entries(forms).flatMap(([name, form]) => formTexts(name, form)))
}

function formTexts(name: string, form: Form): readonly (readonly [string, string])[] {
  const { title, hasExamples, lead, lines } = form
  const suffix = name === 'generative' ? 'generative_n_shot' : name
  const template = `# GPQA, ${title}. The options of each row are shuffled.
dataset_path: Idavidrein/gpqa
output_type: ${lines === letters ? 'multiple_choice' : 'generate_until'}
process_docs: !function utils.process_docs
training_split: train
validation_split: train
test_split: null
${hasExamples ? `description: ${quote(examples)}\n` : 'num_fewshot: 0\n'}doc_to_text: ${quote((hasExamples ? shown : bare) + lead)}
doc_to_target: answer
${lines}metadata:
  version: 2.2
`
  const tasks = subsets.map((subset): [string, string] => [
    `gpqa/${name}/gpqa_${subset}_${suffix}.yaml`,
    taskText(`GPQA, ${subset}, ${title}.`, [
      ['include', '_gpqa'],
      ['task', `gpqa_${subset}_${suffix}`],
      ['dataset_name', `gpqa_${subset}`],
    ]),
  ])
  return [[`gpqa/${name}/_gpqa`, template], ...tasks]
}
