/**
 * Small helpers that word a question with its choices, lm_eval 0.4.13: `logiqa/utils_logiqa.py`, `logiqa2/utils_logiqa2.py`,
 * `medmcqa/utils_medmcqa.py`, `medqa/preprocess_medqa.py`, `pubmedqa/preprocess_pubmedqa.py`, `eus_reading/utils.py`,
 * `eus_trivia/utils.py`, `indicparam/utils.py`, `glianorex/preprocess_glianorex.py`, `click/click_{cul,lang}/utils.py`,
 * `leaderboard/musr/utils.py`, `mathqa/utils.py`, `glue/mnli/utils.py`, `kobest/utils.py`.
 */
import { EvalError } from '../../../base/errors.ts'
import type { DocTo, FunctionFamily } from '../../../harness/function-table.ts'
import { literalEval } from '../../../python/literal.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { codePoints, lower, rstrip, strip, upper } from '../../../python/string.ts'
import { isList, pyEquals, str, type PyDict, type PyValue } from '../../../python/value.ts'
import { macroF1Score } from '../answers/f1-scores.ts'
import { columnOf, dictOf, isTruthy, itemOf, listOf, lookUp, placeOf, textOf, textsOf, wholeTextOf, wordOf } from '../columns.ts'
import { keepEach, keepIf, mapDocs } from '../keep-where.ts'

const four = ['A', 'B', 'C', 'D']

/** As many lines as there are both letters and options. */
const lines = (options: readonly PyValue[], separator = '. '): string =>
  four
    .slice(0, options.length)
    .map((letter, i) => `${letter}${separator}${str(options[i] ?? null)}\n`)
    .join('')

const logiQa: FunctionFamily = {
  folder: 'logiqa',
  docTo: {
    'utils_logiqa.doc_to_text': (doc) =>
      `Passage: ${textOf(doc, 'context')}\nQuestion: ${textOf(doc, 'question')}\nChoices:\n${lines(listOf(doc, 'options'))}Answer:`,
    'utils_logiqa.doc_to_target': (doc) => placeOf(new Map([['label', strip(textOf(doc, 'label'))]]), 'label', ['a', 'b', 'c', 'd']),
  },
}

const logiQa2: FunctionFamily = {
  folder: 'logiqa2',
  docTo: {
    'utils_logiqa2.doc_to_text': (doc) =>
      `Passage: ${textOf(doc, 'text')}\nQuestion: ${textOf(doc, 'question')}\n${lines(listOf(doc, 'options'))}Answer:`,
  },
}

const medMcqa: FunctionFamily = {
  folder: 'medmcqa',
  docTo: {
    'utils_medmcqa.doc_to_text': (doc) =>
      `Question: ${textOf(doc, 'question')}\nChoices:\n${lines(['opa', 'opb', 'opc', 'opd'].map((name) => columnOf(doc, name)))}Answer:`,
  },
}

const medQa: FunctionFamily = {
  folder: 'medqa',
  docTo: {
    'preprocess_medqa.doc_to_text': (doc) =>
      `Question: ${wordOf(doc, 'sent1')}\n${lines([0, 1, 2, 3].map((place) => columnOf(doc, `ending${place}`)))}Answer:`,
    'preprocess_medqa.doc_to_target': (doc) => columnOf(doc, 'label'),
  },
}

const pubMedQa: FunctionFamily = {
  folder: 'pubmedqa',
  docTo: {
    'preprocess_pubmedqa.doc_to_text': (doc) =>
      `Abstract: ${textsOf(doc, 'CONTEXTS').join('\n')}\nQuestion: ${wordOf(doc, 'QUESTION')}\nAnswer:`,
  },
}

const candidatesOf = (doc: PyDict): readonly PyValue[] => {
  const candidates = listOf(doc, 'candidates')
  if (candidates.length >= 2) return candidates
  throw new EvalError('dataset/schema', `wanted at least two items in the column 'candidates', found ${candidates.length}`)
}
const candidateLetters: DocTo = (doc) => four.slice(0, candidatesOf(doc).length)

const eusReading: FunctionFamily = {
  folder: 'eus_reading',
  docTo: {
    'utils.doc_to_text_context': (doc) =>
      `Pasartea: ${wordOf(doc, 'context')}\n\nGaldera: ${wordOf(doc, 'question')}\n${lines(candidatesOf(doc), ': ')}Erantzuna:`,
    'utils.doc_to_choice': candidateLetters,
  },
}

const eusTrivia: FunctionFamily = {
  folder: 'eus_trivia',
  docTo: {
    'utils.doc_to_text': (doc) => `Galdera: ${wordOf(doc, 'question')}\n${lines(candidatesOf(doc), ': ')}Erantzuna:`,
    'utils.doc_to_choice': candidateLetters,
  },
}

const indicParam: FunctionFamily = {
  folder: 'indicparam',
  processDocs: keepEach(
    'subject',
    Object.fromEntries(
      Object.entries({
        bodo: 'Bodo',
        dogri: 'Dogri',
        gujarati: 'Gujarati_surya',
        konkani: 'Konkani',
        maithili: 'Maithili',
        marathi: 'Marathi',
        nepali: 'Nepali',
        oriya: 'Oriya',
        rajasthani: 'Rajasthani',
        sanskrit: 'Sanskrit',
        sanskrit_mix: 'Sanskrit Mix',
        santali: 'Santali',
      }).map(([name, subject]) => [`utils.process_docs_${name}`, subject]),
    ),
  ),
  docTo: {
    'utils.doc_to_text': (doc) =>
      `Question: ${wordOf(doc, 'question_text')}\n${lines(['a', 'b', 'c', 'd'].map((letter) => columnOf(doc, `option_${letter}`)))}Answer:`,
    'utils.doc_to_choice': () => four,
    'utils.doc_to_target': (doc) => placeOf(new Map([['correct_answer', upper(textOf(doc, 'correct_answer'))]]), 'correct_answer', four),
  },
}

const inLanguage = (prefix: string) => keepIf((doc) => textOf(doc, 'language').startsWith(prefix))

const glianorex: FunctionFamily = {
  folder: 'glianorex',
  processDocs: { 'preprocess_glianorex.filter_english': inLanguage('en'), 'preprocess_glianorex.filter_french': inLanguage('fr') },
  docTo: {
    'preprocess_glianorex.doc_to_text': (doc) => {
      const options = [...dictOf(doc, 'options')].map(([letter, option]) => `${letter}. ${str(option)}\n`)
      return `Question: ${wordOf(doc, 'question')}\n${options.join('')}Answer:`
    },
    'preprocess_glianorex.doc_to_target': (doc) => columnOf(doc, 'answer_idx'),
  },
}

const clickDocTo = {
  'utils.get_context': (doc: PyDict) => {
    const options = listOf(doc, 'choices')
    const shown = four.map((letter, i) => `${letter}:${i > 0 ? ' ' : ''}${str(itemOf(options, i, 'choices'))}`).join(', ')
    const asked = `질문: ${wordOf(doc, 'question')}\n보기:\n${shown}\n정답:`
    const context = columnOf(doc, 'paragraph')
    return isTruthy(context)
      ? `주어진 맥락을 천천히 읽고, 질문에 대한 적절한 정답을 A, B, C, D 중에 골라 알파벳 하나로 답하시오.\n\n맥락: ${str(context)}\n${asked}`
      : `주어진 질문을 천천히 읽고, 적절한 정답을 A, B, C, D 중에 골라 알파벳 하나로 답하시오.\n\n${asked}`
  },
  'utils.get_choices': (doc: PyDict) => clickLetters(doc),
  'utils.get_target': (doc: PyDict) => itemOf(clickLetters(doc), placeOf(doc, 'answer', textsOf(doc, 'choices')), 'the letters'),
}

const clickLetters = (doc: PyDict): readonly string[] => (textOf(doc, 'id').includes('CSAT') ? [...four, 'E'] : four)

const inId = (...words: readonly string[]) => keepIf((doc) => words.some((word) => lower(textOf(doc, 'id')).includes(word)))

const clickCulture: FunctionFamily = {
  folder: 'click/click_cul',
  processDocs: {
    'utils.extract_economy': inId('economy'),
    'utils.extract_geography': inId('geography'),
    'utils.extract_history': keepIf((doc) => textOf(doc, 'id').includes('KHB') || lower(textOf(doc, 'id')).includes('history')),
    'utils.extract_law': keepIf((doc) => lower(textOf(doc, 'id')).includes('law') || textOf(doc, 'id').includes('PSAT')),
    'utils.extract_politics': inId('politics'),
    'utils.extract_kpop': inId('popular'),
    'utils.extract_society': inId('society'),
    'utils.extract_tradition': inId('tradition'),
  },
  docTo: clickDocTo,
}

const musrChoices = (doc: PyDict): readonly PyValue[] => {
  const choices = literalEval(textOf(doc, 'choices'))
  if (isList(choices)) return choices
  throw new EvalError('dataset/schema', `wanted a list in the column 'choices', found ${str(choices)}`)
}

const musr: FunctionFamily = {
  folder: 'leaderboard/musr',
  docTo: {
    'utils.doc_to_choice': musrChoices,
    'utils.doc_to_text': (doc) => {
      const choices = musrChoices(doc).map((choice, i) => `${i + 1} - ${str(choice)}\n`)
      return `${wordOf(doc, 'narrative')}\n\n${wordOf(doc, 'question')}\n\n${choices.join('')}\nAnswer:`
    },
  },
}

const mathQaChoice = compileWhenUsed(String.raw`[abcd] \) .*?, |e \) .*?$`)

const mathQa: FunctionFamily = {
  folder: 'mathqa',
  docTo: {
    'utils.doc_to_choice': (doc) =>
      mathQaChoice.finditer(textOf(doc, 'options')).map(({ groups }) =>
        rstrip(
          codePoints(groups[0] ?? '')
            .slice(4)
            .join(''),
          ' ,',
        ),
      ),
  },
}

const mnli: FunctionFamily = {
  folder: 'glue/mnli',
  docTo: {
    'utils.doc_to_text': (doc) => {
      const hypothesis = strip(textOf(doc, 'hypothesis'))
      const end = hypothesis.endsWith('.') ? '' : '.'
      return `${wordOf(doc, 'premise')}\nQuestion: ${hypothesis}${end} True, False or Neither?\nAnswer:`
    },
  },
}

const kobest: FunctionFamily = {
  folder: 'kobest',
  processDocs: {
    'utils.hellaswag_process_doc': mapDocs((doc) => [
      ['query', `문장: ${wordOf(doc, 'context')}`],
      ['choices', [1, 2, 3, 4].map((place) => columnOf(doc, `ending_${place}`))],
      ['gold', wholeTextOf(doc, 'label')],
    ]),
  },
  docTo: {
    'utils.copa_doc_to_text': (doc) => {
      const question = new Map([['question', strip(textOf(doc, 'question'))]])
      return `${wordOf(doc, 'premise')} ${lookUp(question, 'question', { 원인: ' 왜냐하면', 결과: ' 그래서' })}`
    },
    'utils.copa_doc_to_target': (doc) => wordOf(doc, pyEquals(columnOf(doc, 'label'), 0) ? 'alternative_1' : 'alternative_2'),
    'utils.copa_doc_to_choice': (doc) => [wordOf(doc, 'alternative_1'), wordOf(doc, 'alternative_2')],
    'utils.sentineg_doc_to_text': (doc) => `문장: ${wordOf(doc, 'sentence')} 긍부정:`,
    'utils.wic_doc_to_text': (doc) =>
      `문장1: ${wordOf(doc, 'context_1')} 문장2: ${wordOf(doc, 'context_2')} 두 문장에서 ${wordOf(doc, 'word')}가 같은 뜻으로 쓰였나?`,
  },
  aggregation: { 'utils.macro_f1_score': macroF1Score },
}

export const choicePrompts: readonly FunctionFamily[] = [
  logiQa,
  logiQa2,
  medMcqa,
  medQa,
  pubMedQa,
  eusReading,
  eusTrivia,
  indicParam,
  glianorex,
  clickCulture,
  musr,
  mathQa,
  mnli,
  kobest,
]
