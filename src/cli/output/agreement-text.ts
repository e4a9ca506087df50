/** How two lots of answers to the same docs agree, as lines of text. */
import type { SampleAgreement } from '../../analysis/compare/agreement/sample-agreement.ts'

/** How many doc ids are printed of each kind; `--json` has all. */
const shownDocs = 20

/** One line a task, and one for each metric whose verdicts differ. */
export function agreementLines(agreement: SampleAgreement): readonly string[] {
  const { task, docs, logprobs, maxAbsDiff, meanAbsDiff, texts, otherTexts, otherDocs, flips } = agreement
  const parts = [
    `${docs} docs in both`,
    ...(maxAbsDiff === null || meanAbsDiff === null
      ? []
      : [
          `${logprobs} log-probabilities, the largest difference ${maxAbsDiff.toExponential(1)} nats, the mean ${meanAbsDiff.toExponential(1)}`,
        ]),
    ...(texts === 0 ? [] : [`${texts} texts, ${otherTexts.length} docs with other ones${listed(otherTexts)}`]),
  ]
  return [
    `${task}: ${parts.join('; ')}.`,
    ...(otherDocs.length === 0 ? [] : [`${task}: other content under the same id in ${otherDocs.length} docs${listed(otherDocs)}.`]),
    ...Object.entries(flips).map(([metric, ids]) => `${task}, ${metric}: ${ids.length} verdicts differ${listed(ids)}.`),
  ]
}

/** Ids in brackets behind a count; nothing for none. */
export function listed(ids: readonly number[]): string {
  if (ids.length === 0) return ''
  return ` (${ids.slice(0, shownDocs).join(', ')}${ids.length > shownDocs ? `, and ${ids.length - shownDocs} more` : ''})`
}
