/** From a plan to its answers: kept ones from the store, the others from the engine, batch by batch. */
import { append } from '../base/arrays.ts'
import { EvalError } from '../base/errors.ts'
import { failPoint } from '../base/fail-point.ts'
import type { BuiltTask } from '../contracts/built-task.ts'
import { isGeneration, type ItemAnswer } from '../contracts/items.ts'
import type { RunManifest } from '../contracts/runs.ts'
import type { PassTimes, RunSpeed } from '../contracts/yardstick-results.ts'
import { workOfBatches } from '../planning/plan-work.ts'
import type { Plan } from '../planning/plan.ts'
import type { TreeBatch } from '../planning/token-tree.ts'
import type { AnswerTracker, FinishedDoc } from './answers.ts'
import { answerItems } from './model/answer-items.ts'
import type { GenerationReach } from './model/answer-items.ts'
import { SpeedMeter } from './model/token-rate.ts'
import type { Evaluation, OpenModel } from './ports.ts'
import { openDrafts, type RunDrafts } from './run-drafts.ts'
import { progressReporter, type ProgressReporter } from './progress.ts'
import { throwIfStopped } from './service/stopping.ts'

/** Everything known about a run before its first answer. */
export interface PreparedRun {
  readonly manifest: RunManifest
  readonly plan: Plan
  readonly tasks: readonly BuiltTask[]
  /** Where each item's answer is kept. */
  readonly keys: readonly string[]
  /** The engine, opened already or on first need. */
  readonly engine: () => Promise<OpenModel>
}

/**
 * Answers every item of the plan. Batches are the plan's, whatever is known already: an engine is asked for what is missing of one planned
 * batch, never for items of two. The results are a fold over what the store holds, so a run that was cut off anywhere comes to the same.
 * Gives how fast the model was; null where every answer was kept.
 */
export async function answerAll(
  prepared: PreparedRun,
  book: AnswerTracker,
  { epoch, isNew }: { readonly epoch: number; readonly isNew: boolean },
  evaluation: Evaluation,
): Promise<RunSpeed | null> {
  const { plan, tasks } = prepared
  const speed = new SpeedMeter()
  /** Of the model's own count, which began before the run: checks are in it. */
  let tokensBefore: number | null = null
  let first: Moment | null = null
  let last: Moment | null = null
  const { signal, emit } = evaluation
  const progress = progressReporter(evaluation, book, plan.requests.length)
  emit({ type: 'phase', phase: 'score' })
  await give(book.finishEmpty(), tasks, evaluation)
  await give(await enterKept(prepared, book, { epoch, isNew }, evaluation), tasks, evaluation)
  const drafts = await openDrafts({ runId: prepared.manifest.runId, epoch, isNew }, evaluation)
  progress.kept(book.requestsDone)
  const isMissing = (item: number): boolean => !book.isAnswered(item)
  const works = workOfBatches(plan, prepared.manifest.engine.fast?.costs)
  progress.planned(plan.batches.reduce((sum, { items }, index) => sum + (items.some(isMissing) ? (works[index] ?? 0) : 0), 0))
  await progress.report()
  // What is done with a batch's answers, while the engine computes the next one's.
  let settling: Promise<void> = Promise.resolve()
  try {
    for (const [planIndex, batch] of plan.batches.entries()) {
      throwIfStopped(signal)
      // An item is in one batch only, so those that are still being kept change nothing here.
      const missing = batch.items.filter(isMissing)
      if (missing.length === 0) continue
      // Texts are watched by the text worker, which is asked for one thing at a time.
      if (hasTexts(plan, batch)) await settling
      const work = { epoch, planIndex, batch, missing }
      if (first === null) {
        first = { ...(await (await prepared.engine()).stats()), atMs: evaluation.clock() }
        tokensBefore = first.tokens
      }
      const computed = await computeBatch(prepared, work, evaluation, { progress, speed, drafts })
      // Asked for now, since the engine's worker hears nothing while it runs.
      last = { ...(await (await prepared.engine()).stats()), atMs: evaluation.clock() }
      const { runs, tokens } = last
      if (!hasTexts(plan, batch)) speed.scored(tokens - (tokensBefore ?? 0), computed.milliseconds)
      tokensBefore = tokens
      try {
        await settling
      } catch (error) {
        // What is computed is kept where it can be: the fault may be another worker's.
        await commit(prepared, book, { ...work, computed: computed.answers }, evaluation).catch(() => undefined)
        throw error
      }
      settling = settle(prepared, book, { ...work, computed: computed.answers, runs, work: works[planIndex] ?? 0 }, evaluation, progress)
      // Whoever awaits it next hears of an error; until then nobody does.
      settling.catch(() => undefined)
    }
  } finally {
    // Answers that are there are kept, whatever ended the run.
    await settling
  }
  await progress.report()
  const times = first === null || last === null ? null : timesBetween(first, { ...last, atMs: evaluation.clock() }, prepared)
  if (times !== null) speed.spent(times)
  return speed.read()
}

/** What the engine had run at a time. */
interface Moment {
  readonly runs: number
  readonly tokens: number
  readonly milliseconds?: number
  readonly atMs: number
}

/** Where the time between two moments went; null where the engine doesn't count its own. */
function timesBetween(first: Moment, last: Moment, { manifest }: PreparedRun): PassTimes | null {
  if (first.milliseconds === undefined || last.milliseconds === undefined) return null
  const passes = last.runs - first.runs
  const { costs } = manifest.engine.fast ?? {}
  return {
    passes,
    insideSeconds: (last.milliseconds - first.milliseconds) / 1000,
    wallSeconds: (last.atMs - first.atMs) / 1000,
    fixedSeconds: costs === undefined ? null : (passes * costs.runMs) / 1000,
  }
}

interface Watchers {
  readonly progress: ProgressReporter
  readonly speed: SpeedMeter
  readonly drafts: RunDrafts
}

function hasTexts({ items }: Plan, batch: TreeBatch): boolean {
  return batch.items.some((index) => {
    const item = items[index]
    return item !== undefined && isGeneration(item)
  })
}

/** Enters the kept answers, and makes the journal say what is there: no entry without its answers, none missing for a batch that has them. */
async function enterKept(
  { plan, keys, manifest }: PreparedRun,
  book: AnswerTracker,
  { epoch, isNew }: { readonly epoch: number; readonly isNew: boolean },
  { store, emit }: Evaluation,
): Promise<FinishedDoc[]> {
  // Keys of a run that takes no kept answers are its own; a new one has none.
  if (isNew && !manifest.settings.useCache) return []
  const journal = isNew ? [] : await store.journalOf(manifest.runId)
  const kept = await store.recall(keys)
  failPoint('after-recall')
  const finished: FinishedDoc[] = []
  keys.forEach((key, item) => {
    const answer = kept.get(key)
    if (answer !== undefined) append(finished, book.enter(item, answer))
  })
  const journalled = new Set(journal.map(({ planIndex }) => planIndex))
  const isWhole = (planIndex: number): boolean => plan.batches[planIndex]?.items.every((item) => book.isAnswered(item)) ?? false
  const drop = [...journalled].filter((planIndex) => !isWhole(planIndex))
  const add = plan.batches.flatMap((batch, planIndex) =>
    isWhole(planIndex) && !journalled.has(planIndex) ? [{ planIndex, keys: batch.items.flatMap((item) => keys[item] ?? []) }] : [],
  )
  if (drop.length + add.length > 0) await store.reviseJournal(manifest.runId, epoch, { drop, add })
  if (drop.length > 0) {
    const message = `${drop.length} of ${journal.length} batches had been answered, but what was kept of them is damaged or gone. It was set aside, and these batches are computed again.`
    emit({ type: 'warning', message })
  }
  return finished
}

interface MissingItems {
  readonly epoch: number
  readonly planIndex: number
  readonly batch: TreeBatch
  readonly missing: readonly number[]
}

/** Answers of the missing items, in their order, and the time that the model took. */
async function computeBatch(
  prepared: PreparedRun,
  { planIndex, batch, missing }: MissingItems,
  evaluation: Evaluation,
  watchers: Watchers,
): Promise<{ readonly answers: readonly ItemAnswer[]; readonly milliseconds: number }> {
  failPoint('before-compute')
  // What shares a run decides last digits, so on the fast path a batch is run as planned, whatever is known of it.
  const asked = prepared.manifest.engine.fast === undefined ? missing : batch.items
  await prepared.engine()
  const sinceMs = evaluation.clock()
  const computed = await compute(prepared, { planIndex, items: asked, prefixes: batch.prefixes }, evaluation, watchers)
  const milliseconds = evaluation.clock() - sinceMs
  const answers = missing.map((item) => {
    const answer = computed[asked.indexOf(item)]
    if (answer === undefined)
      throw new EvalError('engine/failed', `The engine was asked for ${asked.length} items and gave ${computed.length} answers.`)
    return answer
  })
  return { answers, milliseconds }
}

/** Commits a batch's answers, and only then counts them. */
async function settle(
  prepared: PreparedRun,
  book: AnswerTracker,
  batch: MissingItems & { readonly computed: readonly ItemAnswer[]; readonly runs: number; readonly work: number },
  evaluation: Evaluation,
  progress: ProgressReporter,
): Promise<void> {
  await give(await commit(prepared, book, batch, evaluation), prepared.tasks, evaluation)
  progress.ran(batch.runs, batch.work)
  await progress.reportSometimes()
}

async function commit(
  { keys, manifest }: PreparedRun,
  book: AnswerTracker,
  { epoch, planIndex, missing, computed }: MissingItems & { readonly computed: readonly ItemAnswer[] },
  { store, emit }: Evaluation,
): Promise<FinishedDoc[]> {
  const entries = missing.map((item, position) => {
    const answer = computed[position]
    const key = keys[item]
    if (answer === undefined || key === undefined) throw new RangeError(`no answer or no key of item ${item}`)
    return { key, answer }
  })
  const docsDone = book.docsDone
  const { conflicts } = await store.commitBatch({ runId: manifest.runId, epoch, planIndex, entries, docsDone })
  if (conflicts.length > 0) {
    const message = `${conflicts.length} answers differ from the ones kept of an earlier run of the same model on the same adapter, which count: this engine is not deterministic here.`
    emit({ type: 'warning', message })
  }
  const keptInstead = new Map<string, ItemAnswer>(conflicts.map(({ key, answer }) => [key, answer]))
  return missing.flatMap((item, position) => {
    const entry = entries[position]
    return entry === undefined ? [] : book.enter(item, keptInstead.get(entry.key) ?? entry.answer)
  })
}

/** The answers of a batch's items, in their order. Its texts are written together, from where they were left. */
async function compute(
  { plan, tasks, keys, engine }: PreparedRun,
  batch: TreeBatch & { readonly planIndex: number },
  { text, clock }: Evaluation,
  { progress, speed, drafts: runDrafts }: Watchers,
): Promise<readonly ItemAnswer[]> {
  const items = batch.items.map((index) => {
    const item = plan.items[index]
    if (item === undefined) throw new RangeError(`no plan item ${index}`)
    return { index, item }
  })
  const model = await engine()
  const drafts = runDrafts.ofBatch(
    batch.planIndex,
    items.map(({ index }) => keys[index] ?? ''),
  )
  const tokensBefore = items.reduce((sum, _, place) => sum + drafts.of(place).tokens.length, 0)
  const writing = progress.writing(
    items.flatMap(({ index, item }, place) => {
      if (!isGeneration(item)) return []
      const { tokens } = drafts.of(place)
      const request = plan.requests.find(({ pieces }) => pieces.some((piece) => piece.item === index))
      return [
        {
          task: tasks[request?.task ?? -1]?.name ?? '',
          docId: request?.docId ?? 0,
          maxTokens: item.decoding.maxNewTokens,
          tokens: tokens.length,
        },
      ]
    }),
  )
  let begunMs = clock()
  const listener = {
    begin: () => {
      begunMs = clock()
      writing.begin()
    },
    reached: (index: number, { tokens, stopAfter, tail }: GenerationReach) =>
      writing.reached(index, stopAfter ?? tokens, tail, stopAfter !== null),
  }
  try {
    const planned = items.map(({ item }) => item)
    const answers = await answerItems(planned, batch.prefixes, model, text, { listener, drafts })
    const tokens = answers.reduce((sum, answer) => sum + ('tokens' in answer ? answer.tokens.length : 0), 0) - tokensBefore
    if (tokens > 0) speed.written(tokens, clock() - begunMs)
    await drafts.close()
    return answers
  } catch (error) {
    // Stopped, or broken: what was written isn't lost.
    await drafts.flush()
    throw error
  }
}

async function give(finished: readonly FinishedDoc[], tasks: readonly BuiltTask[], { text }: Evaluation): Promise<void> {
  const byTask = new Map<string, FinishedDoc['answers'][number][]>()
  for (const { task, answers } of finished) {
    const name = tasks[task]?.name
    if (name === undefined) throw new RangeError(`no task ${task}`)
    const others = byTask.get(name)
    if (others === undefined) byTask.set(name, [...answers])
    else append(others, answers)
  }
  for (const [name, answers] of byTask) await text.answer(name, answers)
}
