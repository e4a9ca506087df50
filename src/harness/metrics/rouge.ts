/**
 * ROUGE as the package `rouge_score` 0.1.2 computes it, and beside it a tokenizer for other scripts: the package keeps only a-z and 0-9,
 * so that two equal texts in Amharic score 0.
 */
import { EvalError } from '../../base/errors.ts'
import { lower } from '../../python/string.ts'
import { porterStem } from './porter.ts'

export type RougeType = 'rouge1' | 'rouge2' | 'rougeL' | 'rougeLsum'

/** The types that `evaluate` computes, in its order. */
export const rougeTypes: readonly RougeType[] = ['rouge1', 'rouge2', 'rougeL', 'rougeLsum']

/** One text's tokens. */
export type Tokenize = (text: string) => readonly string[]

/** Each from 0 to 1. */
export interface RougeScore {
  readonly precision: number
  readonly recall: number
  readonly fmeasure: number
}

/** The package's tokens: runs of a-z and 0-9 in the lower-cased text. */
export function tokenizeAscii(text: string): readonly string[] {
  return lower(text).match(/[a-z0-9]+/g) ?? []
}

/** The package's tokens with `use_stemmer=True`: those of more than three characters are stemmed. */
export function tokenizeStemmed(text: string): readonly string[] {
  return tokenizeAscii(text).map((token) => (token.length > 3 ? porterStem(token) : token))
}

/** Ours: runs of letters, marks and digits of any script in the lower-cased text, so that scores differ from the package's. */
export function tokenizeUnicode(text: string): readonly string[] {
  return lower(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

/** Pairs of tokens that ROUGE-L compares for one score: about ten seconds, and 128 MiB for the way back. */
const maxCells = 2 ** 30

/** The score of a prediction against one target. For `rougeLsum`, lines are sentences. Throws `metric/failed` where texts are too long. */
export function rougeScore(type: RougeType, target: string, prediction: string, tokenize: Tokenize = tokenizeAscii): RougeScore {
  if (type === 'rougeLsum') {
    const [left, right] = [sentences(target, tokenize), sentences(prediction, tokenize)]
    requireComparable(type, tokensIn(left), tokensIn(right))
    return summaryScore(left, right)
  }
  const [left, right] = [tokenize(target), tokenize(prediction)]
  if (type === 'rougeL') requireComparable(type, left.length, right.length)
  return type === 'rougeL' ? subsequenceScore(left, right) : ngramScore(left, right, type === 'rouge1' ? 1 : 2)
}

/** The score against the target with the highest F-measure, the first of equals. */
export function bestRougeScore(
  type: RougeType,
  targets: readonly string[],
  prediction: string,
  tokenize: Tokenize = tokenizeAscii,
): RougeScore {
  const scores = targets.map((target) => rougeScore(type, target, prediction, tokenize))
  return scores.reduce((best, score) => (score.fmeasure > best.fmeasure ? score : best), scores[0] ?? nothing)
}

const nothing: RougeScore = { precision: 0, recall: 0, fmeasure: 0 }

function sentences(text: string, tokenize: Tokenize): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(tokenize)
}

const tokensIn = (lists: readonly (readonly string[])[]): number => lists.reduce((count, list) => count + list.length, 0)

function requireComparable(type: RougeType, target: number, prediction: number): void {
  if (target * prediction <= maxCells) return
  const wanted = `${type} compares each token of one text with each of the other, at most ${maxCells.toLocaleString('en')} pairs`
  throw new EvalError('metric/failed', `${wanted}; the target has ${target} tokens, the answer ${prediction}.`)
}

function makeScore(hits: number, targetCount: number, predictionCount: number): RougeScore {
  const precision = hits / predictionCount
  const recall = hits / targetCount
  const fmeasure = precision + recall > 0 ? (2 * precision * recall) / (precision + recall) : 0
  return { precision, recall, fmeasure }
}

function ngramScore(target: readonly string[], prediction: readonly string[], n: number): RougeScore {
  const counts = countNgrams(target, n)
  const predicted = countNgrams(prediction, n)
  let hits = 0
  for (const [ngram, count] of counts) hits += Math.min(count, predicted.get(ngram) ?? 0)
  return makeScore(hits, Math.max(target.length - n + 1, 1), Math.max(prediction.length - n + 1, 1))
}

function countNgrams(tokens: readonly string[], n: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (let i = 0; i + n <= tokens.length; i++) {
    const ngram = tokens.slice(i, i + n).join(' ')
    counts.set(ngram, (counts.get(ngram) ?? 0) + 1)
  }
  return counts
}

function subsequenceScore(target: readonly string[], prediction: readonly string[]): RougeScore {
  if (target.length === 0 || prediction.length === 0) return nothing
  return makeScore(subsequence(target, prediction, null), target.length, prediction.length)
}

/**
 * Length of the longest common subsequence. Two rows of the table are enough for it; the way back through the table wants one bit a
 * cell, row by row, set where the cell to the left is larger than the one above.
 */
function subsequence(target: readonly string[], prediction: readonly string[], leftIsLarger: Uint8Array | null): number {
  const codes = new Map<string, number>()
  const columns = Uint32Array.from(prediction, (token) => codes.get(token) ?? codes.set(token, codes.size).size - 1)
  const width = prediction.length + 1
  let above = new Uint32Array(width)
  let row = new Uint32Array(width)
  for (let i = 1; i <= target.length; i++) {
    const code = codes.get(target[i - 1] ?? '') ?? -1
    let left = 0
    for (let j = 1; j < width; j++) {
      const up = above[j] ?? 0
      const longest: number = columns[j - 1] === code ? (above[j - 1] ?? 0) + 1 : Math.max(left, up)
      if (leftIsLarger !== null && left > up) setBit(leftIsLarger, i * width + j)
      row[j] = longest
      left = longest
    }
    ;[above, row] = [row, above]
  }
  return above[prediction.length] ?? 0
}

function setBit(bits: Uint8Array, at: number): void {
  const byte = Math.floor(at / 8)
  bits[byte] = (bits[byte] ?? 0) | (1 << (at % 8))
}

/** Places in the target of one longest common subsequence, as the package walks back. */
function commonPlaces(target: readonly string[], prediction: readonly string[]): readonly number[] {
  const width = prediction.length + 1
  const leftIsLarger = new Uint8Array(Math.ceil(((target.length + 1) * width) / 8))
  subsequence(target, prediction, leftIsLarger)
  const places: number[] = []
  let [i, j] = [target.length, prediction.length]
  while (i > 0 && j > 0) {
    const at = i * width + j
    if (target[i - 1] === prediction[j - 1]) {
      places.push(--i)
      j--
    } else if (((leftIsLarger[Math.floor(at / 8)] ?? 0) >> (at % 8)) & 1) j--
    else i--
  }
  return places
}

/** Each target sentence's words that some predicted sentence shares in order; no word counts more often than either side has it. */
function summaryScore(target: readonly (readonly string[])[], prediction: readonly (readonly string[])[]): RougeScore {
  const [targetTokens, predictedTokens] = [target.flat(), prediction.flat()]
  if (targetTokens.length === 0 || predictedTokens.length === 0) return nothing
  const left = new Map(countNgrams(targetTokens, 1))
  const right = new Map(countNgrams(predictedTokens, 1))
  let hits = 0
  for (const sentence of target) {
    const shared = new Set(prediction.flatMap((other) => commonPlaces(sentence, other)))
    for (const place of shared) {
      const token = sentence[place] ?? ''
      const [inTarget, inPrediction] = [left.get(token) ?? 0, right.get(token) ?? 0]
      if (inTarget === 0 || inPrediction === 0) continue
      hits++
      left.set(token, inTarget - 1)
      right.set(token, inPrediction - 1)
    }
  }
  return makeScore(hits, targetTokens.length, predictedTokens.length)
}
