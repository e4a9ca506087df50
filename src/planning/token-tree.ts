/**
 * From token sequences to runs: which prefixes are computed once and kept, and which branches share a run.
 *
 * Pure, and a function of the sequences and the layout alone: what is answered already changes nothing, so a resumed run computes the
 * same numbers.
 */
import type { PassLayout } from '../contracts/engine.ts'
import { isGeneration, longestTarget, type PlannedItem } from '../contracts/items.ts'

/** A sequence to be run: its tokens, how many of its last rows are scored, and how many tokens may be written after it; null where none are. */
export interface Sequence {
  readonly input: Int32Array
  readonly rows: number
  readonly newTokens: number | null
}

/** What a tree needs to know of an item. */
export function sequenceOf(item: PlannedItem): Sequence {
  if (isGeneration(item)) return { input: item.input, rows: 1, newTokens: item.decoding.maxNewTokens }
  return { input: item.input, rows: longestTarget(item), newTokens: null }
}

/** Sequences that are run together after the same kept prefixes. */
export interface TreeBatch {
  /** Indices of the sequences. */
  readonly items: readonly number[]
  /** Ascending lengths of the prefixes to keep, all shared by the batch's sequences: each is computed from the one before it. */
  readonly prefixes: readonly number[]
}

/** A node ends where sequences part or end; its segment lies between its parent's end and its own. */
interface TreeNode {
  /** Index of a sequence that goes through the node. */
  sequence: number
  end: number
  /** By their first token, in order of first appearance. */
  children: Map<number, TreeNode> | null
  /** Sequences that end here. */
  items: number[]
}

/** Most texts that are written together: who reads a token is kept as one bit a text. */
export const mostTextsTogether = 8

/** Shorter shared pieces than this aren't worth a pass of their own: computing them again costs less. */
const worthwhileTokens = 16

/** Texts after a shared piece of less than so many tokens are written together with other texts, and the piece is computed for each. */
const worthwhileTextTokens = 64

/** More texts than these fill their batches by themselves. */
const manyTexts = 4 * mostTextsTogether

/** Sequences of a batch when each is run alone: a commit a run would cost more than it saves. */
const loneItems = 8

/** Batches in the order in which they are to be run: depth first, siblings in order of first appearance. */
export function planTree(sequences: readonly Sequence[], layout: PassLayout): TreeBatch[] {
  return new TreePlanner(sequences, layout).plan()
}

function growTree(sequences: readonly Sequence[]): TreeNode {
  const root: TreeNode = { sequence: 0, end: 0, children: null, items: [] }
  sequences.forEach(({ input }, index) => {
    insert(root, sequences, input, index)
  })
  return root
}

function insert(root: TreeNode, sequences: readonly Sequence[], input: Int32Array, index: number): void {
  let node = root
  for (;;) {
    if (node.end === input.length) {
      node.items.push(index)
      return
    }
    const first = input[node.end] ?? -1
    const child = node.children?.get(first)
    if (child === undefined) {
      node.children ??= new Map()
      node.children.set(first, { sequence: index, end: input.length, children: null, items: [index] })
      return
    }
    const common = commonLength(input, sequences[child.sequence]?.input ?? input, node.end, child.end)
    if (common < child.end) {
      const part: TreeNode = { sequence: child.sequence, end: common, children: new Map(), items: [] }
      part.children?.set(sequences[child.sequence]?.input[common] ?? -1, child)
      node.children?.set(first, part)
      node = part
    } else node = child
  }
}

function commonLength(a: Int32Array, b: Int32Array, start: number, end: number): number {
  const stop = Math.min(end, a.length)
  let at = start
  while (at < stop && a[at] === b[at]) at += 1
  return at
}

interface Cost {
  /** Tokens of the subtree, the node's own segment included; Infinity when a text is in it. */
  readonly tokens: number
  readonly rows: number
  readonly texts: number
  /** First position of the subtree's sequences that is scored: a kept prefix has no rows, so it ends there at the latest. */
  readonly firstRow: number
}

interface OpenBatch {
  readonly items: number[]
  readonly prefixes: readonly number[]
  readonly isOfTexts: boolean
  tokens: number
  rows: number
}

const nothing: Cost = { tokens: 0, rows: 0, texts: 0, firstRow: Infinity }

interface Visit {
  readonly node: TreeNode
  /** Where what isn't kept of the node's path begins. */
  readonly start: number
  readonly prefixes: readonly number[]
}

class TreePlanner {
  readonly #sequences: readonly Sequence[]
  readonly #layout: PassLayout
  readonly #costs = new Map<TreeNode, Cost>()
  readonly #batches: TreeBatch[] = []
  #open: OpenBatch | null = null

  constructor(sequences: readonly Sequence[], layout: PassLayout) {
    this.#sequences = sequences
    this.#layout = layout
  }

  /** Walks with a stack of its own: sequences that each go on from the one before make a tree as deep as there are sequences. */
  plan(): TreeBatch[] {
    const root = growTree(this.#sequences)
    for (const node of nodesBelow(root).reverse()) this.#costs.set(node, this.#measure(node))
    const waiting: (Visit | 'close')[] = [{ node: root, start: 0, prefixes: [] }]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === 'close') this.#close()
      else for (const after of this.#place(next).reverse()) waiting.push(after)
    }
    this.#close()
    return this.#batches
  }

  /** Gives what is to be done next: the node's children, and a close behind those that share a prefix of their own. */
  #place({ node, start, prefixes }: Visit): (Visit | 'close')[] {
    const layout = this.#layout
    const cost = this.#cost(node, start)
    if (layout.packs && cost.tokens <= layout.tokens && cost.rows <= layout.rows) {
      this.#pack(
        nodesBelow(node).flatMap(({ items }) => items),
        cost,
        prefixes,
      )
      return []
    }
    for (const item of node.items) this.#alone(item, prefixes)
    const children = [...(node.children?.values() ?? [])]
    if (children.length === 0) return []
    const end = Math.min(node.end, cost.firstRow)
    const isWorthwhile = cost.texts === 0 || cost.texts >= manyTexts || end - start >= worthwhileTextTokens
    const keeps = layout.shares && isWorthwhile && (end - start) * (children.length - 1) >= worthwhileTokens
    if (keeps) this.#close()
    const visits = children.map((child) => ({ node: child, start: keeps ? end : start, prefixes: keeps ? [...prefixes, end] : prefixes }))
    return keeps ? [...visits, 'close'] : visits
  }

  #cost(node: TreeNode, start: number): Cost {
    const known = this.#costs.get(node) ?? nothing
    return { ...known, tokens: known.tokens + node.end - start }
  }

  // Without the node's own segment, whose length depends on what is kept of its path. Its children are measured already.
  #measure(node: TreeNode): Cost {
    let tokens = 0
    let rows = 0
    let texts = 0
    let firstRow = Infinity
    for (const item of node.items) {
      const sequence = this.#sequences[item]
      if (sequence === undefined) continue
      if (sequence.newTokens !== null) {
        tokens = Infinity
        texts += 1
      }
      rows += sequence.rows
      firstRow = Math.min(firstRow, sequence.input.length - sequence.rows)
    }
    node.children?.forEach((child) => {
      const cost = this.#cost(child, node.end)
      tokens += cost.tokens
      rows += cost.rows
      texts += cost.texts
      firstRow = Math.min(firstRow, cost.firstRow)
    })
    return { tokens, rows, texts, firstRow }
  }

  #pack(items: readonly number[], cost: Cost, prefixes: readonly number[]): void {
    const { tokens, rows } = this.#layout
    const open = this.#open
    if (open !== null && (open.isOfTexts || open.tokens + cost.tokens > tokens || open.rows + cost.rows > rows)) this.#close()
    this.#open ??= { items: [], prefixes, isOfTexts: false, tokens: 0, rows: 0 }
    for (const item of items) this.#open.items.push(item)
    this.#open.tokens += cost.tokens
    this.#open.rows += cost.rows
  }

  /** A sequence that shares no run; on a layout that doesn't pack, a few of them make a batch. */
  #alone(item: number, prefixes: readonly number[]): void {
    const newTokens = this.#sequences[item]?.newTokens ?? null
    if (newTokens !== null) {
      this.#text(item, newTokens, prefixes)
      return
    }
    if (this.#layout.packs || this.#open?.isOfTexts === true || this.#open?.items.length === loneItems) this.#close()
    this.#open ??= { items: [], prefixes, isOfTexts: false, tokens: 0, rows: 0 }
    this.#open.items.push(item)
    if (this.#layout.packs) this.#close()
  }

  /** A text is written together with those before it that begin with the same prefixes, as far as the layout allows. */
  #text(item: number, newTokens: number, prefixes: readonly number[]): void {
    const tokens = (this.#sequences[item]?.input.length ?? 0) - (prefixes.at(-1) ?? 0) + newTokens
    const most = this.#layout.textTokens ?? 0
    const open = this.#open
    if (open !== null && (!open.isOfTexts || open.items.length === mostTextsTogether || open.tokens + tokens > most)) this.#close()
    this.#open ??= { items: [], prefixes, isOfTexts: true, tokens: 0, rows: 0 }
    this.#open.items.push(item)
    this.#open.tokens += tokens
  }

  #close(): void {
    if (this.#open !== null) this.#batches.push({ items: this.#open.items, prefixes: this.#open.prefixes })
    this.#open = null
  }
}

/** The node and all below it, each before its children. */
function nodesBelow(top: TreeNode): TreeNode[] {
  const nodes: TreeNode[] = []
  const waiting = [top]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    nodes.push(next)
    for (const child of [...(next.children?.values() ?? [])].reverse()) waiting.push(child)
  }
  return nodes
}
