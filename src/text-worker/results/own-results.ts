/** Everything that we say beside the harness's results: our metrics, both averages of groups, what recipes did. */
import { averagesOfGroups } from '../../analysis/averages/headline-averages.ts'
import { ifevalScores } from '../../analysis/averages/ifeval-averages.ts'
import { subtaskAverages } from '../../analysis/averages/subtask-averages.ts'
import { recipeDifferences } from '../../analysis/compare/agreement/published-recipes.ts'
import { publishedAgreements } from '../../analysis/compare/agreement/published-verdicts.ts'
import { answerFailures } from '../../analysis/scores/answer-failures.ts'
import { ownScores, type OwnValues } from '../../analysis/scores/normalized-scores.ts'
import { toleranceScores } from '../../analysis/scores/tolerance-scores.ts'
import type { OwnResults } from '../../contracts/yardstick-results.ts'
import type { ResultGroup } from '../../harness/results/results-file.ts'
import { str, type PyDict } from '../../python/value.ts'
import type { Tokenizer } from '../../tokenizing/tokenizer.ts'
import { accuracyFiles, recipeFacts, type ScoredTask } from './recipe-results.ts'

export interface OwnResultsInput {
  readonly tasks: readonly ScoredTask[]
  readonly groups: readonly ResultGroup[]
  /** By task. */
  readonly values: ReadonlyMap<string, OwnValues>
  /** The results file's dict, for the tasks' scores. */
  readonly results: PyDict
  readonly model: string
  readonly seconds: number
  readonly tokenizer: Tokenizer
}

export function ownResults({ tasks, groups, values, results, model, seconds, tokenizer }: OwnResultsInput): OwnResults {
  const isMean = (name: string, metric: string): boolean =>
    tasks.find(({ built }) => built.task.name === name)?.built.scorer.isMean(metric) ?? false
  return {
    scores: tasks.flatMap(({ built: { task, scorer }, answered, samples }) => [
      ...ownScores(task.name, values.get(task.name) ?? new Map()),
      ...ifevalScores(task.name, samples.values),
      ...toleranceScores(
        {
          ...{ name: task.name, outputType: task.outputType, tolerance: task.config.own.numericTolerance },
          targets: answered.map(({ target }) => str(target)),
        },
        samples,
        (metric) => scorer.isMean(metric),
      ),
    ]),
    averages: [
      ...averagesOfGroups(groups, results, isMean),
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
