/**
 * Ways to write a decoder's graph, timed against each other on WASM in Node: a shape like SmolLM2-135M's with random weights and fewer layers.
 *
 *   npx tsx tools/bench/own-graph.ts [--threads 2] [--layers 8] [--arm matmul,skip-norm]
 *
 * Each arm is the graph as it is written, with some of its nodes replaced; its passes and those of the graph as it is take turns. Prints milliseconds a pass as it is, and the
 * median of the arm's shares of the pass beside it: above one the arm is slower. With one thread the time is the processor's, so that a busy machine counts for little.
 */
import { parseArgs } from 'node:util'
import type { GraphDtype } from '../../src/architectures/graph/numbers.ts'
import { writeDecoderGraph } from '../../src/architectures/graph/decoder-graph.ts'
import { readArchitecture } from '../../src/architectures/registry.ts'
import { fileBytes } from '../../src/engines/graph/model-file.ts'
import { readGraphFacts } from '../../src/engines/graph/graph-facts.ts'
import { readDecoderConfig } from '../../src/engines/graph/model-config.ts'
import { openSession } from '../../src/engines/open-session.ts'
import { chainPass } from '../../src/engines/scoring/tree-pass.ts'
import { releaseCache, type DecoderSession } from '../../src/engines/session.ts'
import { loadThreadedNodeOrt } from '../../tests/engines/node-runtime.ts'
import { arms, type Arm } from './own-graph-arms.ts'

const { values: flags } = parseArgs({
  options: { threads: { type: 'string', default: '1' }, layers: { type: 'string', default: '8' }, arm: { type: 'string' } },
})
const layers = Number(flags.layers)
const config = {
  model_type: 'llama',
  vocab_size: 49_152,
  hidden_size: 576,
  intermediate_size: 1536,
  num_hidden_layers: layers,
  num_attention_heads: 9,
  num_key_value_heads: 3,
  max_position_embeddings: 8192,
  tie_word_embeddings: true,
}
const runtime = await loadThreadedNodeOrt(Number(flags.threads))

/** Float weights of the size that real ones have; blocks of any bytes are as good as others. */
function randomFile(bytes: number, isFloat: (offset: number) => boolean): Uint8Array {
  const file = new Uint8Array(bytes)
  const floats = new Float32Array(file.buffer, 0, bytes >> 2)
  const words = new Uint32Array(file.buffer, 0, bytes >> 2)
  let state = 1
  for (let at = 0; at < floats.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    if (isFloat(at * 4)) floats[at] = (state / 2 ** 32 - 0.5) / 16
    else words[at] = state
  }
  return file
}

async function open(dtype: GraphDtype, change: Arm): Promise<DecoderSession> {
  const architecture = readArchitecture(config)
  const reference = writeDecoderGraph(architecture, { form: 'reference', dtype, positions: 2048 })
  const { graph, initializers, bytes } = writeDecoderGraph(architecture, { form: 'scoring', dtype, positions: 2048 })
  const blocks = initializers.filter((one) => one.dtype === 'uint8')
  const file = randomFile(bytes, (offset) => !blocks.some((one) => offset >= one.offset && offset < one.offset + one.bytes))
  return openSession({
    runtime,
    model: { graph: reference.graph, files: [{ path: 'yardstick-weights', bytes: fileBytes(file) }] },
    facts: readGraphFacts(reference.graph),
    config: readDecoderConfig(JSON.stringify(config)),
    device: 'wasm',
    cut: { graph: change(graph), cut: 'hidden', packing: { wants: null }, localWindow: null },
  })
}

/** Passes: tokens after how many in the cache, and rows that are scored. */
const passes = [
  { tokens: 1, past: 256, rows: 1 },
  { tokens: 32, past: 256, rows: 8 },
  { tokens: 256, past: 256, rows: 32 },
] as const

function now(): number {
  if (flags.threads !== '1') return performance.now()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function timePass(session: DecoderSession, { tokens, past, rows }: (typeof passes)[number]): Promise<number> {
  const ids = (count: number) => Int32Array.from({ length: count }, (_, i) => (i * 7919) % 49_152)
  const begun = await session.runRows(chainPass(ids(past), 0), null, { cache: true })
  const chosen = Int32Array.from({ length: rows }, (_, i) => tokens - rows + i)
  const pass = { ...chainPass(ids(tokens), past), rows: chosen, owners: chosen.map((_, i) => i), targets: chosen }
  const start = now()
  await session.runRows(pass, begun.cache, { cache: false })
  const milliseconds = now() - start
  if (begun.cache !== null) releaseCache(begun.cache)
  return milliseconds
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN

for (const dtype of ['fp32', 'q4'] as const) {
  for (const [name, { change, dtypes }] of Object.entries(arms)) {
    if (!dtypes.includes(dtype) || (flags.arm !== undefined && !flags.arm.split(',').includes(name))) continue
    const plain = await open(dtype, (graph) => graph)
    const arm = await open(dtype, change)
    const cells: string[] = []
    for (const pass of passes) {
      const times: number[] = []
      const shares: number[] = []
      for (let round = 0; round < 12; round += 1) {
        const own = await timePass(plain, pass)
        const other = await timePass(arm, pass)
        // The first round also pays for what is made once.
        if (round === 0) continue
        times.push(own)
        shares.push(other / own)
      }
      cells.push(`${pass.tokens}: ${median(times).toFixed(1)} ms x ${median(shares).toFixed(3)}`)
    }
    console.log(`${flags.threads} threads, ${dtype}, ${name}: ${cells.join('; ')}`)
    await plain.release()
    await arm.release()
  }
}
