/** One evaluation as a straight line: settings → tasks → rows → requests → plan → answers → results. */
import { EvalError, toEvalError, toWire } from '../base/errors.ts'
import { failPoint } from '../base/fail-point.ts'
import type { BuiltTask, LeafTask, ExcludedDoc } from '../contracts/built-task.ts'
import type { EngineFacts } from '../contracts/engine.ts'
import type { ForwardItem } from '../contracts/items.ts'
import type { TokenizerFacts } from '../contracts/models.ts'
import type { RunResults } from '../contracts/results.ts'
import type { DatasetOrigin } from '../contracts/rows.ts'
import type { RunSettings } from '../contracts/run-settings.ts'
import type { RunManifest, RunRow } from '../contracts/runs.ts'
import { sha256Hex } from '../data/digests.ts'
import { resolveDtype } from '../engines/graph/dtypes.ts'
import { differencesOf } from '../planning/engine-differences.ts'
import { firstDifference } from '../planning/plan-difference.ts'
import { describePlan, makePlan, type Plan } from '../planning/plan.ts'
import { asksForCap } from '../settings/attention.ts'
import { ignoredModelArgs } from '../settings/model-args.ts'
import { answerAll, type PreparedRun } from './answer-all.ts'
import { AnswerTracker } from './answers.ts'
import { loadDataAsBegun, resolveModelAsBegun } from './inputs/pinned-inputs.ts'
import { measureNoise } from './measure-noise.ts'
import { otherFormsNote } from './model/forms/other-forms.ts'
import type { Attempt, Evaluation, ResolvedModel } from './ports.ts'
import { provenanceOf } from './provenance.ts'
import { isResumable, stopped, throwIfStopped } from './service/stopping.ts'
import { taskMetadata } from './service/task-metadata.ts'

/**
 * Runs `settings` to the end and gives the run's results.
 *
 * Emits events throughout; once a run exists (`started`), an error also ends it in the store as `interrupted` (can be resumed) or
 * `failed`, with a `done` event, before it is thrown. With `resumeOf`, that run is continued: its plan must come out the same. The docs
 * `excluded` are asked, and not scored.
 */
export async function evaluate(
  settings: RunSettings,
  evaluation: Evaluation,
  resumeOf: RunRow | null = null,
  excluded: readonly ExcludedDoc[] = [],
): Promise<RunResults> {
  const startedAt = evaluation.now()
  const startedMs = evaluation.clock()
  const prepared = await prepareRun({ settings, resumeOf, excluded }, evaluation, startedAt)
  return evaluation.exclusively(prepared.manifest.runId, () =>
    runPrepared(prepared, evaluation, { startedAt, startedMs, isNew: resumeOf === null, excluded }),
  )
}

interface RunStart {
  readonly startedAt: Date
  readonly startedMs: number
  readonly isNew: boolean
  readonly excluded: readonly ExcludedDoc[]
}

async function runPrepared(
  prepared: PreparedRun,
  evaluation: Evaluation,
  { startedAt, startedMs, isNew, excluded }: RunStart,
): Promise<RunResults> {
  const { manifest, plan } = prepared
  const { runId } = manifest
  const { store, emit } = evaluation
  const book = new AnswerTracker(plan)
  if (isNew) await store.createRun(newRow(manifest, book.docsTotal))
  const epoch = await store.takeRun(runId)
  emit({ type: 'started', runId, manifest, docsTotal: book.docsTotal, requestsTotal: plan.requests.length })
  try {
    const speed = await answerAll(prepared, book, { epoch, isNew }, evaluation)
    const noise = await measureNoise(prepared, evaluation)
    emit({ type: 'phase', phase: 'results' })
    const results = await evaluation.text.results({
      manifest,
      provenance: provenanceOf(manifest, excluded),
      excluded,
      noise,
      speed,
      startedAtSeconds: startedAt.getTime() / 1000,
      seconds: (evaluation.clock() - startedMs) / 1000,
    })
    failPoint('before-finalise')
    await store.saveResults(epoch, results)
    failPoint('after-results')
    await store.finishRun(runId, epoch, { status: 'complete', error: null, docsDone: book.docsDone })
    emit({ type: 'done', runId, status: 'complete', error: null })
    return results
  } catch (error) {
    const known = evaluation.signal.aborted ? stopped(evaluation.signal, error) : toEvalError(error)
    const status = isResumable(known.code) ? 'interrupted' : 'failed'
    // The run's end is told even where the store can't take it any more; the first error is the one that matters.
    await store.finishRun(runId, epoch, { status, error: toWire(known), docsDone: book.docsDone }).catch(() => undefined)
    emit({ type: 'done', runId, status, error: toWire(known) })
    throw known
  }
}

/** Everything of a run before its first answer; the engine is opened only where nothing of an earlier run tells what it is. Emits events. */
export async function prepareRun(attempt: Attempt, evaluation: Evaluation, startedAt: Date): Promise<PreparedRun> {
  const { settings, resumeOf } = attempt
  const { emit, signal, text, store } = evaluation
  const onBytes = (file: string, loaded: number, total: number | null) => {
    emit({ type: 'bytes', file, loaded, total })
  }
  emit({ type: 'phase', phase: 'tasks' })
  const leaves = await resolveTasks(settings, evaluation)

  emit({ type: 'phase', phase: 'model' })
  const model = await resolveModelAsBegun(settings, resumeOf, evaluation)
  const choice = settings.modelFormat === undefined ? otherFormsNote(model.description) : null
  for (const message of choice === null ? model.notes : [choice, ...model.notes]) emit({ type: 'note', message })
  const { option, note } = resolveDtype(settings.dtype, model.description.dtypes, model.description.defaultDtype)
  const refuse = (refusal: string | null): void => {
    if (refusal === null) return
    const message = `${model.description.id} can't run as ${option.dtype} here: ${refusal}`
    throw new EvalError('model/unsupported', message, { details: { dtype: option.dtype } })
  }
  refuse(option.refusal)
  if (note !== null) emit({ type: 'warning', message: note })
  const tokenizer = await text.loadTokenizer(model.tokenizerFiles, settings.modelArgs)
  const ignored = ignoredModelArgs(settings.modelArgs)
  if (ignored !== null) emit({ type: 'warning', message: ignored })
  if (asksForCap(settings.modelArgs) && model.description.format === 'onnx') emit({ type: 'warning', message: capNeedsWeights })

  emit({ type: 'phase', phase: 'data' })
  const { tasks, origins } = await buildTasks(leaves, attempt, evaluation, onBytes)

  emit({ type: 'phase', phase: 'model' })
  refuse(model.refusalFor(option.dtype, longestSequence(tasks)))
  // A resumed run is found again by its own facts; other kept answers are found by those of any earlier run.
  const earlier = resumeOf !== null ? [resumeOf] : settings.useCache ? await store.listRuns() : []
  const known = await evaluation.opener.knownFacts(model, option.dtype, settings, earlier)
  const open = once(async () => {
    const opened = await evaluation.opener.open(model, option.dtype, settings, {
      checkItems: firstItems(tasks),
      asBefore: known,
      onBytes,
      onPhase: (phase) => {
        emit({ type: 'phase', phase })
      },
      signal,
    })
    if (known !== null && opened.facts.numericClass !== known.numericClass) throw otherEngine(known, opened.facts)
    return opened
  })
  const facts = known ?? (await open()).facts
  emit({ type: 'engine', facts })
  for (const message of engineWarnings(facts)) emit({ type: 'warning', message })
  const plan = makePlan(tasks, facts.fast?.layout ?? null)

  const manifest = await describeRun({
    settings,
    evaluation,
    startedAt,
    model,
    dtype: option.dtype,
    tokenizer,
    facts,
    leaves,
    tasks,
    origins,
    plan,
    resumeOf,
  })
  const keys = await evaluation.keysOf(manifest, plan.items, settings.useCache ? null : manifest.runId)
  return { manifest, plan, tasks, keys, engine: open }
}

const capNeedsWeights = 'Without effect here: attn_implementation. Attention is as the ONNX file has it; it can be chosen of safetensors.'

/** The plan was made for an engine that was here at an earlier run. */
function otherEngine(known: EngineFacts, found: EngineFacts): EvalError {
  const message = `The engine that earlier answers were computed on isn’t here now. Different: ${differencesOf(known, found).join(', ')}. Numbers of the two must not be mixed: start a new run without kept answers (--no_cache on the command line).`
  return new EvalError('run/plan-changed', message)
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => (made ??= make())
}

/** Tokens of the longest sequence that is scored or written: its keys and values must have room. */
function longestSequence(tasks: readonly BuiltTask[]): number {
  let longest = 0
  for (const { requests } of tasks) {
    for (const { pieces, generations = [] } of requests) {
      for (const { input } of pieces) longest = Math.max(longest, input.length)
      for (const { input, decoding } of generations) longest = Math.max(longest, input.length + decoding.maxNewTokens)
    }
  }
  return longest
}

/** What the requests of the first docs are scored by, for a check before the run. */
function firstItems(tasks: readonly BuiltTask[]): ForwardItem[] {
  const docs = new Set(tasks[0]?.requests.map(({ docId }) => docId).slice(0, 64))
  const first = new Set([...docs].slice(0, checkedDocs))
  return (tasks[0]?.requests ?? [])
    .filter(({ docId }) => first.has(docId))
    .flatMap(({ pieces }) => pieces.map(({ input, target }) => ({ input, targets: [target] })))
}

const checkedDocs = 4

function engineWarnings(facts: EngineFacts): string[] {
  if (facts.isDynamicallyQuantised) {
    return [
      'This graph quantises activations over a whole forward pass, so a token’s score depends on everything else in its pass. Each sequence is scored alone; compare its numbers with other dtypes with care.',
    ]
  }
  return [
    ...(facts.selfCheck.status === 'limited' ? [facts.selfCheck.message] : []),
    ...(facts.scoringReason === undefined ? [] : [`Scored by the reference path: ${facts.scoringReason}.`]),
  ]
}

async function resolveTasks(settings: RunSettings, evaluation: Evaluation): Promise<readonly LeafTask[]> {
  const roots = [await evaluation.bundledTasks(), { name: 'given', files: settings.taskFiles }]
  const { problems } = await evaluation.text.loadTasks(roots, taskMetadata(settings))
  for (const { file, message } of problems) {
    // A given file that can't be read may have meant to replace a task that runs instead of it.
    const text = settings.taskFiles.find(({ path }) => path === file)?.text ?? ''
    if (settings.tasks.some((name) => text.includes(name)))
      evaluation.emit({ type: 'warning', message: `The task file ${file} was left out: ${message}` })
  }
  return evaluation.text.resolve(settings.tasks, settings.numFewshot)
}

async function buildTasks(
  leaves: readonly LeafTask[],
  { settings, resumeOf, excluded }: Attempt,
  evaluation: Evaluation,
  onBytes: (file: string, loaded: number, total: number | null) => void,
): Promise<{ tasks: BuiltTask[]; origins: { [task: string]: DatasetOrigin } }> {
  const { text, emit, signal } = evaluation
  const tasks: BuiltTask[] = []
  const origins: { [task: string]: DatasetOrigin } = {}
  for (const leaf of leaves) {
    throwIfStopped(signal)
    const { tables, origin } = await loadDataAsBegun(leaf, settings, resumeOf, evaluation, onBytes)
    const unscored = excluded.filter(({ task }) => task === leaf.name).map(({ docId }) => docId)
    // Before the prompts are made: what is odd about the rows may be why that fails.
    for (const message of origin.warnings ?? []) emit({ type: 'warning', message })
    const built = await text.build(leaf.name, tables, settings, unscored)
    for (const message of built.warnings) emit({ type: 'warning', message })
    tasks.push(built)
    origins[leaf.name] = origin
  }
  return { tasks, origins }
}

interface RunParts {
  readonly settings: RunSettings
  readonly evaluation: Evaluation
  readonly startedAt: Date
  readonly model: ResolvedModel
  readonly dtype: string
  readonly tokenizer: TokenizerFacts
  readonly facts: EngineFacts
  readonly leaves: readonly LeafTask[]
  readonly tasks: readonly BuiltTask[]
  readonly origins: { readonly [task: string]: DatasetOrigin }
  readonly plan: Plan
  readonly resumeOf: RunRow | null
}

async function describeRun(parts: RunParts): Promise<RunManifest> {
  const { settings, evaluation, model, plan, resumeOf } = parts
  const { description } = model
  const manifest: RunManifest = {
    schemaVersion: 1,
    runId: resumeOf?.runId ?? evaluation.newRunId(),
    createdAt: parts.startedAt.toISOString(),
    app: evaluation.app,
    settings,
    model: {
      id: description.id,
      // A run that goes on is resolved by its commit; what was asked for stays.
      revision: resumeOf?.manifest.model.revision ?? description.revision,
      commit: description.commit,
      license: description.license,
      files: await model.filesOf(parts.dtype),
      ...(model.tokenizerSource === null ? {} : { tokenizerSource: model.tokenizerSource }),
    },
    tokenizer: parts.tokenizer,
    engine: parts.facts,
    datasets: parts.origins,
    tasks: Object.fromEntries(await Promise.all(parts.leaves.map((leaf) => describeTask(leaf, parts.tasks)))),
    plan: await describePlan(plan),
  }
  const difference = resumeOf === null ? null : firstDifference(resumeOf.manifest, manifest)
  if (difference !== null) throw new EvalError('run/plan-changed', `Run ${manifest.runId} can't go on. ${difference} Start a new run.`)
  return manifest
}

async function describeTask({ name, config }: LeafTask, tasks: readonly BuiltTask[]): Promise<[string, RunManifest['tasks'][string]]> {
  const warnings = tasks.find((task) => task.name === name)?.warnings ?? []
  return [name, { config, sha256: await sha256Hex(JSON.stringify(config)), ...(warnings.length === 0 ? {} : { warnings }) }]
}

function newRow(manifest: RunManifest, docsTotal: number): RunRow {
  return {
    runId: manifest.runId,
    manifest,
    status: 'running',
    epoch: 0,
    updatedAt: manifest.createdAt,
    docsDone: 0,
    docsTotal,
    error: null,
  }
}
