/** What each arm is asked for: the same requests, grouped as the arm's kind of program would. */
import { isGeneration } from '../../../src/core/items.ts'
import type { ForwardItem } from '../../../src/core/types.ts'
import { makePlan } from '../../../src/evaluation/plan.ts'
import type { PlainItem } from './page/arm-api.ts'
import type { ArmName } from './rows.ts'
import { asTask, type BenchWork } from './works.ts'

/** The request, by its place within its doc. */
export interface RequestPlace {
  readonly doc: number
  readonly request: number
}

/** One call of `score`: `owners[i][k]` are the requests that item i's target list k counts for. */
export interface Call {
  readonly items: readonly PlainItem[]
  readonly owners: readonly (readonly (readonly RequestPlace[])[])[]
}

/** What an arm does in its turn. */
export interface Block {
  readonly calls: readonly Call[]
  /** Docs whose text is written. */
  readonly prompts: readonly number[]
}

/** Docs of a turn: enough that a plan's batches stay whole, few enough that all arms meet the same machine. */
export const blockDocs = 5

/** The blocks of a work. The naive arm and the harness get every request by itself; the others what the app plans, batch by batch. */
export function blocksOf(work: BenchWork, arm: ArmName): readonly Block[] {
  if (work.newTokens > 0) return work.docs.map((_, doc) => ({ calls: [], prompts: [doc] }))
  const calls = arm === 'naive' || arm === 'harness' ? singleRequests(work) : plannedBatches(work)
  const blocks: Call[][] = []
  let docs = new Set<number>()
  for (const call of calls) {
    if (blocks.length === 0 || docs.size >= blockDocs) {
      blocks.push([])
      docs = new Set()
    }
    blocks.at(-1)?.push(call)
    for (const { doc } of call.owners.flat(2)) docs.add(doc)
  }
  return blocks.map((list) => ({ calls: list, prompts: [] }))
}

/** A call a doc, an item a piece. */
function singleRequests({ docs }: BenchWork): Call[] {
  return docs.map(({ requests }, doc) => {
    const pieces = requests.flatMap((list, request) => list.map((piece) => ({ piece, request })))
    return {
      items: pieces.map(({ piece }) => plain({ input: piece.input, targets: [piece.target] })),
      owners: pieces.map(({ request }) => [[{ doc, request }]]),
    }
  })
}

/** A call a batch of the plan. */
function plannedBatches(work: BenchWork): Call[] {
  const plan = makePlan([asTask(work)])
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
  return plan.batches.map((batch) => {
    const items = batch.items.map((index) => {
      const item = plan.items[index]
      if (item === undefined || isGeneration(item)) throw new RangeError(`no forward pass ${index} in the plan`)
      return { index, item }
    })
    return {
      items: items.map(({ item }) => plain(item)),
      owners: items.map(({ index, item }) => item.targets.map((_, target) => owners.get(`${index}/${target}`) ?? [])),
    }
  })
}

function plain({ input, targets }: ForwardItem): PlainItem {
  return { input: [...input], targets: targets.map((target) => [...target]) }
}
