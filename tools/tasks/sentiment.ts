/** AfriSenti (tweets) and NollySenti (movie reviews): is a text positive, negative or neutral? */
import { promptFamilyTexts, sameNames, weightedF1AndAcc, type PromptNumber } from './african.ts'
import { joinTexts, quote, type TaskTexts } from './task-texts.ts'

/** As AfriSenti's prompts call them. */
const tweetLanguages: { readonly [language: string]: string } = {
  amh: 'Amharic',
  arq: 'Algerian Arabic',
  ary: 'Moroccan Arabic',
  hau: 'Hausa',
  ibo: 'Igbo',
  kin: 'Kinyarwanda',
  orm: 'Oromo',
  pcm: 'Nigerian Pidgin',
  por: 'Mozambique Portuguese',
  swa: 'Swahili',
  tir: 'Tigrinya',
  tso: 'Xithonga',
  twi: 'Twi',
  yor: 'Yoruba',
}

/** As NollySenti's prompts call them, and the configs of its data set. */
const reviewLanguages: { readonly [language: string]: { readonly name: string; readonly config: string } } = {
  eng: { name: 'English', config: 'en' },
  hau: { name: 'Hausa', config: 'ha' },
  ibo: { name: 'Igbo', config: 'ig' },
  pcm: { name: 'Naija Pidgin', config: 'pcm' },
  yor: { name: 'Yoruba', config: 'yo' },
}

/** The long instruction of both families' fifth prompts. */
function guidelines(name: string, labels: string, neutral: string, end: string): string {
  return (
    `You are tasked with performing sentiment classification on the following ${name} text. For each input, classify the sentiment as ` +
    `${labels}. Use the following guidelines: \n\n Positive: The text expresses happiness, satisfaction, or optimism. \n` +
    `Negative: The text conveys disappointment, dissatisfaction, or pessimism. \n${neutral}\n` +
    'If the text contains both positive and negative sentiments, choose the dominant sentiment. For ambiguous or unclear sentiments, ' +
    `select the label that best reflects the overall tone. Please provide a single classification for each input.${end}`
  )
}

const tweetTexts: { readonly [prompt in PromptNumber]?: string } = {
  1: 'Does this statement; "{{tweet}}" have a Neutral, Positive or Negative sentiment? Labels only',
  4: 'Label the following text as Neutral, Positive, or Negative. Provide only the label as your response. \n\ntext: {{tweet}} \nlabel: ',
}

function tweetTextIn(prompt: PromptNumber, language: string): string | null {
  const name = tweetLanguages[language] ?? language
  if (prompt === 2) return `Does this ${name} statement; '{{tweet}}' have a Neutral, Positive or Negative sentiment? Labels only`
  if (prompt === 3)
    return (
      'You are an assistant able to detect sentiments in tweets. \n\nGiven the sentiment labels Neutral, Positive or Negative; ' +
      `what is the sentiment of the ${name} statement below? Return only the labels. \n\ntext: {{tweet}} \nlabel:`
    )
  if (prompt === 5)
    return guidelines(
      name,
      'positive, negative, or neutral',
      'Neutral: The text is factual, objective, or without strong emotional undertones. \n',
      '\n\ntext: {{tweet}} \nlabel: ',
    )
  return null
}

/** Upstream's `\n` in these is a backslash and an n. */
const tweetQueries: { readonly [prompt in PromptNumber]: string } = {
  1: 'tweet',
  2: 'text: {{tweet}} \\nlabel: ',
  3: 'text: {{tweet}} \\nlabel: ',
  4: 'text: {{tweet}} \\nlabel: ',
  5: 'Text: {{tweet}} \\nlabel:',
}

const reviewTexts: { readonly [prompt in PromptNumber]?: string } = {
  // Here too: a backslash and an n.
  1: 'Does this movie description "{{review}}" have a Positive or Negative sentiment? Labels only\\n',
  4: 'Label the following text as Positive, or Negative. Provide only the label as your response. \n\ntext: {{review}} \nlabel: \n',
}

function reviewTextIn(prompt: PromptNumber, language: string): string | null {
  const name = reviewLanguages[language]?.name ?? language
  if (prompt === 2) return `Does this ${name} movie description; "{{review}}" have a Positive or Negative sentiment? Labels only\\n`
  if (prompt === 3)
    return (
      'You are an assistant able to detect sentiment in movie reviews. \n\nGiven the sentiment labels Positive or Negative; ' +
      `what is the sentiment of the ${name} statement below? Return only the labels\n\nReview: {{review}}\n`
    )
  // Three of the five have a space more: as upstream.
  const gap = language === 'eng' || language === 'hau' ? '\n\n' : ' \n\n'
  return prompt === 5 ? guidelines(name, 'positive, negative', '', `${gap}text: {{review}} \nlabel: \n`) : null
}

export function sentimentTexts(): TaskTexts {
  return joinTexts(afrisentiTexts(), nollysentiTexts())
}

function promptLines(text: string | undefined, more = ''): string {
  return `${text === undefined ? '' : `doc_to_text: ${quote(text)}\n`}${more}${weightedF1AndAcc({ ignoresSigns: true })}`
}

function afrisentiTexts(): TaskTexts {
  return promptFamilyTexts({
    folder: 'afrobench/afrisenti',
    title: 'AfriSenti',
    group: 'afrisenti',
    groupVersion: '1',
    tagOf: (prompt) => `afrisenti_prompt_${prompt}`,
    tagOfAll: null,
    taskOf: (language, prompt) => `afrisenti_${language}_prompt_${prompt}`,
    languages: sameNames(Object.keys(tweetLanguages).join(' ')),
    common: `dataset_path: masakhane/afrisenti
validation_split: validation
test_split: test
fewshot_split: train
output_type: multiple_choice
doc_to_choice: ["negative", "positive", "neutral"]
doc_to_target: label
should_decontaminate: true
metadata:
  version: 1.0
`,
    promptLines: (prompt) => promptLines(tweetTexts[prompt], `doc_to_decontamination_query: ${quote(tweetQueries[prompt])}\n`),
    textOf: tweetTextIn,
  })
}

function nollysentiTexts(): TaskTexts {
  return promptFamilyTexts({
    folder: 'afrobench/nollysenti',
    title: 'NollySenti',
    group: 'nollysenti',
    groupVersion: '1',
    tagOf: (prompt) => `nollysenti_prompt_${prompt}`,
    tagOfAll: null,
    taskOf: (language, prompt) => `nollysenti_${language}_prompt_${prompt}`,
    languages: new Map(Object.entries(reviewLanguages).map(([language, { config }]) => [language, config])),
    common: `dataset_path: Davlan/nollysenti
validation_split: validation
test_split: test
fewshot_split: validation
output_type: multiple_choice
doc_to_choice: ["positive", "negative"]
doc_to_target: label
should_decontaminate: true
doc_to_decontamination_query: review
metadata:
  version: 1.0
`,
    promptLines: (prompt) => promptLines(reviewTexts[prompt]),
    textOf: reviewTextIn,
  })
}
