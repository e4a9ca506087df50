/** How much work the batches of a plan are, so that the time left can be told from what some of them took. */
import type { PassCosts } from '../contracts/engine.ts'
import { isGeneration } from '../contracts/items.ts'
import type { Plan } from './plan.ts'

/** What a run costs besides its tokens, in tokens, where it wasn't measured: weights are read once a run (SmolLM2-135M q4 on WASM; see engines/scoring/pass-layout.ts). */
const usualRunTokens = 20

/** Beyond this a measurement is noise. */
const mostRunTokens = 500

/** What a run costs besides its tokens, in tokens. */
function runTokensOf(costs: PassCosts | undefined): number {
  if (costs === undefined || costs.tokenMs === 0) return usualRunTokens
  return Math.min(mostRunTokens, costs.runMs / costs.tokenMs)
}

/**
 * Work of each batch, in tokens that the model computes: kept prefixes count where they change, what sequences share besides doesn't, and a text counts as long
 * as it may become. Rates settle the rest, since a plan's batches are much alike.
 */
export function workOfBatches({ items, batches }: Pick<Plan, 'items' | 'batches'>, costs?: PassCosts): number[] {
  const runTokens = runTokensOf(costs)
  let keptTokens = 0
  let keptInput: Int32Array = new Int32Array(0)
  return batches.map((batch) => {
    const members = batch.items.flatMap((index) => items[index] ?? [])
    const input = members[0]?.input ?? new Int32Array(0)
    const prefix = batch.prefixes.at(-1) ?? 0
    const isKept = prefix === keptTokens && input.subarray(0, prefix).every((token, at) => token === keptInput[at])
    let work = runTokens + (isKept ? 0 : prefix)
    let longest = 0
    for (const member of members) {
      work += member.input.length - prefix
      if (isGeneration(member)) longest = Math.max(longest, member.decoding.maxNewTokens)
    }
    keptTokens = prefix
    keptInput = input
    return work + longest * (runTokens + members.length)
  })
}
