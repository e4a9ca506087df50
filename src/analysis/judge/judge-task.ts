/** Judging as a task of the harness's kind: its rows are the candidate's answers, its model is the judge. So everything that a run has comes along. */
import type { TaskFile } from '../../contracts/run-settings.ts'
import { jinjaOf } from './template.ts'
import { verdictPattern, verdictTexts, type JudgeBy } from './verdict.ts'

/** Tokens that a written verdict may have; “[Yes]” takes three to five. */
const maxVerdictTokens = 16

/**
 * The task file of a judge, over rows with the columns `question`, `obj_gold` and `prediction`. Its score is the share of answers that the
 * judge calls right; with `isQuiz`, over rows that have `label` and `label_index` too, the share of verdicts that are the label. Throws
 * `judge/template`.
 */
export function judgeTask(name: string, template: string, by: JudgeBy, isQuiz: boolean): TaskFile {
  const lines = [
    `task: ${JSON.stringify(name)}`,
    'dataset_path: json',
    'dataset_kwargs:',
    '  data_files:',
    `    test: ${JSON.stringify(rowsPath(name))}`,
    'test_split: test',
    `doc_to_text: ${quoted(jinjaOf(template))}`,
    'target_delimiter: ""',
    ...(by === 'text' ? textLines(isQuiz) : choiceLines(isQuiz)),
    'metadata:',
    '  version: 1.0',
    '',
  ]
  return { path: `judge/${name}.yaml`, text: lines.join('\n') }
}

/** The name of the rows' file, as the task file has it. */
export function rowsPath(name: string): string {
  return `judge/${name}.jsonl`
}

/** The name of the task that judges the answers to another. */
export function judgeTaskName(task: string): string {
  return `judge_${task.replace(/[^\w-]/g, '_')}`
}

export const quizTaskName = 'judge_quiz'

function textLines(isQuiz: boolean): readonly string[] {
  return [
    'output_type: generate_until',
    `doc_to_target: ${isQuiz ? 'label' : JSON.stringify(verdictTexts[0])}`,
    'generation_kwargs:',
    '  until: ["\\n"]',
    `  max_gen_toks: ${maxVerdictTokens}`,
    '  do_sample: false',
    'filter_list:',
    '  - name: verdict',
    '    filter:',
    '      - function: regex',
    `        regex_pattern: '${verdictPattern}'`,
    '      - function: take_first',
    'metric_list:',
    '  - metric: exact_match',
    '    aggregation: mean',
    '    higher_is_better: true',
  ]
}

function choiceLines(isQuiz: boolean): readonly string[] {
  return [
    'output_type: multiple_choice',
    `doc_to_choice: ${JSON.stringify(verdictTexts)}`,
    `doc_to_target: ${isQuiz ? 'label_index' : '0'}`,
    'metric_list:',
    '  - metric: acc',
    '    aggregation: mean',
    '    higher_is_better: true',
  ]
}

/** JSON is YAML, but for the characters that YAML 1.1 takes for line ends or refuses. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
