/**
 * Two worked examples as documents about the harness print them, with what is odd about each computed beside it: one divides by tokens and
 * writes log10, the other multiplies probabilities in a snippet that does not ask what the harness asks.
 */
import { lengthOf, sumOf } from './norms.ts'
import type { LabChoice, LabDoc } from './recorded.ts'

function choice(text: string, tokens: readonly string[], logprobs: readonly number[]): LabChoice {
  return { continuation: ` ${text}`, text, tokens, logprobs, unconditional: 0 }
}

/**
 * “Integrating a benchmark into LM Evaluation Harness” (2025): the capital of the UAE, Dubai as one token of probability .5, Abu Dhabi as
 * two of .7 and .6. It prints −0.30 and −0.37, which are log10, and −0.37 / 2 as acc_norm, which is a division by tokens.
 */
export const citiesExample: LabDoc = {
  docId: 0,
  prompt: 'Question: What is the Capital of UAE ?\nAnswer:',
  gold: 1,
  choices: [choice('Dubai', [' Dubai'], [Math.log(0.5)]), choice('Abu Dhabi', [' Abu', ' Dhabi'], [Math.log(0.7), Math.log(0.6)])],
  letters: null,
}

/**
 * “LLM Eval Suite for African Languages”: a Yorùbá AfriMMLU doc, with the sums that the harness gave for it (Llama 3 8B Instruct). The tokens
 * are not printed there, so each choice stands as one.
 */
export const equationExample: LabDoc = {
  docId: 0,
  prompt:
    'Question: Kínni iyì p nínú 24 = 2p?\n\nChoices:\n        A: p = 4\n        B: p = 8\n        C: p = 12\n        D: p = 24\n\nAnswer:',
  gold: 2,
  choices: [
    choice('p = 4', [' p = 4'], [-16.883224487304688]),
    choice('p = 8', [' p = 8'], [-14.883224487304688]),
    choice('p = 12', [' p = 12'], [-12.008225440979004]),
    choice('p = 24', [' p = 24'], [-16.508224487304688]),
  ],
  letters: null,
}

/** What that document's PyTorch snippet printed as the “probabilities” of the same four choices. */
const snippetProbabilities: readonly number[] = [
  0.00000000000000176193, 0.00000000000001162337, 0.00000000000031213047, 0.00000000000000706066,
]

interface EquationRow {
  readonly text: string
  /** The harness's sum, in nats. */
  readonly sum: number
  readonly perCharacter: number
  /** Softmax of the sums over the four choices. */
  readonly share: number
  /** Logarithm of what the snippet printed, in nats, and how far it lies from the harness's sum. */
  readonly snippet: number
  readonly gap: number
}

/** The second example, row by row. */
export function equationRows(): readonly EquationRow[] {
  const sums = equationExample.choices.map(sumOf)
  const total = sums.reduce((all, sum) => all + Math.exp(sum), 0)
  return equationExample.choices.map((one, place) => {
    const sum = sums[place] ?? NaN
    const snippet = Math.log(snippetProbabilities[place] ?? NaN)
    return {
      text: one.text,
      sum,
      perCharacter: sum / lengthOf(one, 'characters'),
      share: Math.exp(sum) / total,
      snippet,
      gap: snippet - sum,
    }
  })
}

/** Brier score of the second example's softmax against its right choice. Source: lm_eval 0.4.13, api/metrics.py, `brier_score`. */
export function equationBrier(): number {
  return equationRows().reduce((sum, { share }, place) => sum + (share - (place === equationExample.gold ? 1 : 0)) ** 2, 0)
}
