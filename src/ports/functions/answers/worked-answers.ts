/** Answers found in worked solutions: `agieval/utils.py` (cloze) and `hrm8k/{default,en}/utils.py`, lm_eval 0.4.13. */
import type { DocTo, FunctionFamily } from '../../../harness/function-table.ts'
import { parseFloatText, reprFloat } from '../../../python/number.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { lstrip, rstrip, strip } from '../../../python/string.ts'
import { str, type PyDict, type PyValue } from '../../../python/value.ts'
import { isTruthy, columnOf, textOf } from '../columns.ts'
import { textResult } from '../logprobs.ts'
import { normalize } from './math-strings.ts'

const dollars = compileWhenUsed(String.raw`\$(.*)\$`)
const number = compileWhenUsed(String.raw`(?:\$)?\d+(?:\.\d+)?(?![\w\d])`)

const behindEquals = (text: string): string => (text.includes('=') ? lstrip(text.split('=').at(-1) ?? '', ' ') : text)

/** What the last `\boxed{…}` holds, or `\fbox{…}` where none begins; null when its braces don't close or it is no `\boxed`. */
function boxed(text: string): string | null {
  const start = text.lastIndexOf('\\boxed')
  let open = 0
  for (let i = start; i < text.length; i++) {
    if (text[i] === '{') open++
    if (text[i] !== '}' || --open !== 0) continue
    const box = text.slice(start, i + 1)
    return box.startsWith('\\boxed{') ? behindEquals(box.slice('\\boxed{'.length, -1)) : null
  }
  return null
}

/** The answer that a solution boxes, else sets between dollar signs, else gives behind "=" or as its last number. */
function readAnswer(text: string): string | null {
  if (text.includes('\\boxed')) return boxed(text)
  const between = dollars.findall(text).at(-1)
  const inDollars = typeof between === 'string' ? behindEquals(between) : ''
  if (inDollars !== '') return inDollars
  // Upstream looks for a backslash and an n, not for a line's end.
  if (text.includes('=')) return rstrip(behindEquals(text), '.').split('\\n')[0] ?? ''
  const last = number.findall(text).at(-1)
  return typeof last === 'string' ? last : null
}

/** Equal after normalising; where that fails on either side, equal as they stand. */
function isSame(said: string, gold: string, finish: (text: string) => string): boolean {
  const [left, right] = [readAnswer(said), readAnswer(gold)]
  const a = left === null ? null : normalize(left, 'stays')
  const b = right === null ? null : normalize(right, 'stays')
  return a === null || b === null ? left === right : finish(a) === b
}

/** A number as Python prints it, whole ones without a point; other text as it is. */
function plainNumber(value: PyValue): string {
  const text = strip(str(value))
  const parsed = parseFloatText(text)
  if (parsed === null) return text
  return Number.isInteger(parsed) ? String(BigInt(parsed)) : reprFloat(parsed)
}

const ask =
  (column: string, before: string, label: string, end: string): DocTo =>
  (doc) =>
    `${before}${label}: ${strip(textOf(doc, column))}\n${end}:`

const korean = '주어진 문제를 풀어보세요.\n문제를 푼 후, '
const english = 'Solve the given question.\nAfter solving the problem, state your final '

const hrm8k = (folder: string, text: DocTo, choice: DocTo): FunctionFamily => ({
  folder,
  docTo: {
    'utils.doc_to_text': text,
    'utils.doc_to_text_mmmlu': choice,
    'utils.doc_to_target': (doc) => plainNumber(columnOf(doc, 'answer')),
  },
  processResults: {
    'utils.process_results': (doc, results): PyDict =>
      new Map([['exact_match', isSame(textResult(results), plainNumber(columnOf(doc, 'answer')), plainNumber) ? 1 : 0]]),
  },
})

export const workedAnswers: readonly FunctionFamily[] = [
  {
    folder: 'agieval',
    processResults: {
      'utils.process_results': (doc, results) => {
        const gold = columnOf(doc, 'answer')
        const isRight = gold !== null && isSame(textResult(results), isTruthy(gold) ? textOf(doc, 'answer') : str(gold), (text) => text)
        return new Map([['acc', isRight ? 1 : 0]])
      },
    },
  },
  hrm8k(
    'hrm8k/default',
    ask('question', `${korean}최종 답변을 다음과 같은 형식으로 작성하세요: $\\boxed{N}$.\n\n`, '문제', '답변'),
    ask('question', `${korean}주어진 선택지 (1, 2, 3, 4) 중 최종 선택지를 다음 형식으로 작성하세요: $\\boxed{N}$.\n\n`, '문제', '답변'),
  ),
  hrm8k(
    'hrm8k/en',
    ask('original', `${english}answer in the following format: $\\boxed{N}$.\n\n`, 'Question', 'Answer'),
    ask('original', `${english}choice among the choices (1, 2, 3, 4) in the following format: $\\boxed{N}$.\n\n`, 'Question', 'Answer'),
  ),
]
