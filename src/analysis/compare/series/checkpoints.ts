/** A score over a model's training checkpoints: from result files to the points of a plot. */
import { EvalError, type Json } from '../../../base/errors.ts'
import { isRecord } from '../../../base/guards.ts'
import { quantileOf975 } from '../../../base/normal-quantile.ts'
import { metricsOf, type ResultFile } from '../result-file.ts'

export interface CheckpointPoint {
  /** The revision as the file names it. */
  readonly revision: string
  /** Its training step, where the revision names one; else null, and the point comes after those that do. */
  readonly step: number | null
  readonly value: number
  readonly stderr: number | null
  /** Value ± 1.96 standard errors; equal to the value where there is none. */
  readonly low: number
  readonly high: number
  readonly file: string
}

export interface CheckpointSeries {
  readonly metric: string
  readonly filter: string
  readonly points: readonly CheckpointPoint[]
}

/**
 * One series per metric and filter of a task, its points by step as numbers: as texts, step-1000000 would come before step-125000. Throws
 * `settings/invalid` when no file has the task, or when two files give other scores of the same revision.
 */
export function checkpointSeries(files: readonly ResultFile[], task: string): readonly CheckpointSeries[] {
  const series = new Map<string, { metric: string; filter: string; points: CheckpointPoint[] }>()
  for (const file of files) {
    const row = file.results[task]
    if (row === undefined) continue
    const revision = revisionOf(file, task)
    for (const { metric, filter, value, stderr } of metricsOf(row)) {
      const key = `${metric},${filter}`
      const known = series.get(key) ?? { metric, filter, points: [] }
      series.set(key, known)
      const same = known.points.find((point) => point.revision === revision)
      if (same !== undefined && same.value !== value)
        throw new EvalError('settings/invalid', `${same.file} and ${file.name} both score ${task} at ${revision}, and differ in ${key}.`)
      const spread = quantileOf975 * (stderr ?? 0)
      if (same === undefined)
        known.points.push({ revision, step: stepOf(revision), value, stderr, low: value - spread, high: value + spread, file: file.name })
    }
  }
  if (series.size === 0) throw new EvalError('settings/invalid', `None of the ${files.length} files has a score of ${task}.`)
  for (const { points } of series.values()) points.sort(byStep)
  return [...series.values()]
}

/** The last number of a revision, as in `step-125000`, `global_step1000` or `step3000-tokens12B`: the one after `step` where it says so. */
export function stepOf(revision: string): number | null {
  const named = /step[-_ ]?(\d[\d_,]*)/i.exec(revision)?.[1] ?? /(\d[\d_,]*)(?=\D*$)/.exec(revision)?.[1]
  // A commit is hexadecimal; its digits say nothing.
  if (named === undefined || /^[0-9a-f]{40}$/.test(revision)) return null
  return Number(named.replace(/[_,]/g, ''))
}

/** The revision from the task's metadata, else from the model's arguments, else the one that was resolved. */
function revisionOf({ configs, whole, name }: ResultFile, task: string): string {
  const metadata = configs[task]?.['metadata']
  const config = whole['config']
  const args = isRecord(config) ? config['model_args'] : undefined
  const candidates: readonly (Json | undefined)[] = [
    isRecord(metadata) ? metadata['revision'] : undefined,
    // The harness has written model arguments as one text and as a mapping.
    typeof args === 'string' ? /(?:^|,)revision=([^,]+)/.exec(args)?.[1] : isRecord(args) ? args['revision'] : undefined,
    isRecord(config) ? config['model_revision'] : undefined,
  ]
  const texts = candidates.flatMap((one) => (typeof one === 'string' || typeof one === 'number' ? [String(one)] : []))
  return texts.find((text) => text !== '' && !text.includes('{{')) ?? name
}

/** By step as numbers; what names none comes last, by name. */
export function byStep(a: Pick<CheckpointPoint, 'step' | 'revision'>, b: Pick<CheckpointPoint, 'step' | 'revision'>): number {
  if (a.step !== null && b.step !== null && a.step !== b.step) return a.step - b.step
  if (a.step === null || b.step === null) return Number(a.step === null) - Number(b.step === null)
  return a.revision < b.revision ? -1 : a.revision > b.revision ? 1 : 0
}
