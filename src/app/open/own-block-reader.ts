/** The `yardstick` key of a results file back as what the page shows: what `analysis/scores/yardstick-block.ts` wrote, also in earlier versions. */
import * as v from 'valibot'
import { passTimesOf } from '../../analysis/speed/pass-times.ts'
import type { Json } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { OwnResults } from '../../contracts/yardstick-results.ts'
import { ownSchema } from './own-schema.ts'

type Entry = { readonly [key: string]: Json }

/** Null for a file that isn't ours. A part that can't be read is left out, and the rest is shown. */
export function readOwnBlock(file: { readonly [key: string]: Json }): OwnResults | null {
  const block = file['yardstick']
  if (!isRecord(block)) return null
  const times = passTimesOf(block['pass_times'])
  const parts: { readonly [part: string]: Json } = {
    scores: scoresOf(block['own_metrics'], file['n-samples']),
    averages: entries(block['averages']).map((one) => ({
      ...split(one),
      alias: one['group'] ?? '',
      macroStderr: one['macro_stderr'] ?? 'N/A',
      microStderr: one['micro_stderr'] ?? 'N/A',
      categoryMap: one['category_map'] ?? null,
    })),
    agreements: entries(block['agreements']).map((one) => ({
      ...split(one),
      p: one['mcnemar_p'] ?? null,
      gained: one['gained_doc_ids'] ?? [],
      lost: one['lost_doc_ids'] ?? [],
      unknown: one['docs_without_verdict'] ?? 0,
    })),
    failures: entries(block['failures']).map((one) => ({
      ...one,
      alias: one['task'] ?? '',
      guessed:
        one['guess_seed'] === undefined
          ? null
          : { seed: one['guess_seed'], docs: one['guessed_doc_ids'] ?? [], value: one['value_with_guesses'] ?? null },
    })),
    ties: entries(block['near_ties']).map((one) => ({
      task: one['task'] ?? null,
      nats: one['margin_below_nats'] ?? null,
      docs: one['doc_ids'] ?? [],
      bands: Object.entries(isRecord(one['bands']) ? one['bands'] : {}).map(([metric, band]) => ({
        metric,
        low: Array.isArray(band) ? (band[0] as Json) : null,
        high: Array.isArray(band) ? (band[1] as Json) : null,
      })),
    })),
    published: block['published_recipes'] ?? [],
    recipes: entries(block['recipes']).map((one) => ({
      ...one,
      tokens: one['token_ids'] ?? null,
      tokensUsed: one['choice_tokens'] ?? null,
      shots: one['docs_by_num_fewshot'] ?? {},
      meanMass: one['mean_choice_mass'] ?? null,
      lowMassDocs: one['docs_below_5_percent'] ?? null,
      csv: null,
    })),
    alarms: entries(block['alarms']).map(({ task = null, ...alarm }) => ({ task, alarm })),
    cuts: entries(block['cut_prompts']).map((one) => ({
      task: one['task'] ?? null,
      docs: one['doc_ids'] ?? [],
      mostTokens: one['most_tokens'] ?? 0,
    })),
    goldsOutside: entries(block['golds_outside_choices']).map((one) => ({
      task: one['task'] ?? null,
      docs: one['doc_ids'] ?? [],
      example: one['example'] ?? '',
    })),
    ...noiseOf(block['repeat_noise']),
    ...(times === null ? {} : { speed: { scored: null, written: null, times: { ...times } } }),
  }
  const nothing = { scores: [], averages: [], recipes: [], files: [] }
  const known = Object.entries(parts).flatMap(([part, value]) => {
    const read = v.safeParse(ownSchema, { ...nothing, [part]: value })
    return read.success ? [read.output] : []
  })
  // Each has one part, and the others as empty as they begin.
  return Object.assign({ ...nothing }, ...known.map((one) => onlyFilled(one))) as OwnResults
}

function onlyFilled(own: OwnResults): Partial<OwnResults> {
  return Object.fromEntries(Object.entries(own).filter(([, value]) => !Array.isArray(value) || value.length > 0))
}

/** `metric,filter` in two. */
function split(entry: Entry): Entry {
  const [metric = '', ...filter] = typeof entry['metric'] === 'string' ? entry['metric'].split(',') : []
  return { ...entry, metric, filter: filter.join(',') || 'none' }
}

function scoresOf(value: Json | undefined, counts: Json | undefined): Json[] {
  return Object.entries(isRecord(value) ? value : {}).flatMap(([task, metrics]) => {
    const counted = isRecord(counts) ? counts[task] : undefined
    const n = isRecord(counted) ? (counted['effective'] ?? 0) : 0
    const found = isRecord(metrics) ? metrics : {}
    return Object.entries(found).flatMap(([metric, score]) =>
      metric.endsWith('_stderr') ? [] : [{ task, metric, value: score, stderr: found[`${metric}_stderr`] ?? 'N/A', n }],
    )
  })
}

function noiseOf(value: Json | undefined): { readonly noise?: Json } {
  if (!isRecord(value)) return {}
  const facts = (block: Json | undefined): Json => {
    if (!isRecord(block)) return null
    const { log_probabilities = null, identical = null, max_abs_diff = null, mean_abs_diff = null } = block
    const { is_greedy_flips = null, texts = null, same_texts = null } = block
    return {
      logprobs: log_probabilities,
      identical,
      maxAbsDiff: max_abs_diff,
      meanAbsDiff: mean_abs_diff,
      greedyFlips: is_greedy_flips,
      texts,
      sameTexts: same_texts,
    }
  }
  const again = value['batch_1_again']
  return {
    noise: {
      items: value['items'] ?? null,
      again: facts(value['again']),
      ...(again === undefined ? {} : { aloneAgain: facts(again) }),
      alone: facts(value['batch_1']),
    },
  }
}

function entries(value: Json | undefined): readonly Entry[] {
  return Array.isArray(value) ? value.filter((one: Json) => isRecord(one)) : []
}
