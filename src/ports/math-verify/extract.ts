/** Where math_verify 0.9.0 looks for answers in a text (`parser.py`): its patterns, tried by priority, from the text's end. */

/** One place: LaTeX parts that belong together, each with whether a percent sign follows, or plain digits. */
export type Found =
  | { readonly kind: 'latex'; readonly parts: readonly { readonly text: string; readonly percent: boolean }[]; readonly boxed: boolean }
  | { readonly kind: 'number'; readonly digits: string; readonly percent: boolean }
  | { readonly kind: 'arithmetic'; readonly text: string }

const anyCase = (word: string): string => word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
const finalAnswer = anyCase('final answer')
const answer = anyCase('answer')
const percent = String.raw`(?:\\?%|[Pp]ercent|[Pp]ercentage|[Pp]ct)`

/** LaTeX between its delimiters, groups named by `prefix`; with `boxed`, only where it boxes something. */
function delimited(prefix: string, boxed: boolean): string {
  const wrap = (unit: string): string => (boxed ? String.raw`${unit}*?\\boxed\{${unit}+?\}${unit}*?` : `${unit}+?`)
  const named = (name: string, unit: string): string => `(?<${prefix}latex${name}>${wrap(unit)})`
  const patterns = [
    String.raw`(?<!\\)\$\$${named('DisplayDollar', String.raw`(?:[^$]|\$(?!\$))`)}(?<!\\)\$\$`,
    String.raw`(?<!\\)\\\[${named('DisplayBracket', String.raw`(?:[^\\]|\\(?!\]))`)}(?<!\\)\\\]`,
    String.raw`(?<!\\|\d)\$${named('InlineDollar', String.raw`(?:\\[$]|[^\n$])`)}(?<!\\)\$`,
    String.raw`(?<!\\)\\\(${named('InlineParenthesis', String.raw`(?:[^\\\n]|\\(?!\)))`)}(?<!\\)\\\)`,
    String.raw`\s\[${named('InlineBracket', String.raw`[^\n\]\[]`)}\]\s`,
    ...(boxed ? [] : [String.raw`(?<${prefix}latexFraction>-?\\frac\{-?\d+(?:[.,]\d+)?\}\{-?\d+(?:[.,]\d+)?\})`]),
  ]
  return String.raw`(?:(?:${patterns.join('|')})\s*(?<${prefix}percent>${percent})?)`
}

const next = [1, 2, 3, 4, 5]
const joiner = String.raw`\s*(?:,?and|,?or|,)\s*`
const latex = `(?:${delimited('first_', false)}${next.map((i) => `(?:${joiner}${delimited(`next${i}_`, false)})?`).join('')})`
const boxedLatex = delimited('first_', true) + next.map((i) => String.raw`\s*(?:${joiner}${delimited(`next${i}_`, true)})?`).join('')

const operators = String.raw`\+\-\*×\/\^\(\)÷`
const characters = String.raw`[\d.\s${operators}]`
const currencies = '$€£¥₹₽₪₩₫฿₡₢₣₤₥₦₧₨₭₮₯₰₱₲₳₴₵₶₷₸₺₻₼₾₿'
const begins = String.raw`(?:^|\s|=)(?:\*\*)?`
const ends = String.raw`(?:\*\*)?(?:\.|,|:|\s|\)|\$|$)`
const expression = String.raw`(?:${begins}(?<expr>-?\(?-?\d${characters}*[${operators}]${characters}+\)?)${ends})`
const digits =
  String.raw`(?<!\d)(?:(?<integer1>-?[1-9]\d{0,2}(?:[ ,]\d{3})+)(?<decimal1>\.\d+)?|(?<integer2>-?\d+)(?<decimal2>[.,]\d+)|` +
  String.raw`(?<decimal3>\.\d+)|(?<integer3>-?\d+))(?<percent>\s*(?:%|[Pp]ercent|\s*[Pp]ercentage|\s*[Pp]ct))?`
const number = `(?:${begins}[${currencies}]?${digits})`
const either = `(?:${expression}|${number})`

interface Place {
  readonly priority: number
  readonly pattern: RegExp
}

const place = (priority: number, source: string, flags = 'gs'): Place => ({ priority, pattern: new RegExp(source, flags) })

const latexPlaces: readonly Place[] = [
  place(0, String.raw`${finalAnswer} ${anyCase('is')}:?\s*${latex}\.?\s?I hope`),
  place(50, String.raw`${finalAnswer}.{0,100}?\s+is:?\s*${latex}`),
  place(100, `${answer}:.{0,50}?${latex}`),
  place(200, `${answer}.{0,50}?${latex}`),
  place(300, latex),
  place(50, boxedLatex),
  place(50, String.raw`(?<first_latexBoxed>\\boxed\{.+\})`),
]

// Without a dot that passes line ends. `$` in Python also stands before a last line end, which \s takes here.
const digitPlaces: readonly Place[] = [
  place(0, String.raw`${finalAnswer} ${anyCase('is')}:?\s*${either}\.?\s?I hope`, 'g'),
  place(50, String.raw`${finalAnswer}.{0,100}?\s+is:?${either}`, 'g'),
  place(100, String.raw`${answer}:(?:.{0,100}=\s*|.{0,50}?)${either}(?!\s*=)`, 'g'),
  place(200, String.raw`${answer}(?:.{0,100}=\s*|.{0,50}?)${either}(?!\s*=)`, 'g'),
  place(300, expression, 'g'),
  place(300, number, 'g'),
]

/** Places in the order in which they are tried, by priority. `latexOnly` leaves plain digits out. */
export function findAnswers(text: string, latexOnly: boolean): readonly (readonly Found[])[] {
  const places = latexOnly ? latexPlaces : [...latexPlaces, ...digitPlaces]
  const priorities = [...new Set(places.map(({ priority }) => priority))].sort((a, b) => a - b)
  return priorities.map((priority) =>
    places
      .filter((candidate) => candidate.priority === priority)
      .flatMap(({ pattern }) => [...text.matchAll(pattern)])
      .map((match) => ({ start: match.index, end: match.index + match[0].length, found: read(match.groups ?? {}) }))
      .sort((a, b) => b.end - a.end || a.start - b.start)
      .map(({ found }) => found),
  )
}

function read(groups: { readonly [name: string]: string | undefined }): Found {
  const named = (prefix: string): readonly [string, string] | undefined => {
    const entry = Object.entries(groups).find(([name, value]) => name.startsWith(prefix) && value !== undefined && value !== '')
    return entry === undefined ? undefined : [entry[0], entry[1] ?? '']
  }
  if (Object.keys(groups).some((name) => name.includes('latex'))) {
    const parts = ['first_', ...next.map((i) => `next${i}_`)].flatMap((prefix) => {
      const part = named(`${prefix}latex`)
      return part === undefined ? [] : [{ text: part[1], percent: groups[`${prefix}percent`] !== undefined }]
    })
    return { kind: 'latex', parts, boxed: groups['first_latexBoxed'] !== undefined }
  }
  const [whole, part] = [named('integer')?.[1] ?? '', named('decimal')?.[1] ?? '']
  if (whole === '' && part === '') return { kind: 'arithmetic', text: groups['expr'] ?? '' }
  const bare = whole.replace(/[, ]/g, '').replace(/^0+/, '')
  return { kind: 'number', digits: `${bare === '' ? '0' : bare}${part.replaceAll(',', '.')}`, percent: groups['percent'] !== undefined }
}
