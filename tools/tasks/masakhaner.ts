/** MasakhaNER: persons, places, organisations and dates in 20 languages, written out and scored by spans. */
import { promptFamilyTexts, sameNames, type PromptNumber } from './african.ts'
import { quote, type TaskTexts } from './task-texts.ts'

/** As the prompts call them. */
export const masakhanerNames: { readonly [language: string]: string } = {
  am: 'Amharic',
  bbj: 'Ghomala',
  bm: 'Bambara',
  ee: 'Ewe',
  ha: 'Hausa',
  ig: 'Igbo',
  lg: 'Luganda',
  luo: 'Luo',
  mos: 'Mossi',
  ny: 'Chichewa',
  pcm: 'Nigerian Pidgin',
  rw: 'Kinyarwanda',
  sn: 'chiShona',
  sw: 'Kiswahili',
  tn: 'Setswana',
  tw: 'Twi',
  wo: 'Wolof',
  xh: 'isiXhosa',
  yo: 'Yoruba',
  zu: 'isiZulu',
}

const format = (sign: string): string =>
  `Ensure the output strictly follows the format: label: entity ${sign} label: entity, with each unique entity on a separate label line, ` +
  'avoiding grouped entities (e.g., avoid LOC: entity, entity) or irrelevant entries like none.'

/** Instructions that don't name the language. */
const shared: { readonly [prompt in PromptNumber]?: string } = {
  1:
    'Named entities refers to names of location, organisation and personal name. \n ' +
    "For example, 'David is an employee of Amazon and he is visiting New York next week to see Esther' will be \n" +
    `PERSON: David $ ORGANIZATION: Amazon $ LOCATION: New York $ PERSON: Esther \n\n${format('$')} \n\nText: {{text}} \nReturn only the output`,
  2:
    'You are working as a named entity recognition expert and your task is to label a given text with named entity labels. ' +
    'Your task is to identify and label any named entities present in the text. The named entity labels that you will be using are ' +
    'PER (person), LOC (location), ORG (organization) and DATE (date). Label multi-word entities as a single named entity. ' +
    `For words which are not part of any named entity, do not return any value for it. \n${format('$$')} Return only the output \n\nText: {{text}}`,
  5:
    'Provide a concise list of named entities in the text below. Use the following labels: PERSON, LOCATION, ORGANIZATION, and DATE. ' +
    `${format('$$')} Return only the output.  \n\nText: {{text}}`,
}

export function entityPrompt(prompt: PromptNumber, name: string): string {
  if (prompt === 3)
    return (
      `You are a Named Entity Recognition expert in ${name} language. \nExtract all named entities from the following ${name} text and ` +
      `categorize them into PERSON, LOCATION, ORGANIZATION, or DATE. ${format('$$')} Return only the output \n\nText: {{text}}`
    )
  if (prompt === 4)
    return (
      `As a ${name} linguist, label all named entities in the ${name} text below with the categories: ` +
      `PERSON, LOCATION, ORGANIZATION, and DATE. ${format('$$')} Return only the output. \n\nText: {{text}}`
    )
  return shared[prompt] ?? ''
}

const common = `dataset_path: masakhane/masakhaner-x
dataset_kwargs: {}
output_type: generate_until
generation_kwargs: {do_sample: false, until: ["</s>", "<|im_end|>"]}
validation_split: validation
test_split: test
fewshot_split: train
doc_to_target: target
filter_list:
  - name: flexible-extract
    filter:
      - {function: format_span}
metadata:
  version: 1.1
`

export function masakhanerTexts(): TaskTexts {
  return promptFamilyTexts({
    folder: 'afrobench/masakhaner',
    title: 'MasakhaNER',
    group: 'masakhaner',
    tagOf: (prompt) => `masakhaner_prompt_${prompt}`,
    tagOfAll: 'masakhaner_tasks',
    taskOf: (language, prompt) => `masakhaner_${language}_prompt_${prompt}`,
    groupVersion: '1',
    languages: sameNames(Object.keys(masakhanerNames).join(' ')),
    common,
    promptLines: (prompt) =>
      'metric_list:\n  - {metric: f1, aggregation: !function utils.span_f1_agg, higher_is_better: true}\n' +
      (shared[prompt] === undefined ? '' : `doc_to_text: ${quote(entityPrompt(prompt, ''))}\n`),
    textOf: (prompt, language) => (shared[prompt] === undefined ? entityPrompt(prompt, masakhanerNames[language] ?? language) : null),
  })
}
