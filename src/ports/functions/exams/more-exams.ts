/** Helpers of `csatqa/utils.py`, `arab_culture/utils_mcq.py` and `arab_culture_completion/utils_completion.py`, lm_eval 0.4.13. */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { strip } from '../../../python/string.ts'
import type { PyDict } from '../../../python/value.ts'
import { columnOf, dictOf, itemOf, listOf, placeOf, textOf, textsOf, wholeTextOf, wordOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'

const csatQa: FunctionFamily = {
  folder: 'csatqa',
  processDocs: {
    'utils.process_docs': mapDocs((doc) => {
      const options = [1, 2, 3, 4, 5].map((place) => `(${place}) ${wordOf(doc, `option#${place}`)}\n`).join('')
      const question =
        `다음을 읽고 정답으로 알맞은 것을 고르시요.\n### Context: ${wordOf(doc, 'context')}\n### Question: ${wordOf(doc, 'question')}\n` +
        `### Options:\n${options}### Answer: 주어진 문제의 정답은`
      return [
        ['question', question],
        ['choices', ['(1)', '(2)', '(3)', '(4)', '(5)']],
        ['gold', wholeTextOf(doc, 'gold') - 1],
      ]
    }),
  },
}

const introduction = (doc: PyDict): string =>
  '\nYou are tasked with selecting the most culturally appropriate option based on the context provided below.\n\n' +
  `Statement: ${strip(textOf(doc, 'first_statement'))}\n\n` +
  'Consider the cultural nuances and choose the most suitable response from the options provided.'

// COUNTRY, REGION and ARABIC are environment variables upstream, off unless set to "True"; here they are always off.
const arabCulture: FunctionFamily = {
  folder: 'arab_culture',
  docTo: {
    'utils_mcq.doc_to_text': (doc) => {
      const options = dictOf(doc, 'options')
      const lines = [0, 1, 2].map(
        (place) =>
          `${itemOf(textsOf(options, 'english_keys'), place, 'options')}. ${strip(itemOf(textsOf(options, 'text'), place, 'options'))}\n`,
      )
      return `${introduction(doc)}\n\nOptions:\n${lines.join('')}\n`
    },
    'utils_mcq.doc_to_choice': (doc) => listOf(dictOf(doc, 'options'), 'english_keys'),
    'utils_mcq.doc_to_target': (doc) => strip(textOf(dictOf(doc, 'answer_key'), 'english_answer_key')),
  },
}

const arabCultureCompletion: FunctionFamily = {
  folder: 'arab_culture_completion',
  docTo: {
    'utils_completion.doc_to_text': (doc) => `${introduction(doc)}\n`,
    'utils_completion.doc_to_choice': (doc) => columnOf(dictOf(doc, 'options'), 'text'),
    'utils_completion.doc_to_target': (doc) => {
      const options = dictOf(doc, 'options')
      const place = placeOf(dictOf(doc, 'answer_key'), 'english_answer_key', textsOf(options, 'english_keys'))
      return strip(itemOf(textsOf(options, 'text'), place, 'options'))
    },
  },
}

export const moreExams: readonly FunctionFamily[] = [csatQa, arabCulture, arabCultureCompletion]
