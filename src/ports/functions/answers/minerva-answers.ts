/** Final answers in LaTeX: finding, normalising and comparing them, of `minerva_math/utils.py` and `leaderboard/math/utils.py`, lm_eval 0.4.13. */
import { strip } from '../../../python/string.ts'
import { UnreadableFormula } from '../../algebra/expression.ts'
import { isSameValue } from '../../algebra/same-value.ts'
import { parseSympyLatex } from '../../algebra/sympy-latex.ts'

/** What the harness takes for an answer where there is none. */
export const invalidAnswer = '[invalidanswer]'

/** Whose normalisation: the leaderboard's is frozen and cuts units out of commands. */
export type Recipe = 'minerva' | 'leaderboard'

/** What a reply names as its final answer. */
export function finalAnswer(reply: string): string {
  const found = /Final Answer: The final answer is([^\n]*?)[^\n] I hope it is correct[^\n]/u.exec(`${reply}I hope it is correct.`)
  return found === null ? invalidAnswer : strip(found[1] ?? '')
}

const substitutions: readonly (readonly [from: string, to: string])[] = [
  ['an ', ''],
  ['a ', ''],
  ['.$', '$'],
  ['\\$', ''],
  ['\\ ', ''],
  [' ', ''],
  ['mbox', 'text'],
  [',\\text{and}', ','],
  ['\\text{and}', ','],
  ['\\text{m}', '\\text{}'],
]

const removed = [
  ...['square', 'ways', 'integers', 'dollars', 'mph', 'inches', 'ft', 'hours', 'km', 'units', '\\ldots', 'sue', 'points', 'feet'],
  ...['minutes', 'digits', 'cents', 'degrees', 'cm', 'gm', 'pounds', 'meters', 'meals', 'edges', 'students', 'childrentickets'],
  ...['multiples', '\\text{s}', '\\text{.}', '\\text{\ns}', '\\text{}^2', '\\text{}^3', '\\text{\n}', '\\text{}', '\\mathrm{th}'],
  ...['^\\circ', '^{\\circ}', '\\;', ',\\!', '{,}', '"', '\\dots'],
]

const isWord = (text: string): boolean => /^[a-z]+$/.test(text)

/** An answer without what its writer could choose. */
export function normalizeFinalAnswer(answer: string, recipe: Recipe): string {
  const isMinerva = recipe === 'minerva'
  let text = answer.split('=').at(-1) ?? ''
  if (isMinerva) for (const word of removed.filter(isWord)) text = text.replace(bareWord(word), '')
  for (const [from, to] of substitutions) text = text.replaceAll(from, to)
  for (const part of removed) text = isMinerva && isWord(part) ? removeOutsideCommands(text, part) : text.replaceAll(part, '')
  text = text
    .replace(/([^\n]*?)(\$)([^\n]*?)(\$)([^\n]*)/gu, '$$$3$$')
    .replace(/\\text\{([^\n]*?)\}/gu, '$1')
    .replace(/\\textbf\{([^\n]*?)\}/gu, '$1')
    .replace(/\\overline\{([^\n]*?)\}/gu, '$1')
    .replace(/\\boxed\{([^\n]*)\}/gu, '$1')
    .replace(/frac([^{])([^\n])/gu, 'frac{$1}{$2}')
  text = isMinerva
    ? text.replace(/sqrt(\[[^\]]*\])([\p{L}\p{N}_])/gu, 'sqrt$1{$2}').replace(/sqrt(?!\[)([^{])/gu, 'sqrt{$1}')
    : text.replace(/sqrt([^{])/gu, 'sqrt{$1}')
  text = text.replaceAll('$', '')
  const isGrouped = isMinerva ? /^-?\p{Nd}{1,3}(?:,\p{Nd}{3})+$/u.test(text) : /^[\p{Nd}²³¹⁰⁴-⁹₀-₉]+$/u.test(text.replaceAll(',', ''))
  return isGrouped ? text.replaceAll(',', '') : text
}

const bareWord = (word: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}_\\])${word}(?![\p{L}\p{N}_])`, 'gu')

function removeOutsideCommands(text: string, part: string): string {
  const pieces = text.split(/(\\[a-zA-Z]+)/)
  return pieces.map((piece, i) => (i % 2 === 0 ? piece.replaceAll(part, '') : piece)).join('')
}

/** Equal as `simplify(parse_latex(left) - parse_latex(right)) == 0` says; false where either can't be read. */
export function isSameFormula(left: string, right: string): boolean {
  try {
    const [a, b] = [parseSympyLatex(left), parseSympyLatex(right)]
    return a !== null && b !== null && isSameValue(a, b)
  } catch (error) {
    if (error instanceof UnreadableFormula) return false
    throw error
  }
}
