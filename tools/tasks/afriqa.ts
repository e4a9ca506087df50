/** AfriQA with gold passages: the question in an African language, the passage and the answer in English or French. */
import { promptFamilyTexts, sameNames, type PromptNumber } from './african.ts'
import { quote, type TaskTexts } from './task-texts.ts'

/** As the second prompt calls them. */
export const afriqaNames: { readonly [language: string]: string } = {
  bem: 'Bemba',
  fon: 'Fon',
  hau: 'Hausa',
  ibo: 'Igbo',
  kin: 'Kinyarwanda',
  swa: 'Swahili',
  twi: 'Twi',
  yor: 'Yoruba',
  zul: 'Zulu',
}

/** Sentences run into each other, and one has a slip: as upstream. */
const leads: { readonly [prompt in PromptNumber]: (name: string) => string } = {
  1: () =>
    'Your task is to answer a qestion given a context.' +
    'Make sure you respond with the shortest span containing the answer in the context.',
  2: (name) =>
    `Your task is to answer a question given a context. The question is in ${name}, while the context is in English or French.` +
    'Make sure you respond with the shortest span in the context that contains the answer.',
  3: () => 'Given the context, provide the answer to the following question.Ensure your response is concise and directly from the context.',
  4: () =>
    'You are an AI assistant and your task is to answer the question based on the provided context.' +
    'Your answer should be the shortest span that contains the answer within the context.',
  5: () => 'Using the context, find the answer to the question.Respond with the briefest span that includes the answer from the context.',
}
export function questionPrompt(prompt: PromptNumber, name: string): string {
  return `${leads[prompt](name)}\nQuestion: {{question_lang}}\nContext: {{context}}\nAnswer:`
}

/** Upstream's list of ignored signs lacks its key, so that YAML reads it as part of the line before. */
const metric = (
  start: string,
): string => String.raw`  - {${start}, higher_is_better: true, ignore_case: true, ignore_punctuation: 'true - "." - "," - "\\$"'}
`

const common = `dataset_kwargs: {}
dataset_path: masakhane/afriqa-gold-passages
output_type: generate_until
test_split: test
fewshot_split: train
doc_to_target: answer_pivot
should_decontaminate: true
doc_to_decontamination_query: question_lang
generation_kwargs: {until: ["\\n"], do_sample: false, temperature: 0.0}
filter_list:
  - name: remove_whitespace
    filter:
      - {function: remove_whitespace}
      - {function: take_first}
target_delimiter: " "
metadata:
  version: 1.0
`

export function afriqaTexts(): TaskTexts {
  return promptFamilyTexts({
    folder: 'afrobench/afriqa',
    title: 'AfriQA',
    group: 'afriqa',
    tagOf: (prompt) => `afriqa_prompt_${prompt}`,
    tagOfAll: 'afrobench_xqa_tasks',
    taskOf: (language, prompt) => `afriqa_${language}_prompt_${prompt}`,
    groupVersion: '1',
    languages: sameNames(Object.keys(afriqaNames).join(' ')),
    common,
    // The function is looked up beside the file that names it.
    promptLines: (prompt) =>
      `metric_list:\n${metric('metric: exact_match, aggregation: mean')}${metric('metric: f1, aggregation: !function utils.f1')}` +
      (prompt === 2 ? '' : `doc_to_text: ${quote(questionPrompt(prompt, ''))}\n`),
    textOf: (prompt, language) => (prompt === 2 ? questionPrompt(2, afriqaNames[language] ?? language) : null),
    // Swahili has no training split there.
    linesOf: (language) =>
      language === 'swa'
        ? [
            ['fewshot_split', 'test'],
            ['fewshot_config', '{sampler: first_n}'],
          ]
        : [],
  })
}
