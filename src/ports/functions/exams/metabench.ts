/**
 * `metabench/process_docs.py` and `metabench/process_docs_permute.py`, lm_eval 0.4.13: rows that bring their own examples along.
 *
 * The permuted forms shuffle with the global generator; this is what a lone task on a cold cache gets, as with GPQA.
 */
import { EvalError } from '../../../base/errors.ts'
import { sha256 } from '../../../base/sha256.ts'
import type { FunctionFamily, ProcessDocs } from '../../../harness/function-table.ts'
import { PyRandom } from '../../../python/random.ts'
import { capitalize, strip } from '../../../python/string.ts'
import { pyEquals, str, type PyDict, type PyValue } from '../../../python/value.ts'
import { cleanWikiHow } from '../choices/hellaswag.ts'
import { answerIndex, choiceContexts, restOfSentence } from '../choices/winogrande.ts'
import { columnOf, dictOf, itemOf, listOf, textOf, wholeTextOf, wordOf } from '../columns.ts'

type Entries = readonly (readonly [column: string, value: PyValue])[]

interface Form {
  readonly shots: number
  /** Columns of a shot, without `_shot_N`, that go. */
  readonly shotColumns: readonly string[]
  /** Other columns that go. */
  readonly columns: readonly string[]
  /** One example, from the row and `_shot_N`. */
  readonly example: (doc: PyDict, shot: string) => string
  /** What is new, from the row and all examples. */
  readonly add: (doc: PyDict, examples: string) => Entries
}

function withExamples(form: Form, permute: ((doc: PyDict, random: PyRandom) => Entries) | null): ProcessDocs {
  return (docs) => {
    const random = new PyRandom(0)
    return docs.map((given) => {
      const doc = permute === null ? given : new Map([...given, ...permute(given, random)])
      const shots = Array.from({ length: form.shots }, (_, i) => `_shot_${i + 1}`)
      const examples = shots.map((shot) => form.example(doc, shot)).join('')
      const gone = [...shots.flatMap((shot) => form.shotColumns.map((column) => column + shot)), ...form.columns]
      for (const column of gone) columnOf(doc, column)
      const added = form.add(doc, examples)
      return new Map([...[...doc].filter(([column]) => !gone.includes(column)), ...added])
    })
  }
}

/** The list in another order that moves the item at `place`, and where that item is then. */
function moveItem(
  items: readonly PyValue[],
  place: number,
  random: PyRandom,
): { readonly items: readonly PyValue[]; readonly place: number } {
  const wanted = itemOf(items, place, 'choices')
  const shuffled = [...items]
  if (items.every((item) => pyEquals(item, wanted)) && items.length < 2)
    throw new EvalError('dataset/schema', 'wanted two choices or more, so that the right one can move')
  for (;;) {
    random.shuffle(shuffled)
    const now = shuffled.findIndex((item) => pyEquals(item, wanted))
    if (now !== place) return { items: shuffled, place: now }
  }
}

const labelPlace = (choices: PyDict, key: PyValue): number => {
  const place = listOf(choices, 'label').findIndex((label) => pyEquals(label, key))
  if (place >= 0) return place
  throw new EvalError('dataset/schema', `wanted one of the labels, found ${str(key)}`)
}

const arc: Form = {
  shots: 25,
  shotColumns: ['arc_question', 'arc_answerKey', 'arc_choices', 'arc_idx'],
  columns: ['alltwentyfiveshot_longprompt'],
  example: (doc, shot) => {
    const choices = dictOf(doc, `arc_choices${shot}`)
    const answer = itemOf(listOf(choices, 'text'), labelPlace(choices, columnOf(doc, `arc_answerKey${shot}`)), 'choices')
    return `Question: ${wordOf(doc, `arc_question${shot}`)}\nAnswer: ${str(answer)}\n\n`
  },
  add: (doc, examples) => [
    ['twentyfive_shot_preprompt', examples],
    ['original_hash', sha256(textOf(doc, 'question'))],
  ],
}

function permuteArc(doc: PyDict, random: PyRandom): Entries {
  const choices = dictOf(doc, 'choices')
  const moved = moveItem(listOf(choices, 'text'), labelPlace(choices, columnOf(doc, 'answerKey')), random)
  return [
    ['choices', new Map([...choices, ['text', moved.items]])],
    ['answerKey', itemOf(listOf(choices, 'label'), moved.place, 'labels')],
  ]
}

const gsm8k: Form = {
  shots: 5,
  shotColumns: ['gsm8k_prompt', 'gsm8k_answer', 'gsm8k_idx'],
  columns: ['allfiveshot_longprompt'],
  example: (doc, shot) => `Question: ${wordOf(doc, `gsm8k_prompt${shot}`)}\nAnswer: ${wordOf(doc, `gsm8k_answer${shot}`)}\n\n`,
  add: (doc, examples) => [
    ['original_hash', sha256(textOf(doc, 'question'))],
    ['five_shot_preprompt', examples],
  ],
}

const wikiQuery = (doc: PyDict, prefix: string, label: string, shot: string): string =>
  cleanWikiHow(`${textOf(doc, label + shot)}: ${textOf(doc, `${prefix}ctx_a${shot}`)} ${capitalize(textOf(doc, `${prefix}ctx_b${shot}`))}`)

const hellaswag: Form = {
  shots: 10,
  shotColumns: ['ctx_a', 'ctx_b', 'ctx', 'activity_labels', 'endings', 'label', 'ind', 'source_id', 'split', 'split_type'].map(
    (column) => `hellaswag_${column}`,
  ),
  columns: ['ctx_a', 'ctx_b', 'ctx', 'activity_label', 'endings', 'alltenshot_longprompt'],
  example: (doc, shot) => {
    const endings = listOf(doc, `hellaswag_endings${shot}`)
    const ending = itemOf(endings, wholeTextOf(doc, `hellaswag_label${shot}`), 'endings')
    return `${wikiQuery(doc, 'hellaswag_', 'hellaswag_activity_labels', shot)} ${cleanWikiHow(str(ending))}\n\n`
  },
  add: (doc, examples) => {
    const query = wikiQuery(doc, '', 'activity_label', '')
    return [
      ['query', query],
      ['choices', listOf(doc, 'endings').map((ending) => cleanWikiHow(str(ending)))],
      ['gold', wholeTextOf(doc, 'label')],
      ['original_hash', sha256(query)],
      ['ten_shot_preprompt', examples],
    ]
  },
}

function permuteHellaswag(doc: PyDict, random: PyRandom): Entries {
  const moved = moveItem(listOf(doc, 'endings'), wholeTextOf(doc, 'label'), random)
  return [
    ['endings', moved.items],
    ['label', String(moved.place)],
  ]
}

const letters = ['A', 'B', 'C', 'D']

const mmlu: Form = {
  shots: 5,
  shotColumns: ['mmlu_question', 'mmlu_choices', 'mmlu_answers', 'mmlu_ind'],
  columns: ['allfiveshot_longprompt'],
  example: (doc, shot) => {
    const choices = listOf(doc, `mmlu_choices${shot}`)
    const options = letters.map((letter, i) => `${letter}. ${str(itemOf(choices, i, 'choices'))}\n`).join('')
    const answer = itemOf(letters, wholeTextOf(doc, `mmlu_answers${shot}`), 'answers')
    return `${strip(textOf(doc, `mmlu_question${shot}`))}\n${options}Answer: ${answer}\n\n`
  },
  add: (doc, examples) => {
    const subject = textOf(doc, 'subject').split('_').join(' ')
    const lead = `The following are multiple choice questions (with answers) about ${subject}.\n\n`
    return [
      ['original_hash', sha256(textOf(doc, 'question'))],
      ['five_shot_preprompt', lead + examples],
    ]
  },
}

function permuteMmlu(doc: PyDict, random: PyRandom): Entries {
  const moved = moveItem(listOf(doc, 'choices'), wholeTextOf(doc, 'answer'), random)
  return [
    ['choices', moved.items],
    ['answer', moved.place],
  ]
}

const truth: Form = {
  shots: 0,
  shotColumns: [],
  columns: [],
  example: () => '',
  add: (doc) => [['original_hash', sha256(textOf(doc, 'question'))]],
}

function permuteTruth(doc: PyDict, random: PyRandom): Entries {
  const targets = dictOf(doc, 'mc1_targets')
  const moved = moveItem(listOf(targets, 'choices'), 0, random)
  const labels = listOf(targets, 'labels').map((_, i) => (i === moved.place ? 1 : 0))
  return [
    ...truth.add(doc, ''),
    ['mc1_targets', new Map<string, PyValue>([...targets, ['choices', moved.items], ['labels', labels]])],
    ['answer', moved.place],
  ]
}

const winogrande: Form = {
  shots: 5,
  shotColumns: ['winogrande_prompt', 'winogrande_answer', 'winogrande_idx', 'winogrande_option1', 'winogrande_option2'],
  columns: ['allfiveshot_longprompt'],
  example: (doc, shot) => {
    const answer = columnOf(doc, `winogrande_answer${shot}`)
    if (answer !== '1' && answer !== '2')
      throw new EvalError('dataset/schema', `wanted '1' or '2' in the column 'winogrande_answer${shot}', found ${str(answer)}`)
    const option = textOf(doc, `winogrande_option${answer}${shot}`)
    return `${textOf(doc, `winogrande_prompt${shot}`).replaceAll('_', () => option)}\n\n`
  },
  add: (doc, examples) => [
    ['original_hash', sha256(textOf(doc, 'sentence'))],
    ['sentence', examples + textOf(doc, 'sentence')],
  ],
}

function swapOptions(doc: PyDict): Entries {
  const answer = columnOf(doc, 'answer')
  return [
    ['option1', columnOf(doc, 'option2')],
    ['option2', columnOf(doc, 'option1')],
    ['answer', answer === '1' ? '2' : answer === '2' ? '1' : answer],
  ]
}

const winograndePrompts = (module: string) => ({
  [`${module}.winogrande_doc_to_text`]: answerIndex,
  [`${module}.winogrande_doc_to_target`]: restOfSentence,
  [`${module}.winogrande_doc_to_choice`]: choiceContexts,
})

export const metabench: FunctionFamily = {
  folder: 'metabench',
  processDocs: {
    'process_docs.process_arc': withExamples(arc, null),
    'process_docs.process_gsm8k': withExamples(gsm8k, null),
    'process_docs.process_hellaswag': withExamples(hellaswag, null),
    'process_docs.process_mmlu': withExamples(mmlu, null),
    'process_docs.process_truthfulqa': withExamples(truth, null),
    'process_docs.process_winogrande': withExamples(winogrande, null),
    'process_docs_permute.process_arc': withExamples(arc, permuteArc),
    'process_docs_permute.process_hellaswag': withExamples(hellaswag, permuteHellaswag),
    'process_docs_permute.process_mmlu': withExamples(mmlu, permuteMmlu),
    'process_docs_permute.process_truthfulqa': withExamples(truth, permuteTruth),
    'process_docs_permute.process_winogrande': withExamples(winogrande, swapOptions),
  },
  docTo: { ...winograndePrompts('process_docs'), ...winograndePrompts('process_docs_permute') },
}
