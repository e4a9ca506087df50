/** BIG-Bench Hard's 27 subsets in the harness's four forms: with and without worked examples, with and without a chain of thought. */
import { listOf, quote, taskText, type TaskTexts } from './task-texts.ts'
import { firstOf, readWorkedExamples, type BbhSubset } from './worked-examples.ts'

const forms = ['cot_fewshot', 'fewshot', 'cot_zeroshot', 'zeroshot'] as const
type Form = (typeof forms)[number]

const rows = `dataset_path: SaylorTwift/bbh
output_type: generate_until
test_split: test
doc_to_target: "{{target}}"
`

const exact = `metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true}
`

/** A capital Q anywhere ends an answer: the harness's stop, kept because scores depend on it. */
const stopsAtQ = `until: ["</s>", "Q", "\\n\\n"], do_sample: false, temperature: 0.0}`

const forgiving = (ignored: string): string => `metric_list:
  - {metric: exact_match, aggregation: mean, higher_is_better: true, ignore_case: true, regexes_to_ignore: [${ignored}]}
generation_kwargs: {until: ["</s>", "Q:", "<|im_end|>"], do_sample: false, temperature: 0.0}
num_fewshot: 0
metadata:
  version: 3.0
`

const templates: { readonly [form in Form]: string } = {
  cot_fewshot: `# BIG-Bench Hard, three worked chains of thought.
${rows}doc_to_text: ${quote("Q: {{input}}\nA: Let's think step by step.\n")}
target_delimiter: ""
${exact}generation_kwargs: {max_gen_toks: 1024, ${stopsAtQ}
filter_list:
  - name: get-answer
    filter:
      - {function: regex, regex_pattern: "(?<=the answer is )(.*)(?=.)"}
      - {function: take_first}
num_fewshot: 3
metadata:
  version: 4.0
`,
  fewshot: `# BIG-Bench Hard, three worked examples, answers alone.
${rows}doc_to_text: ${quote('Q: {{input}}\nA:')}
${exact}generation_kwargs: {${stopsAtQ}
num_fewshot: 3
metadata:
  version: 2.0
`,
  cot_zeroshot: `# BIG-Bench Hard, a chain of thought without examples.
${rows}doc_to_text: ${quote("Q: {{input}}\nA: Let's think step by step.")}
${forgiving(String.raw`"\\.$", ",", "\\\\", "\n", '"'`)}`,
  zeroshot: `# BIG-Bench Hard, no examples, answers alone.
${rows}doc_to_text: ${quote('Q: {{input}}\nA:')}
${forgiving(String.raw`"\\.$", ",", "\n", "\\\\", '"'`)}`,
}

/** What the flexible filters look for, by subset; in the others an option's letter in brackets. */
const extractions: { readonly [subset: string]: (pick: string) => string } = {
  boolean_expressions: word(String.raw`\b(True|False)\b`),
  causal_judgement: word(String.raw`\b(Yes|No|yes|no)\b`),
  dyck_languages: word(String.raw`(?<= )([" \[\(<{}>\)\]]+)|([" \[\(<{}>\)\]]+)`),
  formal_fallacies: word(String.raw`\b(valid|invalid)\b`),
  multistep_arithmetic_two: number,
  navigate: word(String.raw`\b(Yes|No|yes|no)\b`),
  object_counting: number,
  sports_understanding: noOrYes('no|not plausible', 'yes|plausible'),
  web_of_lies: noOrYes('no|does not tell the truth|is not telling the truth', 'yes|tells the truth|is telling the truth'),
  word_sorting: () => 'function: !function utils.WordSortFilter',
}

function word(regex: string) {
  return (pick: string): string => `function: regex, ${pick}, regex_pattern: ${quote(regex)}`
}

function number(pick: string): string {
  return `function: !function utils.NumberParseRegexFilter, ${pick}, regex_pattern: "([-0-9]+)"`
}

function noOrYes(no: string, yes: string) {
  const key = (words: string): string => quote(String.raw`\b(${words})\b`)
  return (pick: string): string =>
    `function: !function utils.MapRegexFilter, ${pick}, ignore_case: true, regex_pattern_to_value: {${key(no)}: "no", ${key(yes)}: "yes"}`
}

function bracketedLetter(pick: string): string {
  const kind = 'ignore_case: true, ignore_punctuation: true'
  return `function: !function utils.MultiChoiceRegexFilter, ${pick}, ${kind}, regex_pattern: ${quote(String.raw`(\([A-Z]\))`)}`
}

/** After "the answer is" and its like; the last character is dropped, a full stop as a rule. */
const strict = ['The answer is ', 'the answer is ', 'The answer: ', 'The final answer: '].map((lead) => `(?<=${lead})(.*)(?=.)`).join('|')

/** The filters of the forms without examples; a chain of thought is read from its end, an answer from its beginning. */
function filtersOf(subset: string, form: Form): string | null {
  const extract = extractions[subset] ?? bracketedLetter
  if (form === 'cot_zeroshot')
    return filters([
      ['flexible-extract', extract('group_select: -1')],
      ['strict-match', `function: regex, regex_pattern: ${quote(`(${strict})`)}`],
    ])
  if (form === 'zeroshot')
    return filters([
      ['strict-match', null],
      ['flexible-extract', extract('group_select: 0')],
    ])
  return null
}

function filters(pipelines: readonly (readonly [name: string, first: string | null])[]): string {
  return pipelines
    .map(
      ([name, first]) => `\n  - name: ${name}\n    filter:${first === null ? '' : `\n      - {${first}}`}\n      - {function: take_first}`,
    )
    .join('')
}

/** Which filter a group's mean is over; null = all. */
const groupFilter: { readonly [form in Form]: string | null } = {
  cot_fewshot: 'get-answer',
  fewshot: null,
  cot_zeroshot: 'flexible-extract',
  zeroshot: 'flexible-extract',
}

export function bbhTexts(): TaskTexts {
  const subsets = Object.entries(readWorkedExamples().bbh)
  return new Map([...forms.flatMap((form) => formTexts(form, subsets)), groupText('bbh', 'cot_fewshot', subsets)])
}

function formTexts(form: Form, subsets: readonly (readonly [string, BbhSubset])[]): readonly (readonly [string, string])[] {
  const tasks = subsets.map(([subset, texts]): [string, string] => {
    const filter = filtersOf(subset, form)
    return [
      `bbh/${form}/bbh_${form}_${subset}.yaml`,
      taskText(`BIG-Bench Hard, ${subset.replaceAll('_', ' ')}.`, [
        ['include', '_bbh'],
        ['task', `bbh_${form}_${subset}`],
        ['dataset_name', subset],
        ['description', quote(texts.description)],
        ...(filter === null ? [] : ([['filter_list', filter]] as const)),
        ...(form === 'cot_fewshot' || form === 'fewshot' ? ([['fewshot_config', firstOf(texts[form])]] as const) : []),
      ]),
    ]
  })
  return [[`bbh/${form}/_bbh`, templates[form]], groupText(`bbh_${form}`, form, subsets), ...tasks]
}

function groupText(group: string, form: Form, subsets: readonly (readonly [string, BbhSubset])[]): [string, string] {
  const only = groupFilter[form] === null ? '' : `, filter_list: ${groupFilter[form]}`
  return [
    `bbh/${group}.yaml`,
    taskText(`BIG-Bench Hard: all ${subsets.length} subsets.`, [
      ['group', group],
      ['task', listOf(subsets.map(([subset]) => `bbh_${form}_${subset}`))],
      ['aggregate_metric_list', `\n  - {metric: exact_match, aggregation: mean, weight_by_size: true${only}}`],
      ['metadata', '\n  version: 3.0'],
    ]),
  ]
}
