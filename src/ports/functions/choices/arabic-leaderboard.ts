/** Helpers of `arabic_leaderboard_complete` and `arabic_leaderboard_light` (each folder's `utils.py`), lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { literalEval } from '../../../python/literal.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { isDict, isList, repr, str, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, isTruthy, lookUp, numberOf, placeOf, textOf, wholeTextOf, wordOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'

type Fields = readonly (readonly [string, PyValue])[]
const latin = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
const fourLetters = ['A', 'B', 'C', 'D']
const arabic = ['أ', 'ب', 'ج', 'د']

const fields = (query: string, choices: readonly PyValue[], gold: PyValue): Fields => [
  ['query', query],
  ['choices', choices],
  ['gold', gold],
]

const aboutSubject = (doc: PyDict): string =>
  `الأسئلة التالية هي أسئلة متعددة الإختيارات مع الجواب الصحيح حول ${textOf(doc, 'subject').replaceAll('_', ' ')}. \n\n`

function mmlu(doc: PyDict): Fields {
  const lines = fourLetters.map((letter, i) => `${arabic[i] ?? ''}. ${wordOf(doc, letter)}\n`).join('')
  return fields(`${aboutSubject(doc)}${wordOf(doc, 'question')}\n${lines}الإجابة:`, arabic, placeOf(doc, 'answer', latin))
}

function exams(doc: PyDict): Fields {
  const lines = fourLetters.map((letter, i) => ` ${arabic[i] ?? ''}) ${wordOf(doc, letter)}\n`).join('\n')
  return fields(`${aboutSubject(doc)}السؤال: ${wordOf(doc, 'question')}\n${lines}\nالإجابة:`, arabic, placeOf(doc, 'answer', latin))
}

/** Every column but these is a choice. */
function numbered(doc: PyDict): Fields {
  const names = [...doc.keys()].filter((name) => !['query', 'label', '__few_shots'].includes(name))
  const choices = names.map((name) => columnOf(doc, name))
  const lines = choices.map((choice, i) => `${i}) ${str(choice)}\n`).join('')
  const lead = 'الأسئلة التالية هي أسئلة متعددة الإختيارات مع الجواب الصحيح\n\n'
  return fields(`${lead}السؤال: ${wordOf(doc, 'query')}\n${lines}الإجابة:`, choices, wholeTextOf(doc, 'label'))
}

function trueOrFalse(doc: PyDict): Fields {
  const choices = ['صح', 'خطأ']
  return fields(`السؤال: ${wordOf(doc, 'question')}\nالإجابة:`, choices, placeOf(doc, 'answer', choices))
}

const gap = ' '.repeat(8)

function boolq(doc: PyDict): Fields {
  const query =
    `بناء على المقطع التالي، أجب عن السؤال ب نعم أو لا\n${gap}المقطع :\n${gap}${wordOf(doc, 'passage')}\n` +
    `${gap}السؤال:\n${gap}${wordOf(doc, 'question')}\n${gap}الإجابة:\n${gap}`
  return fields(query, ['نعم', 'لا'], isTruthy(columnOf(doc, 'answer')) ? 0 : 1)
}

function copa(doc: PyDict): Fields {
  const choices = [columnOf(doc, 'choice1'), columnOf(doc, 'choice2')]
  const [first = null, second = null] = choices
  const link = lookUp(doc, 'question', { cause: 'لأن', effect: 'لذلك' })
  const query = `${wordOf(doc, 'premise')}، ${link} :\n0) ${str(first)}\n1) ${str(second)}\nالإجابة:`
  return fields(query, choices, columnOf(doc, 'label'))
}

const bracketed = compileWhenUsed(String.raw`\[.*?]`)

function hellaswag(doc: PyDict): Fields {
  const endings = literalEval(textOf(doc, 'endings'))
  const texts = isList(endings) ? endings : isDict(endings) ? [...endings.keys()] : []
  const cleaned = texts.map((ending) => {
    if (typeof ending === 'string') return bracketed.sub('', ending)
    throw new EvalError('dataset/schema', `wanted texts in the column 'endings', found ${repr(endings).slice(0, 80)}`)
  })
  const lines = cleaned.map((ending, i) => `${i}) ${ending}\n`).join('')
  const query =
    `بناء على السياق التالي، اختر النهاية الصحيحة من الاقتراحات التالية\n${gap}السياق:\n${gap}${bracketed.sub('', textOf(doc, 'ctx'))}\n` +
    `${gap}الاقتراحات:\n\n${gap}${lines}الإجابة:`
  return fields(query, cleaned, columnOf(doc, 'label'))
}

function toxigen(doc: PyDict): Fields {
  const isToxic = numberOf(doc, 'toxicity_ai') + numberOf(doc, 'toxicity_human') > 5.5
  const query =
    `هل العبارة التالية تحض على الكراهية؟ قم بالرد بـ"نعم" أو "لا".\n${gap}العبارة:\n${gap}'${wordOf(doc, 'text')}'\n` +
    `${gap}الإجابة:\n${gap}`
  return fields(query, ['لا', 'نعم'], isToxic ? 1 : 0)
}

const changes: readonly (readonly [name: string, change: (doc: PyDict) => Fields])[] = [
  ['alghafa', numbered],
  ['arabic_exams', exams],
  ['arabic_mmlu', mmlu],
  ...['arc_challenge', 'arc_easy', 'mmlu', 'openbook_qa', 'piqa', 'race'].map((name): readonly [string, (doc: PyDict) => Fields] => [
    `arabic_mt_${name}`,
    numbered,
  ]),
  ['arabic_mt_boolq', boolq],
  ['arabic_mt_copa', copa],
  ['arabic_mt_hellaswag', hellaswag],
  ['arabic_mt_toxigen', toxigen],
  ['avca', trueOrFalse],
]

/** `arabic_mt_sciq` is left out: it shuffles by a global generator that other code draws from too. */
export const arabicLeaderboard: readonly FunctionFamily[] = changes.flatMap(([name, change]) =>
  ['complete', 'light'].map((form) => ({
    folder: `arabic_leaderboard_${form}/arabic_leaderboard_${name}${form === 'light' ? '_light' : ''}`,
    processDocs: { 'utils.process_docs': mapDocs(change) },
  })),
)
