/** sacrebleu 2.6.0's `intl` tokenizer (mteval-v14's international tokenization). */
import { split } from '../../python/string.ts'

/** Punctuation that doesn't touch a digit stands apart, and every symbol does. */
export function tokenizeInternational(line: string): readonly string[] {
  return split(
    line
      .replace(/(\P{N})(\p{P})/gu, '$1 $2 ')
      .replace(/(\p{P})(\P{N})/gu, ' $1 $2')
      .replace(/(\p{S})/gu, ' $1 '),
  )
}
