/**
 * Translations of MMLU and its kin whose tasks each keep the rows of one subject, lm_eval 0.4.13: `utils.py` of `global_mmlu/full/*`,
 * `global_mmlu/default/*`, `openai-mmmlu/default`, `include/*` and `llama3/instruct/mmlu_*`.
 */
import type { FunctionFamily, ProcessDocs } from '../../../harness/function-table.ts'
import { columnOf } from '../columns.ts'
import { keepEach, keepIf } from '../keep-where.ts'
import { mmluSubjects } from '../../original-mmlu/mmlu-categories.ts'

const bySubject = <T>(name: (subject: string) => string, value: (subject: string) => T): { readonly [name: string]: T } =>
  Object.fromEntries(mmluSubjects.map((subject) => [name(subject), value(subject)]))

const globalFull: FunctionFamily = {
  folder: 'global_mmlu/full/*',
  processDocs: keepEach(
    'subject',
    bySubject(
      (subject) => `utils.process_${subject}`,
      (subject) => subject,
    ),
  ),
}

const globalDefault: FunctionFamily = {
  folder: 'global_mmlu/default/*',
  processDocs: keepEach('subject_category', {
    'utils.process_business': 'Business',
    'utils.process_humanities': 'Humanities',
    'utils.process_medical': 'Medical',
    'utils.process_other': 'Other',
    'utils.process_stem': 'STEM',
    'utils.process_social_sciences': 'Social Sciences',
  }),
}

const openaiMmmlu: FunctionFamily = {
  folder: 'openai-mmmlu/default',
  processDocs: bySubject((subject) => `utils.process_${subject}`, keepSubject),
}

/** Some configurations name a file in the column, `anatomy_test.csv_sw-KE.csv`: what follows the subject is cut off. */
function keepSubject(subject: string): ProcessDocs {
  return keepIf((doc) => {
    const found = columnOf(doc, 'Subject')
    if (typeof found !== 'string') return false
    const cut = ['_test.csv', '_test-'].map((marker) => found.indexOf(marker)).find((at) => at !== -1)
    return (cut === undefined ? found : found.slice(0, cut)) === subject
  })
}

const include: FunctionFamily = {
  folder: 'include/*/*',
  processDocs: keepEach('domain', {
    'utils.process_applied_science': 'Applied Science',
    'utils.process_arts_humanities': 'Arts & Humanities',
    'utils.process_business_commerce': 'Business & Commerce',
    'utils.process_driving_license': 'Driving License',
    'utils.process_general_knowledge': 'General knowledge',
    'utils.process_health_oriented_education': 'Health oriented education',
    'utils.process_marine_license': 'Marine License',
    'utils.process_medical_license': 'Medical License',
    'utils.process_professional_certification': 'Professional certification',
    'utils.process_stem': 'STEM',
    'utils.process_social_science': 'Social Science',
  }),
}

const llama3: readonly FunctionFamily[] = ['de', 'es', 'fr', 'hi', 'it', 'pt', 'th'].map((language) => ({
  folder: `llama3/instruct/mmlu_${language}`,
  processDocs: keepEach(
    'subtask_name',
    bySubject(
      (subject) => `utils.process_docs_${subject}`,
      (subject) => `mmlu_${language}_chat.${subject}`,
    ),
  ),
}))

export const mmluTranslations: readonly FunctionFamily[] = [globalFull, globalDefault, openaiMmmlu, include, ...llama3]
