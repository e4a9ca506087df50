/** MasakhaNEWS: the topic of a headline. */
import { promptFamilyTexts, sameNames, weightedF1AndAcc, type PromptNumber } from './african.ts'
import { quote, type TaskTexts } from './task-texts.ts'

/** As the prompts call them. */
const names: { readonly [language: string]: string } = {
  amh: 'Amharic',
  eng: 'English',
  fra: 'French',
  hau: 'Hausa',
  ibo: 'Igbo',
  lin: 'Lingala',
  lug: 'Luganda',
  orm: 'Afaan Oromoo',
  pcm: 'Nigerian Pidgin',
  run: 'Kirundi',
  sna: 'Shona',
  som: 'Somali',
  swa: 'Swahili',
  tir: 'Tigrinya',
  xho: 'Xhosa',
  yor: 'Yoruba',
}

const topics = ['business', 'entertainment', 'health', 'politics', 'religion', 'sports', 'technology']

/** Prompts that don't name the language. The fourth offers "geography", which is no label, and not "business", which is one: as upstream. */
const texts: { readonly [prompt in PromptNumber]?: string } = {
  1: "Given the categories technology, business, politics, sports, health, entertainment, or religion; what category does the text: '{{headline}}' belong to: \n\n",
  4: 'Label the following text as technology, religion, politics, sports, health, entertainment, or geography. Provide only the category as your response. \n\ntext: {{headline}} \\category: \n\n',
}

function textIn(prompt: PromptNumber, language: string): string | null {
  const name = names[language] ?? language
  if (prompt === 2)
    return (
      `Does this ${name} topic; '{{headline}}' belong to one of the following categories: ` +
      'technology, business, politics, sports, health, entertainment, or religion? category only\n\n'
    )
  if (prompt === 3)
    return (
      'You are an assistant able to classify topics in texts. \n\n' +
      'Given the categories technology, religion, politics, sports, health, entertainment, or business; ' +
      `what is the topic of the ${name} statement below? Return only the category. \n\ntext: {{headline}} \\category:\n\n`
    )
  if (prompt === 5)
    return (
      `You are tasked with performing topic classification on the following ${name} text. ` +
      'For each input, classify the topic as technology, business, politics, sports, health, entertainment, or religion. ' +
      'Use the following guidelines: \n\n' +
      ' technology: The text discusses scientific discoveries, technological advancements, or related topics. \n' +
      'politics: The text covers political events, policies, or related topics. \n' +
      'sports: The text talks about sports events, athletes, or related topics. \n' +
      'health: The text addresses health issues, medical advancements, or related topics. \n' +
      'entertainment: The text pertains to movies, music, celebrities, or related topics. \n' +
      'religion: The text talks about relgions, religious institutions and beliefs or related topics. \n\n' +
      'business: The text covers economy, business, or related topics. \n\n' +
      'If the text contains multiple topics, choose the dominant topic. For ambiguous or unclear topics, select the category that best ' +
      'reflects the overall content. Please provide a single classification for each input.\n\ntext: {{headline}} \\category: \n\n'
    )
  return null
}

export function masakhanewsTexts(): TaskTexts {
  return promptFamilyTexts({
    folder: 'afrobench/masakhanews',
    title: 'MasakhaNEWS',
    group: 'masakhanews',
    groupVersion: '1',
    tagOf: (prompt) => `masakhanews_prompt_${prompt}`,
    tagOfAll: 'masakhanews_tasks',
    taskOf: (language, prompt) => `masakhanews_${language}_prompt_${prompt}`,
    languages: sameNames(Object.keys(names).join(' ')),
    common: `dataset_path: masakhane/masakhanews
validation_split: validation
test_split: test
fewshot_split: validation
output_type: multiple_choice
doc_to_choice: [${topics.map(quote).join(', ')}]
doc_to_target: category
should_decontaminate: true
doc_to_decontamination_query: headline
metadata:
  version: 1.0
`,
    promptLines: (prompt) => {
      const text = texts[prompt]
      return `${text === undefined ? '' : `doc_to_text: ${quote(text)}\n`}${weightedF1AndAcc({ ignoresSigns: true })}`
    },
    textOf: textIn,
  })
}
