import { describe, expect, it } from 'vitest'
import type { PassLayout } from '../../src/contracts/engine.ts'
import { layOutTree, maskOf } from '../../src/engines/scoring/tree-pass.ts'
import { planTree, type Sequence } from '../../src/planning/token-tree.ts'
import { trieTokens } from '../../tools/bench/trie.ts'
import { isLong } from '../support/long.ts'

const ids = (...values: readonly number[]) => Int32Array.from(values)
const sequence = (input: readonly number[], rows = 1, newTokens: number | null = null): Sequence => ({
  input: Int32Array.from(input),
  rows,
  newTokens,
})
const layout: PassLayout = { tokens: 64, rows: 64, packs: true, shares: true }

function drawn(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Sequences that share starts by chance and by construction, some of them beginnings of others, some equal. */
function madeSequences(seed: number): Sequence[] {
  const draw = drawn(seed)
  const made: number[][] = []
  const count = 1 + draw(60)
  for (let i = 0; i < count; i += 1) {
    const base = made.length > 0 && draw(3) > 0 ? (made[draw(made.length)] ?? []) : []
    const kept = base.slice(0, draw(base.length + 1))
    made.push([...kept, ...Array.from({ length: 1 + draw(50) }, () => draw(4))])
  }
  return made.map((input) => sequence(input, 1 + draw(Math.min(9, input.length)), draw(6) === 0 ? draw(40) : null))
}

/** Tokens of the tree, counted by its definition: distinct prefixes. */
function distinctPrefixes(sequences: readonly Sequence[]): number {
  const seen = new Set<string>()
  for (const { input } of sequences) for (let end = 1; end <= input.length; end += 1) seen.add(input.subarray(0, end).join())
  return seen.size
}

/** Tokens that running a plan computes. */
function computedTokens(sequences: readonly Sequence[], one: PassLayout): number {
  let tokens = 0
  let kept: string[] = []
  for (const { items, prefixes } of planTree(sequences, one)) {
    const inputs = items.map((index) => sequences[index]?.input ?? ids())
    const names = prefixes.map((length) => inputs[0]?.subarray(0, length).join() ?? '')
    prefixes.forEach((length, i) => {
      if (kept[i] !== names[i]) tokens += length - (prefixes[i - 1] ?? 0)
    })
    kept = names
    const start = prefixes.at(-1) ?? 0
    if (one.packs)
      tokens += layOutTree(
        inputs.map((input) => ({ input, targets: [] })),
        start,
      ).tokens.length
    else tokens += inputs.reduce((sum, input) => sum + input.length - start, 0)
  }
  return tokens
}

describe('planTree', () => {
  const seeds = Array.from({ length: isLong ? 300 : 75 }, (_, i) => i + 1)
  const layouts: readonly PassLayout[] = [
    layout,
    { ...layout, tokens: 20 },
    { ...layout, rows: 16 },
    { ...layout, textTokens: 200 },
    { ...layout, packs: false },
    { ...layout, packs: false, shares: false },
  ]

  it('runs each sequence once, after prefixes that it has and that hold none of its rows, within the layout', () => {
    for (const seed of seeds) {
      const sequences = madeSequences(seed)
      for (const one of layouts) {
        const batches = planTree(sequences, one)
        expect(batches.flatMap(({ items }) => items).sort((a, b) => a - b)).toEqual(sequences.map((_, index) => index))
        for (const { items, prefixes } of batches) {
          const members = items.flatMap((index) => sequences[index] ?? [])
          const start = prefixes.at(-1) ?? 0
          expect(prefixes).toEqual([...new Set(prefixes)].sort((a, b) => a - b))
          if (!one.shares) expect(prefixes).toEqual([])
          for (const { input, rows } of members) {
            expect(input.subarray(0, start)).toEqual(members[0]?.input.subarray(0, start))
            expect(start).toBeLessThanOrEqual(input.length - rows)
          }
          const texts = members.filter(({ newTokens }) => newTokens !== null)
          if (texts.length > 0) {
            expect(texts).toHaveLength(members.length)
            expect(texts.length).toBeLessThanOrEqual(one.textTokens === undefined ? 1 : 8)
            const tokens = texts.reduce((sum, { input, newTokens }) => sum + input.length - start + (newTokens ?? 0), 0)
            if (texts.length > 1) expect(tokens).toBeLessThanOrEqual(one.textTokens ?? 0)
            continue
          }
          if (!one.packs || members.length === 1) continue
          expect(
            layOutTree(
              members.map(({ input }) => ({ input, targets: [] })),
              start,
            ).tokens.length,
          ).toBeLessThanOrEqual(one.tokens)
          expect(members.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThanOrEqual(one.rows)
        }
      }
    }
  })

  it('counts the tree by its definition', () => {
    for (const seed of seeds.slice(0, 100)) {
      const sequences = madeSequences(seed)
      expect(trieTokens(sequences.map(({ input }) => input))).toBe(distinctPrefixes(sequences))
    }
  })

  it('computes a prefix that all docs share once, and then what is new in each', () => {
    const prefix = Array.from({ length: 600 }, (_, i) => i)
    const docs = Array.from({ length: 20 }, (_, doc) => sequence([...prefix, ...Array.from({ length: 30 }, (_, i) => 1000 + doc * 30 + i)]))
    const batches = planTree(docs, layout)
    expect(batches).toHaveLength(10)
    expect(batches.every(({ prefixes }) => prefixes.join() === '600')).toBe(true)
    expect(computedTokens(docs, layout)).toBe(trieTokens(docs.map(({ input }) => input)))
    // Kept by the first doc that is run, whichever that is: what is answered already changes nothing.
    expect(planTree(docs, layout)).toEqual(batches)
  })

  it('keeps the context of endings that are scored from its last token on, but for that token', () => {
    const context = Array.from({ length: 50 }, (_, i) => i)
    const endings = [100, 200, 300, 400].map((first) => sequence([...context, ...Array.from({ length: 27 }, (_, i) => first + i)], 28))
    expect(planTree(endings, { ...layout, packs: false })).toEqual([{ items: [0, 1, 2, 3], prefixes: [49] }])
    expect(planTree(endings, { ...layout, tokens: 200, rows: 200 })).toEqual([{ items: [0, 1, 2, 3], prefixes: [] }])
  })

  it('writes texts together after a prefix that many share, and does not part them for the sake of a few shared tokens', () => {
    const prefix = Array.from({ length: 100 }, (_, i) => i)
    const together = { ...layout, textTokens: 1000 }
    // Every other text begins with the same 20 tokens after the prefix.
    const texts = Array.from({ length: 40 }, (_, text) =>
      sequence(
        [...prefix, ...Array.from({ length: 30 }, (_unused, i) => (i < 20 && text % 2 === 0 ? 500 + i : 1000 + text * 30 + i))],
        1,
        50,
      ),
    )
    const batches = planTree(texts, together)
    expect(batches.map(({ items }) => items.length)).toEqual([8, 8, 8, 8, 8])
    expect(batches.every(({ prefixes }) => prefixes.join() === '100')).toBe(true)
    expect(planTree(texts, { ...together, textTokens: 250 }).map(({ items }) => items.length)).toEqual(
      Array.from({ length: 14 }, (_, i) => (i < 13 ? 3 : 1)),
    )
    expect(planTree(texts, layout)).toHaveLength(40)
  })

  it('does not run a few shared tokens by themselves', () => {
    const docs = [10, 20, 30].map((first) => sequence([1, 2, ...Array.from({ length: 40 }, (_, i) => first * 100 + i)]))
    expect(planTree(docs, { ...layout, tokens: 50 }).map(({ prefixes }) => prefixes)).toEqual([[], [], []])
  })
})

describe('layOutTree', () => {
  it('holds what sequences share once, with every row and target in its place', () => {
    const run = layOutTree(
      [
        { input: ids(9, 1, 2, 3), targets: [ids(3, 7), ids(8)] },
        { input: ids(9, 1, 2, 4), targets: [ids(5)] },
        { input: ids(9, 1), targets: [ids(6)] },
      ],
      1,
    )
    expect([...run.tokens]).toEqual([1, 2, 3, 4])
    expect([...run.positions]).toEqual([1, 2, 3, 3])
    expect([...run.parents]).toEqual([-1, 0, 1, 1])
    expect([...run.rows]).toEqual([0, 1, 2, 3])
    const asked = [...run.owners].map((row, i) => [run.rows[row], run.targets[i]])
    expect(asked).toEqual([
      [1, 3],
      [2, 7],
      [2, 8],
      [3, 5],
      [0, 6],
    ])
    expect(run.where).toEqual([[0, 2], [3], [4]])
  })

  it('refuses rows that lie before what is run', () => {
    expect(() => layOutTree([{ input: ids(9, 1, 2), targets: [ids(3, 7)] }], 2)).toThrow(expect.objectContaining({ code: 'internal' }))
    expect(() => layOutTree([{ input: ids(9), targets: [ids(3, 7)] }], 0)).toThrow(expect.objectContaining({ code: 'internal' }))
  })

  it('lets each token see the cache, its ancestors and itself', () => {
    const mask = maskOf(ids(-1, 0, 0, 2, -1), 2, -1)
    const rows = Array.from({ length: 5 }, (_, i) =>
      Array.from(mask.subarray(i * 7, i * 7 + 7), (value) => (value === 0 ? 'x' : '.')).join(''),
    )
    expect(rows).toEqual(['xxx....', 'xxxx...', 'xxx.x..', 'xxx.xx.', 'xx....x'])
  })
})

describe('sequences that each go on from the one before', () => {
  it('are planned however many there are', () => {
    const all = Int32Array.from({ length: 8_000 }, (_, i) => i % 7)
    const sequences = Array.from(all, (_, i) => ({ input: all.subarray(0, i + 1), rows: 1, newTokens: null }))
    for (const packs of [true, false]) {
      const items = planTree(sequences, { ...layout, packs, shares: packs }).flatMap((batch) => batch.items)
      expect(items).toHaveLength(8_000)
      expect(new Set(items).size).toBe(8_000)
    }
  })
})
