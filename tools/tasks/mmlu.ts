/** MMLU's 57 subjects, each in two styles: letters (the options are shown) and continuation (each option's text is scored). */
import { joinTexts, listOf, quote, taskText, type TaskTexts } from './task-texts.ts'

interface Area {
  readonly name: string
  readonly title: string
  readonly subjects: readonly string[]
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** In the order in which the harness runs them. */
const areas: readonly Area[] = [
  {
    name: 'stem',
    title: 'stem',
    subjects: words(`
      abstract_algebra anatomy astronomy college_biology college_chemistry college_computer_science college_mathematics college_physics
      computer_security conceptual_physics electrical_engineering elementary_mathematics high_school_biology high_school_chemistry
      high_school_computer_science high_school_mathematics high_school_physics high_school_statistics machine_learning`),
  },
  {
    name: 'other',
    title: 'other',
    subjects: words(`
      business_ethics clinical_knowledge college_medicine global_facts human_aging management marketing medical_genetics miscellaneous
      nutrition professional_accounting professional_medicine virology`),
  },
  {
    name: 'social_sciences',
    title: 'social sciences',
    subjects: words(`
      econometrics high_school_geography high_school_government_and_politics high_school_macroeconomics high_school_microeconomics
      high_school_psychology human_sexuality professional_psychology public_relations security_studies sociology us_foreign_policy`),
  },
  {
    name: 'humanities',
    title: 'humanities',
    subjects: words(`
      formal_logic high_school_european_history high_school_us_history high_school_world_history international_law jurisprudence
      logical_fallacies moral_disputes moral_scenarios philosophy prehistory professional_law world_religions`),
  },
]

/** Examples are the first rows of `dev`, the same for every question. */
const rows = `dataset_path: cais/mmlu
test_split: test
fewshot_split: dev
fewshot_config: {sampler: first_n}
output_type: multiple_choice
`

const lettersTemplate = `# MMLU, letters: the four options are shown, and the letters A to D are scored.
${rows}doc_to_text: ${quote('{{question.strip()}}\nA. {{choices[0]}}\nB. {{choices[1]}}\nC. {{choices[2]}}\nD. {{choices[3]}}\nAnswer:')}
doc_to_choice: ["A", "B", "C", "D"]
doc_to_target: answer
metric_list:
  - {metric: acc, aggregation: mean, higher_is_better: true}
metadata:
  version: 1.0
`

const continuationTemplate = `# MMLU, continuation: the options are not shown, and the text of each one is scored as the answer.
${rows}doc_to_text: ${quote('Question: {{question.strip()}}\nAnswer:')}
doc_to_choice: "{{choices}}"
doc_to_target: "{{answer}}"
metadata:
  version: 1.0
`

/** Accuracy over all questions of the group, not over subjects. */
const weighted = '\n  - {metric: acc, weight_by_size: true}'
const groupVersion = '\n  version: 2'

export function mmluTexts(): TaskTexts {
  return joinTexts(letters(), continuation())
}

function letters(): TaskTexts {
  const subjects = areas.flatMap(({ name: area, subjects: members }) =>
    members.map((subject): [string, string] => [
      `mmlu/letters/mmlu_${subject}.yaml`,
      taskText(`MMLU, ${spaced(subject)}, letters.`, [
        ['include', '_letters'],
        ['task', `mmlu_${subject}`],
        ['task_alias', subject],
        ['tag', `mmlu_${area}_tasks`],
        ['dataset_name', subject],
        ['description', quote(`The following are multiple choice questions (with answers) about ${spaced(subject)}.\n\n`)],
      ]),
    ]),
  )
  const groups = areas.map(({ name, title, subjects: members }): [string, string] => [
    `mmlu/mmlu_${name}.yaml`,
    taskText(`MMLU, ${title}: ${members.length} subjects.`, [
      ['group', `mmlu_${name}`],
      ['group_alias', title],
      ['task', listOf([`mmlu_${name}_tasks`])],
      ['aggregate_metric_list', weighted],
      ['metadata', groupVersion],
    ]),
  ])
  const all = taskText('MMLU: all 57 subjects, letters.', [
    ['group', 'mmlu'],
    ['task', listOf(areas.map(({ name }) => `mmlu_${name}`))],
    ['aggregate_metric_list', weighted],
    ['metadata', groupVersion],
  ])
  return new Map([['mmlu/letters/_letters', lettersTemplate], ...subjects, ...groups, ['mmlu/mmlu.yaml', all]])
}

function continuation(): TaskTexts {
  const subjects = areas.flatMap(({ name: area, subjects: members }) =>
    members.map((subject): [string, string] => [
      `mmlu/continuation/mmlu_${subject}_continuation.yaml`,
      taskText(`MMLU, ${spaced(subject)}, continuation.`, [
        ['include', '_continuation'],
        ['task', `mmlu_${subject}_continuation`],
        ['tag', `mmlu_${area}_continuation`],
        ['dataset_name', subject],
        ['description', quote(`The following are questions (with answers) about ${spaced(subject)}.\n\n`)],
      ]),
    ]),
  )
  const inline = areas.map(
    ({ name, title }) => `group: ${title}
    task: [mmlu_${name}_continuation]
    aggregate_metric_list:
      - {metric: acc, weight_by_size: true}`,
  )
  const all = taskText('MMLU: all 57 subjects, continuation.', [
    ['group', 'mmlu_continuation'],
    ['group_alias', 'mmlu (continuation)'],
    ['task', listOf(inline)],
    ['aggregate_metric_list', weighted],
    ['metadata', groupVersion],
  ])
  return new Map([['mmlu/continuation/_continuation', continuationTemplate], ...subjects, ['mmlu/mmlu_continuation.yaml', all]])
}

function spaced(subject: string): string {
  return subject.replaceAll('_', ' ')
}
