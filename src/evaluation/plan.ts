/**
 * From requests to forward passes: which token sequences are run, in which order and in which batches.
 *
 * A plan depends on the requests alone, never on what is already answered, so a resumed run makes the same one. Requests that
 * share their model input share a forward pass, as the harness groups them (HFLM `loglikelihood`, logits_cache: choices of one
 * token need one pass a question); identical pieces are scored once.
 */
import type { BuiltTask, EncodedPiece, RunManifest } from '../core/types.ts'
import { sha256Hex } from './digest.ts'
import { requestsPerPart } from './plan-difference.ts'

/** One forward pass of the plan. */
export interface PlanItem {
  readonly input: Int32Array
  readonly targets: Int32Array[]
}

/** Where a request's pieces are answered: item and position among its targets. */
export interface PlannedRequest {
  readonly task: number
  readonly request: number
  readonly docId: number
  readonly pieces: readonly { readonly item: number; readonly target: number }[]
}

export interface Plan {
  readonly items: readonly PlanItem[]
  readonly requests: readonly PlannedRequest[]
  /** Item indices of each batch; a batch is committed whole. */
  readonly batches: readonly (readonly number[])[]
}

/** Items a batch: small enough that a killed tab loses about a second of work, large enough that a commit costs nothing beside it. */
export const batchItems = 8

export function makePlan(tasks: readonly BuiltTask[]): Plan {
  const items: PlanItem[] = []
  const itemOfInput = new Map<string, number>()
  const targetOfItem: Map<string, number>[] = []

  function place(piece: EncodedPiece): { item: number; target: number } {
    const inputKey = piece.input.join()
    let item = itemOfInput.get(inputKey)
    if (item === undefined) {
      item = items.length
      itemOfInput.set(inputKey, item)
      items.push({ input: piece.input, targets: [] })
      targetOfItem.push(new Map())
    }
    const known = targetOfItem[item]
    const planned = items[item]
    if (known === undefined || planned === undefined) throw new RangeError(`no plan item ${item}`)
    const targetKey = piece.target.join()
    let target = known.get(targetKey)
    if (target === undefined) {
      target = planned.targets.length
      known.set(targetKey, target)
      planned.targets.push(piece.target)
    }
    return { item, target }
  }

  const requests: PlannedRequest[] = []
  tasks.forEach((built, task) => {
    built.requests.forEach((request, position) => {
      requests.push({ task, request: position, docId: request.docId, pieces: request.pieces.map(place) })
    })
  })

  const batches: number[][] = []
  for (let start = 0; start < items.length; start += batchItems) {
    batches.push(Array.from({ length: Math.min(batchItems, items.length - start) }, (_, offset) => start + offset))
  }
  return { items, requests, batches }
}

/** What a manifest says of a plan: enough to see whether another is the same, and from which request on it isn't. */
export async function describePlan(plan: Plan): Promise<RunManifest['plan']> {
  const { requests, batches } = plan
  const starts = Array.from({ length: Math.ceil(requests.length / requestsPerPart) }, (_, part) => part * requestsPerPart)
  const parts = await Promise.all(starts.map((start) => hashOfRequests(plan, start, start + requestsPerPart)))
  return { hash: await planHash(plan), requests: requests.length, batches: batches.length, parts }
}

/** Over the token ids of some requests, wherever in the plan they are scored. */
function hashOfRequests({ items, requests }: Plan, start: number, end: number): Promise<string> {
  const words: number[] = []
  for (const { task, docId, pieces } of requests.slice(start, end)) {
    words.push(task, docId, pieces.length)
    for (const { item, target } of pieces) {
      const { input, targets } = items[item] ?? { input: [], targets: [] }
      words.push(input.length, ...input, targets[target]?.length ?? 0, ...(targets[target] ?? []))
    }
  }
  return hashOfWords(words)
}

function hashOfWords(words: readonly number[]): Promise<string> {
  return sha256Hex(new Uint8Array(Int32Array.from(words).buffer))
}

/** SHA-256 (hex) over every token id of the plan in order, with lengths, so that two different plans never share a hash. */
export async function planHash(plan: Plan): Promise<string> {
  const words: number[] = [plan.items.length]
  for (const item of plan.items) {
    words.push(item.input.length, ...item.input, item.targets.length)
    for (const target of item.targets) words.push(target.length, ...target)
  }
  words.push(plan.requests.length)
  for (const request of plan.requests) {
    words.push(request.task, request.docId, request.pieces.length)
    for (const piece of request.pieces) words.push(piece.item, piece.target)
  }
  return hashOfWords(words)
}
