/** The embedded model's scores by Python's ONNX Runtime, for an arm to be held against. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../../src/cli/browser/build.ts'
import { planTree, sequenceOf } from '../../../src/planning/token-tree.ts'
import type { RunningArm } from '../arms.ts'
import type { GpuModel } from './models/gpu-model.ts'
import type { GoldenRow } from './report.ts'

interface GoldenFile {
  readonly requests: readonly { readonly context: readonly number[]; readonly continuation: readonly number[]; readonly logprob: number }[]
}

/** Where a model's goldens are; null where there are none of its dtype. */
export function goldenFileOf({ id, dtype }: Pick<GpuModel, 'id' | 'dtype'>): string | null {
  const name = `${id.replace('yardstick/', '')}_${dtype}.json`
  const path = join(projectFolder, 'tests/goldens/embedded/ort', name)
  return existsSync(path) ? path : null
}

/** Scores every `step`-th of a file's requests, laid out as a run lays them out. Log-probabilities of 4-bit weights may differ by what kernels round. */
export async function scoreGoldens(
  arm: RunningArm,
  { id, dtype }: Pick<GpuModel, 'id' | 'dtype'>,
  file: string,
  step: number,
): Promise<GoldenRow> {
  // Written by tools/embedded-model/ort_scores.py.
  const golden = JSON.parse(readFileSync(file, 'utf8')) as GoldenFile
  const requests = golden.requests.filter((_, index) => index % step === 0)
  const items = requests.map(({ context, continuation }) => ({
    input: [...context, ...continuation.slice(0, -1)],
    targets: [continuation],
  }))
  const layout = arm.facts?.fast?.layout
  const sequences = items.map(({ input, targets }) =>
    sequenceOf({ input: Int32Array.from(input), targets: targets.map((target) => Int32Array.from(target)) }),
  )
  const batches = layout === undefined ? [{ items: items.map((_, index) => index), prefixes: [] }] : planTree(sequences, layout)
  let largest = 0
  for (const batch of batches) {
    const { sums } = await arm.score(
      batch.items.flatMap((index) => items[index] ?? []),
      batch.prefixes,
    )
    batch.items.forEach((index, place) => {
      const difference = Math.abs((sums[place]?.[0] ?? NaN) - (requests[index]?.logprob ?? NaN))
      // What is no number is larger than all.
      largest = difference <= largest ? largest : difference
    })
  }
  return { model: id, dtype, requests: requests.length, max_abs_diff: largest, tolerance: dtype === 'fp32' ? 2e-3 : 1e-2 }
}
