/** Part b and c: one model in one dtype, by every arm over every work, then over a whole MMLU. */
import type { BrowserArmName } from '../page/arm-api.ts'
import { compareArms, largestDifference, type ArmOutcome } from '../compare-arms.ts'
import { maxDifference, maxDifferencePerToken, tokensPerRequest } from '../limits.ts'
import type { RunningArm } from '../arms.ts'
import { startHarnessArm } from '../harness-arm.ts'
import { rowOf, trieOf } from '../model-arms.ts'
import type { ArmName } from '../rows.ts'
import { makeWork, type BenchWork, type WorkName } from '../works.ts'
import { needsShaderF16 } from '../../../src/engines/graph/dtypes.ts'
import type { ArmPages, GpuArm } from './arms.ts'
import { checkRowOf, faultsOfCheck } from './check-row.ts'
import type { Collected } from './collected.ts'
import { mmluRowOf } from './mmlu-row.ts'
import type { GpuModel } from './models/gpu-model.ts'

export interface GroupSettings {
  readonly works: readonly WorkName[]
  readonly arms: readonly ArmName[]
  readonly docs: number
  /** Of works: their docs' lengths are multiplied by it, 1 for real ones; and of MMLU's. */
  readonly scale: number
  readonly mmluScale: number
  readonly mmluDocsPerSubject: number
  readonly seed: number
  readonly threads: number
  readonly tflops: number | null
  /** For the harness; null: it is left out, which was said. */
  readonly python: string | null
}

/** An exported model, our own graph of the same weights where it is to be measured beside it, and the folder that the harness opens. */
export interface Group {
  readonly exported: GpuModel
  readonly own: GpuModel | null
  readonly parameters: number
}

/** Texts take half a minute each by the loop on a slow card. */
const mostTexts = 4

/** Opens the arms, holds what opening told, and measures. Arms that don't open are named, and the others go on. */
export async function measureGroup(pages: ArmPages, group: Group, settings: GroupSettings, found: Collected): Promise<void> {
  const { exported, own } = group
  const name = `${exported.id} ${exported.form} ${exported.dtype}`
  const arms = new Map<ArmName, RunningArm>()
  const ours: { readonly model: GpuModel; readonly arm: GpuArm }[] = []
  try {
    for (const arm of settings.arms) {
      if (arm === 'own' && own === null) continue
      if (arm === 'harness') {
        const { python } = settings
        if (python === null || own === null) continue
        const place = { device: 'cuda', dtype: 'auto' } as const
        const opened = await found.part(`${name}: opening lm_eval on torch's CUDA`, () =>
          startHarnessArm(python, own.folder, settings.threads, place),
        )
        if (opened !== null) arms.set(arm, opened)
        continue
      }
      const model = arm === 'own' && own !== null ? own : exported
      const opened = await openArm(pages, arm === 'reference' ? 'fast' : arm, model, found)
      if (opened === null) continue
      arms.set(arm, opened)
      if (opened.facts !== null) ours.push({ model, arm: opened })
    }
    const limit = rightUpTo(arms)
    if (limit !== null && arms.has('naive'))
      found.skip(
        `${name}: holding arms against transformers.js`,
        `this adapter runs the graph rightly in passes of up to ${limit} tokens alone, and its passes are longer`,
      )
    for (const work of settings.works) await measureWork(name, group, work, arms, settings, found)
    // The other arms' weights are in the way of nothing but memory.
    for (const [arm, running] of arms) if (running.facts === null) await closeArm(arms, arm)
    for (const { model, arm } of ours) {
      const size = {
        docsPerSubject: settings.mmluDocsPerSubject,
        vocabularySize: model.vocabularySize,
        seed: settings.seed,
        scale: settings.mmluScale,
      }
      if (arm.facts?.scoring !== 'fast') continue
      const usage = await found.part(`${model.id} ${model.form} ${model.dtype}: a whole MMLU`, () => arm.scoreMmlu(size))
      if (usage !== null)
        found.mmlu.push(mmluRowOf(model, usage, { facts: arm.facts, parameters: group.parameters, tflops: settings.tflops }))
    }
  } finally {
    for (const arm of [...arms.keys()]) await closeArm(arms, arm)
  }
}

/** Opens an arm and notes what our engine tells of it; null where it doesn't open. */
export async function openArm(pages: ArmPages, arm: BrowserArmName, model: GpuModel, found: Collected): Promise<GpuArm | null> {
  const opened = await found.part(`${model.id} ${model.form} ${model.dtype}: opening ${arm}`, () => pages.open(arm, model))
  if (opened === null || opened.facts === null) return opened
  const row = checkRowOf(model, opened.facts, opened.openingMs)
  found.checks.push(row)
  found.fault(...faultsOfCheck(row, opened.facts.scoringReason))
  return opened
}

async function closeArm(arms: Map<ArmName, RunningArm>, arm: ArmName): Promise<void> {
  await arms
    .get(arm)
    ?.close()
    .catch(() => undefined)
  arms.delete(arm)
}

async function measureWork(
  name: string,
  { exported }: Group,
  workName: WorkName,
  arms: ReadonlyMap<ArmName, RunningArm>,
  settings: GroupSettings,
  found: Collected,
): Promise<void> {
  const { docs, seed, scale, threads } = settings
  const count = workName === 'generate_200' ? Math.min(docs, mostTexts) : docs
  const work = makeWork(workName, {
    docs: count,
    vocabularySize: exported.vocabularySize,
    windowTokens: exported.windowTokens,
    seed,
    scale,
  })
  // Nothing can be grouped where texts are written.
  const taking = new Map([...arms].filter(([arm]) => arm !== 'one_forward' || work.newTokens === 0))
  if (taking.size === 0) return
  const outcomes = await found.part(`${name}: ${workName}, ${count} docs, by ${[...taking.keys()].join(', ')}`, () =>
    compareArms(work, taking),
  )
  if (outcomes === null) return
  const naive = outcomes.get('naive') ?? null
  holdFamilies(name, exported, work, naive, taking, found)
  const trie = trieOf(work)
  for (const [arm, outcome] of outcomes) {
    const openingPeak = taking.get(arm)?.openingPeak ?? null
    const model = { id: `${exported.id} ${exported.form}`, device: 'webgpu', dtype: exported.dtype } as const
    const row = rowOf({ arm, work, model, threads, trie, openingPeak, reference: naive }, outcome)
    found.rows.push(arm === 'harness' ? { ...row, device: 'cuda', dtype: 'bf16' } : row)
    const difference = naive === null ? null : largestDifference(outcome, naive)
    const limit = isHeld(arm, exported.dtype, taking) ? limitOf(work, exported.dtype) : Infinity
    // NaN isn't below the limit either.
    if (difference !== null && !(difference <= limit))
      found.fault(`${name}: ${workName}: ${arm} differs from transformers.js by ${difference} nats, ${limit} are allowed`)
  }
}

/** The exported families of a model have the same weights, 4-bit blocks too: the loop gives the same on both. */
function holdFamilies(
  name: string,
  { id, dtype }: GpuModel,
  work: BenchWork,
  naive: ArmOutcome | null,
  arms: ReadonlyMap<ArmName, RunningArm>,
  found: Collected,
): void {
  const key = `${id} ${dtype} ${work.name}`
  const first = found.naive.get(key)
  if (naive === null) return
  if (first === undefined) {
    found.naive.set(key, naive)
    return
  }
  const difference = largestDifference(naive, first)
  const limit = isHeld('naive', dtype, arms) ? limitOf(work, dtype) : Infinity
  if (difference !== null && !(difference <= limit))
    found.fault(
      `${name}: ${work.name}: transformers.js differs from itself on the other family by ${difference} nats, ${limit} are allowed`,
    )
}

/** Our graph rounds 4 bits of its own, lm_eval computes in other numbers; and an adapter that isn't right in long passes makes transformers.js wrong. */
function isHeld(arm: ArmName, dtype: string, arms: ReadonlyMap<ArmName, RunningArm>): boolean {
  return rightUpTo(arms) === null && arm !== 'harness' && (arm !== 'own' || !dtype.startsWith('q4'))
}

/** The longest pass in which the adapter runs the exported graph rightly, where that is not any: our engine obeys it, transformers.js doesn't. */
function rightUpTo(arms: ReadonlyMap<ArmName, RunningArm>): number | null {
  return arms.get('fast')?.facts?.selfCheck.maxRunTokens ?? null
}

/** Nats of a request. */
function limitOf({ name }: BenchWork, dtype: string): number {
  const tokens = tokensPerRequest[name] ?? 1
  return needsShaderF16(dtype) ? 0.05 * tokens : Math.max(maxDifference, maxDifferencePerToken * tokens)
}
