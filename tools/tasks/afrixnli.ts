/** AfriXNLI, asked in the language itself. */
import { promptFamilyTexts, sameNames, weightedF1AndAcc, type PromptNumber } from './african.ts'
import { quote, type TaskTexts } from './task-texts.ts'

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
  wol: 'Wolof',
  xho: 'isiXhosa',
  yor: 'Yoruba',
  zul: 'Zulu',
}

/** For labels 0, 1, 2: entailment, neutral, contradiction. The port `src/ports/functions/choices/afri-xnli.ts` says which one is the target. */
const choices: { readonly [prompt in PromptNumber]: readonly string[] } = {
  1: ['entailment', 'neutral', 'contradiction'],
  2: ['True', 'Neither', 'False'],
  3: ['entailment', 'neutral', 'contradiction'],
  4: ['entailment', 'neutral', 'contradiction'],
  5: ['true', 'inconclusive', 'false'],
}

/** Prompts that don't name the language. */
const texts: { readonly [prompt in PromptNumber]?: string } = {
  1:
    'Please identify whether the premise entails or contradicts the hypothesis in the following premise and hypothesis. ' +
    'The answer should be exact entailment, contradiction, or neutral.\n\nPremise: {{premise}}\nHypothesis: {{hypothesis}}\n\n' +
    'Is it entailment, contradiction, or neutral?',
  2: '{{premise}}\nQuestion: {{hypothesis}} True, False, or Neither?\nAnswer:',
  5: "Based on the given statement, is the following claim 'true', 'false', or 'inconclusive'. \nStatement: {{premise}} \nClaim: {{hypothesis}}",
}

function textIn(prompt: PromptNumber, language: string): string | null {
  const name = names[language] ?? language
  if (prompt === 3)
    return (
      `Given the following premise and hypothesis in ${name}, identify if the premise entails, contradicts, or is neutral towards the ` +
      "hypothesis. Please respond with exact 'entailment', 'contradiction', or 'neutral'. \n\nPremise: {{premise}} \nHypothesis: {{hypothesis}}"
    )
  if (prompt === 4)
    return (
      `You are an expert in Natural Language Inference (NLI) specializing in the ${name} language.\n` +
      `Analyze the premise and hypothesis given in ${name}, and determine the relationship between them.\n` +
      " Respond with one of the following options: 'entailment', 'contradiction', or 'neutral'. \n\n" +
      'Premise: {{premise}} \nHypothesis: {{hypothesis}}'
    )
  return null
}

export function afrixnliTexts(): TaskTexts {
  return promptFamilyTexts({
    folder: 'afrixnli/direct',
    title: 'AfriXNLI',
    group: 'afrixnli-irokobench',
    groupVersion: '2',
    tagOf: (prompt) => `afrixnli_tasks_prompt_${prompt}`,
    tagOfAll: 'afrixnli_tasks',
    taskOf: (language, prompt) => `afrixnli_${language}_prompt_${prompt}`,
    languages: sameNames(Object.keys(names).join(' ')),
    common: `dataset_path: masakhane/afrixnli
validation_split: validation
test_split: test
fewshot_split: validation
output_type: multiple_choice
should_decontaminate: true
doc_to_decontamination_query: premise
metadata:
  version: 1.0
`,
    promptLines: (prompt) => {
      const text = texts[prompt]
      return `${text === undefined ? '' : `doc_to_text: ${quote(text)}\n`}doc_to_choice: [${choices[prompt].map(quote).join(', ')}]
doc_to_target: !function utils.doc_to_target
${weightedF1AndAcc({ ignoresSigns: false })}`
    },
    textOf: textIn,
  })
}
