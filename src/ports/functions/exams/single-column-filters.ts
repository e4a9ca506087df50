/**
 * Families whose tasks each keep the rows of one group. lm_eval 0.4.13: `crows_pairs/utils.py`, `winogender/utils.py`,
 * `uncheatable_eval/uncheatable_eval_utils.py`, `noreval/noridiom/utils.py`, `noreval/noropenbookqa/utils.py`, `bigbench/utils.py`,
 * `eus_exams/utils.py`.
 */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { pyEquals, pyFloat, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, listOf, textOf } from '../columns.ts'
import { keepEach, keepIf } from '../keep-where.ts'
import { logprobsOf } from '../logprobs.ts'

const biases: { readonly [name: string]: string } = {
  'utils.filter_race_color': 'race-color',
  'utils.filter_socio': 'socioeconomic',
  'utils.filter_gender': 'gender',
  'utils.filter_age': 'age',
  'utils.filter_religion': 'religion',
  'utils.filter_disability': 'disability',
  'utils.filter_orientation': 'sexual-orientation',
  'utils.filter_nationality': 'nationality',
  'utils.filter_appearance': 'physical-appearance',
  'utils.filter_autre': 'autre',
}

const crowsPairs: FunctionFamily = {
  folder: 'crows_pairs',
  processDocs: Object.fromEntries(
    Object.entries(biases).map(([name, bias]) => [name, keepIf((doc) => textOf(doc, 'bias_type').startsWith(bias))]),
  ),
  docTo: { 'utils.doc_to_choice': (doc) => [columnOf(doc, 'sent_more'), columnOf(doc, 'sent_less')] },
  processResults: {
    'utils.process_results': (_doc, results) => {
      const [more = NaN, less = NaN] = logprobsOf(results)
      return new Map<string, PyValue>([
        ['likelihood_diff', pyFloat(Math.abs(more - less))],
        ['pct_stereotype', pyFloat(more > less ? 1 : 0)],
      ])
    },
  },
}

const winogender: FunctionFamily = {
  folder: 'winogender',
  processDocs: keepEach('gender', { 'utils.filter_male': 'male', 'utils.filter_female': 'female', 'utils.filter_neutral': 'neutral' }),
}

const categories = [
  'ao3_english',
  'ao3_nonenglish',
  'arxiv_cs',
  'arxiv_math',
  'arxiv_other',
  'arxiv_physics',
  'bbc_news',
  'biorxiv_all',
  'github_cpp',
  'github_javascript',
  'github_markdown',
  'github_other',
  'github_python',
  'wikipedia_english',
  'wikipedia_nonenglish',
]

const uncheatableEval: FunctionFamily = {
  folder: 'uncheatable_eval',
  processDocs: keepEach(
    'category',
    Object.fromEntries(categories.map((category) => [`uncheatable_eval_utils.filter_${category}`, category])),
  ),
}

const norOpenBookQa: FunctionFamily = {
  folder: 'noreval/noropenbookqa',
  processDocs: { 'utils.filter_dataset': keepIf((doc) => textOf(doc, 'fact').length > 0) },
}

const bigBench: FunctionFamily = {
  folder: 'bigbench',
  processDocs: { 'utils.filter_multiple_choice': keepIf((doc) => listOf(doc, 'multiple_choice_targets').length > 0) },
}

const eusExams: FunctionFamily = { folder: 'eus_exams', processDocs: { 'utils.process_docs': keepIf(hasAnswer) } }

function hasAnswer(doc: PyDict): boolean {
  const answer = toNumber(columnOf(doc, 'answer'))
  return answer !== null && [0, 1, 2, 3].includes(answer) && !pyEquals(columnOf(doc, 'candidates'), ['', '', '', ''])
}

export const singleColumnFilters: readonly FunctionFamily[] = [crowsPairs, winogender, uncheatableEval, norOpenBookQa, bigBench, eusExams]
