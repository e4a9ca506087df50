/** Everything that we say beside the harness's results: our metrics, both averages of groups, what recipes did. */
import { answerFailures } from '../core/answer-failures.ts'
import { publishedAgreements } from '../core/compare/published-verdicts.ts'
import { groupAverages, type GroupLeaves } from '../core/group-averages.ts'
import { recipeDifferences } from '../core/compare/published-recipes.ts'
import type { LeafMetrics } from '../core/groups.ts'
import { ownScores } from '../core/own-scores.ts'
import { fromJson, isDict, toNumber, type PyDict } from '../core/python/value.ts'
import type { TaskNode } from '../core/registry-expand.ts'
import { headlineAverages } from '../core/headline-averages.ts'
import { subtaskAverages } from '../core/subtask-averages.ts'
import type { NoiseFacts, OwnResults } from '../core/types.ts'
import { accuracyFiles, recipeFacts, type ScoredTask } from './recipe-results.ts'
import type { Tokenizer } from './tokenizer.ts'

export interface OwnResultsInput {
  readonly tasks: readonly ScoredTask[]
  readonly tree: readonly TaskNode[]
  /** The results file's dict, for the tasks' scores. */
  readonly results: PyDict
  readonly model: string
  readonly seconds: number
  readonly tokenizer: Tokenizer
}

export function ownResults({ tasks, tree, results, model, seconds, tokenizer }: OwnResultsInput): OwnResults {
  const isMean = (name: string, metric: string): boolean =>
    tasks.find(({ built }) => built.task.name === name)?.built.scorer.isMean(metric) ?? false
  const leaves = leafMetrics(tasks, results)
  return {
    scores: tasks.flatMap(({ built, answered }) => ownScores(built.task, built.scorer.metrics, answered)),
    averages: [
      ...tree.flatMap(groupsBelow).flatMap((group) => {
        const shared = groupAverages([group], leaves, isMean)
        return shared.length > 0 ? shared : headlineAverages(group, leaves)
      }),
      ...tasks.flatMap(({ built: { task, scorer }, answered, samples }) =>
        subtaskAverages(
          { name: task.name, alias: task.config.taskAlias ?? task.name, isMean: (metric) => scorer.isMean(metric) },
          answered,
          samples,
        ),
      ),
    ],
    agreements: tasks.flatMap(({ built, answered, samples }) => publishedAgreements(built.task.name, answered, samples)),
    failures: tasks.flatMap(({ built: { task, scorer }, answered, samples }) =>
      answerFailures({ task, answered, samples, score: scorer.score, isMean: (metric) => scorer.isMean(metric) }),
    ),
    published: recipeDifferences(
      tasks.map(({ built, answered }) => ({
        name: built.task.name,
        numFewshot: built.numFewshot,
        outputType: built.task.outputType,
        metrics: built.scorer.metrics.map(({ name }) => name),
        docs: answered.length,
        docsOfAll: built.task.evalDocs.length,
      })),
    ),
    recipes: tasks.flatMap((task) => recipeFacts(task, model, tokenizer)),
    files: accuracyFiles(tasks, model, seconds),
  }
}

function leafMetrics(tasks: readonly ScoredTask[], results: PyDict): ReadonlyMap<string, LeafMetrics> {
  const rows = results.get('results') ?? null
  return new Map(
    tasks.flatMap(({ built: { task } }) => {
      const row = isDict(rows) ? (rows.get(task.name) ?? null) : null
      if (!isDict(row)) return []
      const values = [...row].filter(([key]) => key.includes(',')).map(([key, value]) => [key, toNumber(value) ?? 'N/A'] as const)
      return [[task.name, { sampleLen: toNumber(row.get('sample_len') ?? null) ?? 0, values: new Map(values) }] as const]
    }),
  )
}

/** The groups of a tree, each before those below it. */
function groupsBelow(node: TaskNode): readonly GroupLeaves[] {
  if (node.kind === 'task') return []
  const group = {
    name: node.name,
    alias: node.config.groupAlias ?? node.name,
    leaves: leavesOf(node),
    subgroups: node.children.filter((child) => child.kind === 'group').map(leavesOf),
  }
  return [group, ...node.children.flatMap(groupsBelow)]
}

function leavesOf(node: TaskNode): readonly string[] {
  return node.kind === 'task' ? [node.name] : node.children.flatMap(leavesOf)
}

function noiseBlock({ logprobs, identical, maxAbsDiff, meanAbsDiff, greedyFlips, texts, sameTexts }: NoiseFacts) {
  return {
    log_probabilities: logprobs,
    identical,
    max_abs_diff: maxAbsDiff,
    mean_abs_diff: meanAbsDiff,
    is_greedy_flips: greedyFlips,
    texts,
    same_texts: sameTexts,
  }
}

/** What goes into the `yardstick` key of the results file, beside the run's provenance. */
export function ownBlock({
  scores,
  averages,
  recipes,
  agreements = [],
  failures = [],
  ties = [],
  published = [],
  noise,
}: OwnResults): PyDict {
  const byTask: { [task: string]: { [key: string]: number | string } } = {}
  for (const { task, metric, value, stderr } of scores) byTask[task] = { ...byTask[task], [metric]: value, [`${metric}_stderr`]: stderr }
  const block = fromJson({
    own_metrics: byTask,
    averages: averages.map((one) => ({
      group: one.group,
      metric: `${one.metric},${one.filter}`,
      macro: one.macro,
      macro_stderr: one.macroStderr,
      micro: one.micro,
      micro_stderr: one.microStderr,
      tasks: one.tasks,
      docs: one.docs,
      category_map: one.categoryMap,
    })),
    ...(agreements.length === 0
      ? {}
      : {
          agreements: agreements.map(({ difference, gained, lost, unknown, task, column, metric, filter, ...one }) => ({
            task,
            column,
            metric: `${metric},${filter}`,
            n: one.n,
            agree: one.agree,
            disagree: one.disagree,
            kappa: one.kappa,
            difference,
            mcnemar_p: one.p,
            gained_doc_ids: gained,
            lost_doc_ids: lost,
            docs_without_verdict: unknown,
          })),
        }),
    ...(published.length === 0
      ? {}
      : { published_recipes: published.map(({ recipe, source, tasks, differs }) => ({ recipe, source, tasks, differs })) }),
    ...(noise === undefined
      ? {}
      : { repeat_noise: { items: noise.items, again: noiseBlock(noise.again), batch_1: noiseBlock(noise.alone) } }),
    ...(failures.length === 0
      ? {}
      : {
          failures: failures.map(({ task, filter, n, failed, metric, value, guessed }) => ({
            task,
            filter,
            n,
            failed,
            rate: failed / n,
            metric,
            value,
            ...(guessed === null ? {} : { guess_seed: guessed.seed, guessed_doc_ids: guessed.docs, value_with_guesses: guessed.value }),
          })),
        }),
    ...(ties.length === 0
      ? {}
      : {
          near_ties: ties.map(({ task, nats, docs, bands }) => ({
            task,
            margin_below_nats: nats,
            doc_ids: docs,
            bands: Object.fromEntries(bands.map(({ metric, low, high }) => [metric, [low, high]])),
          })),
        }),
    ...(recipes.length === 0
      ? {}
      : {
          recipes: recipes.map((one) => ({
            task: one.task,
            recipe: one.recipe,
            choice_tokens: one.tokensUsed,
            token_ids: one.tokens?.map(({ choice, bare, spaced }) => ({ choice, bare, spaced })) ?? null,
            docs_by_num_fewshot: one.shots,
            docs: one.docs,
            mean_choice_mass: one.meanMass,
            docs_below_5_percent: one.lowMassDocs,
          })),
        }),
  })
  return isDict(block) ? block : new Map()
}
