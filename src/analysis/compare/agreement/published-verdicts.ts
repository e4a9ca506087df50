/** A run's verdicts held against those that were published with the rows (Meta's recipe: `previously_is_correct`). */
import { isEvalError } from '../../../base/errors.ts'
import type { PublishedAgreement } from '../../../contracts/yardstick-results.ts'
import type { AnsweredDoc, TaskSamples } from '../../../harness/results/samples-file.ts'
import { toNumber, type PyValue } from '../../../python/value.ts'
import { againstColumn } from './agreement.ts'

/** The column as Meta's recipe names it, and as its joined files do. */
const verdictColumns: readonly string[] = ['previously_is_correct', 'previous_is_correct']

/**
 * One entry a filter, for the first metric that says right or wrong of every doc. Empty for rows without such a column, and where it holds
 * something else: a run never fails for it.
 */
export function publishedAgreements(
  task: string,
  docs: readonly Pick<AnsweredDoc, 'docId' | 'doc'>[],
  samples: Pick<TaskSamples, 'values'>,
): readonly PublishedAgreement[] {
  const column = verdictColumns.find((name) => docs.some(({ doc }) => (doc.get(name) ?? null) !== null))
  if (column === undefined) return []
  const filters = [...new Set(samples.values.map(({ filter }) => filter))]
  return filters.flatMap((filter): readonly PublishedAgreement[] => {
    const verdicts = samples.values.find((one) => one.filter === filter && one.items.length === docs.length && one.items.every(isVerdict))
    if (verdicts === undefined) return []
    try {
      const judged = docs.map(({ docId, doc }, at) => ({ docId, doc, value: toNumber(verdicts.items[at] ?? null) ?? 0 }))
      const { agreement, withoutReference } = againstColumn(judged, column)
      const { kappa, ...counts } = agreement
      return [
        {
          task,
          column,
          metric: verdicts.metric,
          filter,
          ...counts,
          kappa: Number.isNaN(kappa) ? null : kappa,
          unknown: withoutReference.length,
        },
      ]
    } catch (error) {
      if (isEvalError(error)) return []
      throw error
    }
  })
}

function isVerdict(value: PyValue): boolean {
  const number = toNumber(value)
  return number === 0 || number === 1
}

/** Lines of plain text; flips are named by their doc ids, the first twenty of them. */
export function agreementLines(agreements: readonly PublishedAgreement[]): readonly string[] {
  return agreements.map((one) => {
    const what = one.filter === 'none' ? one.metric : `${one.metric} (${one.filter})`
    const unknown = one.unknown === 0 ? '' : `; ${one.unknown} docs without a published verdict`
    const kappa = one.kappa === null ? 'kappa undefined' : `kappa ${one.kappa.toFixed(4)}`
    return `${one.task}, ${what}: agrees in ${one.agree} of ${one.n} docs, ${kappa}; right now and wrong before ${namedDocs(one.gained)}, wrong now and right before ${namedDocs(one.lost)}, p ${one.p.toPrecision(3)}${unknown}`
  })
}

function namedDocs(ids: readonly number[]): string {
  const shown = ids.slice(0, 20).join(', ')
  return ids.length === 0 ? '0' : `${ids.length} (docs ${shown}${ids.length > 20 ? ', …' : ''})`
}
