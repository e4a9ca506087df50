/**
 * The written African tasks beside the harness's, with scores that know every script: its ROUGE and its normalisation of answers drop
 * whatever isn't a-z. Names end in `_unicode`, and each file says what it can't be compared with.
 */
import { afriqaNames, questionPrompt } from './afriqa.ts'
import { entityPrompt, masakhanerNames } from './masakhaner.ts'
import { listOf, quote, taskText, type TaskTexts } from './task-texts.ts'
import { summaryPrompt, xlsumNames } from './xlsum.ts'

interface Variant {
  /** The harness's name of the benchmark. */
  readonly name: string
  readonly title: string
  readonly languages: readonly string[]
  readonly textOf: (language: string) => string
  /** What all its tasks share, as YAML lines. */
  readonly common: string
  /** The metric that the group's mean is over. */
  readonly metric: string
  readonly notes: readonly string[]
}

const summaries: Variant = {
  name: 'xlsum',
  title: 'XL-Sum',
  languages: Object.keys(xlsumNames),
  textOf: (language) => summaryPrompt(1, xlsumNames[language] ?? language, '{{text}}', '\n'),
  common: `dataset_path: csebuetnlp/xlsum
output_type: generate_until
generation_kwargs: {until: ["</s>", "\\n\\n"], do_sample: false}
validation_split: validation
fewshot_split: validation
test_split: test
doc_to_target: "{{summary}}"
metric_list:
  - {metric: rouge1_unicode, higher_is_better: true}
  - {metric: rouge2_unicode, higher_is_better: true}
  - {metric: rougeL_unicode, higher_is_better: true}
`,
  metric: 'rougeL_unicode',
  notes: [
    "Not the harness's ROUGE: words are runs of letters, marks and digits of any script, where rouge_score keeps a-z and 0-9 and scores equal texts in Amharic as 0.",
    "Not the harness's prompt: the document stands where afrobench's template renders the word 'text'.",
  ],
}

const answers: Variant = {
  name: 'afriqa',
  title: 'AfriQA',
  languages: Object.keys(afriqaNames),
  textOf: (language) => questionPrompt(1, afriqaNames[language] ?? language),
  common: `dataset_path: masakhane/afriqa-gold-passages
output_type: generate_until
test_split: test
fewshot_split: test
fewshot_config: {sampler: first_n}
doc_to_target: answer_pivot
generation_kwargs: {until: ["\\n"], do_sample: false, temperature: 0.0}
filter_list:
  - name: remove_whitespace
    filter:
      - {function: remove_whitespace}
      - {function: take_first}
process_results: !function scores.answer
metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
  - {metric: f1, aggregation: mean, higher_is_better: true}
`,
  metric: 'f1',
  notes: ["Not the harness's F1: signs of every script are dropped and letters composed (NFC), no English articles are."],
}

const entities: Variant = {
  name: 'masakhaner',
  title: 'MasakhaNER',
  languages: Object.keys(masakhanerNames),
  textOf: (language) => entityPrompt(1, masakhanerNames[language] ?? language),
  common: `dataset_path: masakhane/masakhaner-x
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
      - {function: take_first}
process_results: !function scores.spans
metric_list:
  - {metric: span_f1, aggregation: !function scores.micro_f1, higher_is_better: true}
`,
  metric: 'span_f1',
  notes: ["Not the harness's span F1: signs of every script are dropped and letters composed (NFC), no English articles are."],
}

/** As the prompt of MasakhaPOS is asked in every language. */
const tagPrompt =
  'Please provide the POS tags for each word in the input sentence. The input will be a list of words in the sentence. The output format ' +
  'should be a list of tuples, where each tuple consists of a word from the input text and its corresponding POS tag label from the tag ' +
  "label set: ['ADJ', 'ADP', 'ADV', 'AUX', 'CCONJ, 'DET', 'INTJ', 'NOUN', 'NUM', 'PART', 'PRON', 'PROPN', 'PUNCT', 'SCONJ', 'SYM', 'VERB', 'X']. \n" +
  'Your response should include only a list of tuples, in the order that the words appear in the input sentence, including punctuations, ' +
  'with each tuple containing the corresponding POS tag label for a word. \n\nSentence: {{tokens}} \nOutput: '

const partsOfSpeech: Variant = {
  name: 'masakhapos',
  title: 'MasakhaPOS',
  languages: 'bam bbj ewe fon hau ibo kin lug luo mos nya pcm sna swa tsn twi wol xho yor zul'.split(' '),
  textOf: () => tagPrompt,
  common: `dataset_path: masakhane/masakhapos
output_type: generate_until
generation_kwargs: {do_sample: false, until: ["</s>", "<|im_end|>"]}
validation_split: validation
test_split: test
fewshot_split: train
doc_to_target: !function scores.tags
filter_list:
  - name: flexible-extract
    filter:
      - {function: regex_pos}
      - {function: take_first}
process_results: !function scores.tag_each
metric_list:
  - {metric: tag_f1, aggregation: !function scores.micro_f1, higher_is_better: true}
`,
  metric: 'tag_f1',
  notes: [
    "The harness's own masakhapos tasks fail when their accuracy is made; this F1 is over the tags at their places, surplus and missing ones counted.",
  ],
}

export function unicodeTexts(): TaskTexts {
  return new Map([summaries, answers, entities, partsOfSpeech].flatMap(variantTexts))
}

function variantTexts(variant: Variant): readonly (readonly [string, string])[] {
  const { name, title, languages, common, metric, notes } = variant
  const folder = `unicode/${name}`
  const head = `# ${title}, scored in any script; the harness's own prompt 1 otherwise.
yardstick: {recipe: unicode}
${common}metadata:
  version: 1.0
  comparability:
${notes.map((note) => `    - ${quote(note)}\n`).join('')}`
  const tasks = languages.map((language): [string, string] => [
    `${folder}/${name}_${language}_unicode.yaml`,
    taskText(`${title}, ${language}, scored in any script.`, [
      ['include', `_${name}`],
      ['task', `${name}_${language}_unicode`],
      ['dataset_name', language],
      ['doc_to_text', quote(variant.textOf(language))],
    ]),
  ])
  const group = taskText(`${title}: all languages, scored in any script.`, [
    ['group', `${name}_unicode`],
    ['task', listOf(languages.map((language) => `${name}_${language}_unicode`))],
    ['aggregate_metric_list', `\n  - {metric: ${metric}, aggregation: mean, weight_by_size: false}`],
    ['metadata', '\n  version: 1.0'],
  ])
  return [[`${folder}/_${name}`, head], [`${folder}/${name}_unicode.yaml`, group], ...tasks]
}
