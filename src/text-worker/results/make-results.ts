/** From answered tasks to everything a finished run keeps: results file, table, samples. */
import { measuredFile, modelFormat } from '../../analysis/scores/measured-weights.ts'
import { ownValues, type OwnValues } from '../../analysis/scores/normalized-scores.ts'
import { tieBand } from '../../analysis/scores/tie-band.ts'
import { ownBlock } from '../../analysis/scores/yardstick-block.ts'
import { aggregationsOf, shardBlock } from '../../analysis/shards/shard-block.ts'
import { alarmsOfSamples } from '../../analysis/viewer/alarms.ts'
import type { Json } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { RunResults } from '../../contracts/results.ts'
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import type { TieBand } from '../../contracts/yardstick-results.ts'
import { dumpTaskConfig } from '../../harness/results/config-entry.ts'
import { buildResults, resultsText, type ResultGroup, type ResultNode, type TaskOutcome } from '../../harness/results/results-file.ts'
import { collectSamples } from '../../harness/results/samples-file.ts'
import { buildTable, renderTable, type ShownShots } from '../../harness/results/table.ts'
import type { TaskNode } from '../../harness/tasks/registry-expand.ts'
import { functionsIn, signaturesOf } from '../../ports/functions/function-signatures.ts'
import { fromJson, isDict, pyFloat, str, toJson, type PyDict, type PyValue } from '../../python/value.ts'
import type { ResultsRequest } from '../../rpc/text-api.ts'
import { effectiveArgs, ignoredModelArgs } from '../../settings/model-args.ts'
import type { Tokenizer } from '../../tokenizing/tokenizer.ts'
import type { BuiltTextTask } from '../built-task.ts'
import { ownResults } from './own-results.ts'
import { isOriginalMmlu, massWarning, recipeWarnings, type ScoredTask } from './recipe-results.ts'
import { sampleView } from './sample-view.ts'

/** The harness whose numbers, prompts and files these are. */
const harnessVersion = '0.4.13'

export function makeResults(
  request: ResultsRequest,
  tasks: readonly BuiltTextTask[],
  tree: readonly TaskNode[],
  tokenizer: Tokenizer,
): RunResults {
  const { manifest } = request
  const samples: { [task: string]: readonly SampleView[] } = {}
  const scored: ScoredTask[] = []
  const outcomes = tasks.map((built): TaskOutcome => {
    const answered = built.answered()
    const collected = collectSamples(answered, built.scorer.pipelines, built.scorer.score, { task: built.task.name, watch: built.watch })
    scored.push({ built, answered, samples: collected })
    samples[built.task.name] = collected.lines.flatMap((line, index) => {
      const doc = answered[index % answered.length]
      return doc === undefined ? [] : [sampleView(built.task, doc, line, { hasCsv: isOriginalMmlu(built), tokenizer })]
    })
    return outcomeOf(built, manifest, collected)
  })
  const groups = tree.flatMap((node) => (node.kind === 'group' ? [resultGroup(node)] : []))
  const harness = buildResults({
    tasks: outcomes,
    groups,
    bootstrapIters: manifest.settings.bootstrapIters,
    run: describeRun(request, tokenizer),
  })
  const values = new Map(scored.map(({ built, answered }) => [built.task.name, ownValues(built.task, built.scorer.metrics, answered)]))
  const own = {
    ...ownResults({ tasks: scored, groups, values, results: harness, model: manifest.settings.model, seconds: request.seconds, tokenizer }),
    ties: tieBands(manifest, samples),
    alarms: Object.entries(samples).flatMap(([task, views]) => alarmsOfSamples(views).map((alarm) => ({ task, alarm }))),
    cuts: tasks.flatMap(({ cuts }) => cuts ?? []),
    goldsOutside: tasks.flatMap(({ goldsOutside }) => goldsOutside ?? []),
    ...(request.speed === null ? {} : { speed: request.speed }),
    ...(request.noise === null ? {} : { noise: request.noise }),
  }
  const provenance = harness.get('yardstick') ?? null
  const block = new Map([
    ...(isDict(provenance) ? provenance : []),
    ...ownBlock(own),
    ...functionsEntry(tasks),
    ...shardEntry(manifest, tasks, groups, values),
  ])
  const results = new Map([...harness, ['yardstick', block]])
  const json = toJson(results)
  return {
    runId: manifest.runId,
    resultsFile: isRecord(json) ? json : {},
    resultsText: resultsText(results),
    samples,
    table: buildTable(results, shownShots(tasks)),
    tableText: renderTable(results, shownShots(tasks)),
    warnings: [
      ...new Set([
        ...[ignoredModelArgs(manifest.settings.modelArgs)].flatMap((ignored) => ignored ?? []),
        ...warningsOf(manifest),
        ...recipeWarnings(tasks, tokenizer),
        ...massWarning(own.recipes),
        ...request.excluded.map(({ message }) => message),
      ]),
    ],
    own,
  }
}

/** `2–4` for a task of which some prompt shows fewer examples than were asked for, so as to fit. */
function shownShots(tasks: readonly BuiltTextTask[]): ShownShots {
  return new Map(
    tasks.flatMap(({ task: { name }, numFewshot, shots }): readonly (readonly [string, string])[] => {
      const least = shots.reduce((fewest, one) => Math.min(fewest, one.shots), numFewshot)
      const most = shots.reduce((sofar, one) => Math.max(sofar, one.shots), 0)
      return least === numFewshot ? [] : [[name, least === most ? String(most) : `${least}–${most}`]]
    }),
  )
}

/** Of each task's functions, what is known to stand in them; nothing for tasks without any. */
function functionsEntry(tasks: readonly BuiltTextTask[]): readonly (readonly [string, PyValue])[] {
  const known = tasks.flatMap(({ task: { name, config } }) => {
    const refs = functionsIn(config.source).map((ref) => [ref.name, [...new Set(signaturesOf(ref))]] as const)
    const told = refs.filter(([, signatures]) => signatures.length > 0)
    return told.length === 0 ? [] : [[name, new Map(told)] as const]
  })
  return known.length === 0 ? [] : [['functions', new Map(known)]]
}

/** What merging needs, in the files of a shard alone. */
function shardEntry(
  { settings: { shard } }: RunManifest,
  tasks: readonly BuiltTextTask[],
  groups: readonly ResultGroup[],
  values: ReadonlyMap<string, OwnValues>,
): readonly (readonly [string, PyValue])[] {
  if (shard === undefined) return []
  const docs = new Map(tasks.map((built) => [built.task.name, built.wholeDocIds]))
  const aggregations = new Map(tasks.map((built) => [built.task.name, aggregationsOf(built.scorer.metrics)]))
  return [['shard', shardBlock({ ...shard, docs, aggregations, groups, values })]]
}

/** Picks that could be others on the reference path: margins below twice the largest difference between both that the check saw. */
function tieBands({ engine }: RunManifest, samples: RunResults['samples']): readonly TieBand[] {
  const { fast } = engine
  if (fast === undefined) return []
  return Object.entries(samples).flatMap(([task, views]) => tieBand(task, views, 2 * fast.check.maxSumDiff) ?? [])
}

/** What was said of the data and of the prompts when the run began. */
function warningsOf({ datasets, tasks }: RunManifest): readonly string[] {
  return [...Object.values(datasets), ...Object.values(tasks)].flatMap(({ warnings }) => warnings ?? [])
}


function outcomeOf(built: BuiltTextTask, manifest: RunManifest, samples: TaskOutcome['samples']): TaskOutcome {
  const { config } = built.task
  return {
    name: config.task,
    alias: config.taskAlias ?? config.task,
    config: dumpTaskConfig(config, {
      numFewshot: built.numFewshot,
      generationKwargs: built.generationKwargs,
      predictOnly: manifest.settings.predictOnly,
    }),
    version: config.metadata.get('version') ?? 'Yaml',
    numFewshot: built.numFewshot,
    metrics: built.scorer.metrics,
    samples,
    docsOriginal: built.task.evalDocs.length,
  }
}

function resultGroup(node: Extract<TaskNode, { kind: 'group' }>): ResultGroup {
  const { config } = node
  const version = config.metadata.get('version')
  return {
    name: node.name,
    alias: config.groupAlias,
    metrics: config.aggregateMetricList,
    version: version === undefined ? 'N/A' : str(version),
    children: node.children.map((child): ResultNode => (child.kind === 'task' ? child : { kind: 'group', group: resultGroup(child) })),
  }
}

function describeRun(
  { manifest, provenance, startedAtSeconds, seconds }: ResultsRequest,
  tokenizer: Tokenizer,
): Parameters<typeof buildResults>[0]['run'] {
  const { settings, engine } = manifest
  const own = fromJson(provenance)
  const isChat = settings.applyChatTemplate !== false
  return {
    config: configBlock(manifest),
    startedAtSeconds,
    totalSeconds: seconds,
    environment: `Yardstick ${manifest.app.version}, ${engine.engine} on ${engine.device}`,
    transformersVersion: '',
    lmEvalVersion: harnessVersion,
    tokenizer: { pad: tokenizer.pad, eos: tokenizer.eos, bos: tokenizer.bos, maxLength: tokenizer.maxLength },
    modelSource: 'hf',
    modelName: settings.model,
    systemInstruction: settings.systemInstruction,
    fewshotAsMultiturn: isChat ? (settings.fewshotAsMultiturn ?? true) : settings.fewshotAsMultiturn,
    chatTemplate: isChat ? manifest.tokenizer.chatTemplate : null,
    provenance: isDict(own) ? own : new Map(),
  }
}

function configBlock(manifest: RunManifest): PyDict {
  const { settings, engine, model } = manifest
  const limit: PyValue = settings.limit === null ? null : pyFloat(settings.limit)
  return new Map<string, PyValue>([
    ['model', 'hf'],
    [
      'model_args',
      new Map<string, PyValue>([
        ['pretrained', settings.model],
        ['dtype', engine.dtype],
        ...(modelFormat(manifest) === 'gguf' ? ([['gguf_file', measuredFile(manifest)]] as const) : []),
        ['revision', model.revision],
        ...dictOf(effectiveArgs(settings.modelArgs)),
      ]),
    ],
    ['model_num_parameters', null],
    ['model_dtype', engine.dtype],
    ['model_revision', model.revision],
    ['model_sha', model.commit],
    ['batch_size', 1],
    ['batch_sizes', []],
    ['device', engine.device],
    ['use_cache', null],
    ['limit', limit],
    ['bootstrap_iters', settings.bootstrapIters],
    ['gen_kwargs', Object.keys(settings.genKwargs).length === 0 ? null : fromJson(settings.genKwargs)],
    ['random_seed', settings.seeds.random],
    ['numpy_seed', settings.seeds.numpy],
    ['torch_seed', settings.seeds.torch],
    ['fewshot_seed', settings.seeds.fewshot],
  ])
}

function dictOf(json: { readonly [key: string]: Json }): PyDict {
  const dict = fromJson(json)
  return isDict(dict) ? dict : new Map()
}
