/** The guided lesson: six steps over one set of docs, each with a question whose answer is computed from the docs that are shown. */
import { argmax } from '../../harness/metrics/means.ts'
import { flipsBetween, lengthOf, pickOf, pickRanges, type Norm } from './norms.ts'
import { blindPicks, blindRules, underUniformBytes } from './null-models.ts'
import type { LabDoc, LabSet } from './recorded.ts'

export const lessonSteps = ['sum', 'length', 'norm', 'between', 'bytes', 'nothing'] as const
export type LessonStep = (typeof lessonSteps)[number]

/** True where the question is which choice is picked, or of which choice: a table that marks the pick would answer it. */
export function asksForPick(step: LessonStep): boolean {
  return step === 'sum' || step === 'norm' || step === 'bytes'
}

/** What a step shows, and its question: `answer` is the place of the right one among `options`. */
export interface LessonView {
  readonly set: number
  readonly doc: number
  readonly norm: Norm
  /** Letters of choices, words of the page's texts, or numbers. */
  readonly options: readonly string[]
  readonly optionsAre: 'letters' | 'words' | 'numbers'
  readonly answer: number
}

export function letterOf(place: number): string {
  return String.fromCharCode(65 + place)
}

/** The view of a step. Steps 1 to 4 stay with one doc that `acc` and `acc_norm` pick differently; the fifth takes a non-English one. */
export function viewOf(step: LessonStep, sets: readonly LabSet[]): LessonView {
  const set = Math.max(
    0,
    sets.findIndex(({ docs }) => flipsBetween(docs, 'acc', 'acc_norm').length > 0),
  )
  const docs = sets[set]?.docs ?? []
  const doc = flipsBetween(docs, 'acc', 'acc_norm')[0] ?? 0
  const shown = docs[doc]
  const letters = shown?.choices.map((_, place) => letterOf(place)) ?? []
  const view = { set, doc, options: letters, optionsAre: 'letters' as const }
  if (shown === undefined) return { ...view, norm: 'acc', answer: 0 }
  switch (step) {
    case 'sum':
      return { ...view, norm: 'acc', answer: pickOf(shown, 'acc') }
    case 'length':
      return { ...view, norm: 'acc', answer: longestOf(shown) }
    case 'norm':
      return { ...view, norm: 'acc_norm', answer: pickOf(shown, 'acc_norm') }
    case 'between': {
      const changes = pickRanges(shown, 'characters').length - 1
      const options = [...new Set([0, 1, 2, changes])].sort((a, b) => a - b)
      return { ...view, norm: 'acc_norm', options: options.map(String), optionsAre: 'numbers', answer: options.indexOf(changes) }
    }
    case 'bytes':
      return bytesView(sets)
    case 'nothing':
      return { ...view, norm: 'acc', options: blindRules, optionsAre: 'words', answer: ruleOfUniformBytes(docs) }
  }
}

/** The choice with most characters, the first of equals. */
function longestOf({ choices }: LabDoc): number {
  return choices.reduce((best, choice, place, all) => {
    const champion = all[best]
    return champion !== undefined && lengthOf(choice, 'characters') > lengthOf(champion, 'characters') ? place : best
  }, 0)
}

/** The rule that picks as the uniform-byte model does under `acc` in most docs. */
function ruleOfUniformBytes(docs: readonly LabDoc[]): number {
  const picks = docs.map((doc) => pickOf(underUniformBytes(doc), 'acc'))
  return argmax(blindRules.map((rule) => blindPicks(docs, rule).filter((pick, place) => pick === picks[place]).length))
}

/** The first doc whose picked choice has more bytes than characters; the question is how many bytes it has. */
function bytesView(sets: readonly LabSet[]): LessonView {
  for (const [set, { docs }] of sets.entries()) {
    for (const [doc, shown] of docs.entries()) {
      const choice = shown.choices[pickOf(shown, 'acc_bytes')]
      if (choice === undefined) continue
      const [characters, bytes, tokens] = [lengthOf(choice, 'characters'), lengthOf(choice, 'bytes'), lengthOf(choice, 'tokens')]
      if (bytes === characters) continue
      const options = [...new Set([characters, bytes, tokens, bytes + 1])].sort((a, b) => a - b)
      return { set, doc, norm: 'acc_bytes', options: options.map(String), optionsAre: 'numbers', answer: options.indexOf(bytes) }
    }
  }
  return { set: 0, doc: 0, norm: 'acc_bytes', options: ['1'], optionsAre: 'numbers', answer: 0 }
}
