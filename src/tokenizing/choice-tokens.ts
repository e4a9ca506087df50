/**
 * Choices as single tokens after the prompt, as hendrycks/test `evaluate.py` asks models of transformers: one forward pass of the prompt,
 * encoded alone, and the logits of `tokenizer("A").input_ids[-1]` and so on. Which token that is depends on the tokenizer: with most
 * byte-pair ones it is "A" without the blank that follows "Answer:", with sentencepiece ones it is " A".
 */
import { EvalError } from '../base/errors.ts'
import type { ChoiceTokens } from '../harness/tasks/yardstick-keys.ts'
import type { ScoredPiece } from './encode.ts'
import type { Tokenizer } from './tokenizer.ts'

type EncodingTokenizer = Pick<Tokenizer, 'encode' | 'maxLength'>

/** The forward pass that reads the last `maxLength` tokens of the prompt, with the token of `choice` (its blank included) held against its last row. */
export function encodeChoiceToken(tokenizer: EncodingTokenizer, prompt: string, choice: string): ScoredPiece {
  const input = tokenizer.encode(prompt).slice(-tokenizer.maxLength)
  if (input.length === 0) throw new EvalError('engine/failed', 'The prompt leaves no token to score a choice after.')
  return { input: Int32Array.from(input), target: Int32Array.of(lastTokenOf(tokenizer, choice)) }
}

/** `tokenizer(text).input_ids[-1]`. */
function lastTokenOf(tokenizer: EncodingTokenizer, text: string): number {
  const id = tokenizer.encode(text).at(-1)
  if (id === undefined) throw new EvalError('engine/failed', `The choice ${JSON.stringify(text)} leaves no token to score.`)
  return id
}

interface ChoiceTokenIds {
  readonly choice: string
  readonly bare: number
  readonly spaced: number
}

/** Both tokens of every choice: as it is, and with a blank before. */
export function choiceTokenIds(tokenizer: EncodingTokenizer, choices: readonly string[]): readonly ChoiceTokenIds[] {
  return choices.map((choice) => ({ choice, bare: lastTokenOf(tokenizer, choice), spaced: lastTokenOf(tokenizer, ` ${choice}`) }))
}

/** What a user should know about these tokens: that there are two sets of them, or that choices share one. Null for nothing. */
export function choiceTokenWarning(ids: readonly ChoiceTokenIds[], used: ChoiceTokens): string | null {
  if (used === 'continuation') return null
  const chosen = ids.map((one) => one[used])
  if (new Set(chosen).size < chosen.length)
    return `The choices ${ids.map(({ choice }) => choice).join(', ')} share a token of this tokenizer (${chosen.join(', ')}): their scores can't tell them apart.`
  if (ids.every(({ bare, spaced }) => bare === spaced)) return null
  const list = (of: 'bare' | 'spaced'): string => ids.map((one) => `${one.choice} ${one[of]}`).join(', ')
  const [kept, other] = used === 'bare' ? ['without', 'with'] : ['with', 'without']
  return `This tokenizer has two tokens for each letter. Scored are the ones ${kept} a blank before (${list(used)}); ${other} it they are ${list(used === 'bare' ? 'spaced' : 'bare')}. The original program takes the ones of the letter alone; choice_tokens chooses.`
}
