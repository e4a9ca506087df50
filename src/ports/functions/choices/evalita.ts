/** Answers of Evalita-LLM and their scores: `evalita_llm/utils.py` and `evalita_llm/metrics.py`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { codeLabels } from '../../../harness/metrics/label-pairs.ts'
import { sum } from '../../../harness/metrics/means.ts'
import { isAlpha, strip, upper } from '../../../python/string.ts'
import { isDict, isList, pyEquals, pyFloat, pyTuple, repr, str, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { labelScores, macroF1Score } from '../answers/f1-scores.ts'
import { columnOf, itemOf, listOf, textOf, wordOf } from '../columns.ts'
import { textResult } from '../logprobs.ts'

const noEntities = '&&NOENT&&'
const noRelations = '&&NOREL&&'
const noSynonyms = '&&NOSYN&&'

const recordsOf = (doc: PyDict, column: string): readonly PyDict[] =>
  listOf(doc, column).map((item) => {
    if (isDict(item)) return item
    throw new EvalError('dataset/schema', `wanted records in the column '${column}', found ${repr(item).slice(0, 80)}`)
  })

/** The polarity of a text by its two flags: positive, negative, neutral, mixed; None for other flags. */
function polarity(doc: PyDict): PyValue {
  const place = ['10', '01', '00', '11'].indexOf(`${str(columnOf(doc, 'opos'))}${str(columnOf(doc, 'oneg'))}`)
  return place < 0 || typeof columnOf(doc, 'opos') !== 'string' || typeof columnOf(doc, 'oneg') !== 'string' ? null : place
}

/** The mean F1 of "positive or not" and "negative or not", over `(gold, prediction)` polarities. */
function polarityF1(items: readonly PyValue[]): PyValue {
  const flags = (bit: number): PyValue[] =>
    items.map((item) => {
      const sides = isList(item) ? item.map(toNumber) : []
      if (sides.length !== 2 || !sides.every((side) => side === 0 || side === 1 || side === 2 || side === 3))
        throw new EvalError('metric/failed', `The aggregation wants pairs of polarities, found ${repr(item).slice(0, 80)}.`)
      // Positive and mixed have the first flag, negative and mixed the second.
      return pyTuple(sides.map((side) => (side === bit || side === 3 ? 1 : 0)))
    })
  const halves = [0, 1].map((bit) => {
    const [first = 0, second = 0] = labelScores(codeLabels(requireItems(flags(bit))))
    return (first + second) / 2
  })
  return pyFloat(((halves[0] ?? 0) + (halves[1] ?? 0)) / 2)
}

function requireItems(items: readonly PyValue[]): readonly PyValue[] {
  if (items.length === 0) throw new EvalError('metric/failed', 'There are no values to aggregate.')
  return items
}

/** The synonyms and how many annotators gave each, through upstream's text form. */
function synonyms(doc: PyDict): readonly (readonly [word: string, count: number])[] {
  const answers = recordsOf(doc, 'answers')
  const joined = answers.map((answer) => `${textOf(answer, 'word')}$$${wordOf(answer, 'count')}`).join('::')
  return joined.split('::').flatMap((part): (readonly [string, number])[] => {
    const [word = '', count, ...more] = part.split('$$')
    if (count === undefined) return []
    if (more.length > 0) throw new EvalError('dataset/schema', `wanted a synonym without '$$', found ${part}`)
    return [[word, /^\s*[+-]?\d+\s*$/.test(count) ? Number(count) : 0]]
  })
}

function readList(text: string): readonly string[] {
  const first = text.split('\n')[0] ?? ''
  const parts = first.split(',').filter((part) => part !== '')
  // A quoted part has no comma within by now, so that its quotes just go.
  return parts
    .flatMap((part) => (part.startsWith('"') && part.endsWith('"') && part.length < 3 ? [] : [part]))
    .map((part) => strip(part.startsWith('"') && part.endsWith('"') ? part.slice(1, -1) : part).replaceAll('"', ''))
}

/** `(share of the annotators' synonyms that were said, whether any was said, whether there are any)`. */
function scoreSynonyms(doc: PyDict, results: readonly PyValue[]): PyDict {
  const golds = listOf(doc, 'answers').length === 0 ? [] : synonyms(doc)
  const said = readList(textResult(results)).slice(0, 10)
  const last = said.at(-1)
  const words = last === undefined ? [] : [...said.slice(0, -1), Array.from(last).filter(isAlpha).join('')]
  const hits = words.reduce((total, word) => total + (golds.find(([gold]) => gold === word)?.[1] ?? 0), 0)
  const all = golds.reduce((total, [, count]) => total + count, 0)
  return new Map([['f1', pyTuple([all === 0 ? hits : pyFloat(hits / all), words.length === 0 ? 0 : 1, golds.length === 0 ? 0 : 1])]])
}

function synonymF1(items: readonly PyValue[]): PyValue {
  const at = (place: number): number =>
    items.reduce<number>((total, item) => total + (isList(item) ? (toNumber(item[place] ?? null) ?? NaN) : NaN), 0)
  const [hits, answered, annotated] = [at(0), at(1), at(2)]
  const [precision, recall] = [hits / (answered === 0 ? 1 : answered), hits / (annotated === 0 ? 1 : annotated)]
  return precision + recall === 0 ? 0 : pyFloat((2 * precision * recall) / (precision + recall))
}

const entityKinds = ['PER', 'LOC', 'ORG']

interface Entity {
  readonly text: string
  readonly kind: string
}

function readEntities(text: string): readonly Entity[] {
  if (text.includes(noEntities)) return []
  if (text === '') return [{ text: 'W', kind: 'R' }]
  return text.split(',').flatMap((part) => {
    const [entity = '', kind = ''] = strip(part).split('$')
    return entity === '' ? [] : [{ text: entity, kind: upper(kind) }]
  })
}

/** `(labels said, gold labels)`: an entity that was missed is labelled 3, and each one too many adds a pair `(2, 3)`. */
function scoreEntities(doc: PyDict, results: readonly PyValue[]): PyDict {
  const golds = recordsOf(doc, 'entities').map((entity) => {
    const kind = textOf(entity, 'type')
    const label = kind === 'O' ? 3 : entityKinds.indexOf(kind)
    if (label < 0) throw new EvalError('dataset/schema', `wanted one of ${entityKinds.join(', ')} as an entity's type, found '${kind}'`)
    return { text: textOf(entity, 'entity_text'), kind, label }
  })
  const said = readEntities(textResult(results))
  const pair = (labels: readonly number[], gold: readonly number[]): PyDict => new Map([['f1', pyTuple([labels, gold])]])
  if (said.length === 0 && golds.length === 0) return pair([3], [3])
  const surplus = Math.max(0, said.length - golds.length)
  const labels = golds.map(({ text, kind, label }) => {
    const isFound = said.some((entity) => entity.text === text && entity.kind === kind)
    return isFound ? label : surplus > 0 ? 0 : 3
  })
  const extra = (value: number): number[] => new Array<number>(surplus).fill(value)
  return pair([...labels, ...extra(2)], [...golds.map(({ label }) => label), ...extra(3)])
}

/** All docs' labels as `(gold, said)` pairs. */
function flatPairs(items: readonly PyValue[]): readonly PyValue[] {
  return requireItems(items).flatMap((item) => {
    const [said, gold] = isList(item) ? item : []
    if (said === undefined || gold === undefined || !isList(said) || !isList(gold) || said.length !== gold.length)
      throw new EvalError('metric/failed', `The aggregation wants pairs of equally long lists, found ${repr(item).slice(0, 80)}.`)
    return gold.map((label, i) => pyTuple([label, said[i] ?? null]))
  })
}

/** The mean F1 of all labels but the last, which stands for "none". */
function entityF1(items: readonly PyValue[]): PyValue {
  const scores = labelScores(codeLabels(requireItems(flatPairs(items))))
  return pyFloat(scores.length > 1 ? sum(scores.slice(0, -1)) / (scores.length - 1) : (scores[0] ?? NaN))
}

type Relation = readonly [first: string, second: string]

const relationsOf = (doc: PyDict): readonly Relation[] =>
  listOf(doc, 'relations').map((relation) => {
    const [first, second] = isList(relation) ? relation : []
    if (typeof first === 'string' && typeof second === 'string') return [first, second]
    throw new EvalError('dataset/schema', `wanted pairs of texts in the column 'relations', found ${repr(relation).slice(0, 80)}`)
  })

function readRelations(text: string): Relation[] {
  if (text === '') return [['W', 'R']]
  return text.split('%').map((part) => {
    const [first = '', second = ''] = part.split('$')
    return [strip(first), strip(second)]
  })
}

/** `(found or not, expected or not)` of each gold relation, and of the ones too many. */
function scoreRelations(doc: PyDict, results: readonly PyValue[]): PyDict {
  const golds = relationsOf(doc)
  const response = textResult(results)
  const expected = golds.length === 0 ? [0] : golds.map(() => 1)
  const pair = (labels: readonly number[], gold: readonly number[]): PyDict => new Map([['f1', pyTuple([labels, gold])]])
  if (response.includes(noRelations))
    return pair(
      expected.map(() => 0),
      expected,
    )
  if (golds.length === 0) return pair([1], [0])
  const said: (Relation | null)[] = readRelations(response)
  const found = golds.map(([first, second]) => {
    let isFound = 0
    said.forEach((relation, i) => {
      if (relation === null || relation[0] !== first || relation[1] !== second) return
      isFound = 1
      said[i] = null
    })
    return isFound
  })
  const surplus = said.slice(0, Math.max(0, said.length - golds.length)).filter((relation) => relation !== null)
  return pair([...found, ...surplus.map(() => 1)], [...expected, ...surplus.map(() => 0)])
}

export const evalita: FunctionFamily = {
  folder: 'evalita_llm',
  docTo: {
    'utils.sa_doc_to_target': polarity,
    'utils.sa_doc_to_choice': () => ['Positivo', 'Negativo', 'Neutrale', 'Misto'],
    'utils.ls_doc_to_target': (doc) => {
      const words = recordsOf(doc, 'answers').map((answer) => textOf(answer, 'word'))
      return words.length === 0 ? noSynonyms : words.join(', ')
    },
    'utils.ner_doc_to_target': (doc) => {
      const entities = recordsOf(doc, 'entities').map((entity) => `${textOf(entity, 'entity_text')}$${textOf(entity, 'type')}`)
      return entities.length === 0 ? noEntities : entities.join(',')
    },
    // Without relations, upstream's target is the word for no entities.
    'utils.re_doc_to_target': (doc) => {
      const relations = relationsOf(doc).map((relation) => relation.join('$'))
      return relations.length === 0 ? noEntities : relations.join('%')
    },
    'utils.faq_doc_to_target': (doc) => {
      const place = ['A', 'B', 'C', 'D'].findIndex((letter) => pyEquals(columnOf(doc, 'correct_answer'), letter))
      return place < 0 ? null : itemOf([0, 1, 2, 3], place, 'choices')
    },
  },
  processResults: {
    'utils.ls_process_results': scoreSynonyms,
    'utils.ner_process_results': scoreEntities,
    'utils.rel_process_results_v3': scoreRelations,
  },
  aggregation: {
    'metrics._aggreg_ls': synonymF1,
    'metrics._aggreg_sa': polarityF1,
    'metrics._aggreg_ner': entityF1,
    'metrics._aggreg_rel': (items) => macroF1Score(flatPairs(items)),
  },
}
