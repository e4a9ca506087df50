/** What each arm is asked for: the same requests, grouped as the arm's kind of program would. */
import type { PassLayout } from '../../src/contracts/engine.ts'
import { type ForwardItem, isGeneration } from '../../src/contracts/items.ts'
import { makePlan } from '../../src/planning/plan.ts'
import type { PlainItem } from './page/arm-api.ts'
import { asTask, type BenchWork } from './works.ts'

/** The request, by its place within its doc. */
export interface RequestPlace {
  readonly doc: number
  readonly request: number
}

/** One call of `score`: `owners[i][k]` are the requests that item i's target list k counts for. */
export interface ScoreCall {
  readonly items: readonly PlainItem[]
  readonly owners: readonly (readonly (readonly RequestPlace[])[])[]
  /** As planned: ascending lengths of what all items share. */
  readonly prefixes: readonly number[]
}

/** One call of `write`: texts that are written together, each counting for some docs. */
export interface WriteCall {
  readonly docs: readonly (readonly number[])[]
  readonly prompts: readonly (readonly number[])[]
  readonly newTokens: number
  readonly prefixes: readonly number[]
}

export type Call = ScoreCall | WriteCall

/** `request`: every request by itself. `question`: what one forward pass can answer together. Or the app's plan for a layout of the fast path. */
export type Grouping = 'request' | 'question' | PassLayout

/** Docs of a turn: enough that a plan's batches stay whole, few enough that all arms meet the same machine. */
export const blockDocs = 5

/** The calls of a work, in blocks of about `blockDocs` docs. */
export function blocksOf(work: BenchWork, grouping: Grouping): readonly (readonly Call[])[] {
  const calls =
    grouping === 'request' && work.newTokens === 0 ? singleRequests(work) : planned(work, typeof grouping === 'string' ? null : grouping)
  // Texts are long enough for a turn of their own.
  const wanted = work.newTokens === 0 ? blockDocs : 1
  const blocks: Call[][] = []
  let docs = new Set<number>()
  for (const call of calls) {
    if (blocks.length === 0 || docs.size >= wanted) {
      blocks.push([])
      docs = new Set()
    }
    blocks.at(-1)?.push(call)
    for (const doc of docsOf(call)) docs.add(doc)
  }
  return blocks
}

function docsOf(call: Call): readonly number[] {
  return 'docs' in call ? call.docs.flat() : call.owners.flat(2).map(({ doc }) => doc)
}

/** A call a doc, an item a piece. */
function singleRequests({ docs }: BenchWork): Call[] {
  return docs.map(({ requests }, doc) => {
    const pieces = requests.flatMap((list, request) => list.map((piece) => ({ piece, request })))
    return {
      items: pieces.map(({ piece }) => plain({ input: piece.input, targets: [piece.target] })),
      owners: pieces.map(({ request }) => [[{ doc, request }]]),
      prefixes: [],
    }
  })
}

/** A call a batch of the plan. */
function planned(work: BenchWork, layout: PassLayout | null): Call[] {
  const plan = makePlan([asTask(work)], layout)
  const owners = new Map<string, RequestPlace[]>()
  const before = new Map<number, number>()
  for (const { docId, pieces } of plan.requests) {
    const request = before.get(docId) ?? 0
    before.set(docId, request + 1)
    for (const { item, target } of pieces) {
      const key = `${item}/${target}`
      const known = owners.get(key)
      if (known === undefined) owners.set(key, [{ doc: docId, request }])
      else known.push({ doc: docId, request })
    }
  }
  const ownersOf = (item: number, target: number): readonly RequestPlace[] => owners.get(`${item}/${target}`) ?? []
  return plan.batches.flatMap(({ items: indices, prefixes }): Call[] => {
    const scored: { readonly index: number; readonly item: ForwardItem }[] = []
    const texts: { readonly docs: readonly number[]; readonly prompt: readonly number[] }[] = []
    for (const index of indices) {
      const item = plan.items[index]
      if (item === undefined) throw new RangeError(`no item ${index} in the plan`)
      if (!isGeneration(item)) scored.push({ index, item })
      else texts.push({ docs: ownersOf(index, 0).map(({ doc }) => doc), prompt: [...item.input] })
    }
    if (scored.length === 0)
      return [{ docs: texts.map(({ docs }) => docs), prompts: texts.map(({ prompt }) => prompt), newTokens: work.newTokens, prefixes }]
    return [
      {
        items: scored.map(({ item }) => plain(item)),
        owners: scored.map(({ index, item }) => item.targets.map((_, target) => ownersOf(index, target))),
        prefixes,
      },
    ]
  })
}

function plain({ input, targets }: ForwardItem): PlainItem {
  return { input: [...input], targets: targets.map((target) => [...target]) }
}
