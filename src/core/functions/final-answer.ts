/**
 * A final answer without units, markup and shorthand, as `normalize_final_answer` of `minerva_math/utils.py` and `leaderboard/math/utils.py`
 * gives it (lm_eval 0.4.13), after appendix D of Lewkowycz et al. (2022), arXiv 2206.14858.
 */

/** In this order, each everywhere. */
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

const units =
  'square ways integers dollars mph inches ft hours km units \\ldots sue points feet minutes digits cents degrees cm gm pounds meters meals edges students childrentickets multiples'
const removed: readonly string[] = [
  ...units.split(' '),
  '\\text{s}',
  '\\text{.}',
  '\\text{\ns}',
  '\\text{}^2',
  '\\text{}^3',
  '\\text{\n}',
  '\\text{}',
  '\\mathrm{th}',
  '^\\circ',
  '^{\\circ}',
  '\\;',
  ',\\!',
  '{,}',
  '"',
  '\\dots',
]

/** Python's dot stops at newlines only, JavaScript's at more: `[^\n]` it is. */
const markup: readonly (readonly [pattern: RegExp, to: string])[] = [
  [/([^\n]*?)(\$)([^\n]*?)(\$)([^\n]*)/gu, '$$$3$$'],
  [/(\\text\{)([^\n]*?)(\})/gu, '$2'],
  [/(\\textbf\{)([^\n]*?)(\})/gu, '$2'],
  [/(\\overline\{)([^\n]*?)(\})/gu, '$2'],
  [/(\\boxed\{)([^\n]*)(\})/gu, '$2'],
  [/(frac)([^{])([^\n])/gu, 'frac{$2}{$3}'],
  [/(sqrt)([^{])/gu, 'sqrt{$2}'],
]

export function normalizeFinalAnswer(answer: string): string {
  const side = answer.split('=').at(-1) ?? ''
  const plain = substitutions.reduce((text, [from, to]) => text.replaceAll(from, to), side)
  const bare = removed.reduce((text, expression) => text.replaceAll(expression, ''), plain)
  const unmarked = markup.reduce((text, [pattern, to]) => text.replace(pattern, to), bare).replaceAll('$', '')
  const digits = unmarked.replaceAll(',', '')
  return /^\p{Nd}+$/u.test(digits) ? digits : unmarked
}
