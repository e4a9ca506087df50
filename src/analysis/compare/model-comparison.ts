/** Several models over the same tasks: scores with intervals, and whether the best is more than luck. */
import type { Json } from '../../base/errors.ts'
import { EvalError } from '../../base/errors.ts'
import { mean, meanStderr } from '../../harness/metrics/means.ts'

/** One model's results file in the harness's schema, and its docs' scores where they are at hand. */
export interface ComparedModel {
  readonly name: string
  readonly results: { readonly [key: string]: Json }
  /** Per task the scores of its docs by doc id, under the metric that is compared: differences are then taken doc by doc. */
  readonly items?: { readonly [task: string]: ReadonlyMap<number, number> }
}

export interface ComparedScore {
  readonly value: number
  /** Null where the results file has none. */
  readonly stderr: number | null
  /** The 95% interval, value ± 1.96 standard errors; null without one. */
  readonly interval: readonly [low: number, high: number] | null
  readonly n: number | null
  readonly isBest: boolean
  /** The best, and better than each of the others beyond chance at 95% in all these comparisons together. Only this is worth bold type. */
  readonly isSignificant: boolean
}

export interface ComparedRow {
  readonly task: string
  /** By model, in the order given; null where a model lacks the task or the metric. */
  readonly scores: readonly (ComparedScore | null)[]
  /** How the best was held against the others: doc by doc, or as two samples of their own. Null with fewer than two scores. */
  readonly test: 'paired' | 'unpaired' | null
}

/**
 * One row for every task or group that a model has the metric of, in the order of the first file that has it. The best is the largest
 * value, or the smallest where `higher_is_better` says so. Throws `settings/invalid` for fewer than two models.
 */
export function compareModels(models: readonly ComparedModel[], metric: string, filter = 'none'): readonly ComparedRow[] {
  if (models.length < 2)
    throw new EvalError('settings/invalid', `A comparison wants at least two models, found ${models.length}.`, {
      details: { found: models.length },
    })
  const tasks = [...new Set(models.flatMap(({ results }) => Object.keys(dictAt(results, 'results'))))]
  return tasks.flatMap((task) => {
    const plain = models.map((model) => readScore(model, task, metric, filter))
    if (plain.every((score) => score === null)) return []
    const isHigherBetter = models.some(({ results }) => dictAt(dictAt(results, 'higher_is_better'), task)[metric] === false) ? -1 : 1
    return [rowOf(task, models, plain, isHigherBetter)]
  })
}

type PlainScore = Omit<ComparedScore, 'isBest' | 'isSignificant'>

function rowOf(task: string, models: readonly ComparedModel[], plain: readonly (PlainScore | null)[], sign: 1 | -1): ComparedRow {
  const present = plain.flatMap((score, at) => (score === null ? [] : [{ at, score }]))
  const best = present.reduce<(typeof present)[number] | null>(
    (top, one) => (top === null || sign * one.score.value > sign * top.score.value ? one : top),
    null,
  )
  const others = present.filter(({ at }) => at !== best?.at)
  const compared = others.map(({ at }) =>
    compareTwo(models[best?.at ?? -1]?.items?.[task], models[at]?.items?.[task], best?.score, plain[at], sign),
  )
  // Bonferroni: that one of several comparisons comes out by luck is held to 5% in all.
  const isSignificant = compared.length > 0 && compared.every(({ p }) => p * compared.length < 0.05)
  return {
    task,
    scores: plain.map((score, at) =>
      score === null ? null : { ...score, isBest: at === best?.at, isSignificant: at === best?.at && isSignificant },
    ),
    test: compared.length === 0 ? null : compared.every(({ isPaired }) => isPaired) ? 'paired' : 'unpaired',
  }
}

interface Comparison {
  /** Two-sided: how likely chance alone makes two models differ this much; 1 where that can't be said. */
  readonly p: number
  readonly isPaired: boolean
}

function compareTwo(
  first: ReadonlyMap<number, number> | undefined,
  second: ReadonlyMap<number, number> | undefined,
  a: PlainScore | null | undefined,
  b: PlainScore | null | undefined,
  sign: 1 | -1,
): Comparison {
  const isPaired =
    first !== undefined && second !== undefined && first.size === second.size && [...first.keys()].every((id) => second.has(id))
  if (isPaired) {
    const differences = [...first].map(([id, value]) => sign * (value - (second.get(id) ?? NaN)))
    const difference = mean(differences)
    // Every doc says the same: there is no spread to judge by, but a sign test.
    if (difference > 0 && differences.every((one) => one === differences[0])) return { p: 2 ** (1 - differences.length), isPaired }
    return { p: chanceOf(difference, meanStderr(differences)), isPaired }
  }
  const unknown = { p: 1, isPaired }
  if (a === null || a === undefined || b === null || b === undefined || a.stderr === null || b.stderr === null) return unknown
  return { p: chanceOf(sign * (a.value - b.value), Math.hypot(a.stderr, b.stderr)), isPaired }
}

/** Two-sided p of a positive difference with its standard error, by the normal distribution; 1 for another one or without spread. */
function chanceOf(difference: number, stderr: number): number {
  if (!(stderr > 0) || difference <= 0) return 1
  return errorFunctionComplement(difference / stderr / Math.SQRT2)
}

/** erfc for x >= 0, within 1.5e-7: Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26. */
function errorFunctionComplement(x: number): number {
  const t = 1 / (1 + 0.3275911 * x)
  const polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
  return polynomial * Math.exp(-x * x)
}

function readScore({ results }: ComparedModel, task: string, metric: string, filter: string): PlainScore | null {
  const row = dictAt(dictAt(results, 'results'), task)
  const value = row[`${metric},${filter}`]
  if (typeof value !== 'number') return null
  const stderr = row[`${metric}_stderr,${filter}`]
  const known = typeof stderr === 'number' && Number.isFinite(stderr) ? stderr : null
  const effective = dictAt(dictAt(results, 'n-samples'), task)['effective'] ?? row['sample_len']
  return {
    value,
    stderr: known,
    interval: known === null ? null : [value - 1.96 * known, value + 1.96 * known],
    n: typeof effective === 'number' ? effective : null,
  }
}

function dictAt(value: Json | undefined, key: string): { readonly [key: string]: Json } {
  const inner = isDict(value) ? value[key] : undefined
  return isDict(inner) ? inner : {}
}

function isDict(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The rows as a Markdown table: value ± half the interval's width, the best in bold where it is more than luck. */
export function comparisonTable(models: readonly ComparedModel[], rows: readonly ComparedRow[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`
  return [
    line(['Task', ...models.map(({ name }) => name)]),
    line(['---', ...models.map(() => '---:')]),
    ...rows.map(({ task, scores }) => line([task, ...scores.map(scoreText)])),
  ].join('\n')
}

function scoreText(score: ComparedScore | null): string {
  if (score === null) return ''
  const { value, stderr, isSignificant } = score
  const text = `${value.toFixed(4)}${stderr === null ? '' : ` ± ${(1.96 * stderr).toFixed(4)}`}`
  return isSignificant ? `**${text}**` : text
}
