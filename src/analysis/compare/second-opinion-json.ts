/** A second opinion as the results file has it, and back. */
import type { Json, JsonObject } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { SecondOpinion } from '../../contracts/second-opinion.ts'

/** What of an opinion is shown again when results are read. */
export type KeptOpinion = Pick<
  SecondOpinion,
  | 'stack'
  | 'docs'
  | 'requests'
  | 'agrees'
  | 'tolerance'
  | 'maxAbsDiff'
  | 'maxSumDiff'
  | 'picks'
  | 'picksDiffering'
  | 'passTokens'
  | 'timesFaster'
>

/** As the results file has it, under `yardstick.second_opinion`. */
export function opinionToJson(opinion: SecondOpinion): JsonObject {
  const { maxAbsDiff, maxSumDiff, worst } = opinion
  // JSON has no infinity, which is what a number that isn't one counts as.
  const finite = (value: number) => (Number.isFinite(value) ? value : null)
  return {
    stack: opinion.stack,
    device: opinion.device,
    dtype: opinion.dtype,
    docs: opinion.docs,
    requests: opinion.requests,
    tokens: opinion.tokens,
    agrees: opinion.agrees,
    tolerance: opinion.tolerance,
    max_abs_diff: finite(maxAbsDiff),
    max_sum_diff: finite(maxSumDiff),
    worst:
      worst === null
        ? null
        : { task: worst.task, doc_id: worst.docId, idx: worst.idx, ours: finite(worst.ours), theirs: finite(worst.theirs) },
    picks: opinion.picks,
    picks_differing: opinion.picksDiffering.map(({ task, docId, ours, theirs }) => ({ task, doc_id: docId, ours, theirs })),
    pass_tokens: opinion.passTokens,
    seconds: opinion.seconds,
    times_faster: opinion.timesFaster,
  }
}

/** The opinion in a results file; null where there is none, or none that can be read. */
export function opinionOf(resultsFile: { readonly [key: string]: Json }): KeptOpinion | null {
  const own = resultsFile['yardstick']
  const told = isRecord(own) ? own['second_opinion'] : undefined
  if (!isRecord(told) || typeof told['stack'] !== 'string' || typeof told['agrees'] !== 'boolean') return null
  const number = (key: string): number => (typeof told[key] === 'number' ? told[key] : Infinity)
  const numberOrNull = (key: string): number | null => (typeof told[key] === 'number' ? told[key] : null)
  const differing = Array.isArray(told['picks_differing']) ? told['picks_differing'] : []
  return {
    stack: told['stack'],
    agrees: told['agrees'],
    docs: number('docs'),
    requests: number('requests'),
    tolerance: number('tolerance'),
    maxAbsDiff: number('max_abs_diff'),
    maxSumDiff: number('max_sum_diff'),
    picks: number('picks'),
    picksDiffering: differing.flatMap((one: unknown) =>
      isRecord(one) && typeof one['task'] === 'string'
        ? [{ task: one['task'], docId: Number(one['doc_id']), ours: Number(one['ours']), theirs: Number(one['theirs']) }]
        : [],
    ),
    passTokens: numberOrNull('pass_tokens'),
    timesFaster: numberOrNull('times_faster'),
  }
}
