/**
 * Exact match and token F1 of texts in any script, against one reference or the best of several. Not the harness's: its copies of SQuAD's
 * normalisation drop English articles and ASCII punctuation only (`functions/token-f1.ts`).
 */
import { maxOf } from '../../base/arrays.ts'
import { tokenizeUnicode } from './rouge.ts'

interface OverlapOptions {
  /** Compose letters and their marks first (Unicode NFC): `ọ` with a combining dot is then the letter that has one. */
  readonly nfc: boolean
}

/** 1 when the tokens of the prediction are those of a reference, in order; else 0. No tokens at all match only each other. */
export function textExactMatch(references: readonly string[], prediction: string, options: OverlapOptions): number {
  const tokens = tokensOf(prediction, options).join(' ')
  return references.some((reference) => tokensOf(reference, options).join(' ') === tokens) ? 1 : 0
}

/** Harmonic mean of the shares of tokens that both have, counted with repeats; the best over the references, 0 without any. */
export function textF1(references: readonly string[], prediction: string, options: OverlapOptions): number {
  const predicted = tokensOf(prediction, options)
  return maxOf(
    references.map((reference) => f1Of(tokensOf(reference, options), predicted)),
    0,
  )
}

function tokensOf(text: string, { nfc }: OverlapOptions): readonly string[] {
  return tokenizeUnicode(nfc ? text.normalize('NFC') : text)
}

function f1Of(reference: readonly string[], prediction: readonly string[]): number {
  if (reference.length === 0 || prediction.length === 0) return Number(reference.length === prediction.length)
  const counts = new Map<string, number>()
  for (const token of reference) counts.set(token, (counts.get(token) ?? 0) + 1)
  let shared = 0
  for (const token of prediction) {
    const left = counts.get(token) ?? 0
    if (left === 0) continue
    shared++
    counts.set(token, left - 1)
  }
  return (2 * shared) / (reference.length + prediction.length)
}
