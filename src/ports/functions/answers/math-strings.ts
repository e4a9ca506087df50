/** Comparison of LaTeX answers as texts, of `hendrycks_math/utils.py` and `aime/utils.py` (the same code), lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import { codePoints, length, strip } from '../../../python/string.ts'

/** Equal once both are normalised; as they stand where normalising raises. */
export function isEquivalent(left: string, right: string): boolean {
  const [a, b] = [normalize(left), normalize(right)]
  return a === null || b === null ? left === right : a === b
}

/** The last `\boxed{…}` or `\fbox{…}` with its braces, or `\boxed …` up to a dollar sign; null without one. */
export function lastBoxed(text: string): string | null {
  if (text.includes('\\boxed ')) return `\\boxed ${(text.split('\\boxed ').at(-1) ?? '').split('$')[0] ?? ''}`
  const start = text.includes('\\boxed') ? text.lastIndexOf('\\boxed') : text.lastIndexOf('\\fbox')
  if (start < 0) return null
  let open = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === '{') open++
    if (text[i] === '}' && --open === 0) return text.slice(start, i + 1)
  }
  return null
}

/** What stands in `\boxed{…}` or behind `\boxed `; null where upstream's assertions fail. */
export function unbox(boxed: string): string | null {
  if (boxed.includes('\\boxed ')) return boxed.startsWith('\\boxed ') ? boxed.slice('\\boxed '.length) : null
  return boxed.startsWith('\\boxed{') && boxed.endsWith('}') ? boxed.slice('\\boxed{'.length, -1) : null
}

/** The answer that a worked solution boxes. Throws `dataset/schema` when there is none. */
export function boxedAnswer(solution: string): string {
  const boxed = lastBoxed(solution)
  const answer = boxed === null ? null : unbox(boxed)
  if (answer !== null) return answer
  throw new EvalError('dataset/schema', `wanted an answer in \\boxed{…}, found ${JSON.stringify(solution.slice(-80))}`)
}

/** What stands between the first and the last dollar sign; the whole text with fewer than two. */
export function betweenDollars(text: string): string {
  const [first, last] = [text.indexOf('$'), text.lastIndexOf('$')]
  return first === last ? text : text.slice(first + 1, last)
}

/**
 * A LaTeX answer without what its writer could choose; null where Python raises. `slash` says what becomes of `a/b` with sides that are
 * no whole numbers: `hendrycks_math` raises, `agieval` and `hrm8k` keep it.
 */
export function normalize(text: string, slash: 'raises' | 'stays' = 'raises'): string | null {
  const plain = removals.reduce((current, [from, to]) => current.replaceAll(from, to), text)
  const units = plain.split('\\text{ ')
  if (units.length > 2) return null
  const bare = (units[0] ?? '').replaceAll('\\%', '').replaceAll(' .', ' 0.').replaceAll('{.', '{0.')
  if (bare === '') return bare
  const led = bare.startsWith('.') ? `0${bare}` : bare
  const sides = led.split('=')
  const side = sides.length === 2 && length(sides[0] ?? '') <= 2 ? (sides[1] ?? '') : led
  const rooted = braceRoots(side)
  const fractions = rooted === null ? null : braceFractions(rooted.replaceAll(' ', ''))
  if (fractions === null) return null
  const halved = fractions === '0.5' ? '\\frac{1}{2}' : fractions
  return fractionOfSlash(halved) ?? (slash === 'stays' ? halved : null)
}

const removals: readonly (readonly [from: string, to: string])[] = [
  ['\n', ''],
  ['\\!', ''],
  ['\\\\', '\\'],
  ['tfrac', 'frac'],
  ['dfrac', 'frac'],
  ['\\left', ''],
  ['\\right', ''],
  ['^{\\circ}', ''],
  ['^\\circ', ''],
  ['\\$', ''],
]

/** `\sqrt3` to `\sqrt{3}`. */
function braceRoots(text: string): string | null {
  const [head = '', ...parts] = text.split('\\sqrt')
  if (parts.includes('')) return null
  const roots = parts.map((part) => {
    const [first = '', ...rest] = codePoints(part)
    return first === '{' ? `\\sqrt${part}` : `\\sqrt{${first}}${rest.join('')}`
  })
  return head + roots.join('')
}

/** `\frac12` to `\frac{1}{2}`, and `\frac1{72}` to `\frac{1}{72}`; unchanged when a numerator stands alone. */
function braceFractions(text: string): string | null {
  const [head = '', ...parts] = text.split('\\frac')
  let out = head
  for (const part of parts) {
    const [a, b, ...rest] = codePoints(part)
    if (a === undefined) return null
    if (a === '{') out += `\\frac${part}`
    else if (b === undefined) return text
    else out += `\\frac{${a}}${b === '{' ? b : `{${b}}`}${rest.join('')}`
  }
  return out
}

const wholeNumber = /^[+-]?\p{Nd}+(?:_\p{Nd}+)*$/u

/** `3/4` to `\frac{3}{4}`, for plain whole numbers. */
function fractionOfSlash(text: string): string | null {
  const sides = text.split('/')
  if (sides.length !== 2) return text
  if (!sides.every((side) => wholeNumber.test(strip(side)))) return null
  return sides.every((side) => /^(?:0|-?[1-9]\d*)$/.test(side)) ? `\\frac{${sides.join('}{')}}` : text
}
