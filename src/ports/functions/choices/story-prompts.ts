/**
 * Small helpers that reword rows, lm_eval 0.4.13: `arithmetic/utils.py`, `moral_stories/utils.py`, `histoires_morales/utils.py`,
 * `darijahellaswag/utils.py`, `egyhellaswag/utils.py`, `race/preprocess_race.py`, `toxigen/utils.py`.
 */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { literalEval } from '../../../python/literal.ts'
import { capitalize, strip } from '../../../python/string.ts'
import { isDict, isList, repr, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, itemOf, lookUp, numberOf, textOf, textsOf, wholeTextOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'

const arithmetic: FunctionFamily = {
  folder: 'arithmetic',
  processDocs: {
    'utils.process_docs': mapDocs((doc) => [
      ['context', strip(textOf(doc, 'context')).replaceAll('\n\n', '\n').replaceAll('Q:', 'Question:').replaceAll('A:', 'Answer:')],
      ['completion', columnOf(doc, 'completion')],
    ]),
  },
}

const moralStories: readonly FunctionFamily[] = ['moral_stories', 'histoires_morales'].map((folder) => ({
  folder,
  processDocs: {
    'utils.process_docs': mapDocs((doc) => [
      ['query', ['norm', 'situation', 'intention'].map((column) => capitalize(textOf(doc, column))).join(' ')],
      ['choices', [columnOf(doc, 'moral_action'), columnOf(doc, 'immoral_action')]],
      ['label', 0],
    ]),
  },
}))

const arabicHellaswag: readonly FunctionFamily[] = ['darijahellaswag', 'egyhellaswag'].map((folder) => ({
  folder,
  processDocs: {
    'utils.process_docs': mapDocs((doc) => [
      ['query', `${textOf(doc, 'activity_label')}: ${textOf(doc, 'ctx')}`],
      ['choices', columnOf(doc, 'endings')],
      ['gold', wholeTextOf(doc, 'label')],
    ]),
  },
}))

const letters = { A: 0, B: 1, C: 2, D: 3 }

/** The column holds a list of dicts as Python writes it. */
function problemsOf(doc: PyDict): readonly PyDict[] {
  const problems = literalEval(textOf(doc, 'problems'))
  if (isList(problems) && problems.every(isDict) && problems.length > 0) return problems
  throw new EvalError('dataset/schema', `wanted a list of problems in the column 'problems', found ${repr(problems).slice(0, 80)}`, {
    details: { column: 'problems' },
  })
}

const lastProblem = (doc: PyDict): PyDict => itemOf(problemsOf(doc), -1, 'problems')

function tellProblem(problem: PyDict): string {
  const question = textOf(problem, 'question')
  const answer = itemOf(textsOf(problem, 'options'), lookUp(problem, 'answer', letters), 'options')
  // A gap at the end is filled in; its dots and blanks are five characters.
  return question.endsWith('  _  .') ? `${question.slice(0, -5)}${answer}\n` : `Question: ${question}\nAnswer: ${answer}\n`
}

const race: FunctionFamily = {
  folder: 'race',
  docTo: {
    'preprocess_race.doc_to_text': (doc) =>
      `Article: ${textOf(doc, 'article')}\n\n${problemsOf(doc).slice(0, -1).map(tellProblem).join('')}${textOf(lastProblem(doc), 'question')}`,
    'preprocess_race.doc_to_target': (doc) => lookUp(lastProblem(doc), 'answer', letters),
    'preprocess_race.doc_to_choice': (doc) => {
      const options = textsOf(lastProblem(doc), 'options')
      return [0, 1, 2, 3].map((place): PyValue => itemOf(options, place, 'options'))
    },
  },
}

const toxigen: FunctionFamily = {
  folder: 'toxigen',
  docTo: { 'utils.doc_to_target': (doc) => (numberOf(doc, 'toxicity_ai') + numberOf(doc, 'toxicity_human') > 5.5 ? 1 : 0) },
}

export const storyPrompts: readonly FunctionFamily[] = [arithmetic, ...moralStories, ...arabicHellaswag, race, toxigen]
