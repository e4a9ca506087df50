/** Verdicts of two runs on the same docs where names tell nothing: a run beside a published file that calls its task or its metric otherwise. */
import { agreementOf, type Agreement } from './agreement.ts'
import type { ComparedRun, ComparedSample } from './compared-run.ts'
import { underFirstFilter, valueOf, verdictMetricOf } from './doc-values.ts'

export interface VerdictAgreement {
  readonly left: { readonly task: string; readonly metric: string }
  readonly right: { readonly task: string; readonly metric: string }
  /** By the content's hash where both files have one, else by the doc's place. */
  readonly pairedBy: 'hash' | 'place'
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
    const pairedBy = docs.every((own) => own.every(({ docHash }) => docHash !== null)) ? 'hash' : 'place'
    if (pairedBy === 'place' && docs[0].length !== docs[1].length) return []
    const keyOf = ({ docHash, docId }: ComparedSample): string | number => (pairedBy === 'hash' ? (docHash ?? docId) : docId)
    const known = new Map(docs[1].map((sample) => [keyOf(sample), sample]))
    const pairs = docs[0].flatMap((sample) => {
      const found = known.get(keyOf(sample))
      return found === undefined
        ? []
        : [{ docId: sample.docId, now: valueOf(sample, metric) === 1, before: valueOf(found, otherMetric) === 1 }]
    })
    if (pairs.length === 0) return []
    return [{ left: { task: a, metric }, right: { task: b, metric: otherMetric }, pairedBy, agreement: agreementOf(pairs) }]
  })
}
