/** Helpers of `noreval/{norec,nrk_quiz_qa,nortruthfulqa,noridiom}` (each `utils.py`), lm_eval 0.4.13. */
import { maxOf } from '../../../base/arrays.ts'
import { EvalError } from '../../../base/errors.ts'
import type { DocTo, FunctionFamily } from '../../../harness/function-table.ts'
import { lower, split, strip } from '../../../python/string.ts'
import { isInt, pyFloat, str, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { macroF1Score } from '../answers/f1-scores.ts'
import { bareTokenF1 } from '../answers/token-f1.ts'
import { dictOf, itemOf, listOf, textsOf, wordOf } from '../columns.ts'
import { keepEach } from '../keep-where.ts'
import { textResult } from '../logprobs.ts'

/** The words in which Bokmål and Nynorsk differ. */
interface Words {
  readonly form: 'nb' | 'nn'
  readonly quiz: { readonly which: string; readonly rightAnswer: string; readonly choose: string }
  readonly truth: { readonly options: string; readonly which: string; readonly given: string; readonly choose: string }
}

const bokmaal: Words = {
  form: 'nb',
  quiz: { which: 'Hva er riktig svar?', rightAnswer: 'riktige', choose: 'Velg riktig svar blant disse alternativene:' },
  truth: {
    options: 'Svaralternativer',
    which: 'Hvilke av følgende alternativer er riktig svar på spørsmålet?',
    given: 'Gitt følgende spørsmål, hvilket av de mulige svarene under er riktig?',
    choose: 'Velg et av følgende mulige svar:',
  },
}

const nynorsk: Words = {
  form: 'nn',
  quiz: { which: 'Kva er rett svar?', rightAnswer: 'rette', choose: 'Vel rett svar blant desse alternativa:' },
  truth: {
    options: 'Svaralternativ',
    which: 'Kva av følgande alternativ er rett svar på spørsmålet?',
    given: 'Gitt følgande spørsmål, kva av dei moglege svara under er rett?',
    choose: 'Vel eit av følgande moglege svar:',
  },
}

const question = (doc: PyDict): string => wordOf(doc, 'question')
const bare: DocTo = (doc) => `Spørsmål: ${question(doc)}\n\nSvar:`

const dashed = (doc: PyDict, column: string, field: string): string =>
  listOf(dictOf(doc, column), field)
    .map((choice) => `\n- ${str(choice)}`)
    .join('')

const labelled = (doc: PyDict): string => {
  const choices = dictOf(doc, 'choices')
  const texts = listOf(choices, 'text')
  return listOf(choices, 'label')
    .slice(0, texts.length)
    .map((label, i) => `\n${str(label)}: ${str(texts[i] ?? null)}`)
    .join('')
}

/** `A, B, eller C`; of two, without the comma. */
const enumerated = (doc: PyDict): string => {
  const labels = textsOf(dictOf(doc, 'choices'), 'label')
  const all = `${labels.slice(0, -1).join(', ')}, eller ${itemOf(labels, -1, 'choices')}`
  return labels.length === 2 ? all.replaceAll(', eller', ' eller') : all
}

function quizPrompts({ form, quiz }: Words): { readonly [name: string]: DocTo } {
  const choices = (doc: PyDict) => dashed(doc, 'choices', 'text')
  return {
    [`utils.p0_${form}`]: bare,
    [`utils.p1_${form}`]: (doc) => `${question(doc)}\n\nSvaralternativer:${choices(doc)}\n\n${quiz.which}\n\nSvar:`,
    [`utils.p2_${form}`]: (doc) => `${question(doc)}${labelled(doc)}\n\nEr det ${quiz.rightAnswer} svaret ${enumerated(doc)}?\n\nSvar:`,
    [`utils.p3_${form}`]: (doc) => `Spørsmål: ${question(doc)}${labelled(doc)}\n\nSvar:`,
    [`utils.p4_${form}`]: (doc) => `${question(doc)}\n${quiz.choose}${choices(doc)}\n\nSvar:`,
  }
}

function truthPrompts({ form, truth }: Words): { readonly [name: string]: DocTo } {
  const choices = (doc: PyDict) => dashed(doc, 'mc1_targets', 'choices')
  return {
    [`utils.p0_${form}`]: bare,
    [`utils.p1_${form}`]: (doc) => `Spørsmål: ${question(doc)}\n\n${truth.options}:${choices(doc)}\n\nSvar:`,
    [`utils.p2_${form}`]: (doc) => `Spørsmål: ${question(doc)}\n\n${truth.which}${choices(doc)}`,
    [`utils.p3_${form}`]: (doc) => `${truth.given}\nSpørsmål: ${question(doc)}\n${choices(doc)}`,
    [`utils.p4_${form}`]: (doc) => `${question(doc)}\n${truth.choose}${choices(doc)}\n\nSvar:`,
  }
}

const idioms = 'lm_eval.tasks.noreval.noridiom.utils'
const normalize = (text: string): string => strip(lower(text.replace(/[!-/:-@[-`{-~]/g, '')))

/** Whether the completion is one of the accepted ones, and its best token F1: an int when every F1 is. */
function scoreIdiom(doc: PyDict, results: readonly PyValue[]): PyDict {
  const prediction = normalize(textResult(results))
  const accepted = textsOf(doc, 'accepted_completions').map(normalize)
  if (accepted.length === 0) throw new EvalError('metric/failed', 'The doc has no accepted completions.')
  const scores = accepted.map((gold) => bareTokenF1(split(gold), split(prediction)))
  const best = maxOf(scores.map((score) => toNumber(score) ?? 0))
  return new Map<string, PyValue>([
    ['em', accepted.includes(prediction) ? 1 : 0],
    ['fscore', scores.every(isInt) ? best : pyFloat(best)],
  ])
}

function idiomsIn(folder: string): FunctionFamily {
  return {
    folder,
    processDocs: keepEach('language', { [`${idioms}.filter_dataset_nb`]: 'nob', [`${idioms}.filter_dataset_nn`]: 'nno' }),
    processResults: { [`${idioms}.process_results`]: scoreIdiom },
  }
}

export const norwegian: readonly FunctionFamily[] = [
  { folder: 'noreval/norec', aggregation: { 'utils.multi_f1': macroF1Score } },
  ...['noreval/noridiom', 'noreval/noridiom/nob', 'noreval/noridiom/nno'].map(idiomsIn),
  ...[bokmaal, nynorsk].flatMap((words): FunctionFamily[] => {
    const folder = words.form === 'nb' ? 'nob' : 'nno'
    return [
      { folder: `noreval/nrk_quiz_qa/${folder}`, docTo: quizPrompts(words) },
      { folder: `noreval/nortruthfulqa/multiple_choice/${folder}`, docTo: truthPrompts(words) },
    ]
  }),
]
