/** Helpers of `arabicmmlu/utils.py`, `darijammlu/utils.py`, `egymmlu/utils.py` and `greekmmlu/utils.py`, lm_eval 0.4.13. */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { str, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, isTruthy, itemOf, listOf, lookUp, textOf, wordOf } from '../columns.ts'

const latin = ['A', 'B', 'C', 'D', 'E']
const greek = ['Α', 'Β', 'Γ', 'Δ']

const levels: { readonly [value: string]: string } = {
  Primary: 'primary school',
  Middle: 'middle school',
  High: 'high school',
  Univ: 'university',
  Prof: 'professional',
}

const greekSubjects: { readonly [value: string]: string } = {
  Economics: 'Οικονομικών',
  Education: 'Παιδαγωγικής',
  Medicine: 'Ιατρικής',
  'Electrical Engineering': 'Ηλεκτρολόγων Μηχανικών',
  'Greek Mythology': 'Ελληνικής Μυθολογίας',
  'Computer Networks & Security': 'Δικτύων Υπολογιστών και Ασφάλειας',
  Law: 'Νομικής',
  Physics: 'Φυσικής',
  'Government and Politics': 'Διακυβέρνησης και Πολιτικής',
  Art: 'Τέχνης',
  'Greek Literature': 'Νεοελληνικής Λογοτεχνίας',
  'World History': 'Παγκόσμιας Ιστορίας',
  'General Knowledge': 'Γενικών Γνώσεων',
  'World Religions': 'Παγκόσμιων Θρησκειών',
  Mathematics: 'Μαθηματικών',
  'Clinical Knowledge': 'Κλινικών Γνώσεων',
  'Driving Rules': 'Κανόνων Οδικής Κυκλοφορίας',
  Biology: 'Βιολογίας',
  'Civil Engineering': 'Πολιτικών Μηχανικών',
  'Computer Science': 'Επιστήμης Υπολογιστών',
  Geography: 'Γεωγραφίας',
  Chemistry: 'Χημείας',
  Prehistory: 'Προϊστορίας',
  Agriculture: 'Γεωργίας',
  'Modern Greek Language': 'Νεοελληνικής Γλώσσας',
  Accounting: 'Λογιστικής',
  'Greek History': 'Ελληνικής Ιστορίας',
  Management: 'Διοίκησης Επιχειρήσεων',
  'Greek Traditions': 'Ελληνικών Παραδόσεων',
  'Maritime Safety and Rescue Operations': 'Ναυαγοσωστικων Λειτουργιών και Ασφάλειας στη Θάλασσα',
}

const darija: FunctionFamily = {
  folder: 'darijammlu',
  docTo: {
    'utils.doc_to_text': (doc) =>
      `هادا سؤال متعدد الخيارات (مع الجواب ديالو) على ${wordOf(doc, 'subject_darija')}\n\n${questionOf(doc)}\n${lettered(listOf(doc, 'choices'), latin)}\nالجواب:`,
    'utils.doc_to_choice': (doc) => lettersOf(doc, latin),
  },
}

const egyptian: FunctionFamily = {
  folder: 'egymmlu',
  docTo: {
    'utils.doc_to_text': (doc) =>
      `ده سؤال متعدد الاختيار (مع إجابته) على ${wordOf(doc, 'egy_subject')}\n\n${questionOf(doc)}\n${lettered(listOf(doc, 'choices'), latin)}\n الجواب:`,
    'utils.doc_to_choice': (doc) => lettersOf(doc, latin),
  },
}

const greekMmlu: FunctionFamily = {
  folder: 'greekmmlu',
  docTo: {
    'utils.doc_to_text': (doc) => {
      const subject = textOf(doc, 'subject')
      const name = Object.hasOwn(greekSubjects, subject) ? (greekSubjects[subject] ?? subject) : subject
      return `Αυτό είναι μια ερώτηση ${name}. Επίλεξε τη σωστή απάντηση!\n\nΕρώτηση: ${wordOf(doc, 'question')}\n${lettered(listOf(doc, 'choices'), greek)}\n\n Απάντηση:`
    },
    'utils.doc_to_choice': (doc) => lettersOf(doc, greek),
  },
}

const columns = latin.map((_, i) => `Option ${i + 1}`)

const arabic: FunctionFamily = {
  folder: 'arabicmmlu',
  docTo: {
    'utils.doc_to_text': (doc) => {
      const level = isTruthy(columnOf(doc, 'Level')) ? ` for ${lookUp(doc, 'Level', levels)}` : ''
      const country = isTruthy(columnOf(doc, 'Country')) ? ` in ${textOf(doc, 'Country')}` : ''
      const question = wordOf(doc, 'Question')
      const asked = isTruthy(columnOf(doc, 'Context')) ? `${wordOf(doc, 'Context')}\n\n${question}` : question
      const given = columns.map((column) => columnOf(doc, column))
      const end = given.findIndex((option) => !isTruthy(option))
      const about = `${wordOf(doc, 'Subject')} question${level}${country}`
      return `This is a ${about}. Select the correct answer!\n\nQuestion: ${asked}\n${lettered(given.slice(0, end < 0 ? given.length : end), latin)}\n\nAnswer:`
    },
    'utils.doc_to_choice': (doc) => latin.filter((_, i) => isTruthy(columnOf(doc, `Option ${i + 1}`))),
  },
}

function questionOf(doc: PyDict): string {
  const question = wordOf(doc, 'question')
  return columnOf(doc, 'context') === '' ? question : `${wordOf(doc, 'context')}\n\n${question}`
}

function lettered(options: readonly PyValue[], letters: readonly string[]): string {
  return options.map((option, i) => `${itemOf(letters, i, 'the letters')}. ${str(option)}`).join('\n')
}

function lettersOf(doc: PyDict, letters: readonly string[]): readonly string[] {
  return listOf(doc, 'choices').map((_, i) => itemOf(letters, i, 'the letters'))
}

export const regionalMmlu: readonly FunctionFamily[] = [darija, egyptian, greekMmlu, arabic]
