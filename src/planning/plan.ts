/**
 * From requests to forward passes: which token sequences are run, in which order and in which batches.
 *
 * A plan depends on the requests and the engine's layout alone, never on what is already answered, so a resumed run makes the same one. Requests that
 * share their model input share a forward pass, as the harness groups them (HFLM `loglikelihood`, logits_cache: choices of one
 * token need one pass a question); identical pieces are scored once. So are identical texts to be written: the repeats of a greedy one.
 */
import type { BuiltTask, EncodedPiece } from '../contracts/built-task.ts'
import type { PassLayout } from '../contracts/engine.ts'
import { type GenerationItem, isGeneration, type PlannedItem } from '../contracts/items.ts'
import type { RunManifest } from '../contracts/runs.ts'
import { requestsPerPart } from './plan-difference.ts'
import { planTree, sequenceOf, type TreeBatch } from './token-tree.ts'
import { wordHash, type WordHash } from './word-hash.ts'

/** Where a request's pieces are answered: item and position among its targets. For a text, an item a repeat. */
export interface PlannedRequest {
  readonly task: number
  readonly request: number
  readonly docId: number
  readonly pieces: readonly { readonly item: number; readonly target: number }[]
}

export interface Plan {
  readonly items: readonly PlannedItem[]
  readonly requests: readonly PlannedRequest[]
  /** In the order in which they are run; a batch is committed whole. */
  readonly batches: readonly TreeBatch[]
}

/** Items a batch: small enough that a killed tab loses about a second of work, large enough that a commit costs nothing beside it. */
export const batchItems = 8

/** With a layout the batches are those of the tree of all items' tokens (token-tree.ts), else a few items each, in the requests' order. */
export function makePlan(tasks: readonly BuiltTask[], layout: PassLayout | null = null): Plan {
  const items: PlannedItem[] = []
  const itemOfInput = new Map<string, number>()
  const targetsOfItem = new Map<number, { readonly targets: Int32Array[]; readonly positions: Map<string, number> }>()

  function place(piece: EncodedPiece): { item: number; target: number } {
    const inputKey = piece.input.join()
    let item = itemOfInput.get(inputKey)
    if (item === undefined) {
      item = items.length
      const targets: Int32Array[] = []
      itemOfInput.set(inputKey, item)
      items.push({ input: piece.input, targets })
      targetsOfItem.set(item, { targets, positions: new Map() })
    }
    const known = targetsOfItem.get(item)
    if (known === undefined) throw new RangeError(`no plan item ${item}`)
    const targetKey = piece.target.join()
    let target = known.positions.get(targetKey)
    if (target === undefined) {
      target = known.targets.length
      known.positions.set(targetKey, target)
      known.targets.push(piece.target)
    }
    return { item, target }
  }

  function placeText(generation: GenerationItem): { item: number; target: number } {
    const key = `${generation.input.join()}|${describeGeneration(generation)}`
    const item = itemOfInput.get(key) ?? items.length
    if (item === items.length) {
      itemOfInput.set(key, item)
      items.push(generation)
    }
    return { item, target: 0 }
  }

  const requests: PlannedRequest[] = []
  tasks.forEach((built, task) => {
    built.requests.forEach((request, position) => {
      requests.push({
        task,
        request: position,
        docId: request.docId,
        pieces: [...request.pieces.map(place), ...(request.generations ?? []).map(placeText)],
      })
    })
  })

  return { items, requests, batches: layout === null ? batchesOf(items) : planTree(items.map(sequenceOf), layout) }
}

/** Texts are batches of their own: a killed run loses no more than the one that was being written. */
function batchesOf(items: readonly PlannedItem[]): TreeBatch[] {
  const batches: number[][] = []
  let open: number[] = []
  for (const [index, item] of items.entries()) {
    if (isGeneration(item) || open.length === batchItems) open = []
    if (open.length === 0) batches.push(open)
    open.push(index)
    if (isGeneration(item)) open = []
  }
  return batches.map((indices) => ({ items: indices, prefixes: [] }))
}

/** Everything besides the prompt that decides a text, as one line. */
function describeGeneration({ stops, decoding }: GenerationItem): string {
  return JSON.stringify([stops, decoding])
}

/** What a manifest says of a plan: enough to see whether another is the same, and from which request on it isn't. */
export async function describePlan(plan: Plan): Promise<RunManifest['plan']> {
  const { requests, batches } = plan
  const starts = Array.from({ length: Math.ceil(requests.length / requestsPerPart) }, (_, part) => part * requestsPerPart)
  const parts = await Promise.all(starts.map((start) => hashOfRequests(plan, start, start + requestsPerPart)))
  return { hash: await planHash(plan), requests: requests.length, batches: batches.length, parts }
}

/** Over the token ids of some requests, wherever in the plan they are scored. */
async function hashOfRequests({ items, requests }: Plan, start: number, end: number): Promise<string> {
  const hash = await wordHash()
  for (const { task, docId, pieces } of requests.slice(start, end)) {
    hash.add([task, docId, pieces.length])
    for (const { item, target } of pieces) {
      const planned = items[item]
      if (planned === undefined) throw new RangeError(`no plan item ${item}`)
      if (isGeneration(planned)) addText(hash, planned)
      else addTokens(hash, [planned.input, planned.targets[target] ?? []])
    }
  }
  return hash.hex()
}

/** Each list after its length. */
function addTokens(hash: WordHash, lists: readonly ArrayLike<number>[]): void {
  for (const list of lists) {
    hash.add([list.length])
    hash.add(list)
  }
}

/** Begins with what is no length. */
function addText(hash: WordHash, item: GenerationItem): void {
  const description = describeGeneration(item)
  hash.add([-1])
  addTokens(hash, [item.input])
  hash.add([description.length])
  hash.add(Array.from(description, (_, at) => description.charCodeAt(at)))
}

/** SHA-256 (hex) over every token id of the plan in order, with lengths, so that two different plans never share a hash. */
export async function planHash(plan: Plan): Promise<string> {
  const hash = await wordHash()
  hash.add([plan.items.length])
  for (const item of plan.items) {
    if (isGeneration(item)) {
      addText(hash, item)
      continue
    }
    addTokens(hash, [item.input])
    hash.add([item.targets.length])
    addTokens(hash, item.targets)
  }
  hash.add([plan.requests.length])
  for (const request of plan.requests) {
    hash.add([request.task, request.docId, request.pieces.length])
    for (const piece of request.pieces) hash.add([piece.item, piece.target])
  }
  return hash.hex()
}
