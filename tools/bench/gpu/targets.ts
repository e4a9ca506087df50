/** What the fast path is meant to reach on hardware, beside what it reached. Told, never asserted: times are the machine's. */
import { maxOf, minOf } from '../../../src/base/arrays.ts'
import type { BenchRow } from '../rows.ts'
import { mmluSubjects } from './mmlu-docs.ts'
import type { MmluRow, TargetRow } from './report.ts'

/** Of the smallest real shape, the best of its dtypes and graphs. */
const aimedAt = '135M'
const wholeMmlu = mmluSubjects.reduce((sum, [, docs]) => sum + docs, 0)

/** Values are null where nothing was measured that they could be made of. */
export function targetsOf(rows: readonly BenchRow[], mmlu: readonly MmluRow[]): readonly TargetRow[] {
  const shots = rows.filter(({ work, model }) => work === 'mmlu_5shot' && model.startsWith(`random/${aimedAt}`))
  const ours = shots.filter(({ arm }) => arm === 'fast' || arm === 'own')
  const whole = mmlu.filter(({ model, docs }) => model === `random/${aimedAt}` && docs === wholeMmlu)
  const perDoc = ({ ms, docs }: BenchRow): number => ms / docs
  // A naive row is of the same graph, or of the exported one whose weights our own has.
  const timesNaive = ours.flatMap((row) => {
    const naive = shots.find(({ arm, dtype, model }) => arm === 'naive' && dtype === row.dtype && model === row.model)
    return naive === undefined ? [] : [perDoc(naive) / perDoc(row)]
  })
  const harness = shots.filter(({ arm, device }) => arm === 'harness' && device === 'cuda').map(perDoc)
  const timesHarness = harness.length === 0 ? [] : ours.map((row) => minOf(harness) / perDoc(row))
  return [
    { target: 'mmlu_5shot, times faster than the transformers.js loop', value: best(timesNaive), unit: '×', aim: 30, is_least: true },
    { target: 'mmlu_5shot, times faster than lm_eval on the same card', value: best(timesHarness), unit: '×', aim: 3, is_least: true },
    {
      target: 'whole MMLU, part of its time inside forward passes',
      value: best(whole.map(({ engine_ms: inside, ms }) => (100 * inside) / ms)),
      unit: '%',
      aim: 90,
      is_least: true,
    },
    {
      target: 'whole MMLU',
      value: whole.length === 0 ? null : minOf(whole.map(({ ms }) => ms / 1000)),
      unit: 's',
      aim: 60,
      is_least: false,
    },
  ]
}

function best(values: readonly number[]): number | null {
  return values.length === 0 ? null : maxOf(values)
}
