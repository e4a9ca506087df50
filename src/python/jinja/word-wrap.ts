/** The filter `wordwrap`: Python's `textwrap.wrap` as Jinja2 3.1 calls it. */
import { OperationError } from '../operation-error.ts'
import * as text from '../string.ts'
import type { Bound } from './arguments.ts'
import type { Budget } from './budget.ts'
import type { FilterContext } from './filter.ts'
import { textOf } from './metered.ts'
import { isTrue, type Value } from './values.ts'

const word = '[\\p{L}\\p{N}_]'
const letter = '[\\p{L}\\p{Nl}\\p{No}_]'
const punctuated = `[\\p{L}\\p{N}_!"'&.,?]`
const space = '[\\t\\n\\v\\f\\r ]'
/** `TextWrapper.wordsep_re`: white space, dashes between words, or a word up to where it may be broken. */
const hyphenated = new RegExp(
  `(${space}+|(?<=${punctuated})-{2,}(?=${word})|[^\\t\\n\\v\\f\\r ]+?(?:-(?:(?<=${letter}{2}-)|(?<=${letter}-${letter}-))(?=${letter}-?${letter})|(?=${space}|$)|(?<=${punctuated})(?=-{2,}${word})))`,
  'u',
)
const simple = /([\t\n\v\f\r ]+)/

/** The text with every line broken at the width. */
export function wordWrap(value: Value, args: Bound, { budget }: FilterContext): string {
  const width = args.whole('width', 79)
  if (width <= 0) throw new OperationError(`invalid width ${width} (must be > 0)`)
  const options = {
    width,
    breaksWords: isTrue(args.raw('break_long_words') ?? true),
    breaksHyphens: isTrue(args.raw('break_on_hyphens') ?? true),
  }
  const separator = args.textOrNull('wrapstring') ?? '\n'
  const self = textOf(value, budget)
  // Behind each dash the rest of its row is looked through.
  for (const [row] of self.matchAll(/-{2,}/g)) budget.search(row.length, row.length)
  budget.allow(self.length * (1 + separator.length))
  return text
    .splitLines(self)
    .map((line) => wrapLine(line, options, budget).join(separator))
    .join(separator)
}

interface WrapOptions {
  readonly width: number
  readonly breaksWords: boolean
  readonly breaksHyphens: boolean
}

function wrapLine(line: string, options: WrapOptions, budget: Budget): readonly string[] {
  const chunks = line.split(options.breaksHyphens ? hyphenated : simple).filter((chunk) => chunk !== '')
  chunks.reverse()
  const lines: string[] = []
  while (chunks.length > 0) {
    budget.spend()
    const current: string[] = []
    let used = 0
    if (lines.length > 0 && isBlank(chunks.at(-1))) chunks.pop()
    for (let next = chunks.at(-1); next !== undefined && used + text.length(next) <= options.width; next = chunks.at(-1)) {
      current.push(next)
      used += text.length(next)
      chunks.pop()
    }
    const long = chunks.at(-1)
    if (long !== undefined && text.length(long) > options.width) {
      budget.scan(long.length)
      breakWord(chunks, current, options.width - used, options)
    }
    if (isBlank(current.at(-1))) current.pop()
    if (current.length > 0) lines.push(current.join(''))
  }
  return lines
}

/** Takes from a word that fits on no line what fits on this one, up to a hyphen where there is one. */
function breakWord(chunks: string[], current: string[], spaceLeft: number, { breaksWords, breaksHyphens }: WrapOptions): void {
  const chunk = chunks.pop() ?? ''
  if (!breaksWords) {
    // Kept whole: on a line of its own.
    if (current.length === 0) current.push(chunk)
    else chunks.push(chunk)
    return
  }
  const points = text.codePoints(chunk)
  const hyphen = points.slice(0, spaceLeft).lastIndexOf('-')
  const isAfterText = hyphen > 0 && points.slice(0, hyphen).some((point) => point !== '-')
  const end = breaksHyphens && points.length > spaceLeft && isAfterText ? hyphen + 1 : spaceLeft
  current.push(points.slice(0, end).join(''))
  chunks.push(points.slice(end).join(''))
}

function isBlank(chunk: string | undefined): boolean {
  return chunk !== undefined && text.strip(chunk) === ''
}
