/** The sentence splitter Punkt (Kiss and Strunk 2006) with NLTK 3.10.4's rules (`tokenize/punkt.py`, `PunktSentenceTokenizer`). */
import { rstrip } from '../../../python/string.ts'
import { seenFirstLower, seenInsideUpper, seenLower, seenUpper, type PunktModel } from './punkt-model.ts'
import { nonWord, punktTokens, typeInSentence, typeWithoutPeriod, type PunktToken } from './punkt-token.ts'
import { space } from './regex-module.ts'

interface Span {
  readonly start: number
  readonly end: number
}

interface Candidate {
  /** Behind the `.`, `?` or `!`. */
  readonly end: number
  /** Where the next sentence would begin. */
  readonly next: number
  /** The word before, the mark, and what comes after. */
  readonly context: string
}

const candidate = new RegExp(`[.?!](?=(?<after>${nonWord}|[${space}]+(?<next>[^${space}]+)))`, 'gv')
// Closing marks that belong to the sentence before.
const closing = new RegExp(`^["'\\)\\]\\}‘’“”«»]+?(?:[${space}]+|(?=--)|$)`, 'v')

/** The sentences of a text. */
export function splitSentences(text: string, model: PunktModel): string[] {
  const breaks = candidates(text).filter(({ context }) => hasBreak(context, model))
  const spans: Span[] = []
  let start = 0
  for (const { end, next } of breaks) {
    spans.push({ start, end })
    start = next
  }
  spans.push({ start, end: rstrip(text).length })
  return realign(text, spans)
    .map((span) => slice(text, span))
    .filter((sentence) => sentence !== '')
}

function slice(text: string, { start, end }: Span): string {
  return start < end ? text.slice(start, end) : ''
}

/** Marks that may end a sentence; of marks on the same word the last. */
function candidates(text: string): Candidate[] {
  const found: Candidate[] = []
  let before: (Span & { readonly match: RegExpExecArray }) | null = null
  let word: Span = { start: 0, end: 0 }
  const keep = (): void => {
    if (before === null) return
    const { match } = before
    const { after = '', next } = match.groups ?? {}
    const end = match.index + match[0].length
    found.push({ end, next: next === undefined ? end : end + after.length - next.length, context: slice(text, before) + match[0] + after })
  }
  for (const match of text.matchAll(candidate)) {
    const space = lastSpace(text.slice(word.end, match.index))
    const start: number = space > 0 ? word.end + space + 1 : word.start
    if (word.end <= start) keep()
    word = { start, end: match.index }
    before = { ...word, match }
  }
  keep()
  return found
}

/** The place of the last ASCII white space, or 0. */
function lastSpace(text: string): number {
  for (let i = text.length - 1; i >= 0; i--) if (' \t\n\r\v\f'.includes(text.charAt(i))) return i
  return 0
}

/** Gives closing quotes and brackets to the sentence that they end. */
function realign(text: string, spans: readonly Span[]): Span[] {
  const aligned: Span[] = []
  let taken = 0
  spans.forEach((span, index) => {
    const start = span.start + taken
    const following = spans[index + 1]
    const close = following === undefined ? null : closing.exec(slice(text, following))
    taken = close?.[0].length ?? 0
    const end = close === null || following === undefined ? span.end : following.start + rstrip(close[0]).length
    aligned.push({ start, end })
  })
  return aligned
}

/** Whether a sentence ends within the text, before its last word. */
function hasBreak(text: string, model: PunktModel): boolean {
  const tokens = punktTokens(text)
  for (const token of tokens) markByType(token, model)
  tokens.forEach((token, index) => {
    const next = tokens[index + 1]
    if (next !== undefined && token.endsInPeriod) markByContext(token, next, model)
  })
  return tokens.slice(0, -1).some(({ endsSentence }) => endsSentence)
}

function markByType(token: PunktToken, { abbreviations }: PunktModel): void {
  const { text } = token
  if (text === '.' || text === '?' || text === '!') token.endsSentence = true
  else if (!token.isEllipsis && token.endsInPeriod && !text.endsWith('..')) {
    const type = text.slice(0, -1).toLowerCase()
    token.isAbbreviation = abbreviations.has(type) || abbreviations.has(type.slice(type.lastIndexOf('-') + 1))
    token.endsSentence = !token.isAbbreviation
  }
}

function markByContext(token: PunktToken, next: PunktToken, model: PunktModel): void {
  const [type, nextType] = [typeWithoutPeriod(token), typeInSentence(next)]
  if (model.collocations.has(`${type}\t${nextType}`)) {
    token.endsSentence = false
    token.isAbbreviation = true
    return
  }
  if ((token.isAbbreviation || token.isEllipsis) && !token.isInitial) {
    if (beginsSentence(next, model) === true || (next.firstIsUpper && model.starters.has(nextType))) {
      token.endsSentence = true
      return
    }
  }
  if (!token.isInitial && type !== '##number##') return
  const begins = beginsSentence(next, model)
  const isName = begins === null && token.isInitial && next.firstIsUpper && !((model.contexts.get(nextType) ?? 0) & seenLower)
  if (begins === false || isName) {
    token.endsSentence = false
    token.isAbbreviation = true
  }
}

/** Whether a word begins a sentence, from how it was written elsewhere; null = not known. */
function beginsSentence(token: PunktToken, model: PunktModel): boolean | null {
  if (/^[;:,.!?]$/.test(token.text)) return false
  const context = model.contexts.get(typeInSentence(token)) ?? 0
  if (token.firstIsUpper && context & seenLower && !(context & seenInsideUpper)) return true
  if (token.firstIsLower && (context & seenUpper || !(context & seenFirstLower))) return false
  return null
}
