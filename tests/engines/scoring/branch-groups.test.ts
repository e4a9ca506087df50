import { describe, expect, it } from 'vitest'
import { groupBranches, maskOfGroups, type BranchGroups } from '../../../src/engines/scoring/branch-groups.ts'
import { maskOf, windowMask } from '../../../src/engines/scoring/tree-pass.ts'
import { randomOf } from '../../fuzz/random.ts'

const masked = -9

/** Parents of branches of these lengths behind a trunk; each branch is a chain. */
function parentsOf(trunk: number, ...branches: readonly number[]): Int32Array {
  const parents = Array.from({ length: trunk }, (_, i) => i - 1)
  for (const length of branches) for (let at = 0; at < length; at += 1) parents.push(at === 0 ? trunk - 1 : parents.length - 1)
  return Int32Array.from(parents)
}

function groupsOf(parents: Int32Array, past: number): BranchGroups {
  const groups = groupBranches(parents, past)
  if (groups === null) throw new Error('no groups')
  return groups
}

/** Tokens of each group, without what fills it up. */
function tokensOf({ count, length, slots }: BranchGroups): number[][] {
  return Array.from({ length: count }, (_, group) => [...new Set(slots.subarray(group * length, (group + 1) * length))])
}

describe('groups of branches', () => {
  it('are none where tokens see each other, and none for one branch', () => {
    expect(groupBranches(parentsOf(0, 40), 100)).toBeNull()
    expect(groupBranches(parentsOf(40), 0)).toBeNull()
    expect(groupBranches(Int32Array.of(-1), 100)).toBeNull()
  })

  it('are none where they would save little', () => {
    // Of 40 tokens after 600 the pass multiplies 640 keys with each; in groups 605.
    expect(groupBranches(parentsOf(0, 5, 5, 5, 5, 5, 5, 5, 5), 600)).toBeNull()
  })

  it('are the branches where these are as long as each other', () => {
    const groups = groupsOf(parentsOf(0, 3, 3, 3), 2)
    expect(tokensOf(groups)).toEqual([
      [0, 1, 2],
      [3, 4, 5],
      [6, 7, 8],
    ])
    expect([...groups.slotOf]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('take short branches together', () => {
    expect(tokensOf(groupsOf(parentsOf(0, 6, 2, 3, 6, 1), 0))).toEqual([
      [0, 1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10, 17],
      [11, 12, 13, 14, 15, 16],
    ])
  })

  it('each begin with what all branches go on from', () => {
    const groups = groupsOf(parentsOf(2, 8, 8), 0)
    expect(tokensOf(groups).map((tokens) => tokens.slice(0, 3))).toEqual([
      [0, 1, 2],
      [0, 1, 10],
    ])
    // Its rows are those of one of the groups.
    expect([...groups.slotOf].slice(0, 2).map((slot) => groups.slots[slot])).toEqual([0, 1])
  })
})

describe('what places of a group see', () => {
  /** A tree in which tokens of one branch may stand between those of another. */
  function randomParents(seed: number): Int32Array {
    const random = randomOf('branch groups', seed)
    const tails: number[] = []
    const parents: number[] = []
    for (let token = 0; token < 20 + random.below(40); token += 1) {
      const isNew = tails.length === 0 || random.below(6) === 0
      const at = isNew ? tails.length : random.below(tails.length)
      parents.push(isNew ? (random.below(2) === 0 ? -1 : (parents[random.below(parents.length)] ?? -1)) : (tails[at] ?? -1))
      tails[at] = token
    }
    return Int32Array.from(parents)
  }

  it('is what their tokens see in the whole pass, each token once', () => {
    let parted = 0
    for (let seed = 0; seed < 200; seed += 1) {
      const parents = randomParents(seed)
      const past = seed % 7
      const groups = groupBranches(parents, past)
      if (groups === null) continue
      parted += 1
      const { count, length, slots, slotOf } = groups
      const whole = maskOf(parents, past, masked)
      const positions = Int32Array.from({ length: past + parents.length }, (_, i) => i)
      for (const mask of [whole, windowMask(whole, positions, 5, masked)]) {
        const apart = maskOfGroups(mask, past, groups, masked)
        expect(apart).toHaveLength(count * length * (past + length))
        slotOf.forEach((slot, token) => {
          expect(slots[slot]).toBe(token)
          const row = mask.subarray(token * (past + parents.length), (token + 1) * (past + parents.length))
          const own = apart.subarray(slot * (past + length), (slot + 1) * (past + length))
          const first = slot - (slot % length)
          const seen = [...own].flatMap((value, at) => (value === masked ? [] : [at < past ? at : past + (slots[first + at - past] ?? -1)]))
          expect(seen.sort((a, b) => a - b)).toEqual([...row].flatMap((value, at) => (value === masked ? [] : [at])))
        })
      }
    }
    expect(parted).toBeGreaterThan(100)
  })
})
