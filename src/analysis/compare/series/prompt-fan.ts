/** How far a score depends on how it was asked: several prompts over the same docs, doc by doc, beside the error of a sample of docs. */
import { maxOf, minOf } from '../../../base/arrays.ts'
import { mean, meanStderr, sampleStddev } from '../../../harness/metrics/means.ts'
import type { ComparedRun, ComparedSample } from '../compared-run.ts'
import { underFirstFilter, valueOf } from '../doc-values.ts'
import { runFactsOf } from '../run-facts.ts'
import { chiSquaredUpper, holmAdjusted, mcnemarExact, studentTwoSided } from '../significance.ts'

export interface FanVariant {
  /** Place in the list of runs. */
  readonly run: number
  readonly task: string
  /** Over the docs that all prompts have. */
  readonly value: number
  readonly stderr: number
}

export interface FanPair {
  /** Places in `arms`; the higher score first. */
  readonly better: number
  readonly worse: number
  readonly difference: number
  readonly stderr: number
  /** McNemar's exact test for right and wrong, else a paired t-test; corrected by Holm's over all pairs of the fan. */
  readonly p: number
  readonly pAdjusted: number
}

export interface PromptFan {
  readonly metric: string
  /** Docs that every prompt has. */
  readonly docs: number
  readonly arms: readonly FanVariant[]
  /** Highest less lowest score. */
  readonly spread: number
  /** Standard deviation of the scores, n − 1. */
  readonly sd: number
  /** Mean of the standard errors: how far a score would move with other docs. */
  readonly samplingError: number
  /** Cochran's Q over docs that are right or wrong: p of all prompts being the same; null for other values. */
  readonly p: number | null
  readonly pairs: readonly FanPair[]
}

/** Docs that two prompts must share to belong together, of the one with fewer. */
const sharedShare = 0.9

interface Candidate {
  readonly run: number
  readonly task: string
  readonly identity: string
  /** Samples by the hash of their doc. */
  readonly docs: ReadonlyMap<string, ComparedSample>
}

/**
 * The fans among some runs: tasks of one model, with one dtype, whose docs are the same by their hashes and whose prompts differ. One fan a
 * metric that all of its prompts have; none where nothing belongs together.
 */
export function promptFans(runs: readonly ComparedRun[]): readonly PromptFan[] {
  const clusters: Candidate[][] = []
  for (const candidate of runs.flatMap(candidatesOf)) {
    const cluster = clusters.find(
      ([first]) => first !== undefined && first.identity === candidate.identity && areSameDocs(first, candidate),
    )
    if (cluster === undefined) clusters.push([candidate])
    else if (cluster.every((one) => asksOtherwise(one, candidate))) cluster.push(candidate)
  }
  return clusters.filter(({ length }) => length > 1).flatMap(fansOf)
}

function candidatesOf(run: ComparedRun, index: number): readonly Candidate[] {
  const { model, commit, dtype } = runFactsOf(run.file)
  return [...run.samples].flatMap(([task, all]) => {
    const docs = new Map(underFirstFilter(all).flatMap((sample) => (sample.docHash === null ? [] : [[sample.docHash, sample] as const])))
    return docs.size < 2 ? [] : [{ run: index, task, identity: JSON.stringify([model, commit, dtype]), docs }]
  })
}

function areSameDocs(a: Candidate, b: Candidate): boolean {
  const shared = [...a.docs.keys()].filter((hash) => b.docs.has(hash)).length
  return shared >= 2 && shared >= sharedShare * Math.min(a.docs.size, b.docs.size)
}

/** Another prompt, or the same one with other choices behind it, as its hash can't tell. */
function asksOtherwise(a: Candidate, b: Candidate): boolean {
  return a.task !== b.task || [...a.docs].some(([hash, { promptHash }]) => b.docs.has(hash) && b.docs.get(hash)?.promptHash !== promptHash)
}

function fansOf(cluster: readonly Candidate[]): readonly PromptFan[] {
  const [first, ...others] = cluster
  const hashes = [...(first?.docs.keys() ?? [])].filter((hash) => others.every(({ docs }) => docs.has(hash)))
  if (hashes.length < 2) return []
  const metrics = Object.keys(first?.docs.get(hashes[0] ?? '')?.metrics ?? {})
  return metrics.flatMap((metric) => {
    const values = cluster.map(({ docs }) =>
      hashes.map((hash) => {
        const sample = docs.get(hash)
        return sample === undefined ? null : valueOf(sample, metric)
      }),
    )
    const known = values.filter((list): list is number[] => list.every((value) => value !== null))
    return known.length === values.length ? [fanOf(metric, cluster, known)] : []
  })
}

/** `values[i][j]`: of the cluster's prompt `i` and doc `j`. */
function fanOf(metric: string, cluster: readonly Candidate[], values: readonly (readonly number[])[]): PromptFan {
  const arms = cluster.map(({ run, task }, index) => {
    const own = values[index] ?? []
    return { run, task, value: mean(own), stderr: meanStderr(own) }
  })
  const scores = arms.map(({ value }) => value)
  const isVerdict = values.every((own) => own.every((value) => value === 0 || value === 1))
  const pairs = arms.flatMap((a, i) =>
    arms.slice(i + 1).map((b, offset) => {
      const j = i + 1 + offset
      const [better, worse] = a.value >= b.value ? [i, j] : [j, i]
      return { better, worse, ...pairOf(values[better] ?? [], values[worse] ?? [], isVerdict) }
    }),
  )
  const adjusted = holmAdjusted(pairs.map(({ p }) => p))
  return {
    ...{ metric, docs: values[0]?.length ?? 0, arms },
    spread: maxOf(scores) - minOf(scores),
    sd: sampleStddev(scores),
    samplingError: mean(arms.map(({ stderr }) => stderr)),
    p: isVerdict ? cochranP(values) : null,
    pairs: pairs.map((pair, index) => ({ ...pair, pAdjusted: adjusted[index] ?? 1 })),
  }
}

function pairOf(better: readonly number[], worse: readonly number[], isVerdict: boolean): Pick<FanPair, 'difference' | 'stderr' | 'p'> {
  const differences = better.map((value, doc) => value - (worse[doc] ?? NaN))
  const [difference, stderr] = [mean(differences), meanStderr(differences)]
  if (isVerdict) {
    const p = mcnemarExact(differences.filter((value) => value > 0).length, differences.filter((value) => value < 0).length)
    return { difference, stderr, p }
  }
  return { difference, stderr, p: difference === 0 ? 1 : studentTwoSided(difference / stderr, differences.length - 1) }
}

/**
 * Cochran's Q over `values[prompt][doc]` of 0 and 1: p by the chi-squared distribution with one degree less than there are prompts; 1 when no doc
 * changes sides. Source: Cochran (1950), Biometrika 37, 256-266.
 */
export function cochranP(values: readonly (readonly number[])[]): number {
  const k = values.length
  const columns = values.map((own) => own.reduce((sum, value) => sum + value, 0))
  const total = columns.reduce((sum, value) => sum + value, 0)
  const rows = (values[0] ?? []).map((_, doc) => values.reduce((sum, own) => sum + (own[doc] ?? 0), 0))
  const below = k * total - rows.reduce((sum, row) => sum + row * row, 0)
  if (below === 0) return 1
  const above = (k - 1) * (k * columns.reduce((sum, column) => sum + column * column, 0) - total * total)
  return chiSquaredUpper(above / below, k - 1)
}
