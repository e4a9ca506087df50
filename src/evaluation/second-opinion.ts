/** A second opinion on a finished run: its first docs once more, by transformers.js, on the same device. */
import { compareOpinions, type RequestPair } from '../analysis/compare/second-opinion.ts'
import { opinionToJson } from '../analysis/compare/second-opinion-json.ts'
import { modelFormat } from '../analysis/scores/measured-weights.ts'
import { EvalError } from '../base/errors.ts'
import { isGenerated, isGeneration, type ForwardItem, type ItemAnswer } from '../contracts/items.ts'
import type { RunSummary } from '../contracts/results.ts'
import type { RunRow } from '../contracts/runs.ts'
import type { SecondOpinion } from '../contracts/second-opinion.ts'
import { needsShaderF16 } from '../engines/graph/dtypes.ts'
import { workOfBatches } from '../planning/plan-work.ts'
import type { Plan, PlannedRequest } from '../planning/plan.ts'
import type { WorkerHandle } from '../rpc/handle.ts'
import type { SecondAnswer, SecondOpinionApi } from '../rpc/second-opinion-api.ts'
import { gpuLockName, type HeldLock } from '../storage/locks.ts'
import { withOwnKey } from './amend-results.ts'
import type { PreparedRun } from './answer-all.ts'
import { prepareRun } from './evaluate.ts'
import { resolveModelAsBegun } from './inputs/pinned-inputs.ts'
import { bytesOf, openDeadlineMs } from './model/open-deadline.ts'
import type { Evaluation } from './ports.ts'
import { throwIfStopped } from './service/stopping.ts'

export interface OpinionNeeds {
  readonly evaluation: Evaluation
  readonly worker: WorkerHandle<SecondOpinionApi>
  /** The run's results, for how fast it was. */
  readonly results: Pick<RunSummary, 'own'>
  readonly acquireLock: (name: string, onWait: () => void, signal: AbortSignal) => Promise<HeldLock>
  readonly onDocs: (done: number, total: number) => void
}

/** Milliseconds of one forward pass on a device that is slow beyond use. */
const passDeadlineMs = 10 * 60_000

/**
 * Scores the first `docs` docs of a complete run that have log-likelihoods again. The plan is made as the run made it, ours are the kept answers;
 * the model's files are the run's. Throws `model/no-onnx` for weights that transformers.js doesn't read, `run/plan-changed` where the run's inputs have
 * changed or its answers are gone, `settings/invalid` where there is nothing to compare, and as the worker does.
 */
export async function askSecondOpinion(row: RunRow, docs: number, needs: OpinionNeeds): Promise<SecondOpinion> {
  const { manifest } = row
  const format = modelFormat(manifest)
  if (format !== 'onnx')
    throw new EvalError(
      'model/no-onnx',
      `${manifest.model.id} was run from its ${format} weights, and transformers.js reads ONNX files alone: there is no second opinion on this run.`,
    )
  const { evaluation, worker, results, acquireLock, onDocs } = needs
  const { signal } = evaluation
  const prepared = await prepareRun({ settings: manifest.settings, resumeOf: row, excluded: [] }, evaluation, new Date(manifest.createdAt))
  const chosen = firstDocs(prepared, docs)
  if (chosen.length === 0)
    throw new EvalError('settings/invalid', 'This run has no log-likelihoods to compare: its tasks have the model write texts.')
  const ours = await keptAnswers(prepared, chosen, evaluation)
  const { device, dtype, selfCheck } = prepared.manifest.engine
  const lock = device === 'webgpu' ? await acquireLock(gpuLockName, () => undefined, signal) : null
  try {
    const model = await resolveModelAsBegun(manifest.settings, row, evaluation)
    const payload = await model.fetch(dtype, () => undefined, signal)
    if (!('graph' in payload)) throw new EvalError('internal', 'the files of an ONNX run have no graph')
    const passTokens = selfCheck.status === 'limited' ? selfCheck.maxRunTokens : null
    const stack = await worker.callWithDeadline(openDeadlineMs(bytesOf(payload)), (api) => api.open(payload, { device, dtype, passTokens }))
    const { theirs, milliseconds, inputTokens } = await scoreAgain(prepared, chosen, { worker, signal, onDocs })
    // As in the engine's own check of an adapter (engines/scoring/tolerance.ts), by what the manifest knows.
    const tolerance = needsShaderF16(dtype) || prepared.manifest.engine.isDynamicallyQuantised ? 0.05 : 1e-3
    const ourPace = paceOf(prepared.plan, results)
    return {
      stack,
      device,
      dtype,
      ...compareOpinions(pairsOf(chosen, ours, theirs), tolerance),
      tolerance,
      passTokens,
      seconds: milliseconds / 1000,
      timesFaster: ourPace === null || milliseconds === 0 ? null : ourPace / (inputTokens / milliseconds),
    }
  } finally {
    lock?.release()
  }
}

interface ChosenRequest extends PlannedRequest {
  readonly taskName: string
  /** Position among its doc's requests. */
  readonly idx: number
}

/** The requests of the first docs that have log-likelihoods, in the plan's order. */
function firstDocs({ plan, tasks }: PreparedRun, docs: number): readonly ChosenRequest[] {
  const counts = new Map<string, number>()
  const chosen: ChosenRequest[] = []
  for (const request of plan.requests) {
    const [first] = request.pieces
    const item = first === undefined ? undefined : plan.items[first.item]
    if (item === undefined || isGeneration(item)) continue
    const doc = `${request.task}:${request.docId}`
    const idx = counts.get(doc) ?? 0
    if (idx === 0 && counts.size === docs) continue
    counts.set(doc, idx + 1)
    chosen.push({ ...request, taskName: tasks[request.task]?.name ?? '', idx })
  }
  return chosen
}

function itemsOf(chosen: readonly ChosenRequest[]): readonly number[] {
  return [...new Set(chosen.flatMap(({ pieces }) => pieces.map(({ item }) => item)))]
}

async function keptAnswers(
  { keys }: PreparedRun,
  chosen: readonly ChosenRequest[],
  { store }: Evaluation,
): Promise<ReadonlyMap<number, ItemAnswer>> {
  const items = itemsOf(chosen)
  const kept = await store.recall(items.flatMap((item) => keys[item] ?? []))
  const answers = new Map(
    items.flatMap((item) => {
      const answer = kept.get(keys[item] ?? '')
      return answer === undefined ? [] : [[item, answer] as const]
    }),
  )
  if (answers.size < items.length)
    throw new EvalError('run/plan-changed', `${items.length - answers.size} answers of this run are no longer kept: run it again first.`)
  return answers
}

async function scoreAgain(
  { plan }: PreparedRun,
  chosen: readonly ChosenRequest[],
  { worker, signal, onDocs }: Pick<OpinionNeeds, 'worker' | 'onDocs'> & { readonly signal: AbortSignal },
): Promise<{ readonly theirs: ReadonlyMap<number, SecondAnswer>; readonly milliseconds: number; readonly inputTokens: number }> {
  const score = (item: ForwardItem) => worker.callWithDeadline(passDeadlineMs, (api) => api.score(item))
  const theirs = new Map<number, SecondAnswer>()
  let milliseconds = 0
  let inputTokens = 0
  const total = new Set(chosen.map(docOf)).size
  const done = new Set<string>()
  for (const request of chosen) {
    for (const { item } of request.pieces) {
      throwIfStopped(signal)
      const planned = plan.items[item]
      if (planned === undefined || isGeneration(planned) || theirs.has(item)) continue
      // Once unmeasured: the first pass makes the device's kernels.
      if (theirs.size === 0) await score(planned)
      const answer = await score(planned)
      theirs.set(item, answer)
      milliseconds += answer.milliseconds
      inputTokens += planned.input.length
    }
    done.add(docOf(request))
    onDocs(done.size, total)
  }
  return { theirs, milliseconds, inputTokens }
}

const docOf = ({ task, docId }: PlannedRequest): string => `${task}:${docId}`

function pairsOf(
  chosen: readonly ChosenRequest[],
  ours: ReadonlyMap<number, ItemAnswer>,
  theirs: ReadonlyMap<number, SecondAnswer>,
): readonly RequestPair[] {
  return chosen.map(({ taskName, docId, idx, pieces }) => ({
    task: taskName,
    docId,
    idx,
    ours: pieces.flatMap(({ item, target }) => {
      const answer = ours.get(item)
      return answer === undefined || isGenerated(answer) ? [] : Array.from(answer.tokenLogprobs[target] ?? [])
    }),
    theirs: pieces.flatMap(({ item, target }) => Array.from(theirs.get(item)?.tokenLogprobs[target] ?? [])),
  }))
}

/** Tokens of prompts that the run dealt with in a millisecond, shared ones counted as often as they stand; null where its speed isn't known. */
function paceOf({ items, batches }: Plan, { own }: OpinionNeeds['results']): number | null {
  const scored = own?.speed?.scored ?? null
  if (scored === null || scored.seconds === 0) return null
  const planned = workOfBatches({ items, batches }, { runMs: 0, tokenMs: 1 }).reduce((sum, work) => sum + work, 0)
  const prompts = items.reduce((sum, item) => sum + (isGeneration(item) ? 0 : item.input.length), 0)
  // Of a run that found some answers kept, what it computed itself.
  const share = planned === 0 ? 0 : Math.min(1, scored.tokens / planned)
  return share === 0 ? null : (prompts * share) / (scored.seconds * 1000)
}

/** The results with the opinion under `yardstick`, in place of an earlier one. */
export function withSecondOpinion<R extends Pick<RunSummary, 'resultsFile' | 'resultsText'>>(results: R, opinion: SecondOpinion): R {
  return withOwnKey(results, 'second_opinion', opinionToJson(opinion))
}
