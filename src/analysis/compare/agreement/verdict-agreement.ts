/** Verdicts of two runs on the same docs where names tell nothing: a run beside a published file that calls its task or its metric otherwise. */
import type { ComparedRun, ComparedSample } from '../compared-run.ts'
import { underFirstFilter, valueOf, verdictMetricOf } from '../doc-values.ts'
import { agreementOf, type Agreement } from './agreement.ts'

export interface VerdictAgreement {
  readonly left: { readonly task: string; readonly metric: string }
  readonly right: { readonly task: string; readonly metric: string }
  /** By the content's hash where both files have one, else by the prompt's, else by the doc's place. */
  readonly pairedBy: 'hash' | 'prompt' | 'place'
  /** `gained`: only the left run has them right. Ids are the left run's. */
  readonly agreement: Agreement
}

/**
 * Agreement of what each run says right or wrong: of the tasks that have one name but no verdict in common, and, where no name is in
 * common, of the one task that each run has. Paired by place only where both have as many docs. Empty where nothing can be paired.
 */
export function verdictAgreements(left: ComparedRun, right: ComparedRun): readonly VerdictAgreement[] {
  const [mine, theirs] = [[...left.samples.keys()], [...right.samples.keys()]]
  const named = mine.filter((task) => right.samples.has(task)).map((task) => [task, task] as const)
  const [only, other] = [mine[0], theirs[0]]
  const alone = named.length === 0 && mine.length === 1 && theirs.length === 1 && only !== undefined && other !== undefined
  return (alone ? [[only, other] as const] : named).flatMap(([a, b]) => {
    const docs = [underFirstFilter(left.samples.get(a) ?? []), underFirstFilter(right.samples.get(b) ?? [])] as const
    const [metric, otherMetric] = [verdictMetricOf(docs[0]), verdictMetricOf(docs[1])]
    if (metric === null || otherMetric === null || (a === b && metric === otherMetric)) return []
    const { pairedBy, pairs } = pairsOf(docs[0], docs[1])
    if (pairs.length === 0) return []
    const verdicts = pairs.map(([mine, theirs]) => ({
      docId: mine.docId,
      now: valueOf(mine, metric) === 1,
      before: valueOf(theirs, otherMetric) === 1,
    }))
    return [{ left: { task: a, metric }, right: { task: b, metric: otherMetric }, pairedBy, agreement: agreementOf(verdicts) }]
  })
}

type Pair = readonly [left: ComparedSample, right: ComparedSample]

/** Docs of both by the first way that pairs any. */
function pairsOf(
  left: readonly ComparedSample[],
  right: readonly ComparedSample[],
): { readonly pairedBy: VerdictAgreement['pairedBy']; readonly pairs: readonly Pair[] } {
  const byHash = matched(left, right, ({ docHash }) => docHash)
  if (byHash !== null) return { pairedBy: 'hash', pairs: byHash }
  const byPrompt = matched(left, right, ({ promptHash }) => promptHash)
  if (byPrompt !== null && byPrompt.length > 0) return { pairedBy: 'prompt', pairs: byPrompt }
  const byPlace = left.length === right.length ? matched(left, right, ({ docId }) => docId) : null
  return { pairedBy: 'place', pairs: byPlace ?? [] }
}

/** Null when a doc of either has no such key. A key that several docs have tells none of them (one prompt, published twice). */
function matched(
  left: readonly ComparedSample[],
  right: readonly ComparedSample[],
  keyOf: (sample: ComparedSample) => string | number | null,
): readonly Pair[] | null {
  if ([...left, ...right].some((sample) => keyOf(sample) === null)) return null
  const known = new Map(once(right, keyOf).map((sample) => [keyOf(sample), sample]))
  return once(left, keyOf).flatMap((sample): readonly Pair[] => {
    const found = known.get(keyOf(sample))
    return found === undefined ? [] : [[sample, found]]
  })
}

function once(samples: readonly ComparedSample[], keyOf: (sample: ComparedSample) => unknown): readonly ComparedSample[] {
  const times = new Map<unknown, number>()
  for (const sample of samples) times.set(keyOf(sample), (times.get(keyOf(sample)) ?? 0) + 1)
  return samples.filter((sample) => times.get(keyOf(sample)) === 1)
}
