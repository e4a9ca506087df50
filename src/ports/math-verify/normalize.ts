/** LaTeX without what its writer could choose: `math_normalization.py` of latex2sympy2_extended 1.11.0, as math_verify 0.9.0 sets it. */

const units: readonly string[] = [
  'integerpoint',
  'feet',
  'sue',
  'digit',
  'pound',
  'meal',
  'edge',
  'student',
  'children ticket',
  'multiple',
  'east',
  'degree',
  'mph',
  'kmph',
  'ft',
  'm square',
  ' m east',
  'sq m',
  'deg',
  'mile',
  'q .',
  'monkey',
  'prime',
  'ratio',
  'profit of rs',
  'rd',
  'o',
  'gm',
  'p . m',
  'lb',
  'tile',
  'per',
  'dm',
  'lt',
  'gain',
  'ab',
  'way',
  'west',
  'a .',
  'b .',
  'c .',
  'd .',
  'e .',
  'f .',
  'g .',
  'h .',
  't',
  'h',
  'no change',
  'men',
  'soldier',
  'pie',
  'bc',
  'excess',
  'st',
  'inches',
  'noon',
  'cent',
  'by',
  'gal',
  'kmh',
  'c',
  'acre',
  'rise',
  'a . m',
  'th',
  'π r 2',
  'sq',
  'mark',
  'l',
  'toy',
  'coin',
  'sq . m',
  'gallon',
  '° f',
  'profit',
  'minw',
  'yr',
  'women',
  'am',
  'pm',
  'hr',
  'cu cm',
  'square',
  'v â € ™',
  'are',
  'rupee',
  'rounds',
  'cubic',
  'cc',
  'mtr',
  's',
  'ohm',
  'number',
  'kmph',
  'day',
  'hour',
  'minute',
  'min',
  'second',
  'man',
  'woman',
  'sec',
  'cube',
  'mt',
  'sq inch',
  'mp',
  '∏ cm ³',
  'hectare',
  'more',
  'sec',
  'unit',
  'cu . m',
  'cm 2',
  'rs .',
  'rs',
  'kg',
  'g',
  'month',
  'km',
  'm',
  'cm',
  'mm',
  'apple',
  'liter',
  'loss',
  'yard',
  'pure',
  'year',
  'increase',
  'decrease',
  'd',
  'less',
  'Surface',
  'litre',
  'pi sq m',
  's .',
  'metre',
  'meter',
  'inch',
]

const unitAtEnd = new RegExp(String.raw`(\d|\}|\s)\s*(?:(?:${units.join('|')})(?:s|es)?)\s*$`)
const openers = String.raw`\\\{|\{|\\\||\||\[|\(|\\rbracl|\\lgroup|\\lbrace|\\lbrack|\\vert|\\lvert|\\lceil|\\lfloor|\\langle|\\llcorner|\\ulcorner`
const closers = String.raw`\\\}|\}|\\\||\||\]|\)|\\rbrack|\\rgroup|\\rbrace|\\vert|\\rvert|\\rceil|\\rfloor|\\rangle|\\lrcorner|\\urcorner`
const left = new RegExp(String.raw`\\m?left(${openers})`, 'g')
const right = new RegExp(String.raw`\\m?right(${closers})`, 'g')

/** One pass takes the first that fits at each place. */
const replacements: readonly (readonly [pattern: string, by: string])[] = [
  [String.raw`\\math(?:rm|it|bf)`, '\\text'],
  [String.raw`\\text(?:normal|bf|it|rm)`, '\\text'],
  [String.raw`\\(?:d|t|c)frac`, '\\frac'],
  [String.raw`\s\.`, ' 0.'],
  [String.raw`\{\.`, '{0.'],
  ['~=', '\\approx'],
  [String.raw`\s*\{\s*,\s*\}`, ','],
  ['(?<![a-zA-Z])(?:,?\\s*(?:and|or))(?![a-zA-Z])', ','],
  [String.raw`,?\s*\\text\{\s*(?:and|or)\s*\}`, ','],
  [String.raw`(?<!\\)\\\s`, ' '],
  ['infinity', '\\infty'],
  [String.raw`,?\\ldots`, ' '],
  [String.raw`\s*\bpercentage\b`, '\\%'],
  [String.raw`\\text\{percentage\}`, '%'],
  [String.raw`\s*\bpercent\b`, '\\%'],
  [String.raw`\\text\{percent\}`, '%'],
  [String.raw`\s*\bpct\b`, '\\%'],
  [String.raw`\\text\{pct\}`, '%'],
  [String.raw`(?<!\\)inf(?!inity)`, '\\infty'],
  [' sqrt', '\\sqrt'],
]
const replaced = new RegExp(replacements.map(([pattern]) => `(${pattern})`).join('|'), 'g')

/** The LaTeX that is then parsed. `boxes` says whether all boxes of a text count or the last ones. */
export function normalizeLatex(latex: string, boxes: 'all' | 'last'): string {
  let text = boxedContent(latex, boxes)
  text = text.replaceAll('\\mathrm{T}', 'T').replaceAll('\\mathrm{d}', 'd').replaceAll('{\\rm d}', 'd')
  text = text.replaceAll('\\left[\\begin{matrix}', '\\begin{bmatrix}').replaceAll('\\end{matrix}\\right]', '\\end{bmatrix}')
  text = text.replace(left, '$1').replace(right, '$1')
  text = text.replace(/\(([a-zA-Z0-9+\-*/\\ ]+?)\)_\{([a-zA-Z0-9+\-*/\\ ]+?)\}/g, '\\frac{($1)!}{(($1)-($2))!}')
  text = text.replace(/\\mathrm\{th\}|\\!\s*|\\text\s*\{\s*\}|\\\$|\$|(?<!\\)["']|\\displaystyle/g, '')
  text = text.replace(replaced, (...match: readonly unknown[]) => {
    const which = replacements.findIndex((_, i) => match[i + 1] !== undefined)
    return replacements[which]?.[1] ?? ''
  })
  text = text.replaceAll('\n', ' ').replaceAll('\t', ' ')
  if (!text.includes('matrix')) text = text.replace(/\\\\(?=[a-zA-Z])/g, '\\')
  text = withoutUnits(text)
  if (text.startsWith('.')) text = `0${text}`
  if (text === '0.5') text = '\\frac{1}{2}'
  return mendOperators(text).trim()
}

function withoutUnits(latex: string): string {
  let text = latex
  const bare = text.replace(/(\\(?:text|mbox)\{[^\n]*?\})(\^\d|\{\^\d\})?$/, '').trim()
  if (bare !== '') text = bare
  for (let round = 0; round < 2; round++) {
    const cut = text.replace(unitAtEnd, '$1')
    if (cut !== '') text = cut
  }
  return text
}

function mendOperators(latex: string): string {
  let text = latex
    .replace(/\^\s?\(([^\n]*?)\)/g, '^{$1}')
    .replace(/sqrt\s?\(([^\n]*?)\)/g, '\\sqrt{$1}')
    .replace(/\\frac\s?(\d)\s?(\d+)/g, '\\frac{$1}{$2}')
    .replace(/\\log_\s?(\d)\s?(\d+)/g, '\\log_{$1}{$2}')
    .replace(/\\frac\s?\{([^\n]*?)\}\s?(\d)/g, '\\frac{$1}{$2}')
    .replace(/\\frac\s?(\d)\s?\{([^\n]*?)\}/g, '\\frac{$1}{$2}')
    .replace(/\\sqrt\s?(\d)/g, '\\sqrt{$1}')
    .replaceAll(' sqrt', '\\sqrt')
  text = braceRoots(text)
  text = braceFractions(text)
  const slash = /^(0|-?[1-9]\d*)\/(0|-?[1-9]\d*)$/.exec(text)
  return slash === null ? text : `\\frac{${slash[1] ?? ''}}{${slash[2] ?? ''}}`
}

function braceRoots(text: string): string {
  const [head = '', ...parts] = text.split('\\sqrt')
  return (
    head +
    parts
      .map((part) => part.trimStart())
      .map((part) => `\\sqrt${/^[{[]|^$/.test(part) ? part : `{${part[0] ?? ''}}${part.slice(1)}`}`)
      .join('')
  )
}

function braceFractions(text: string): string {
  const [head = '', ...parts] = text.split('\\frac')
  let out = head
  for (const part of parts.map((each) => each.trimStart())) {
    const [a = '', b = ''] = part
    if (a === '{') out += `\\frac${part}`
    else if (part.length < 2) return text
    else out += `\\frac{${a}}${b === '{' ? b : `{${b}}`}${part.slice(2)}`
  }
  return out
}

/** What boxes hold, joined by commas; the text itself without any. Read from the end, until boxes stand too far apart for `last`. */
function boxedContent(text: string, boxes: 'all' | 'last'): string {
  const results: string[] = []
  let limit = text.length
  let nextStart: number | null = null
  for (;;) {
    const before = limit - 1
    const start = Math.max(findBefore(text, '\\boxed', before), findBefore(text, '\\fbox', before))
    if (start < 0) break
    let open = start + (text.startsWith('\\boxed', start) ? 6 : 5)
    while (open < limit && /\s/.test(text[open] ?? '')) open++
    const close = text[open] === '{' ? closingBrace(text, open, limit) : null
    if (open >= limit) break
    if (close === null) {
      if (results.length === 0) results.push(text.slice(open))
      break
    }
    const content = text.slice(open + 1, close).trim()
    if (boxes === 'last' && nextStart !== null && !belongs(text.slice(close + 1, nextStart), content !== results.at(-1))) break
    if (results.at(-1) !== content) results.push(content)
    nextStart = start
    limit = start
  }
  return results.length === 0 ? text : results.reverse().join(',')
}

/** `text.rfind(word, 0, end)`. */
const findBefore = (text: string, word: string, end: number): number => text.slice(0, end + 1).lastIndexOf(word)

function closingBrace(text: string, open: number, limit: number): number | null {
  let depth = 0
  for (let i = open; i < limit; i++) {
    if (text[i] === '{') depth++
    if (text[i] === '}' && --depth === 0) return i
  }
  return null
}

const belongs = (between: string, differs: boolean): boolean =>
  between.length < 10 || (differs && between.length < 70 && /\b(?:and|or)\b|,|;/.test(between))
