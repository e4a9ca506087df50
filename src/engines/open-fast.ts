/** Going over from a model's own graph to the cut one, where it computes the same. */
import { isEvalError } from '../base/errors.ts'
import type { Device, PassCosts, PassLayout } from '../contracts/engine.ts'
import type { ForwardAnswer, ForwardItem } from '../contracts/items.ts'
import { holdDevice } from './device-holder.ts'
import { makeScoringGraph } from './graph-rewriting/scoring-graph.ts'
import { cacheDims, hasKeysAlone } from './graph/cache-dims.ts'
import type { GraphFacts } from './graph/graph-facts.ts'
import { openSession } from './open-session.ts'
import { canCut, chunkTokensOf, describe, logitsSizeOf, vocabularySizeOf, type Checked, type Opened, type Opening } from './opening.ts'
import { calibrate, fitCosts, runLengths, type TimedPass } from './scoring/calibration.ts'
import { FastScorer } from './scoring/fast-scoring.ts'
import { layoutOf } from './scoring/pass-layout.ts'
import { scoreByReference } from './scoring/reference-scoring.ts'
import { checkScoring, checkSequences, differenceOf, lengthSequences, type CheckSequences } from './scoring/scoring-check.ts'
import { toleranceOf } from './scoring/tolerance.ts'
import type { DecoderSession } from './session.ts'

/**
 * Goes over from the model's own graph to the cut one where the fast path was asked for and computes the same: both score the same sequences,
 * one session after the other, so that the weights are never there twice.
 */
export async function speedUp(opening: Opening, checked: Checked): Promise<Opened> {
  const { options, graph, config, tellDoing } = opening
  const { session, runtime, device } = checked
  if (options.scoring === 'reference') return describe(opening, checked, session, null, null)
  if (graph.isDynamicallyQuantised) {
    const reason =
      'this graph quantises activations over a whole forward pass, so that what shares a pass changes a token’s score: each sequence has a pass of its own'
    return describe(opening, checked, session, null, reason)
  }
  if (!hasKeysAlone(graph)) {
    const reason =
      'this graph has convolution states besides keys and values, which branches can’t share: each sequence has a pass of its own'
    return describe(opening, checked, session, null, reason)
  }
  const vocabularySize = logitsSizeOf(opening)
  if (vocabularySize === null)
    return describe(opening, checked, session, null, 'neither the graph nor config.json tells the size of the vocabulary')
  const sequences = checkSequences(vocabularySizeOf(opening), config.maxPositions ?? Infinity, options.checkItems ?? [])
  tellDoing('scoring its first sequences by the reference path')
  const wanted = await scoreByReference(session, sequences.items, chunkTokensOf(opening, checked.selfCheck))
  const lengths = await knownLengths(opening, checked)
  const holder = device === 'webgpu' ? await holdDevice(runtime) : null
  try {
    await session.release()
    return await openFast(opening, checked, { vocabularySize, sequences, wanted, lengths })
  } finally {
    await holder?.release()
  }
}

/**
 * Tries the rewritten graph with branches sharing passes, first with keys and values in place where that can be, then without either; goes back to the model's own
 * graph where none agrees.
 */
async function openFast(
  opening: Opening,
  checked: Checked,
  {
    vocabularySize,
    sequences,
    wanted,
    lengths,
  }: {
    readonly vocabularySize: number
    readonly sequences: CheckSequences
    readonly wanted: readonly ForwardAnswer[]
    readonly lengths: readonly KnownLength[]
  },
): Promise<Opened> {
  const { options, graph, model, ownScoring, config, tellDoing } = opening
  const { runtime, device } = checked
  let reason = ''
  for (const { allowPacking, inPlace, splitHeadSize } of waysOf(opening, device)) {
    const elementType = isHalf(graph) ? 'float16' : 'float32'
    const cut = ownScoring ?? makeScoringGraph(model.graph, { vocabularySize, elementType, allowPacking, splitHeadSize })
    if (allowPacking && cut.packing === null) continue
    const splitsAttention = splitHeadSize !== null
    const layout = layoutOf({ graph, config, longestRun: options.longestRun }, cut, device, checked.selfCheck, { inPlace, splitsAttention })
    let fastSession: DecoderSession | null = null
    try {
      tellDoing('making the session of the fast path')
      fastSession = await openSession({ ...opening, facts: graph, runtime, device, cut, inPlace })
      tellDoing('holding the fast path against the reference path')
      const scorer = new FastScorer(fastSession, layout)
      const timed: TimedPass[] = []
      const check = await checkScoring(scorer, layout, sequences, wanted, timeBatches(fastSession, timed))
      scorer.release()
      const tolerance = toleranceOf(options.dtype, graph)
      if (check.maxAbsDiff <= tolerance) {
        const fitted =
          lengths.length > 0
            ? await fitLayout(fastSession, layout, { known: lengths, kept: options.runTokens, tolerance })
            : { layout, costs: fitCosts(timed.slice(1)) }
        const fast = { layout: fitted.layout, cut: cut.cut, check, ...(fitted.costs === null ? {} : { costs: fitted.costs }) }
        return describe(opening, checked, fastSession, fast, null)
      }
      reason = `the fast path differs from the reference path by ${check.maxAbsDiff.toExponential(1)} nats a token here`
    } catch (error) {
      if (!isEvalError(error) || !fallsBackToReference.includes(error.code)) {
        await fastSession?.release().catch(() => undefined)
        throw error
      }
      reason = `the fast path can't run this graph: ${error.message}`
    }
    await fastSession?.release()
  }
  tellDoing('making its session again for the reference path')
  const again = await openSession({ ...opening, facts: graph, runtime, device })
  return describe(opening, checked, again, null, reason)
}

/** A sequence as long as a pass may be, and its scores by the model's own graph. */
interface KnownLength {
  readonly item: ForwardItem
  readonly answer: ForwardAnswer
}

/**
 * Lengths of passes to try on the rewritten graph: none on WASM, whose layout is fixed (pass-layout.ts), none on an adapter that is only believed up to some length,
 * nor on a software one. After an earlier run its length alone.
 */
async function knownLengths(opening: Opening, { session, device, selfCheck }: Checked): Promise<KnownLength[]> {
  const { options, graph, config, adapter } = opening
  const isMeasured = adapter !== null && (!adapter.isFallback || options.calibratesSoftware === true)
  if (device === 'wasm' || selfCheck.status !== 'passed' || selfCheck.maxRunTokens !== null || !canCut(graph) || !isMeasured) return []
  const most = Math.min((config.maxPositions ?? Infinity) - 1, options.longestRun ?? Infinity)
  const lengths = (options.runTokens === undefined ? runLengths : [options.runTokens]).filter((length) => length <= most)
  const known: KnownLength[] = []
  const before = session.counts.milliseconds
  for (const item of lengthSequences(
    lengths.filter((length) => fitsAdapter(length, opening)),
    vocabularySizeOf(opening),
  )) {
    const [answer] = await scoreByReference(session, [item], chunkTokensOf(opening, selfCheck))
    if (answer !== undefined) known.push({ item, answer })
    // The next length takes twice as long as all before it; a device that is so slow takes no longer passes in a second.
    if (session.counts.milliseconds - before > mostReferenceMs) break
  }
  return known
}

/** What the reference path may take for the lengths that are tried, the last of them not counted. */
const mostReferenceMs = 1500

/** Whether a pass of so many tokens after a long prefix stays within the adapter's buffers: its mask does, and where attention is made of operators, the scores of its heads. */
function fitsAdapter(tokens: number, { graph, config, adapter }: Opening): boolean {
  const before = Math.min(config.maxPositions ?? usualPrefix, usualPrefix)
  const heads = graph.family === 'gqa' ? 1 : (config.attentionHeads ?? usualHeads)
  const bytes = 4 * heads * tokens * (tokens + before)
  return tokens <= 512 || bytes <= Math.min(adapter?.maxStorageBufferBindingBytes ?? 0, adapter?.maxBufferBytes ?? 0)
}

/** Tokens of a few-shot prefix, as far as passes are planned for one. */
const usualPrefix = 4096

/** Where config.json doesn't tell. */
const usualHeads = 32

/** The layout with passes as long as this device can take them (calibration.ts), or as long as they were before, however long that takes now. */
async function fitLayout(
  session: DecoderSession,
  layout: PassLayout,
  { known, kept, tolerance }: { readonly known: readonly KnownLength[]; readonly kept: number | undefined; readonly tolerance: number },
): Promise<{ readonly layout: PassLayout; readonly costs: PassCosts | null }> {
  const measure = async (tokens: number) => {
    const one = known.find(({ item }) => item.input.length === tokens)
    if (one === undefined) throw new RangeError(`no sequence of ${tokens} tokens`)
    const before = session.counts.milliseconds
    const scorer = new FastScorer(session, { ...layout, tokens })
    const [found] = await scorer.score([one.item], [])
    return { maxAbsDiff: differenceOf(one.answer, found), milliseconds: session.counts.milliseconds - before }
  }
  if (kept !== undefined) {
    const { maxAbsDiff, milliseconds } = await measure(kept)
    return { layout: maxAbsDiff <= tolerance ? { ...layout, tokens: kept } : layout, costs: fitCosts([{ tokens: kept, milliseconds }]) }
  }
  const lengths = known.map(({ item }) => item.input.length)
  const { tokens, costs } = await calibrate(measure, { lengths, believed: layout.tokens, tolerance })
  return { layout: { ...layout, tokens }, costs }
}

/** Notes what each batch of a check took; a batch of several passes counts as passes of their mean length. */
function timeBatches(session: DecoderSession, timed: TimedPass[]): () => void {
  let before = { ...session.counts }
  return () => {
    const { runs, tokens, milliseconds } = session.counts
    const count = runs - before.runs
    if (count > 0) timed.push({ tokens: (tokens - before.tokens) / count, milliseconds: (milliseconds - before.milliseconds) / count })
    before = { ...session.counts }
  }
}

/** A way to make the rewritten graph and to run it. */
interface Way {
  readonly allowPacking: boolean
  /** Keys and values are kept in place (static-cache.ts). */
  readonly inPlace: boolean
  /** For graphs whose attention is split (graph-rewriting/split-attention.ts). */
  readonly splitHeadSize: number | null
}

/** What to try, the fastest first. */
function waysOf({ graph, config, ownScoring }: Opening, device: Device): readonly Way[] {
  const alone = { allowPacking: false, inPlace: false, splitHeadSize: null }
  // Written for it: windows, positions and what each token sees are inputs.
  if (ownScoring !== null) {
    const whole = { ...alone, allowPacking: true }
    return device === 'webgpu' && graph.family === 'gqa' ? [{ ...whole, inPlace: true }, whole] : [whole]
  }
  // Layers that see only a window of positions would count a branch's tokens wrongly.
  if (config.slidingWindow !== null) return [alone]
  const packed = { ...alone, allowPacking: true }
  const [slot] = graph.cache
  if (graph.family !== 'gqa' || slot === undefined) return [packed, alone]
  if (device === 'webgpu') return [{ ...packed, inPlace: true }, packed, alone]
  const [, , , headSize] = cacheDims(slot.past, config)
  return [...(isHalf(graph) ? [] : [{ ...packed, splitHeadSize: headSize }]), packed, alone]
}

const fallsBackToReference: readonly string[] = ['engine/failed', 'engine/nonfinite', 'model/unsupported', 'model/corrupt']

function isHalf(graph: GraphFacts): boolean {
  return graph.cache.some((slot) => slot.past.elementType === 'float16')
}
