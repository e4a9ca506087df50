/** Kills in the middle of texts: what was acknowledged as kept is never written again, and the texts are an undisturbed run's. */
import type { FailPoint } from '../../src/base/fail-point.ts'
import { dumpDatabase, type Dump } from './dump.ts'
import { inflict } from './faults.ts'
import type { Kit } from './kit.ts'
import { live, runUndisturbed } from './lives.ts'
import { seeded } from './random-kills.ts'
import { textSettings } from './task.ts'
import type { Witness } from './witness.ts'

/** Fail points that only a run passes which writes texts. */
export const textPoints: readonly FailPoint[] = ['after-draft']

export interface TextKills {
  readonly breaches: readonly string[]
  readonly kills: number
  /** Tokens that were written when a kill came, of texts that weren't whole. */
  readonly atRisk: number
  /** Those of them that no draft held. */
  readonly unkept: number
  /** Tokens that were written again. */
  readonly again: number
}

/**
 * A run of two batches of eight texts, killed until `kills` are done: after some tokens (the browser's processes and, every third time, the tab alone), and
 * between a draft's transaction and its acknowledgement. Each life may write again what no draft held when the one before it died, and nothing more.
 */
export async function killWhileWriting(kit: Kit, { kills, seed }: { readonly kills: number; readonly seed: number }): Promise<TextKills> {
  const { witness } = kit
  const settings = textSettings(witness.address)
  const reference = await runUndisturbed(kit, settings)
  const random = seeded(seed)
  const found: string[] = []
  const sums = { kills: 0, atRisk: 0, unkept: 0 }
  /** As it was when the last kill came. */
  let allowed = 0
  let againBefore = 0
  const checkAgain = (): void => {
    const again = witness.wroteAgain - againBefore
    if (again > allowed) found.push(`${again} tokens written again after kill ${sums.kills}, ${allowed} were in no draft`)
  }
  const strike = (act: () => Promise<string | void>) => (): Promise<string | void> => {
    checkAgain()
    const state = stateOf(witness)
    sums.kills += 1
    sums.atRisk += state.atRisk
    sums.unkept += state.unkept
    allowed = state.unkept
    againBefore = witness.wroteAgain
    return act()
  }
  const story = await live(kit, settings, reference, {
    prepare: (tab) => {
      if (sums.kills >= kills) return
      const kind = sums.kills % 3 === 1 ? 'page-crash' : 'sigkill'
      const deed = strike(() => inflict(kind, kit, tab))
      // Every fourth death is in the moment when a draft is kept and nobody knows it yet.
      if (sums.kills % 4 === 2) witness.arm('after-draft', 1 + Math.floor(random() * 2), deed)
      else witness.armAfterTokens(Math.floor(250 + random() * 300), deed)
    },
    between: (_, dump) => {
      found.push(...checkDrafts(dump, witness))
      return Promise.resolve([])
    },
    after: checkAgain,
  })
  const breaches = [...found, ...story.breaches]
  if (sums.kills < kills) breaches.push(`${sums.kills} kills came of ${kills}`)
  const left = await dumpDatabase((await kit.tab()).page)
  if (left.drafts.size > 0) breaches.push(`${left.drafts.size} drafts are left of a complete run`)
  return { breaches, ...sums, again: witness.wroteAgain }
}

/** Of the texts that aren't committed: how many of their tokens the engine has written, and how many of those no acknowledged draft holds. */
function stateOf({ wrote, keptTokens, acked }: Witness): { readonly atRisk: number; readonly unkept: number } {
  const committed = acked.flatMap(({ entries }) => entries).reduce((sum, { logprobs }) => sum + logprobs.length, 0)
  const written = sumOf(wrote)
  return { atRisk: written - committed, unkept: written - sumOf(keptTokens) }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** What was acknowledged as kept of a text must be there, in its draft or in its answer. */
function checkDrafts({ drafts, responses }: Dump, { keptTokens }: Witness): string[] {
  return [...keptTokens].flatMap(([key, tokens]) => {
    const found = responses[key]?.length ?? drafts.get(key)?.tokens.length ?? 0
    return found >= tokens ? [] : [`lost: ${tokens - found} of ${tokens} tokens of a draft (${key.slice(0, 12)})`]
  })
}
