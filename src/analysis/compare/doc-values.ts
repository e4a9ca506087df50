/** One metric's values of a task's docs, as numbers to be paired. */
import type { ComparedSample } from './compared-run.ts'

/** Metrics that say right or wrong, the usual first; what stands for a task where one number must. */
const verdictMetrics = ['acc', 'exact_match', 'em', 'prompt_level_strict_acc'] as const

/** A metric's value; null where the sample has none that is a number. */
export function valueOf({ metrics }: Pick<ComparedSample, 'metrics'>, metric: string): number | null {
  const found = Object.hasOwn(metrics, metric) ? metrics[metric] : null
  if (typeof found === 'boolean') return Number(found)
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

/** The samples under the first filter of the file: each doc once. */
export function underFirstFilter(samples: readonly ComparedSample[]): readonly ComparedSample[] {
  const filter = samples[0]?.filter
  return samples.filter((sample) => sample.filter === filter)
}

/** The metric that says of every doc whether it is right; null where none does. */
export function verdictMetricOf(samples: readonly ComparedSample[]): string | null {
  const [first] = samples
  if (first === undefined) return null
  const names = [...verdictMetrics, ...Object.keys(first.metrics)]
  return names.find((metric) => samples.every((sample) => [0, 1].includes(valueOf(sample, metric) ?? -1))) ?? null
}
