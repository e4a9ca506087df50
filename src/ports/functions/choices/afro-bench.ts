/** Helpers of `afrobench/*` that only aggregate, and of `afrobench/mafand`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { DocTo, FunctionFamily } from '../../../harness/function-table.ts'
import { isInt, pyTuple, repr, str, type PyDict } from '../../../python/value.ts'
import { weightedF1Score } from '../answers/f1-scores.ts'
import { spanF1 } from '../answers/span-f1.ts'
import { tokenF1Mean } from '../answers/token-f1.ts'
import { columnOf, dictOf, listOf } from '../columns.ts'

const weighted: readonly FunctionFamily[] = ['sib', 'injongointent', 'masakhanews', 'afrisenti', 'uhura-arc-easy', 'nollysenti'].map(
  (task) => ({ folder: `afrobench/${task}/*`, aggregation: { 'utils.weighted_f1_score': weightedF1Score } }),
)

const afriQa: FunctionFamily = { folder: 'afrobench/afriqa/*', aggregation: { 'utils.f1': tokenF1Mean } }

const masakhaNer: FunctionFamily = { folder: 'afrobench/masakhaner/*', aggregation: { 'utils.span_f1_agg': spanF1 } }

const tags = 'NOUN PUNCT ADP NUM SYM SCONJ ADJ PART DET CCONJ PROPN PRON X _ ADV INTJ VERB AUX'.split(' ')

/** The names of a row's tags, which its column `upos` numbers. */
export function masakhaPosTags(doc: PyDict): string[] {
  return listOf(doc, 'upos').map((tag) => {
    const name = isInt(tag) ? tags[Number(tag)] : undefined
    if (name !== undefined) return name
    throw new EvalError('dataset/schema', `wanted tags from 0 to ${tags.length - 1} in the column 'upos', found ${repr(tag)}`)
  })
}

const masakhaPos: FunctionFamily = {
  folder: 'afrobench/masakhapos/*',
  docTo: {
    'utils.doc_to_target': masakhaPosTags,
  },
  refused: {
    'utils.acc_score': 'fails in lm_eval 0.4.13 itself: a task with a list of targets hands it numbers, and it wants pairs of lists',
  },
}

const languages: ReadonlyMap<string, string> = new Map([
  ['amh', 'Amharic'],
  ['bam', 'Bambara'],
  ['bbj', 'Gbomala'],
  ['ewe', 'Ewe'],
  ['fon', 'Fon'],
  ['hau', 'Hausa'],
  ['ibo', 'Igbo'],
  ['kin', 'Kinyarwanda'],
  ['lug', 'Luganda'],
  ['luo', 'Luo'],
  ['mos', 'Mossi'],
  ['nya', 'Chichewa'],
  ['pcm', 'Nigerian Pidgin'],
  ['sna', 'Shona'],
  ['swa', 'Swahili'],
  ['tsn', 'Setswana'],
  ['twi', 'Twi'],
  ['wol', 'Wolof'],
  ['xho', 'Xhosa'],
  ['yor', 'Yoruba'],
  ['zul', 'Zulu'],
])

interface Pair {
  /** The African side. */
  readonly african: string
  readonly africanName: string
  /** The English or French side. */
  readonly european: string
  readonly europeanName: string
}

const advanced = (from: string, to: string, sentence: string): string =>
  `You are an advanced Translator, a specialized assistant designed to translate documents from ${from} into ${to}. \n` +
  `Your main goal is to ensure translations are grammatically correct and human-oriented. \n${from}: ${sentence} \n${to}: `

const mafand: readonly FunctionFamily[] = ['african-english', 'english-african'].map((direction) => ({
  folder: `afrobench/mafand/*/${direction}`,
  docTo: {
    'utils.get_target': (doc) => europeanSide(doc).text,
    'utils.get_target_reverse': (doc) => africanSide(doc).text,
    'utils.create_text_prompt_1': withPair(({ african, africanName, europeanName }) => advanced(africanName, europeanName, african)),
    'utils.create_reverse_prompt_1': withPair(({ european, africanName, europeanName }) => advanced(europeanName, africanName, european)),
    // A comma behind the second prompts makes them tuples of one text.
    'utils.create_text_prompt_2': withPair(({ african, africanName, europeanName }) =>
      pyTuple([`${africanName} sentence: ${african} \n${europeanName} sentence: `]),
    ),
    'utils.create_reverse_prompt_2': withPair(({ european, africanName, europeanName }) =>
      pyTuple([`${europeanName} sentence: ${european} \n${africanName} sentence: \n`]),
    ),
    'utils.create_text_prompt_3': withPair(
      ({ african, africanName, europeanName }) =>
        `You are a translation expert. Translate the following ${africanName} sentences to ${europeanName}. \n` +
        `${africanName} sentence: ${african}\n${europeanName} sentence: `,
    ),
    'utils.create_reverse_prompt_3': withPair(
      ({ european, africanName, europeanName }) =>
        `You are a translation expert. Translate the following ${europeanName} sentence into ${africanName}\n` +
        `${europeanName} sentence: ${european}\n${africanName} sentence: `,
    ),
  },
}))

function withPair(word: (pair: Pair) => ReturnType<DocTo>): DocTo {
  return (doc) => {
    const african = africanSide(doc)
    const european = europeanSide(doc)
    const africanName = languages.get(african.key)
    if (africanName === undefined)
      throw new EvalError('dataset/schema', `wanted one of ${[...languages.keys()].join(', ')} as a language, found '${african.key}'`)
    return word({
      african: str(african.text),
      africanName,
      european: str(european.text),
      europeanName: european.key === 'en' ? 'English' : 'French',
    })
  }
}

function europeanSide(doc: PyDict) {
  const translation = dictOf(doc, 'translation')
  const key = translation.has('en') ? 'en' : 'fr'
  return { key, text: columnOf(translation, key) }
}

function africanSide(doc: PyDict) {
  const translation = dictOf(doc, 'translation')
  const key = [...translation.keys()].find((language) => language !== 'en' && language !== 'fr')
  if (key === undefined)
    throw new EvalError('dataset/schema', `wanted a language besides en and fr in 'translation', found ${repr(translation).slice(0, 80)}`)
  return { key, text: columnOf(translation, key) }
}

export const afroBench: readonly FunctionFamily[] = [...weighted, afriQa, masakhaNer, masakhaPos, ...mafand]
