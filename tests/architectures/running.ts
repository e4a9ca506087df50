/** Tiny models run as graphs of our own in ONNX Runtime's WASM build, and what differs from transformers' scores. */
import { readArchitecture } from '../../src/architectures/registry.ts'
import { writeDecoderGraph, type DecoderGraph, type GraphForm } from '../../src/architectures/graph/decoder-graph.ts'
import type { GraphDtype } from '../../src/architectures/graph/numbers.ts'
import { fileBytes } from '../../src/engines/graph/model-file.ts'
import { readGraphFacts } from '../../src/engines/graph/graph-facts.ts'
import { readDecoderConfig } from '../../src/engines/graph/model-config.ts'
import { openSession } from '../../src/engines/open-session.ts'
import { chainPass, layOutTree } from '../../src/engines/scoring/tree-pass.ts'
import { releaseCache, type DecoderSession, type KeyValueCache } from '../../src/engines/session.ts'
import { loadNodeOrt } from '../engines/node-runtime.ts'
import { makeWeights } from './node-weights.ts'
import { tinyModel, tinySequences, type Checkpoint } from './tiny-models.ts'

type Config = { readonly [key: string]: unknown }

/** Opens a config's graph with the weights of a checkpoint. */
export async function openGraph(
  config: Config,
  checkpoint: Checkpoint,
  form: GraphForm,
  dtype: GraphDtype,
  attention: 'split' | 'grouped' = 'split',
): Promise<DecoderSession> {
  const architecture = readArchitecture(config)
  const reference = writeDecoderGraph(architecture, { form: 'reference', dtype, attention })
  const scoring =
    form === 'scoring' ? writeDecoderGraph(architecture, { form, dtype, attention, partsBranches: attention === 'split' }) : null
  return openSession({
    runtime: await loadNodeOrt(),
    model: {
      graph: reference.graph,
      files: [{ path: 'yardstick-weights', bytes: fileBytes(makeWeights(scoring ?? reference, checkpoint)) }],
    },
    facts: readGraphFacts(reference.graph),
    config: readDecoderConfig(JSON.stringify(config)),
    device: 'wasm',
    ...(scoring === null ? {} : { cut: cutOf(scoring) }),
  })
}

function cutOf({ graph, localWindow, parting }: DecoderGraph) {
  return { graph, cut: 'hidden', packing: { wants: null }, localWindow, parting } as const
}

/** Of each sequence, log-probabilities of each token but the first, by the reference form in passes of at most `tokens`. */
export async function scoreInPieces(session: DecoderSession, sequences: readonly Int32Array[], tokens: number): Promise<number[][]> {
  const scores: number[][] = []
  for (const sequence of sequences) {
    const own: number[] = []
    let cache: KeyValueCache | null = null
    for (let start = 0; start + 1 < sequence.length; start += tokens) {
      const piece = sequence.slice(start, Math.min(start + tokens, sequence.length - 1))
      const outcome = await session.run(piece, cache, { logits: true, cache: true })
      cache = outcome.cache
      piece.forEach((_, row) => own.push(logProbability(outcome.logits?.row(row) ?? new Float32Array(0), sequence[start + row + 1] ?? -1)))
    }
    if (cache !== null) releaseCache(cache)
    scores.push(own)
  }
  return scores
}

/** The same by the scoring form: the first `prefix` tokens, which all sequences share, in a pass of their own, then all sequences as branches of one pass. */
export async function scoreBranches(session: DecoderSession, sequences: readonly Int32Array[], prefix: number): Promise<number[][]> {
  const [first = new Int32Array(0)] = sequences
  const begun = prefix === 0 ? null : await session.runRows(chainPass(first.slice(0, prefix), 0), null, { cache: true })
  const items = sequences.map((tokens) => ({ input: tokens.slice(0, -1), targets: [tokens.slice(prefix + 1)] }))
  const tree = layOutTree(items, prefix)
  const { logprobs } = await session.runRows(tree, begun?.cache ?? null, { cache: false })
  if (begun?.cache !== null && begun?.cache !== undefined) releaseCache(begun.cache)
  return sequences.map((tokens, index) => {
    const [start = 0] = tree.where[index] ?? []
    return [...logprobs.subarray(start, start + tokens.length - prefix - 1)]
  })
}

function logProbability(logits: Float32Array, token: number): number {
  const most = logits.reduce((largest, value) => Math.max(largest, value), -Infinity)
  const sum = logits.reduce((total, value) => total + Math.exp(value - most), 0)
  return (logits[token] ?? NaN) - most - Math.log(sum)
}

/** Largest difference from what transformers gives, in nats; `skipped`: tokens of each sequence that weren't scored. */
export function largestDifference(name: string, places: readonly number[], scores: readonly (readonly number[])[], skipped = 0): number {
  const { logprobs } = tinyModel(name)
  let largest = 0
  places.forEach((place, index) => {
    const wanted = logprobs[place]?.subarray(skipped) ?? new Float32Array(0)
    const found = scores[index] ?? []
    if (found.length !== wanted.length) throw new Error(`${found.length} scores where ${wanted.length} were wanted`)
    wanted.forEach((value, token) => {
      const difference = Math.abs(value - (found[token] ?? NaN))
      largest = difference <= largest ? largest : difference
    })
  })
  return largest
}

/** Places of the sequences whose first twenty tokens are the same. */
export const alikePlaces = [5, 7]
export const alikeTokens = 20

export function sequencesAt(places: readonly number[]): Int32Array[] {
  return places.flatMap((place) => tinySequences[place] ?? [])
}
