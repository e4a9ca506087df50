import { describe, expect, it } from 'vitest'
import { decoderWeightBytes, takesGroupedAttention, writeDecoderGraph } from '../../../src/architectures/graph/decoder-graph.ts'
import type { GraphDtype } from '../../../src/architectures/graph/numbers.ts'
import { readArchitecture } from '../../../src/architectures/registry.ts'
import { readGraphFacts } from '../../../src/engines/graph/graph-facts.ts'
import { requireDecoderGraph } from '../../../src/engines/graph/graph-support.ts'
import { readDecoderConfig } from '../../../src/engines/graph/model-config.ts'
import { takeApart } from '../../../src/onnx/model-graph.ts'
import { packingNames, scoringNames } from '../../../src/onnx/scoring-names.ts'
import { tinyModel, tinyModels } from '../tiny-models.ts'

const dtypes: readonly GraphDtype[] = ['fp32', 'fp16', 'q8', 'q4', 'q4f16']
const architectureOf = (name: string) => readArchitecture(tinyModel(name).config)

describe('a graph', () => {
  it.each(tinyModels)('of $name has the inputs, outputs and states that a decoder has', ({ config }) => {
    const { graph } = writeDecoderGraph(readArchitecture(config), { form: 'reference', dtype: 'fp32' })
    const facts = readGraphFacts(graph)
    requireDecoderGraph(facts, readDecoderConfig(JSON.stringify(config)))
    expect(facts).toMatchObject({ family: 'decomposed', hasPositionIds: true, externalFiles: ['yardstick-weights'], rotaryNodes: [] })
    expect(facts.logits.dims.at(-1)).toBe(config.vocab_size)
  })

  it('has the same weights at the same places in both forms, whatever the dtype', () => {
    for (const dtype of dtypes) {
      const [reference, scoring] = (['reference', 'scoring'] as const).map((form) =>
        writeDecoderGraph(architectureOf('gemma3'), { form, dtype }),
      )
      expect(scoring?.initializers).toEqual(reference?.initializers)
    }
  })

  it('for scoring has our inputs beside the others, one more where layers see a window', () => {
    const inputsOf = (name: string) =>
      takeApart(writeDecoderGraph(architectureOf(name), { form: 'scoring', dtype: 'fp32' }).graph).inputs.map((input) => input.name)
    expect(inputsOf('llama')).toEqual(
      expect.arrayContaining(['input_ids', 'attention_mask', 'position_ids', scoringNames.rows, scoringNames.places, packingNames.bias]),
    )
    expect(inputsOf('llama')).not.toContain(packingNames.localBias)
  })

  it('for scoring parts passes where it is asked to, and only of operators', () => {
    const inputs = [packingNames.isApart, packingNames.slots, packingNames.slotOf, packingNames.rowBias]
    const architecture = tinyModels
      .map(({ name }) => architectureOf(name))
      .find((one) => takesGroupedAttention(one) && one.layers.every(({ mixer }) => mixer.kind === 'attention' && mixer.window === null))
    if (architecture === undefined) throw new Error('none of the models has heads for the fused kernel')
    const written = (attention: 'split' | 'grouped', partsBranches: boolean) =>
      writeDecoderGraph(architecture, { form: 'scoring', dtype: 'fp32', attention, partsBranches })
    const namesOf = ({ graph }: { readonly graph: Uint8Array }) => takeApart(graph).inputs.map(({ name }) => name)
    const parted = written('split', true)
    expect(namesOf(parted)).toEqual(expect.arrayContaining(inputs))
    expect(parted.parting).toEqual({ lastIsLocal: false })
    expect(parted.initializers).toEqual(written('split', false).initializers)
    for (const whole of [written('split', false), written('grouped', true)]) {
      expect(namesOf(whole).filter((name) => (inputs as readonly string[]).includes(name))).toEqual([])
      expect(whole.parting).toBeNull()
    }
    const local = writeDecoderGraph(architectureOf('mistral'), { form: 'scoring', dtype: 'fp32', partsBranches: true })
    expect(local.parting).toEqual({ lastIsLocal: true })
  })

  it('has each weight once, none over another, and a head that is tied only once', () => {
    for (const { config } of tinyModels) {
      const [architecture, options] = [readArchitecture(config), { form: 'reference', dtype: 'q4' }] as const
      const { initializers, bytes } = writeDecoderGraph(architecture, options)
      expect(decoderWeightBytes(architecture, options)).toBe(bytes)
      expect(new Set(initializers.map(({ name }) => name)).size).toBe(initializers.length)
      initializers.forEach(({ offset }, index) => {
        const before = initializers[index - 1]
        expect(offset).toBeGreaterThanOrEqual((before?.offset ?? 0) + (before?.bytes ?? 0))
      })
      const last = initializers.at(-1)
      expect((last?.offset ?? 0) + (last?.bytes ?? 0)).toBe(bytes)
    }
    const tied = writeDecoderGraph(architectureOf('llama-tied'), { form: 'reference', dtype: 'q4' }).initializers
    expect(tied.filter(({ tensor }) => tensor === 'model.embed_tokens.weight').map(({ name }) => name)).toEqual([
      'model.embed_tokens.weight.q4',
      'model.embed_tokens.weight.scales',
    ])
  })

  it('has rotary tables as long as it is asked for, at most the window, and never shorter than a pass may be', () => {
    const rowsOf = (positions?: number) => {
      const architecture = { ...architectureOf('llama'), maxPositions: 131_072 }
      const { initializers } = writeDecoderGraph(architecture, {
        form: 'reference',
        dtype: 'fp32',
        ...(positions === undefined ? {} : { positions }),
      })
      return initializers.find(({ make }) => make.kind === 'rotary')?.shape[0]
    }
    expect([rowsOf(), rowsOf(5000), rowsOf(10), rowsOf(1e9)]).toEqual([32_768, 5000, 1024, 131_072])
  })
})
