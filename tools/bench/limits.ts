/** What the rows of `npm run bench` must keep to, whatever the machine: counts and differences, never times. */
import type { BenchRow } from './rows.ts'
import type { WorkName } from './works.ts'

/** Largest difference of a request's log-probability to the reference path, in nats, for 4-bit weights. */
export const maxDifference = 5e-3
/** The same a token, where a request has many. */
export const maxDifferencePerToken = 1e-5
/** The fast path computes at most this much of the trie of all inputs. */
export const maxTokensOverTrie = 1.05
/** Bytes that the fast path reads back a multiple-choice question. */
export const maxBytesPerQuestion = 1024

/** Tokens of the work's longest request. */
export const tokensPerRequest: { readonly [work in WorkName]?: number } = { hellaswag_0shot: 28, hellaswag_10shot: 28, wikitext: 4000 }
const questions: readonly WorkName[] = ['mmlu_5shot', 'hellaswag_0shot', 'hellaswag_10shot']
const written: readonly WorkName[] = ['gsm8k', 'generate_200']

/** What goes beyond a limit, in words. The harness computes in float32, and the arm `own` rounds its weights itself, so they differ by what quantisation does. */
export function faultsOfRows(rows: readonly BenchRow[]): readonly string[] {
  return rows.flatMap((row) => {
    const name = `${row.work}, ${row.arm}, ${row.model} on ${row.device}`
    const limit = Math.max(maxDifference, maxDifferencePerToken * (tokensPerRequest[row.work] ?? 1))
    const faults: string[] = []
    // NaN isn't below the limit either.
    if (row.arm !== 'harness' && row.arm !== 'own' && row.max_abs_diff !== null && !(row.max_abs_diff <= limit))
      faults.push(`${name}: differs from the reference path by ${row.max_abs_diff} nats, ${limit} are allowed`)
    if (row.arm !== 'fast' && row.arm !== 'own') return faults
    if (!written.includes(row.work) && row.tokens > maxTokensOverTrie * row.trie_tokens)
      faults.push(`${name}: ${row.tokens} tokens computed, ${Math.floor(maxTokensOverTrie * row.trie_tokens)} are allowed`)
    if (questions.includes(row.work) && row.bytes_read_back >= maxBytesPerQuestion * row.docs)
      faults.push(
        `${name}: ${Math.round(row.bytes_read_back / row.docs)} bytes read back a question, below ${maxBytesPerQuestion} are allowed`,
      )
    return faults
  })
}
