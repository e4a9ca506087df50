/** What tasks with the `yardstick` key did: tokens, examples, probability on the choices, and the files of the original MMLU program. */
import type { OwnResults, RecipeFacts } from '../../contracts/yardstick-results.ts'
import type { AnsweredDoc, TaskSamples } from '../../harness/results/samples-file.ts'
import { lowMassShare } from '../../harness/results/yardstick-sample.ts'
import { comparabilityNotes } from '../../harness/tasks/published-evals.ts'
import { subjectOfTask } from '../../ports/original-mmlu/mmlu-categories.ts'
import { accuraciesOf, accuraciesText, originalCells, originalHeader, type SubjectCounts } from '../../ports/original-mmlu/original-mmlu.ts'
import { str, toNumber } from '../../python/value.ts'
import { choiceTokenIds, choiceTokenWarning } from '../../tokenizing/choice-tokens.ts'
import type { Tokenizer } from '../../tokenizing/tokenizer.ts'
import type { BuiltTextTask } from '../built-task.ts'

/** A task with its answers and scores. */
export interface ScoredTask {
  readonly built: BuiltTextTask
  readonly answered: readonly AnsweredDoc[]
  readonly samples: TaskSamples
}

/** True for tasks whose rows go into files of the original MMLU program. */
export function isOriginalMmlu({ task, scorer }: BuiltTextTask): boolean {
  const { choiceTokens, recipe } = task.config.own
  return choiceTokens !== 'continuation' && (recipe ?? '').startsWith('mmlu_original') && scorer.isMean('acc')
}

/** One entry for each task with the `yardstick` key. `model` is the name that the columns carry. */
export function recipeFacts({ built, answered }: ScoredTask, model: string, tokenizer: Tokenizer): readonly RecipeFacts[] {
  const { own, task, taskAlias } = built.task.config
  if (own.choiceTokens === 'continuation' && own.maxPromptTokens === null) return []
  const masses = answered.flatMap((doc) => doc.own?.mass ?? [])
  const shots: { [count: string]: number } = {}
  for (const doc of answered) {
    const count = String(doc.own?.shots ?? 0)
    shots[count] = (shots[count] ?? 0) + 1
  }
  const [first] = answered
  const subject = subjectOfTask(task) ?? taskAlias ?? task
  return [
    {
      task,
      recipe: own.recipe,
      tokens: own.choiceTokens === 'continuation' || first === undefined ? null : choiceTokenIds(tokenizer, choicesOf(built, first)),
      tokensUsed: own.choiceTokens,
      shots,
      docs: answered.length,
      lowMassDocs: masses.length === 0 ? null : masses.filter((mass) => mass < lowMassShare).length,
      meanMass: masses.length === 0 ? null : masses.reduce((sum, mass) => sum + mass, 0) / masses.length,
      csv:
        isOriginalMmlu(built) && first !== undefined
          ? {
              path: `${own.recipe ?? 'mmlu_original'}/results_${lastPart(model)}/${subject.replace(/[/\\]/g, '_')}.csv`,
              header: originalHeader(model, originalCells(first.doc).length),
            }
          : null,
    },
  ]
}

function choicesOf(built: BuiltTextTask, { doc }: AnsweredDoc): readonly string[] {
  return built.task.docToChoice(doc).map(str)
}

function lastPart(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1)
}

/** What can be said of built tasks before a model has answered: what a score is not comparable to, which tokens are scored, which prompts lost examples. */
export function recipeWarnings(tasks: readonly BuiltTextTask[], tokenizer: Tokenizer): readonly string[] {
  const warnings = new Set<string>()
  for (const built of tasks) {
    const { own } = built.task.config
    const [doc] = built.task.evalDocs
    if (own.choiceTokens === 'continuation' || doc === undefined) continue
    const warning = choiceTokenWarning(choiceTokenIds(tokenizer, built.task.docToChoice(doc).map(str)), own.choiceTokens)
    if (warning !== null) warnings.add(warning)
  }
  const notes = tasks.flatMap(({ task: { config } }) => comparabilityNotes(config.task, config.metadata))
  return [...notes, ...guessWarnings(tasks), ...toleranceWarnings(tasks), ...warnings, ...shotWarnings(tasks)]
}

function toleranceWarnings(tasks: readonly BuiltTextTask[]): readonly string[] {
  const stated = new Set(
    tasks.flatMap(({ task }) => (task.outputType === 'generate_until' ? (task.config.own.numericTolerance ?? []) : [])),
  )
  return [...stated].map(
    (tolerance) => `Numbers that differ by at most ${tolerance} of the gold one count as equal in a second score beside the harness's.`,
  )
}

function guessWarnings(tasks: readonly BuiltTextTask[]): readonly string[] {
  const seeds = new Set(tasks.flatMap(({ task }) => (task.outputType === 'generate_until' ? (task.config.own.guessSeed ?? []) : [])))
  return [...seeds].map(
    (seed) =>
      `Replies without an answer are guessed with seed ${seed}, in a second score beside the harness's, wherever a row says how many options it has.`,
  )
}

function shotWarnings(tasks: readonly BuiltTextTask[]): readonly string[] {
  return tasks.flatMap((built) => {
    const { own, task } = built.task.config
    if (own.maxPromptTokens === null) return []
    const fewer = built.shots.filter(({ shots }) => shots < built.numFewshot).length
    const cut = built.shots.filter(({ fits }) => !fits).length
    return [
      ...(fewer === 0
        ? []
        : [
            `${task}: ${fewer} of ${built.docCount} prompts show fewer examples than ${built.numFewshot}, so as to have at most ${own.maxPromptTokens} tokens and fit the model.`,
          ]),
      ...(cut === 0
        ? []
        : [
            `${task}: ${cut} of ${built.docCount} prompts are too long without any example and are cut at their beginning; the original program never ends on one.`,
          ]),
    ]
  })
}

/** Says where the model put less than 5% of its probability on the choices: their softmax hides it. One sentence over all tasks. */
export function massWarning(facts: readonly RecipeFacts[]): readonly string[] {
  const known = facts.filter(({ lowMassDocs }) => lowMassDocs !== null)
  const low = known.reduce((sum, { lowMassDocs }) => sum + (lowMassDocs ?? 0), 0)
  const docs = known.reduce((sum, one) => sum + one.docs, 0)
  if (low === 0) return []
  const mean = known.reduce((sum, one) => sum + (one.meanMass ?? 0) * one.docs, 0) / docs
  return [
    `In ${low} of ${docs} docs the model puts less than ${lowMassShare * 100}% of its probability on the choices' tokens (${(mean * 100).toPrecision(3)}% on average): it means to say something else, and the accuracy rests on small differences among unlikely tokens.`,
  ]
}

/** `accuracies_<model>.json` of each recipe among the tasks. */
export function accuracyFiles(tasks: readonly ScoredTask[], model: string, seconds: number): OwnResults['files'] {
  const byRecipe = new Map<string, SubjectCounts[]>()
  for (const { built, samples } of tasks) {
    if (!isOriginalMmlu(built)) continue
    const { own, task, taskAlias } = built.task.config
    const items = samples.values.find(({ metric }) => metric === 'acc')?.items.map((item) => toNumber(item) ?? 0)
    if (items === undefined) continue
    const recipe = own.recipe ?? 'mmlu_original'
    const counts = byRecipe.get(recipe) ?? []
    byRecipe.set(recipe, counts)
    counts.push({
      subject: subjectOfTask(task) ?? taskAlias ?? task,
      correct: items.reduce((sum, item) => sum + item, 0),
      docs: items.length,
    })
  }
  return [...byRecipe].map(([recipe, counts]) => ({
    path: `${recipe}/accuracies_${model.replaceAll('/', '_')}.json`,
    text: accuraciesText(accuraciesOf(counts), seconds),
  }))
}
