/** The four scores of IFEval, and the mean of the two strict ones that Open LLM Leaderboard v2 and Meta publish. lm_eval 0.4.13, `ifeval/utils.py`. */
import { EvalError } from '../../base/errors.ts'
import type { OwnScore } from '../../contracts/yardstick-results.ts'
import type { MetricValues } from '../../harness/results/samples-file.ts'
import { isList, type PyValue } from '../../python/value.ts'

/** Which instructions of one prompt were followed: to the letter, and with a reply's first and last lines and asterisks forgiven. */
interface FollowedInstructions {
  readonly strict: readonly boolean[]
  readonly loose: readonly boolean[]
}

interface IfevalAverages {
  readonly prompt_level_strict_acc: number
  readonly inst_level_strict_acc: number
  readonly prompt_level_loose_acc: number
  readonly inst_level_loose_acc: number
  /** Mean of the two strict ones; not a metric of the harness. */
  readonly mean_strict: number
}

/** A prompt counts when all its instructions are followed; instructions count each for itself. Throws `metric/failed` without instructions. */
export function ifevalAverages(prompts: readonly FollowedInstructions[]): IfevalAverages {
  const all = (kind: keyof FollowedInstructions): number => shareOf(prompts.map((prompt) => prompt[kind].every(Boolean)))
  const each = (kind: keyof FollowedInstructions): number => shareOf(prompts.flatMap((prompt) => prompt[kind]))
  const [prompt, instruction] = [all('strict'), each('strict')]
  return {
    prompt_level_strict_acc: prompt,
    inst_level_strict_acc: instruction,
    prompt_level_loose_acc: all('loose'),
    inst_level_loose_acc: each('loose'),
    mean_strict: (prompt + instruction) / 2,
  }
}

function shareOf(verdicts: readonly boolean[]): number {
  if (verdicts.length === 0) throw new EvalError('metric/failed', 'IFEval wants prompts with instructions, found none.')
  return verdicts.filter(Boolean).length / verdicts.length
}

/** The mean of the two strict scores as a score of ours; none for a task that isn't scored as IFEval is. */
export function ifevalScores(task: string, values: readonly MetricValues[]): readonly OwnScore[] {
  const itemsOf = (metric: string): readonly PyValue[] => values.find((one) => one.metric === metric)?.items ?? []
  const [strict, loose] = [itemsOf('inst_level_strict_acc'), itemsOf('inst_level_loose_acc')]
  if (strict.length === 0 || loose.length !== strict.length || itemsOf('prompt_level_strict_acc').length !== strict.length) return []
  const prompts = strict.map((item, at) => ({ strict: verdictsOf(item), loose: verdictsOf(loose[at] ?? null) }))
  if (!prompts.some((prompt) => prompt.strict.length > 0)) return []
  const { mean_strict: value } = ifevalAverages(prompts)
  return [{ task, metric: 'mean_strict', value, stderr: 'N/A', n: prompts.length }]
}

function verdictsOf(item: PyValue): readonly boolean[] {
  return isList(item) ? item.map((verdict) => verdict === true || verdict === 1) : []
}
