/** XL-Sum in twelve languages: summaries of news, held against the reference by ROUGE-L. */
import { promptFamilyTexts, sameNames, type PromptNumber } from './african.ts'
import { quote, type TaskTexts } from './task-texts.ts'

/** As the prompts call them. */
export const xlsumNames: { readonly [language: string]: string } = {
  amharic: 'Amharic',
  arabic: 'Arabic',
  hausa: 'Hausa',
  igbo: 'Igbo',
  kirundi: 'Kirundi',
  oromo: 'Oromo',
  pidgin: 'Nigerian pidgin',
  somali: 'Somali',
  swahili: 'Swahili',
  telugu: 'Telugu',
  tigrinya: 'Tigrinya',
  yoruba: 'Yoruba',
}

/** `document` is what stands for the document; upstream's template renders the word "text" there, and has a backslash and an n for a new line. */
export function summaryPrompt(prompt: PromptNumber, name: string, document: string, newLine: string): string {
  if (prompt === 1)
    return (
      `Provide a summary of the document written in ${name}. Ensure that you provide the summary in ${name} and nothing else.\n` +
      `Document in ${name}: ${document}${newLine}Summary: `
    )
  if (prompt === 2)
    return `Summarize the document below in triple backticks and return only the summary and nothing else.\n\`\`\`${document}\`\`\`${newLine}`
  return (
    `You are an advanced Summarizer, a specialized assistant designed to summarize documents in ${name}. ` +
    'Your main goal is to ensure summaries are concise and informative. Ensure you return the summary only and nothing else.\n' +
    `Document: ${document}${newLine}Summary: `
  )
}

const asUpstream = (prompt: PromptNumber, name: string): string => summaryPrompt(prompt, name, "{{'text'}}", String.raw`\n`)

const common = `dataset_path: csebuetnlp/xlsum
output_type: generate_until
generation_kwargs: {until: ["</s>"]}
validation_split: validation
fewshot_split: validation
test_split: test
should_decontaminate: false
doc_to_target: "{{summary}}"
metadata:
  version: 1.0
`

export function xlsumTexts(): TaskTexts {
  return promptFamilyTexts({
    folder: 'afrobench/xlsum',
    title: 'XL-Sum',
    // The harness's own spelling.
    group: 'xlum',
    prompts: [1, 2, 3],
    tagOf: (prompt) => `xlsum_prompt_${prompt}`,
    tagOfAll: 'xlsum_tasks',
    taskOf: (language, prompt) => `xlsum_${language}_prompt_${prompt}`,
    groupVersion: '2',
    languages: sameNames(Object.keys(xlsumNames).join(' ')),
    common,
    promptLines: (prompt) =>
      'metric_list:\n  - {metric: !function utils.rougeL, higher_is_better: true, aggregation: !function utils.rougeL_agg}\n' +
      (prompt === 2 ? `doc_to_text: ${quote(asUpstream(2, ''))}\n` : ''),
    textOf: (prompt, language) => (prompt === 2 ? null : asUpstream(prompt, xlsumNames[language] ?? language)),
  })
}
