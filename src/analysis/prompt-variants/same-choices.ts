/** Whether the variants of a task asked the same docs for the same choices: what no template can promise of rows that it hasn't seen. */
import { EvalError } from '../../base/errors.ts'
import type { SampleView } from '../../contracts/samples.ts'

/**
 * Holds every variant's docs against the first's: as many choices, and the same place of the right one. Throws `results/invalid` with task, doc and
 * both counts; then the variant's scores mean nothing, as its choices or its target came out otherwise.
 */
export function requireSameChoices(samples: ReadonlyMap<string, readonly SampleView[]>, [own, ...variants]: readonly string[]): void {
  const first = new Map((samples.get(own ?? '') ?? []).map((sample) => [sample.docId, sample]))
  for (const task of variants) {
    for (const { docId, choices, gold } of samples.get(task) ?? []) {
      const wanted = first.get(docId)
      if (wanted === undefined) continue
      const differs =
        wanted.choices.length === choices.length
          ? wanted.gold.join() === gold.join()
            ? null
            : `the right choice is at ${places(gold)}, wanted ${places(wanted.gold)}`
          : `there are ${choices.length} choices, wanted ${wanted.choices.length}`
      if (differs !== null)
        throw new EvalError(
          'results/invalid',
          `task '${task}', doc ${docId}: ${differs} as in '${own ?? ''}': its file doesn't say enough to ask it in another style.`,
          { details: { task, docId } },
        )
    }
  }
}

function places(gold: readonly number[]): string {
  return gold.length === 0 ? 'no place' : gold.map((place) => place + 1).join(' and ')
}
