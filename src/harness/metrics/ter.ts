/** Corpus TER with sacrebleu 2.6.0's defaults (Tercom: no normalisation, lower case): edits with shifts per reference word. */
import { minOf } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import { lower, rstrip, split } from '../../python/string.ts'
import type { CorpusMetric } from './corpus-metric.ts'
import { BeamEditDistance } from './edit-distance.ts'
import type { Alignment } from './edit-distance.ts'

const maxShiftSize = 10
const maxShiftDistance = 50
const maxCandidates = 1000
/** Words of an answer and a reference together: less than a minute, since each candidate walks through both. */
const maxWords = 2 ** 14

/** Counts: `[edits, average reference length]`. Throws `metric/failed` for texts that are too long. */
export const ter: CorpusMetric = { countSegment, score }

interface Shift {
  readonly gain: number
  readonly length: number
  readonly start: number
  readonly target: number
  readonly words: readonly string[]
}

function countSegment(hypothesis: string, references: readonly string[]): readonly number[] {
  const words = tokenize(hypothesis)
  const perReference = references.map((reference) => {
    const referenceWords = tokenize(reference)
    return { edits: countEdits(words, referenceWords), length: referenceWords.length }
  })
  const length = perReference.reduce((sum, reference) => sum + reference.length, 0) / references.length
  return [minOf(perReference.map(({ edits }) => edits)), length]
}

function score([edits = 0, length = 0]: readonly number[]): number {
  if (length > 0) return 100 * (edits / length)
  return edits > 0 ? 100 : 0
}

function tokenize(text: string): readonly string[] {
  return split(lower(rstrip(text)))
}

function countEdits(hypothesis: readonly string[], reference: readonly string[]): number {
  if (reference.length === 0) return hypothesis.length
  if (hypothesis.length + reference.length > maxWords) {
    const found = `the answer has ${hypothesis.length} words, the reference ${reference.length}`
    throw new EvalError('metric/failed', `ter takes at most ${maxWords} words of an answer and a reference together; ${found}.`)
  }
  const distance = new BeamEditDistance(reference)
  const budget = { candidates: 0 }
  let words = hypothesis
  let shifts = 0
  for (;;) {
    const shift = findBestShift(words, reference, distance, budget)
    if (shift === null || shift.gain <= 0 || budget.candidates >= maxCandidates) break
    shifts++
    words = shift.words
  }
  return shifts + distance.measure(words).edits
}

function findBestShift(
  words: readonly string[],
  reference: readonly string[],
  distance: BeamEditDistance,
  budget: { candidates: number },
): Shift | null {
  const { edits, alignment } = distance.measure(words)
  let best: Shift | null = null
  for (const { start, target, length } of matchingRuns(words, reference)) {
    if (isUselessShift(alignment, start, target, length)) continue
    for (const index of shiftTargets(alignment, target, length)) {
      const shifted = moveWords(words, start, length, index)
      const shift = { gain: edits - distance.measure(shifted).edits, length, start, target: index, words: shifted }
      budget.candidates++
      if (best === null || isBetter(shift, best)) best = shift
    }
    if (budget.candidates >= maxCandidates) break
  }
  return best
}

function isUselessShift(
  { toHypothesis, hypothesisErrors, referenceErrors }: Alignment,
  start: number,
  target: number,
  length: number,
): boolean {
  if (!hypothesisErrors.slice(start, start + length).includes(1)) return true
  if (!referenceErrors.slice(target, target + length).includes(1)) return true
  const aligned = toHypothesis[target] ?? -1
  return start <= aligned && aligned < start + length
}

function shiftTargets({ toHypothesis }: Alignment, target: number, length: number): readonly number[] {
  const targets: number[] = []
  for (let offset = -1; offset < length; offset++) {
    const aligned = target + offset === -1 ? -1 : toHypothesis[target + offset]
    if (aligned === undefined) break
    if (targets.at(-1) !== aligned + 1) targets.push(aligned + 1)
  }
  return targets
}

/** Tercom's order: largest gain, then longest, then earliest start, then earliest target; then the words, as Python compares lists. */
function isBetter(shift: Shift, best: Shift): boolean {
  const differences = [shift.gain - best.gain, shift.length - best.length, best.start - shift.start, best.target - shift.target]
  const decisive = differences.find((difference) => difference !== 0)
  return decisive !== undefined && decisive > 0
}

function* matchingRuns(
  words: readonly string[],
  reference: readonly string[],
): Generator<{ start: number; target: number; length: number }> {
  for (let start = 0; start < words.length; start++) {
    for (let target = Math.max(0, start - maxShiftDistance); target < Math.min(reference.length, start + maxShiftDistance + 1); target++) {
      for (let length = 0; length < maxShiftSize && start + length < words.length && target + length < reference.length; length++) {
        if (words[start + length] !== reference[target + length]) break
        yield { start, target, length: length + 1 }
      }
    }
  }
}

function moveWords(words: readonly string[], start: number, length: number, target: number): readonly string[] {
  const moved = words.slice(start, start + length)
  if (target < start) return [...words.slice(0, target), ...moved, ...words.slice(target, start), ...words.slice(start + length)]
  const end = target > start + length ? target : length + target
  return [...words.slice(0, start), ...words.slice(start + length, end), ...moved, ...words.slice(end)]
}
