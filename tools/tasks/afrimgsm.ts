/** AfriMGSM: grade-school problems in 19 languages, answered at once and step by step. */
import { promptFamilyTexts, type PromptFamily, type PromptNumber } from './african.ts'
import { joinTexts, quote, type TaskTexts } from './task-texts.ts'

/** As the prompts call them. */
const names: { readonly [language: string]: string } = {
  amh: 'Amharic',
  eng: 'English',
  ewe: 'Ewe',
  fra: 'French',
  hau: 'Hausa',
  ibo: 'Igbo',
  kin: 'Kinyarwanda',
  lin: 'Lingala',
  lug: 'Luganda',
  orm: 'Oromo',
  sna: 'chiShona',
  sot: 'Sesotho',
  swa: 'Swahili',
  twi: 'Twi',
  vai: 'Vai',
  wol: 'Wolof',
  xho: 'isiXhosa',
  yor: 'Yoruba',
  zul: 'Zulu',
}
const languages: ReadonlyMap<string, string> = new Map(Object.keys(names).map((language) => [language, language]))

/** Rows with an answer bring "Question:" themselves. */
const asked = (lead: string): string =>
  String.raw`{% if answer is not none %}{{question+"\n${lead}:"}}{% else %}{{"Question: "+question+"\n${lead}:"}}{% endif %}`

const directTexts: { readonly [prompt in PromptNumber]: (name: string) => string } = {
  1: () => asked('Answer'),
  2: () => 'Give direct numerical answers for the question provided. \n\nQuestion: {{question}} \nAnswer: ',
  3: () => 'Solve the following math question \n\nQuestion: {{question}} \nAnswer: ',
  4: () =>
    'Answer the given question with the appropriate numerical value, ensuring that the response is clear and without any supplementary ' +
    'information. \n\nQuestion: {{question}} \nAnswer: ',
  5: (name) =>
    `For mathematical questions provided in ${name} language. Supply the accurate numeric answer to the provided question. ` +
    '\n\nQuestion: {{question}} \nAnswer: ',
}

/** The second and third have a backslash and a letter where a line was meant to end: as upstream. */
const stepTexts: { readonly [prompt in PromptNumber]: (name: string) => string } = {
  1: () => asked('Step-by-Step Answer'),
  2: () => String.raw`Give direct numerical answers for the question provided. \n\nQuestion: {{question}} \Step-by-Step Answer: `,
  3: () => String.raw`Solve the following math question \n\nQuestion: {{question}} \nStep-by-Step Answer: `,
  4: () =>
    'Answer the given question with the step by step solution appropriate numerical value, ensuring that the response is clear and ' +
    'without any supplementary information. \n\nQuestion: {{question}} \nStep by step answer: ',
  5: (name) =>
    `For mathematical questions provided in ${name} language. Supply the accurate step by step answer to the provided question. ` +
    '\n\nQuestion: {{question}} \nStep by step answer: ',
}

const flexible = String.raw`  - filter:
      - {function: regex, group_select: -1, regex_pattern: "(-?[$0-9.,]{2,})|(-?[0-9]+)"}
      - {function: take_first}
    name: flexible-extract
`
const strict = String.raw`  - name: strict-match
    filter:
      - {function: regex, regex_pattern: "The answer is (\\-?[0-9\\.\\,]+)"}
      - {function: take_first}
`
const spaceless = `  - name: remove_whitespace
    filter:
      - {function: remove_whitespace}
      - {function: take_first}
`

const common = (stops: string, firstFilter: string): string => `dataset_path: masakhane/afrimgsm
output_type: generate_until
test_split: test
doc_to_target: "{% if answer is not none %}{{answer[21:]}}{% else %}{{answer_number|string}}{% endif %}"
generation_kwargs: {do_sample: false, until: [${stops}]}
filter_list:
${firstFilter}${flexible}metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true, ignore_case: true, ignore_punctuation: true}
metadata:
  version: 2.0
`
const stops = '"Question:", "</s>", "<|im_end|>"'

const direct: PromptFamily = {
  folder: 'afrimgsm/direct',
  title: 'AfriMGSM',
  group: 'afrimgsm-irokobench',
  tagOf: (prompt) => `afrimgsm_tasks_prompt_${prompt}`,
  tagOfAll: 'afrimgsm_tasks',
  taskOf: (language, prompt) => `afrimgsm_${language}_prompt_${prompt}`,
  groupVersion: '2',
  languages,
  common: `target_delimiter: ""\n${common(stops, spaceless)}`,
  promptLines: (prompt) => lineOf(directTexts, prompt),
  textOf: (prompt, language) => textIn(directTexts, prompt, language),
}

const steps: PromptFamily = {
  folder: 'afrimgsm/cot',
  title: 'AfriMGSM, step by step',
  group: 'afrimgsm_cot-irokobench',
  tagOf: (prompt) => `afrimgsm_cot_tasks_prompt_${prompt}`,
  tagOfAll: 'afrimgsm_cot_tasks',
  members: ['afrimgsm_cot_tasks'],
  taskOf: (language, prompt) => `afrimgsm_cot_${language}_prompt_${prompt}`,
  groupVersion: '2',
  languages,
  common: `training_split: train\n${common(`${stops}, "<|eot_id|>"`, strict)}`,
  promptLines: (prompt) => lineOf(stepTexts, prompt),
  textOf: (prompt, language) => textIn(stepTexts, prompt, language),
}

type Texts = typeof directTexts

function lineOf(texts: Texts, prompt: PromptNumber): string {
  return prompt === 5 ? '' : `doc_to_text: ${quote(texts[prompt](''))}\n`
}

function textIn(texts: Texts, prompt: PromptNumber, language: string): string | null {
  return prompt === 5 ? texts[5](names[language] ?? language) : null
}

export function afrimgsmTexts(): TaskTexts {
  return joinTexts(promptFamilyTexts(direct), promptFamilyTexts(steps))
}
