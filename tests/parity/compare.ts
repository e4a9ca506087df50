/** One golden's numbers beside ours. Pure: rows and results in, differences out. */
import { append, maxOf } from '../../src/base/arrays.ts'
import { asRecord, type JsonRecord } from './goldens.ts'

/** Largest accepted difference of a request's log-probability, in nats. */
export const logprobTolerance = 5e-3
/** A rolling log-likelihood is a sum over a whole text: where this share of it is more, that is accepted. */
export const rollingShare = 1e-5
/** Metrics computed from docs' right and wrong must be equal; ones that follow the log-probabilities may differ by this share. */
export const equalShare = 1e-9
export const followingShare = 1e-3

/** Everything that differs; lists hold one short text each. */
export interface Comparison {
  readonly docs: number
  /** Largest log-probability difference in nats; null when nothing was scored. */
  readonly largestDifference: number | null
  readonly isWithinTolerance: boolean
  /** Docs and prompts that aren't the same, also missing ones. */
  readonly prompts: readonly string[]
  readonly picks: readonly string[]
  readonly generations: readonly string[]
  readonly metrics: readonly string[]
}

export interface TaskRows {
  readonly task: string
  readonly wanted: readonly JsonRecord[]
  readonly found: readonly JsonRecord[]
}

export function isPassed(comparison: Comparison): boolean {
  const { docs, isWithinTolerance, prompts, picks, generations, metrics } = comparison
  return docs > 0 && isWithinTolerance && [prompts, picks, generations, metrics].every((list) => list.length === 0)
}

/** Compares samples doc by doc and results number by number; `wanted` is the harness's results file. */
export function compareRun(tasks: readonly TaskRows[], wanted: JsonRecord, found: JsonRecord): Comparison {
  const lists = { prompts: [] as string[], picks: [] as string[], generations: [] as string[], metrics: [] as string[] }
  const docs = new Set<string>()
  let largest: number | null = null
  let isWithinTolerance = true
  const following = new Set<string>()
  for (const { task, wanted: rows, found: ownRows } of tasks) {
    const config = asRecord(asRecord(wanted['configs'])[task])
    const isGenerated = config['output_type'] === 'generate_until'
    const isRolling = config['output_type'] === 'loglikelihood_rolling'
    const own = new Map(ownRows.map((row) => [keyOf(row), row]))
    if (ownRows.length !== rows.length) lists.prompts.push(`${task}: ${ownRows.length} sample rows instead of ${rows.length}`)
    for (const row of rows) {
      const where = `${task} doc ${String(row['doc_id'])}`
      docs.add(where)
      const mine = own.get(keyOf(row))
      if (mine === undefined) {
        lists.prompts.push(`${where} is missing`)
        continue
      }
      for (const hash of ['doc_hash', 'prompt_hash', 'target_hash'])
        if (hash in row && row[hash] !== mine[hash]) lists.prompts.push(`${where}: ${hash} differs`)
      if (isGenerated) {
        const differing = ['resps', 'filtered_resps'].filter((key) => canonical(row[key]) !== canonical(mine[key]))
        if (differing.length > 0) lists.generations.push(`${where} (${differing.join(', ')}): ${excerpt(row, mine)}`)
      } else {
        const [theirs, ours] = [logprobsOf(row), logprobsOf(mine)]
        theirs.forEach((logprob, index) => {
          const difference = logprob === ours[index] ? 0 : Math.abs(logprob - (ours[index] ?? NaN))
          const tolerance = isRolling ? Math.max(logprobTolerance, rollingShare * Math.abs(logprob)) : logprobTolerance
          if (!(difference <= tolerance)) isWithinTolerance = false
          largest = Math.max(largest ?? 0, difference)
        })
        if (ours.length !== theirs.length) lists.prompts.push(`${where}: ${ours.length} requests instead of ${theirs.length}`)
        const reason = isRolling ? null : pickDifference(row, mine, config)
        if (reason !== null) lists.picks.push(`${where}: ${reason}`)
      }
      for (const metric of metricsOf(row)) {
        if (!isGenerated && !isDiscrete(row[metric])) following.add(`${task}\n${metric}`)
        else if (canonical(row[metric]) !== canonical(mine[metric])) {
          const text = `${where} ${metric}: ${canonical(mine[metric])} instead of ${canonical(row[metric])}`
          if (isGenerated) lists.metrics.push(text)
          else if (!lists.picks.some((other) => other.startsWith(`${where}:`))) lists.picks.push(`${where}: ${text}`)
        }
      }
    }
  }
  for (const table of ['results', 'groups']) append(lists.metrics, compareTable(asRecord(wanted[table]), asRecord(found[table]), following))
  return { docs: docs.size, largestDifference: largest, isWithinTolerance, ...lists }
}

const keyOf = (row: JsonRecord): string => `${String(row['doc_id'])}\n${String(row['filter'])}`

const metricsOf = (row: JsonRecord): string[] =>
  Array.isArray(row['metrics']) ? row['metrics'].filter((metric) => typeof metric === 'string') : []

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Log-probabilities of a row's requests: `[["-1.5", "False"]]`, or `["-1.5"]` of a rolling one. */
function logprobsOf(row: JsonRecord): number[] {
  return listOf(row['resps']).flatMap((repeats) => listOf(repeats).map((response) => Number(listOf(response)[0] ?? response)))
}

const greedyOf = (row: JsonRecord): string =>
  listOf(row['resps'])
    .flatMap((repeats) => listOf(repeats).map((response) => String(listOf(response)[1])))
    .join()

/** What is picked differently: the choice by log-probability or by the same a character, or what greedy decoding would give. */
function pickDifference(wanted: JsonRecord, found: JsonRecord, config: JsonRecord): string | null {
  const [theirs, ours] = [logprobsOf(wanted), logprobsOf(found)]
  if (config['output_type'] === 'multiple_choice') {
    const metrics = metricsOf(wanted)
    const lengths = choiceLengths(wanted, config)
    const count = metrics.includes('acc_mutual_info') ? theirs.length / 2 : theirs.length
    const rules: readonly (readonly [string, (logprob: number, index: number) => number])[] = [
      ['choice', (logprob) => logprob],
      ...(metrics.includes('acc_norm')
        ? ([['choice by length', (logprob: number, index: number) => logprob / (lengths[index] ?? 1)]] as const)
        : []),
    ]
    for (const [name, score] of rules) {
      const [wantedPick, foundPick] = [theirs, ours].map((logprobs) => indexOfMax(logprobs.slice(0, count).map(score)))
      if (wantedPick !== foundPick) return `${name} ${String(foundPick)} instead of ${String(wantedPick)}`
    }
  }
  return greedyOf(wanted) === greedyOf(found) ? null : `greedy ${greedyOf(found)} instead of ${greedyOf(wanted)}`
}

/** Lengths of the choices in code points, without the delimiter before them. */
function choiceLengths(row: JsonRecord, config: JsonRecord): number[] {
  const delimiter = typeof config['target_delimiter'] === 'string' ? config['target_delimiter'] : ' '
  return Object.values(asRecord(row['arguments'])).map((request) => {
    const text = String(asRecord(request)['arg_1'])
    return [...(text.startsWith(delimiter) ? text.slice(delimiter.length) : text)].length
  })
}

const indexOfMax = (values: readonly number[]): number => values.indexOf(maxOf(values))

/** A doc's value that is counted, not measured: right or wrong, classes, flags. */
function isDiscrete(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isDiscrete)
  return typeof value !== 'number' || Number.isInteger(value)
}

function compareTable(wanted: JsonRecord, found: JsonRecord, following: ReadonlySet<string>): string[] {
  // A group's metric follows the log-probabilities when that of any task does.
  const followingMetrics = new Set([...following].map((key) => key.split('\n')[1] ?? ''))
  return Object.entries(wanted).flatMap(([name, row]) => {
    const own = asRecord(found[name])
    return Object.entries(asRecord(row)).flatMap(([key, value]) => {
      const metric = key.split(',')[0]?.replace(/_stderr$/, '') ?? ''
      const follows = followingMetrics.has(metric)
      return isEqual(value, own[key], follows) ? [] : [`${name} ${key}: ${canonical(own[key])} instead of ${canonical(value)}`]
    })
  })
}

function isEqual(wanted: unknown, found: unknown, follows: boolean): boolean {
  if (typeof wanted !== 'number' || typeof found !== 'number') return canonical(wanted) === canonical(found)
  const tolerance = follows ? followingShare * Math.abs(wanted) : equalShare * Math.max(1, Math.abs(wanted))
  return Math.abs(wanted - found) <= tolerance
}

/** JSON that doesn't tell `true` from `1`, as Python doesn't. */
function canonical(value: unknown): string {
  if (value === undefined) return 'nothing'
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'boolean' ? Number(item) : item))
}

/** The first generated texts side by side, from where they part. */
function excerpt(wanted: JsonRecord, found: JsonRecord): string {
  const [theirs, ours] = [wanted, found].map((row) => listOf(row['resps']).flatMap(listOf).map(String).join(' | '))
  const at = [...(theirs ?? '')].findIndex((char, index) => char !== ours?.[index])
  const from = Math.max(0, at - 10)
  return `${JSON.stringify(ours?.slice(from, from + 40))} instead of ${JSON.stringify(theirs?.slice(from, from + 40))}`
}
