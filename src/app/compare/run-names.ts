/** What runs are called beside each other: by what tells them apart. */
import type { RunFacts } from '../../analysis/compare/run-facts.ts'

const told: readonly ((facts: RunFacts) => string)[] = [
  ({ model }) => model,
  ({ revision }) => revision,
  ({ dtype }) => dtype,
  ({ format }) => format,
  ({ device }) => device,
  ({ scoring }) => scoring,
  ({ hasChatTemplate }) => (hasChatTemplate === true ? 'chat template' : ''),
  ({ shots }) => (shots.length === 0 ? '' : `${shots.join(', ')}-shot`),
  ({ limit }) => (limit === '' ? '' : `limit ${limit}`),
  ({ seed }) => (seed === '' ? '' : `seed ${seed}`),
]

/** A name for each run, of the facts that aren't the same in all of them; the model where nothing differs. */
export function namesByDifference(runs: readonly RunFacts[]): readonly string[] {
  const differing = told.filter((read) => new Set(runs.map(read)).size > 1)
  return runs.map((facts) => {
    const parts = differing.map((read) => read(facts)).filter((part) => part !== '')
    return parts.length === 0 ? facts.model : parts.join(' · ')
  })
}
