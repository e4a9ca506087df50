/** What we say beside the harness's results, of a run put together from shards: from their samples, and from the verdicts that their files carry. */
import type { OwnResults, RecipeFacts } from '../../contracts/yardstick-results.ts'
import type { ResultGroup, TaskOutcome } from '../../harness/results/results-file.ts'
import { lowMassShare } from '../../harness/results/yardstick-sample.ts'
import { isDict, isList, str, toNumber, type PyDict, type PyValue } from '../../python/value.ts'
import { averagesOfGroups } from '../averages/headline-averages.ts'
import { ifevalScores } from '../averages/ifeval-averages.ts'
import { subtaskAverages } from '../averages/subtask-averages.ts'
import { recipeDifferences } from '../compare/agreement/published-recipes.ts'
import { publishedAgreements } from '../compare/agreement/published-verdicts.ts'
import { failuresOf } from '../scores/answer-failures.ts'
import { ownScores, type OwnValues } from '../scores/normalized-scores.ts'
import { toleranceScores } from '../scores/tolerance-scores.ts'

/** A task of the whole run. */
interface MergedTask {
  readonly outcome: TaskOutcome
  /** Its sample rows under the first filter, in the order of the whole run. */
  readonly rows: readonly PyDict[]
  readonly values: OwnValues
}

interface MergedOwnInput {
  readonly tasks: readonly MergedTask[]
  readonly groups: readonly ResultGroup[]
  /** The whole run's results file, without our own block. */
  readonly results: PyDict
  /** The shards' own blocks: what they say of recipes is alike in all but the counts. */
  readonly blocks: readonly PyDict[]
}

/**
 * As `ownResults` gives it for one run. Left out is what hangs on the machine (near ties, noise), what is told of a run's samples whole (alarms), and
 * what would have to be scored again (guesses for replies without an answer).
 */
export function mergedOwn({ tasks, groups, results, blocks }: MergedOwnInput): Omit<OwnResults, 'files'> {
  const isMeanOf = ({ metrics }: TaskOutcome, metric: string): boolean =>
    metrics.find(({ name }) => name === metric)?.aggregation === 'mean'
  const isMean = (task: string, metric: string): boolean => tasks.some(({ outcome }) => outcome.name === task && isMeanOf(outcome, metric))
  const recipes = blocks[0]?.get('recipes') ?? null
  return {
    scores: tasks.flatMap(({ outcome, rows, values }) => [
      ...ownScores(outcome.name, values),
      ...ifevalScores(outcome.name, outcome.samples.values),
      ...toleranceScores(
        {
          ...{ name: outcome.name, outputType: outputTypeOf(outcome), tolerance: toleranceOf(outcome) },
          targets: rows.map((row) => str(row.get('target') ?? '')),
        },
        outcome.samples,
        (metric) => isMeanOf(outcome, metric),
      ),
    ]),
    averages: [
      ...averagesOfGroups(groups, results, isMean),
      ...tasks.flatMap(({ outcome, rows }) => {
        const { name, alias, samples } = outcome
        return subtaskAverages({ name, alias, isMean: (metric) => isMeanOf(outcome, metric) }, rows.map(docOf), samples)
      }),
    ],
    agreements: tasks.flatMap(({ outcome: { name, samples }, rows }) => publishedAgreements(name, rows.map(docOf), samples)),
    failures: tasks.flatMap(({ outcome }) => {
      const { name, alias, samples, config } = outcome
      const asked = { name, alias, outputType: outputTypeOf(outcome), filterList: itemsOf(config.get('filter_list')).filter(isDict) }
      return failuresOf(
        asked,
        samples,
        (metric) => isMeanOf(outcome, metric),
        () => null,
      )
    }),
    published: recipeDifferences(
      tasks.map(({ outcome, rows }) => ({
        ...{ name: outcome.name, numFewshot: outcome.numFewshot, outputType: outputTypeOf(outcome) },
        ...{ metrics: outcome.metrics.map(({ name }) => name), docs: rows.length, docsOfAll: outcome.docsOriginal },
      })),
    ),
    cuts: docsTold(tasks, blocks, 'cut_prompts').map(({ task, docs, said }) => ({
      ...{ task, docs },
      mostTokens: said.reduce((most, one) => Math.max(most, toNumber(one.get('most_tokens') ?? null) ?? 0), 0),
    })),
    goldsOutside: docsTold(tasks, blocks, 'golds_outside_choices').map(({ task, docs, said: [first] }) => ({
      ...{ task, docs },
      example: str(first?.get('example') ?? ''),
    })),
    recipes: itemsOf(recipes)
      .filter(isDict)
      .flatMap((said) => {
        const task = tasks.find(({ outcome }) => outcome.name === said.get('task'))
        return task === undefined ? [] : [recipeOf(said, task)]
      }),
  }
}

/** By task, the docs that any shard lists under a key of its block, in the whole run's order, and what each shard says of the task there; the first listed doc's shard comes first. */
function docsTold(
  tasks: readonly MergedTask[],
  blocks: readonly PyDict[],
  key: string,
): readonly { readonly task: string; readonly docs: readonly number[]; readonly said: readonly PyDict[] }[] {
  const all = blocks.flatMap((block) => itemsOf(block.get(key)).filter(isDict))
  return tasks.flatMap(({ outcome: { name: task }, rows }) => {
    const said = all.filter((one) => one.get('task') === task)
    if (said.length === 0) return []
    const idsOf = (one: PyDict): readonly PyValue[] => itemsOf(one.get('doc_ids')).map(toNumber)
    const told = new Set(said.flatMap(idsOf))
    const docs = rows.map((row) => docOf(row).docId).filter((id) => told.has(id))
    const isFirst = (one: PyDict): number => Number(idsOf(one).includes(docs[0] ?? null))
    return [{ task, docs, said: said.toSorted((a, b) => isFirst(b) - isFirst(a)) }]
  })
}

/** As the task's own file or the run has it. */
function toleranceOf({ config }: TaskOutcome): number | null {
  const [metadata, own] = [config.get('metadata') ?? null, config.get('yardstick') ?? null]
  const given = (isDict(metadata) ? metadata.get('numeric_tolerance') : null) ?? (isDict(own) ? own.get('numeric_tolerance') : null)
  return toNumber(given ?? null)
}

function outputTypeOf({ config }: TaskOutcome): string {
  return str(config.get('output_type') ?? '')
}

function docOf(row: PyDict): { readonly docId: number; readonly doc: PyDict } {
  const doc = row.get('doc') ?? null
  return { docId: toNumber(row.get('doc_id') ?? null) ?? 0, doc: isDict(doc) ? doc : new Map<string, PyValue>() }
}

function itemsOf(value: PyValue | undefined): readonly PyValue[] {
  return value !== undefined && isList(value) ? value : []
}

/** The counts anew, out of what each sample says of itself. */
function recipeOf(said: PyDict, { outcome, rows }: MergedTask): RecipeFacts {
  const own = rows.map((row) => {
    const record = row.get('yardstick') ?? null
    return isDict(record) ? record : new Map<string, PyValue>()
  })
  const shots: { [count: string]: number } = {}
  for (const record of own) {
    const count = String(toNumber(record.get('num_fewshot') ?? null) ?? 0)
    shots[count] = (shots[count] ?? 0) + 1
  }
  const masses = own.flatMap((record) => toNumber(record.get('choice_mass') ?? null) ?? [])
  const recipe = said.get('recipe') ?? null
  const used = str(said.get('choice_tokens') ?? 'continuation')
  const tokens = said.get('token_ids') ?? null
  return {
    task: outcome.name,
    recipe: recipe === null ? null : str(recipe),
    tokens: isList(tokens)
      ? tokens.filter(isDict).map((token) => ({
          choice: str(token.get('choice') ?? ''),
          bare: toNumber(token.get('bare') ?? null) ?? NaN,
          spaced: toNumber(token.get('spaced') ?? null) ?? NaN,
        }))
      : null,
    tokensUsed: used === 'bare' || used === 'spaced' ? used : 'continuation',
    shots,
    docs: rows.length,
    lowMassDocs: masses.length === 0 ? null : masses.filter((mass) => mass < lowMassShare).length,
    meanMass: masses.length === 0 ? null : masses.reduce((sum, mass) => sum + mass, 0) / masses.length,
    csv: null,
  }
}
