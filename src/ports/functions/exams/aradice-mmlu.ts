/** Helpers of `aradice/ArabicMMLU/{EGY,LEV}/utils.py`, lm_eval 0.4.13. */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { dictGet, str, type PyDict, type PyValue } from '../../../python/value.ts'
import { microF1Score } from '../answers/f1-scores.ts'
import { columnOf, dictOf, isTruthy, lookUp, placeOf, textOf, wordOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'

interface Dialect {
  readonly levels: { readonly [value: string]: string }
  readonly countries: { readonly [value: string]: string }
  readonly subjects: { readonly [value: string]: string }
  readonly ask: (about: string, question: string, options: string) => string
}

const letters = ['A', 'B', 'C', 'D', 'E']
const arabicLetters = ['أ', 'ب', 'ج', 'د', 'و']

const levels: { readonly [value: string]: string } = {
  Primary: 'للمرحلة الابتدائية',
  Middle: 'للمرحلة المتوسطة',
  High: 'للمرحلة الثانوية',
  Univ: 'للمرحلة الجامعية ',
  Prof: 'للمحترفين',
}

const egyptianCountries: { readonly [value: string]: string } = {
  UAE: 'في الإمارات',
  Egypt: 'في مصر',
  Lebanon: 'في لبنان',
  Jordan: 'في الأردن',
  Kuwait: 'في الكويت',
  KSA: 'في السعودية',
  Palestine: 'في فلسطين',
  Morocco: 'في المغرب',
}

const egyptianSubjects: { readonly [value: string]: string } = {
  'Islamic Studies': 'في الدراسات إسلامية',
  'Driving Test': 'في اختبار القيادة',
  'Natural Science': 'في العلوم الطبيعية',
  History: 'في مادة التاريخ',
  'General Knowledge': 'في المعرفة العامة',
  Law: 'في القانون',
  Physics: 'في الفيزياء',
  'Social Science': 'في العلوم الاجتماعية',
  Management: 'في الإدارة',
  'Arabic Language': 'في اللغة العربية',
  'Political Science': ' في العلوم السياسية',
  Philosophy: 'في الفلسفة',
  Accounting: 'في المحاسبة',
  'Computer Science': 'في علوم الحاسوب',
  Geography: 'في الجغرافيا',
  Math: 'في الرياضيات',
  Biology: 'في علم الأحياء',
  Economics: 'في الاقتصاد',
  'Arabic Language (General)': 'في اللغة العربية (عام)',
  'Arabic Language (Grammar)': 'في اللغة العربية (النحو)',
  Civics: 'في التربية المدنية',
}

const levantineCountries: { readonly [value: string]: string } = {
  UAE: 'بالإمارات',
  Egypt: 'بمصر',
  Lebanon: 'بلبنان',
  Jordan: 'بالأردن',
  Kuwait: 'بالكويت',
  KSA: 'بالسعودية',
  Palestine: 'بفلسطين',
  Morocco: 'بالمغرب',
}

const levantineSubjects: { readonly [value: string]: string } = {
  'Islamic Studies': 'عن الدراسات إسلامية',
  'Driving Test': 'عن فحص السواقة',
  'Natural Science': 'عن العلوم الطبيعية',
  History: 'تاريخ',
  'General Knowledge': 'معرفة عامة',
  Law: 'عن القانون',
  Physics: 'فيزياء',
  'Social Science': 'علوم اجتماعية',
  Management: 'عن الإدارة',
  'Arabic Language': 'عن اللغة العربية',
  'Political Science': ' عن العلوم السياسية',
  Philosophy: 'فلسفة',
  Accounting: 'محاسبة',
  'Computer Science': 'عن علوم الحاسوب',
  Geography: 'جغرافيا',
  Math: 'رياضيات',
  Biology: 'بيولوجي',
  Economics: 'اقتصاد',
  'Arabic Language (General)': 'لغة العربية (عام)',
  'Arabic Language (Grammar)': 'لغة العربية (نحو)',
  Civics: 'تربية مدنية',
}

const egyptian: Dialect = {
  levels,
  countries: egyptianCountries,
  subjects: egyptianSubjects,
  ask: (about, question, options) => `ده سؤال ${about}. اختار الإجابة الصحيحة!\n\nسؤال: ${question}\n${options}\n\nإجابة:`,
}

const levantine: Dialect = {
  levels,
  countries: levantineCountries,
  subjects: levantineSubjects,
  ask: (about, question, options) => `هيدا سؤال ${about}. نقي الجواب الصح!\n\nسؤال: ${question}\n${options}\n\nالجواب:`,
}

export const aradiceMmlu: readonly FunctionFamily[] = [familyOf('EGY', egyptian), familyOf('LEV', levantine)]

function familyOf(folder: string, dialect: Dialect): FunctionFamily {
  return {
    folder: `aradice/ArabicMMLU/${folder}`,
    processDocs: { 'utils.process_docs': mapDocs((doc) => addPrompt(doc, dialect)) },
    aggregation: { 'metrics.micro_f1_score': microF1Score },
  }
}

function addPrompt(doc: PyDict, { levels: levelWords, countries, subjects, ask }: Dialect): readonly (readonly [string, PyValue])[] {
  const level = isTruthy(columnOf(doc, 'Level')) ? ` ${lookUp(doc, 'Level', levelWords)}` : ''
  const country = isTruthy(columnOf(doc, 'Country')) ? ` ${lookUp(doc, 'Country', countries)}` : ''
  const question = textOf(doc, 'question')
  const asked = isTruthy(columnOf(doc, 'context')) ? `${wordOf(doc, 'context')}\n\n${question}` : question
  const given = letters.map((letter) => dictGet(dictOf(doc, 'options'), letter) ?? null)
  const end = given.indexOf(null)
  const options = given.slice(0, end < 0 ? given.length : end).map((option, i) => `${arabicLetters[i] ?? ''}- ${str(option)}`)
  return [
    ['prompt', ask(lookUp(doc, 'Subject', subjects) + level + country, asked, options.join('\n'))],
    ['choices', arabicLetters.slice(0, options.length)],
    ['target', placeOf(doc, 'Answer Key', letters)],
  ]
}
