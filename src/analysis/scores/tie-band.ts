/** Docs whose two best choices are nearer to each other than the fast path to the reference path, and what they leave open of a score. */
import type { SampleView } from '../../contracts/samples.ts'
import type { TieBand } from '../../contracts/yardstick-results.ts'
import { marginOf } from '../viewer/choice-scores.ts'

const banded = ['acc', 'acc_norm'] as const

/**
 * The docs of one task whose margin (nats, the smaller of `acc` and `acc_norm`) is below `nats`, and for each accuracy its value if all of them were
 * wrong, and if all were right. Null when there are none. `samples` of several filters count once a doc.
 */
export function tieBand(task: string, samples: readonly SampleView[], nats: number): TieBand | null {
  const first = samples[0]?.filter
  const docs = samples.filter(({ filter, choices }) => filter === first && choices.length > 1)
  const near = new Set(docs.filter((sample) => marginOf(sample) < nats).map(({ docId }) => docId))
  if (near.size === 0) return null
  const bands = banded.flatMap((metric) => {
    const scored = docs.flatMap(({ docId, metrics }) => (typeof metrics[metric] === 'number' ? [{ docId, score: metrics[metric] }] : []))
    if (scored.length === 0) return []
    const sure = scored.reduce((sum, { docId, score }) => sum + (near.has(docId) ? 0 : score), 0)
    const open = scored.filter(({ docId }) => near.has(docId)).length
    return [{ metric, low: sure / scored.length, high: (sure + open) / scored.length }]
  })
  return { task, nats, docs: [...near], bands }
}
