/** What we say beside the harness's results, as it stands in the `yardstick` key of the results file. */
import type { NoiseFacts, OwnResults } from '../../contracts/yardstick-results.ts'
import { fromJson, isDict, type PyDict } from '../../python/value.ts'

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
  alarms = [],
  cuts = [],
  goldsOutside = [],
  noise,
}: Omit<OwnResults, 'files'>): PyDict {
  const byTask: { [task: string]: { [key: string]: number | string } } = {}
  for (const { task, metric, filter = 'none', value, stderr } of scores) {
    const under = filter === 'none' ? '' : `,${filter}`
    byTask[task] = { ...byTask[task], [`${metric}${under}`]: value, [`${metric}_stderr${under}`]: stderr }
  }
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
    ...(alarms.length === 0 ? {} : { alarms: alarms.map(({ task, alarm }) => ({ task, ...alarm })) }),
    ...(cuts.length === 0
      ? {}
      : { cut_prompts: cuts.map(({ task, docs, mostTokens }) => ({ task, doc_ids: docs, most_tokens: mostTokens })) }),
    ...(goldsOutside.length === 0
      ? {}
      : { golds_outside_choices: goldsOutside.map(({ task, docs, example }) => ({ task, doc_ids: docs, example })) }),
    ...(noise === undefined
      ? {}
      : {
          repeat_noise: {
            items: noise.items,
            again: noiseBlock(noise.again),
            batch_1: noiseBlock(noise.alone),
            ...(noise.aloneAgain === undefined ? {} : { batch_1_again: noiseBlock(noise.aloneAgain) }),
          },
        }),
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
