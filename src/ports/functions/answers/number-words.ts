/** The package word2number 1.1 (`w2n.word_to_num`), as far as whole numbers go. */
import { EvalError } from '../../../base/errors.ts'
import { lower, split } from '../../../python/string.ts'

const values: ReadonlyMap<string, number> = new Map([
  ...'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, value): [string, number] => [word, value]),
  ...'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').map((word, i): [string, number] => [word, 20 + 10 * i]),
  ['hundred', 100],
  ['thousand', 1000],
  ['million', 1e6],
  ['billion', 1e9],
])

/** The number that English words say; words that it doesn't know are skipped. Throws `filter/failed` where the package raises. */
export function parseNumberWords(text: string): number {
  const words = split(lower(text.replaceAll('-', ' '))).filter((word) => values.has(word))
  const scales = ['billion', 'million', 'thousand'].map((scale) => ({ at: words.indexOf(scale), last: words.lastIndexOf(scale), scale }))
  const places = scales.filter(({ at }) => at >= 0).map(({ at }) => at)
  const isOrdered = places.every((at, i) => i === 0 || at > (places[i - 1] ?? 0))
  if (words.length === 0 || !isOrdered || scales.some(({ at, last }) => at !== last))
    throw new EvalError('filter/failed', `No number can be read from ${JSON.stringify(text)}.`)
  if (words.length === 1) return valueOf(words[0])
  let total = 0
  let start = 0
  for (const { at, scale } of scales) {
    if (at < 0) continue
    total += form(words.slice(start, at)) * valueOf(scale)
    start = at + 1
  }
  if (places.length === 0) return form(words)
  // Where the smallest scale ends the number, the words behind the next larger one count once more: "two million three thousand" is 2004003.
  const open = [...scales].reverse().find(({ at }) => at >= 0 && at !== words.length - 1)
  return open === undefined ? total : total + form(words.slice(open.at + 1))
}

/** Up to four words; of more, upstream takes the first alone. */
function form(words: readonly string[]): number {
  const [a = NaN, b = NaN, c = NaN, d = NaN] = words.map(valueOf)
  if (words.length === 0) throw new EvalError('filter/failed', 'A scale stands without its number.')
  if (words.length === 4) return a * b + c + d
  if (words.length === 3) return a * b + c
  if (words.length === 2) return a === 100 || b === 100 ? a * b : a + b
  return a
}

function valueOf(word: string | undefined): number {
  return values.get(word ?? '') ?? NaN
}
