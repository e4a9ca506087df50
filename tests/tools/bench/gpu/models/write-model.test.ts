/** Made models: one set of random weights in three graphs, which must give one score. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineFacts } from '../../../../../src/contracts/engine.ts'
import { ModelEngine, type EngineModel } from '../../../../../src/engines/engine.ts'
import { readGraphFacts } from '../../../../../src/engines/graph/graph-facts.ts'
import { drawTokens } from '../../../../../src/engines/scoring/self-check.ts'
import { port } from '../../../../../src/onnx/ports.ts'
import { checkpointFile } from '../../../../../tools/bench/checkpoint-file.ts'
import { floatBytes, GraphFile } from '../../../../../tools/bench/gpu/models/graph-file.ts'
import type { MadeDtype } from '../../../../../tools/bench/gpu/models/graph-weights.ts'
import { MadeWeights } from '../../../../../tools/bench/gpu/models/made-weights.ts'
import { parametersOf, shapes, tensorsOf, tinyShape, type ShapeConfig } from '../../../../../tools/bench/gpu/models/shapes.ts'
import { writeModel, type MadeForm } from '../../../../../tools/bench/gpu/models/write-model.ts'
import { loadNodeOrt } from '../../../../engines/node-runtime.ts'

let root = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'yardstick-made-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

function readModel(folder: string, form: MadeForm, files: readonly string[]): EngineModel {
  const read = (name: string) => new Uint8Array(readFileSync(join(folder, name)))
  const config = readFileSync(join(folder, 'config.json'), 'utf8')
  if (form === 'own') return { checkpoint: [{ path: checkpointFile, bytes: read(checkpointFile) }], config }
  const [graph = '', ...external] = files
  return { graph: read(`onnx/${graph}`), externalData: external.map((path) => ({ path, bytes: read(`onnx/${path}`) })), config }
}

const ids = drawTokens(24, tinyShape.vocab_size)
const items = [24, 9, 1].map((length) => ({ input: ids.slice(0, length), targets: [ids.slice(length - 1, length), ids.slice(0, 1)] }))

async function score(form: MadeForm, dtype: MadeDtype, config: ShapeConfig): Promise<{ facts: EngineFacts; logprobs: number[] }> {
  const folder = join(root, `${form}-${dtype}-${config.model_type}`)
  const files = writeModel(folder, form, dtype, config, new MadeWeights(config, 1))
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  const facts = await engine.open(readModel(folder, form, files), { device: 'wasm', dtype, scoring: 'fast', threads: 1 })
  const answers = await engine.score(items)
  await engine.close()
  return { facts, logprobs: answers.flatMap(({ answers: lists }) => lists.map(({ logprob }) => logprob)) }
}

const qwen: ShapeConfig = { ...tinyShape, model_type: 'qwen2', architectures: ['Qwen2ForCausalLM'] }
const { attention_bias: _attention, mlp_bias: _mlp, ...qwenConfig } = qwen

function largestDifference(a: readonly number[], b: readonly number[]): number {
  return Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? NaN))))
}

describe('models made on the spot', () => {
  it.each([
    ['llama', tinyShape],
    ['llama with its rope scaled', { ...tinyShape, rope_scaling: { ...shapes['1B'].rope_scaling, original_max_position_embeddings: 64 } }],
    ['qwen2, which has biases', qwenConfig],
  ] as const)('%s: both exported families and our own graph give the same scores in fp32', async (_name, config) => {
    const decomposed = await score('decomposed', 'fp32', config)
    const gqa = await score('gqa', 'fp32', config)
    const own = await score('own', 'fp32', config)
    expect([decomposed.facts.family, gqa.facts.family]).toEqual(['decomposed', 'gqa'])
    // Rewritten before the projection, and branches share passes: as the real exports.
    for (const { facts } of [decomposed, gqa, own])
      expect([facts.scoring, facts.fast?.cut, facts.fast?.layout.packs]).toEqual(['fast', 'hidden', true])
    expect(decomposed.logprobs.every((logprob) => logprob < -1 && logprob > -15)).toBe(true)
    expect(new Set(decomposed.logprobs.map((logprob) => logprob.toFixed(3))).size).toBeGreaterThan(3)
    expect(largestDifference(decomposed.logprobs, gqa.logprobs)).toBeLessThan(1e-4)
    expect(largestDifference(decomposed.logprobs, own.logprobs)).toBeLessThan(1e-4)
  })

  it('the exported families have the same blocks in q4', async () => {
    const decomposed = await score('decomposed', 'q4', tinyShape)
    const gqa = await score('gqa', 'q4', tinyShape)
    expect(largestDifference(decomposed.logprobs, gqa.logprobs)).toBeLessThan(1e-4)
    const fp32 = await score('gqa', 'fp32', tinyShape)
    expect(largestDifference(fp32.logprobs, gqa.logprobs)).toBeGreaterThan(1e-4)
  })

  it.each(['fp16', 'q4f16'] as const)('%s has keys, values and logits of 16 bits', (dtype) => {
    for (const form of ['decomposed', 'gqa'] as const) {
      const folder = join(root, `${form}-${dtype}`)
      const [graph = '', ...external] = writeModel(folder, form, dtype, tinyShape, new MadeWeights(tinyShape, 1))
      const facts = readGraphFacts(new Uint8Array(readFileSync(join(folder, 'onnx', graph))))
      expect([graph, external]).toEqual([`model_${dtype}.onnx`, [`model_${dtype}.onnx_data`]])
      expect([facts.family, facts.logits.elementType, facts.cache[0]?.past.elementType]).toEqual([form, 'float16', 'float16'])
      expect(facts.hasPositionIds).toBe(form === 'decomposed')
    }
  })

  it('weights go on in another file where one would be too large, as exporters do', () => {
    const graph = new GraphFile('model.onnx', 18, 100)
    for (const name of ['a', 'b', 'c'])
      graph.weight(name, 'float32', [10], () => [
        floatBytes(
          Float32Array.from({ length: 10 }, () => 1),
          'float32',
        ),
      ])
    const folder = mkdtempSync(join(root, 'split-'))
    expect(graph.write(folder, [], [port('logits', 1, [1])])).toEqual(['model.onnx_data', 'model.onnx_data_1', 'model.onnx_data_2'])
    expect(readGraphFacts(new Uint8Array(readFileSync(join(folder, 'model.onnx')))).externalFiles).toHaveLength(3)
    const wrong = new GraphFile('wrong.onnx', 18)
    wrong.weight('a', 'float32', [10], () => [new Uint8Array(39)])
    expect(() => wrong.write(folder, [], [])).toThrow('wanted 40 bytes of weights in wrong.onnx_data, found 39')
  })

  it('shapes have as many parameters as the models that they are of', () => {
    const millions = Object.fromEntries(Object.entries(shapes).map(([name, config]) => [name, Math.round(parametersOf(config) / 1e6)]))
    expect(millions).toEqual({ '135M': 135, '360M': 362, '0.5B': 494, '1B': 1236 })
  })

  it('weights are held by bfloat16 and float16, and are the same for each seed', () => {
    const made = new MadeWeights(tinyShape, 1)
    for (const { name, rows } of tensorsOf(tinyShape)) {
      const values = made.rows(name, 0, rows)
      const bits = new Uint32Array(values.buffer)
      expect(bits.every((word) => (word & 0xffff) === 0)).toBe(true)
      expect(made.rows(name, rows - 1, rows)).toEqual(values.slice(-values.length / rows))
    }
    const [first = ''] = made.tensors.map(({ name }) => name)
    expect(new MadeWeights(tinyShape, 1).rows(first, 0, 2)).toEqual(made.rows(first, 0, 2))
    expect(new MadeWeights(tinyShape, 2).rows(first, 0, 2)).not.toEqual(made.rows(first, 0, 2))
  })
})
