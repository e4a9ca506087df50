/** Arms against each other on the same token ids, block by block in turn, so that whatever the machine does hits all of them. */
import { maxOf } from '../../src/base/arrays.ts'
import type { RunningArm } from './arms.ts'
import { blocksOf, type Call, type Grouping } from './calls.ts'
import type { Usage } from './page/arm-api.ts'
import { watchPeak } from './renderer-memory.ts'
import type { ArmName } from './rows.ts'
import type { BenchWork } from './works.ts'

/** What one arm came to on one work. */
export interface ArmOutcome {
  readonly usage: Usage
  /** Log-probabilities (nats) by doc and request; no requests for docs that are written. */
  readonly logprobs: readonly (readonly number[])[]
  /** Tokens written by doc; empty for docs that are scored. */
  readonly texts: readonly (readonly number[])[]
  /** Processor time of all threads; null where the system doesn't tell. */
  readonly processorMs: number | null
  /** Null where the system doesn't tell. */
  readonly peakBytes: number | null
}

/** Runs every arm over the work; the order of arms rotates from block to block. Each arm is warmed up first, on a doc that isn't counted. */
export async function compareArms(work: BenchWork, arms: ReadonlyMap<ArmName, RunningArm>): Promise<ReadonlyMap<ArmName, ArmOutcome>> {
  const warmUp: BenchWork = { ...work, docs: [work.warmUp] }
  const turns = []
  for (const [name, arm] of arms) {
    const grouping = groupingOf(name, arm)
    for (const block of blocksOf(warmUp, grouping)) await runBlock(arm, block, new Tally(warmUp))
    turns.push({ name, arm, blocks: blocksOf(work, grouping), tally: new Tally(work) })
  }
  const rounds = maxOf(turns.map(({ blocks }) => blocks.length))
  for (let round = 0; round < rounds; round += 1) {
    const first = round % turns.length
    for (const { arm, blocks, tally } of [...turns.slice(first), ...turns.slice(0, first)]) {
      const block = blocks[round]
      if (block === undefined) continue
      const watch = watchPeak(() => arm.memory())
      const before = arm.processor()
      await runBlock(arm, block, tally)
      tally.spendProcessor(before, arm.processor())
      tally.seePeak(watch.stop())
    }
  }
  return new Map(turns.map(({ name, tally }) => [name, tally.outcome()]))
}

/** What an arm's kind of program would ask for at once. */
function groupingOf(name: ArmName, { facts }: RunningArm): Grouping {
  if (name === 'naive' || name === 'harness') return 'request'
  return facts?.fast?.layout ?? 'question'
}

async function runBlock(arm: RunningArm, block: readonly Call[], tally: Tally): Promise<void> {
  for (const call of block) {
    if ('docs' in call) {
      const { docs, prompts, newTokens, prefixes } = call
      const answer = await arm.write(prompts, newTokens, prefixes)
      tally.spend(answer)
      docs.forEach((places, text) => {
        const written = answer.written[text] ?? []
        if (written.length !== newTokens) throw new Error(`an arm wrote ${written.length} tokens, ${newTokens} were asked for`)
        for (const doc of places) tally.addText(doc, written)
      })
      continue
    }
    const { items, owners, prefixes } = call
    const scored = await arm.score(items, prefixes)
    tally.spend(scored)
    owners.forEach((targets, item) => {
      targets.forEach((places, target) => {
        const logprob = scored.sums[item]?.[target]
        if (logprob === undefined) throw new Error(`an arm answered ${scored.sums.length} of ${items.length} items`)
        for (const { doc, request } of places) tally.addLogprob(doc, request, logprob)
      })
    })
  }
}

class Tally {
  readonly #usage = { ms: 0, engineMs: 0, runs: 0, tokens: 0, rows: 0, bytesReadBack: 0 }
  readonly #logprobs: number[][]
  readonly #texts: (readonly number[])[]
  #processorMs: number | null = null
  #peakBytes: number | null = null

  constructor({ docs }: BenchWork) {
    this.#logprobs = docs.map(({ requests }) => requests.map(() => 0))
    this.#texts = docs.map(() => [])
  }

  spend(usage: Usage): void {
    const sum = this.#usage
    sum.ms += usage.ms
    sum.engineMs += usage.engineMs
    sum.runs += usage.runs
    sum.tokens += usage.tokens
    sum.rows += usage.rows
    sum.bytesReadBack += usage.bytesReadBack
  }

  addLogprob(doc: number, request: number, logprob: number): void {
    const requests = this.#logprobs[doc]
    if (requests !== undefined) requests[request] = (requests[request] ?? 0) + logprob
  }

  addText(doc: number, tokens: readonly number[]): void {
    this.#texts[doc] = tokens
  }

  spendProcessor(before: number | null, after: number | null): void {
    this.#processorMs = before === null || after === null ? null : (this.#processorMs ?? 0) + after - before
  }

  seePeak(bytes: number | null): void {
    if (bytes !== null) this.#peakBytes = Math.max(this.#peakBytes ?? 0, bytes)
  }

  outcome(): ArmOutcome {
    return { usage: this.#usage, logprobs: this.#logprobs, texts: this.#texts, processorMs: this.#processorMs, peakBytes: this.#peakBytes }
  }
}

/** Largest difference of a request's log-probability; null when the docs have no requests. */
export function largestDifference(a: ArmOutcome, b: ArmOutcome): number | null {
  const differences = a.logprobs.flatMap((requests, doc) =>
    requests.map((logprob, request) => Math.abs(logprob - (b.logprobs[doc]?.[request] ?? NaN))),
  )
  return differences.length === 0 ? null : differences.reduce((largest, each) => (each <= largest ? largest : each), 0)
}

/** Docs with another most probable request, or another text. */
export function docsThatDiffer(a: ArmOutcome, b: ArmOutcome): number {
  return a.logprobs.filter(
    (requests, doc) => pick(requests) !== pick(b.logprobs[doc] ?? []) || a.texts[doc]?.join() !== b.texts[doc]?.join(),
  ).length
}

function pick(logprobs: readonly number[]): number {
  return logprobs.indexOf(maxOf(logprobs))
}
