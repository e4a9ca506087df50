/** IFEval's scores of one doc, and their mean over docs. lm_eval 0.4.13, `ifeval/utils.py`; `leaderboard/ifeval` has the same. */
import { EvalError } from '../../../base/errors.ts'
import { strip } from '../../../python/string.ts'
import { isDict, isList, pyFloat, repr, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { isTruthy, listOf, textsOf } from '../columns.ts'
import { changeCaseInstructions } from './change-case.ts'
import { combinationInstructions } from './combination.ts'
import { contentInstructions } from './content.ts'
import { Draws } from './draws.ts'
import { formatInstructions } from './format.ts'
import type { Check, Instructions } from './instruction.ts'
import { keywordInstructions } from './keywords.ts'
import { languageInstructions } from './language.ts'
import { lengthInstructions } from './length.ts'
import { punctuationInstructions, startEndInstructions } from './start-end.ts'

/** All instructions by id, as `instructions_registry.INSTRUCTION_DICT`. */
export const instructions: Instructions = {
  ...keywordInstructions,
  ...languageInstructions,
  ...lengthInstructions,
  ...contentInstructions,
  ...formatInstructions,
  ...combinationInstructions,
  ...startEndInstructions,
  ...changeCaseInstructions,
  ...punctuationInstructions,
}

/**
 * Which instructions the response follows, and whether all: to the letter, and loosely, where it is enough that one of eight variants does.
 * Throws `metric/failed` for an instruction or a parameter that the harness refuses, `dataset/schema`, and `internal` before the data is loaded.
 */
export function processIfeval(doc: PyDict, results: readonly PyValue[]): PyDict {
  const [response] = results
  if (typeof response !== 'string')
    throw new EvalError('metric/failed', `IFEval wants a text as response, found ${repr(response ?? null)}.`)
  const draws = new Draws()
  const strict = followed(buildChecks(doc, draws), [response])
  const loose = followed(buildChecks(doc, draws), looseVariants(response))
  return new Map<string, PyValue>([
    ['prompt_level_strict_acc', strict.every(Boolean)],
    ['inst_level_strict_acc', strict],
    ['prompt_level_loose_acc', loose.every(Boolean)],
    ['inst_level_loose_acc', loose],
  ])
}

/** Ids of a doc's instructions of which something is drawn at random. */
export function drawnInstructions(doc: PyDict): readonly string[] {
  return textsOf(doc, 'instruction_id_list').filter((id, index) => {
    const draws = new Draws()
    buildCheck(doc, id, index, draws)
    return draws.count > 0
  })
}

/** Mean over all docs' instructions. */
export function averageInstructions(items: readonly PyValue[]): PyValue {
  const verdicts = items.flatMap((item) => (isList(item) ? [...item] : []))
  if (verdicts.length === 0) throw new EvalError('metric/failed', 'IFEval wants instructions to average over, found none.')
  return pyFloat(verdicts.reduce<number>((sum, verdict) => sum + (toNumber(verdict) ?? 0), 0) / verdicts.length)
}

function buildChecks(doc: PyDict, draws: Draws): Check[] {
  return textsOf(doc, 'instruction_id_list').map((id, index) => buildCheck(doc, id, index, draws))
}

function buildCheck(doc: PyDict, id: string, index: number, draws: Draws): Check {
  const instruction = Object.hasOwn(instructions, id) ? instructions[id] : undefined
  if (instruction === undefined)
    throw new EvalError('metric/failed', `IFEval has no instruction '${id}'; it has ${Object.keys(instructions).join(', ')}.`, {
      details: { instruction: id },
    })
  const all = listOf(doc, 'kwargs')[index] ?? null
  if (!isDict(all)) throw new EvalError('dataset/schema', `wanted a record for '${id}' in the column 'kwargs', found ${repr(all)}`)
  // Zeros and empty texts count as left out.
  const kwargs = new Map([...all].filter(([, value]) => isTruthy(value)))
  const strange = [...kwargs.keys()].find((name) => !instruction.parameters.includes(name))
  if (strange !== undefined)
    throw new EvalError('metric/failed', `IFEval's instruction '${id}' has no parameter '${strange}'.`, { details: { instruction: id } })
  return instruction.build(kwargs, draws)
}

function followed(checks: readonly Check[], variants: readonly string[]): boolean[] {
  const spoken = variants.filter((variant) => strip(variant) !== '')
  return checks.map((check) => spoken.some(check))
}

/** The response; without its first, its last, and both lines; and each of these without stars. */
function looseVariants(response: string): readonly string[] {
  const lines = response.split('\n')
  const join = (start: number, end: number): string => strip(lines.slice(start, end).join('\n'))
  const kept = [response, join(1, lines.length), join(0, lines.length - 1), join(1, lines.length - 1)]
  return [...kept, ...kept.map((variant) => variant.replaceAll('*', ''))]
}
