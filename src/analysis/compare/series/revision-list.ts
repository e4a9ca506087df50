/** Revisions as somebody types them: names with commas or blanks, and counted ones as `step-{1000..5000..1000}`. */
import { EvalError } from '../../../base/errors.ts'

/** Most revisions that a list may name. */
const mostRevisions = 200

/**
 * The names in order. Braces count as a shell's do: from, to and, where it isn't 1, by; with a nought in front, all are as wide as the widest.
 * Throws `settings/invalid` for braces of another form, for a name that comes twice, and for more than `mostRevisions`.
 */
export function readRevisions(text: string): readonly string[] {
  const names = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .flatMap(expand)
  if (names.length > mostRevisions) throw wrong(`at most ${mostRevisions} revisions`, String(names.length))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw wrong('each revision once', `'${twice}' twice`)
  return names
}

function expand(part: string): readonly string[] {
  const open = part.indexOf('{')
  const close = part.indexOf('}')
  if (open < 0 && close < 0) return [part]
  const inner = /^(\d+)\.\.(\d+)(?:\.\.(\d+))?$/.exec(open < close ? part.slice(open + 1, close) : '')
  const [before, after] = [part.slice(0, Math.max(0, open)), part.slice(close + 1)]
  if (inner === null || /[{}]/.test(after)) throw wrong('{from..to} or {from..to..by} with numbers', part)
  const [, from = '', to = '', by = '1'] = inner
  const [first, last, step] = [Number(from), Number(to), Number(by)]
  if (step === 0 || Math.abs(last - first) / step >= mostRevisions) throw wrong(`at most ${mostRevisions} revisions`, part)
  const isPadded = [from, to].some((digits) => digits.length > 1 && digits.startsWith('0'))
  const width = isPadded ? Math.max(from.length, to.length) : 0
  const count = Math.floor(Math.abs(last - first) / step) + 1
  return Array.from({ length: count }, (_, at) => {
    const number = first + (last < first ? -1 : 1) * step * at
    return `${before}${String(number).padStart(width, '0')}${after}`
  })
}

function wrong(wanted: string, found: string): EvalError {
  return new EvalError('settings/invalid', `Revisions: wanted ${wanted}, found ${found.slice(0, 80)}.`)
}
