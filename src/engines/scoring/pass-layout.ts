import type { Device, PassLayout, SelfCheck } from '../../contracts/engine.ts'
import type { ScoringGraph } from '../graph-rewriting/scoring-graph.ts'
import { cacheDims } from '../graph/cache-dims.ts'
import type { GraphFacts } from '../graph/graph-facts.ts'
import type { DecoderConfig } from '../graph/model-config.ts'
import { longestRunTokens } from './reference-scoring.ts'

/**
 * Tokens a pass on WASM. Where weights stay packed a pass costs what about twenty tokens do, since they are unpacked in it, so longer ones are cheaper; but the attention
 * scores that branches of one pass compute of each other are masked away: SmolLM2-135M q4, 600 tokens kept, one thread: 17.6 ms a token in passes of 90, 12.1 in passes of 270 and of 360,
 * 12.4 in passes of 450.
 */
const wasmRunTokens = 384

/** Where its kernel is kept: GroupQueryAttention's CPU kernel costs far more a token, the more tokens a pass and its cache have (600 kept: 30 tokens 3.2 s, 360 tokens 70 s on a busy thread). */
const wasmGroupQueryRunTokens = 64

/** Logits of a pass at once: 64 MiB of float32, of which a few copies live for a moment. */
const mostLogits = 2 ** 24

/** Keys and values of texts that are written together, in bytes: on WASM they are copied in and out with each pass. */
const writtenBytes = 256 * 2 ** 20

/** Texts whose sequences can't be continued have a pass of their own, whatever their length. */
const unlimitedTokens = 2 ** 20

/**
 * How passes are laid out: on WebGPU no longer than the self-check has seen agree, in any case with so many rows that logits stay small.
 * Depends on facts that a resumed run finds again; on a GPU calibration.ts may make runs longer.
 */
export function layoutOf(
  { graph, config, longestRun }: { readonly graph: GraphFacts; readonly config: DecoderConfig; readonly longestRun: number | undefined },
  cut: Pick<ScoringGraph, 'cut' | 'packing'>,
  device: Device,
  selfCheck: Pick<SelfCheck, 'maxRunTokens'>,
  { inPlace, splitsAttention }: { readonly inPlace: boolean; readonly splitsAttention: boolean },
): PassLayout {
  const vocabulary = graph.logits.dims.at(-1)
  const size = typeof vocabulary === 'number' ? vocabulary : (config.vocabularySize ?? 2 ** 16)
  const shares = graph.cache.length > 0
  const wasmTokens = graph.family === 'gqa' && !splitsAttention ? wasmGroupQueryRunTokens : wasmRunTokens
  // RotaryEmbedding, which split attention uses, takes no pass that is longer than its table, even where branches share it and none is.
  const tableTokens = splitsAttention ? (config.maxPositions ?? Infinity) : Infinity
  const most = Math.min(tableTokens, device === 'wasm' ? wasmTokens : (selfCheck.maxRunTokens ?? longestRunTokens))
  return {
    tokens: shares ? Math.min(most, longestRun ?? most) : unlimitedTokens,
    // A graph that is cut behind its projection makes logits of all its tokens.
    rows: Math.max(16, Math.floor(mostLogits / size)),
    packs: shares && cut.packing !== null,
    shares,
    ...(shares && cut.packing !== null ? { textTokens: textTokensOf(graph, config) } : {}),
    ...(inPlace ? { inPlace } : {}),
    ...(splitsAttention ? { splitsAttention } : {}),
  }
}

/** As many tokens as fit into `writtenBytes`. */
function textTokensOf(graph: GraphFacts, config: DecoderConfig): number {
  const perToken = graph.cache.reduce((sum, { past }) => {
    const [, heads, , headSize] = cacheDims(past, config)
    // Keys and values are two inputs of a layer, each listed by itself.
    return sum + heads * headSize * (past.elementType === 'float16' ? 2 : 4)
  }, 0)
  return Math.floor(writtenBytes / Math.max(1, perToken))
}
