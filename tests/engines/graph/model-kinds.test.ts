import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RepoFile } from '../../../src/contracts/models.ts'
import { requireDecoder } from '../../../src/engines/graph/model-kinds.ts'
import { describeModel, resolveModel, type ModelRepo } from '../../../src/evaluation/model/model-source.ts'
import { float32, int64, model, node, valueInfo } from '../onnx-builder.ts'

const check = (config: object): void => {
  requireDecoder(JSON.stringify(config), 'someone/model')
}
const repeat = (pattern: readonly string[], count: number): string[] =>
  Array.from({ length: count }, (_, i) => pattern[i % pattern.length] ?? '')

// What the published config.json of each says of its layers.
const foreign: readonly (readonly [name: string, config: object, reason: RegExp])[] = [
  [
    'LFM2 8B A1B, of experts, whose graphs nobody has run here',
    { architectures: ['Lfm2MoeForCausalLM'], model_type: 'lfm2_moe', layer_types: repeat(['conv', 'conv', 'full_attention'], 24) },
    /Lfm2MoeForCausalLM, whose layers of kind conv carry a state/,
  ],
  [
    'Granite 4.0 H 1B',
    {
      architectures: ['GraniteMoeHybridForCausalLM'],
      model_type: 'granitemoehybrid',
      num_hidden_layers: 40,
      layer_types: repeat(['mamba', 'mamba', 'mamba', 'attention'], 40),
    },
    /GraniteMoeHybridForCausalLM, whose layers of kind mamba/,
  ],
  [
    'Qwen3.5, inside its text_config',
    {
      architectures: ['Qwen3_5ForConditionalGeneration'],
      model_type: 'qwen3_5',
      text_config: { model_type: 'qwen3_5_text', layer_types: repeat(['linear_attention', 'full_attention'], 24) },
    },
    /Qwen3_5ForConditionalGeneration, whose layers of kind linear_attention/,
  ],
  ['Mamba', { architectures: ['MambaForCausalLM'], model_type: 'mamba', num_hidden_layers: 24 }, /state-space states/],
  [
    'T5',
    { architectures: ['T5ForConditionalGeneration'], model_type: 't5', is_encoder_decoder: true },
    /which is an encoder and a decoder/,
  ],
  [
    'BERT',
    { architectures: ['DistilBertForMaskedLM'], model_type: 'distilbert' },
    /made for MaskedLM, not for writing text from left to right/,
  ],
]

// Their pasts are keys and values alone, or LFM2's.
const decoders: readonly (readonly [name: string, config: object])[] = [
  [
    'LFM2 1.2B, whose layers are listed by the places of those that attend',
    {
      architectures: ['Lfm2ForCausalLM'],
      model_type: 'lfm2',
      num_hidden_layers: 16,
      conv_L_cache: 3,
      full_attn_idxs: [2, 5, 8, 10, 12, 14],
    },
  ],
  [
    'LFM2 350M, whose layers are listed by kind',
    { architectures: ['Lfm2ForCausalLM'], model_type: 'lfm2', layer_types: repeat(['conv', 'conv', 'full_attention'], 16) },
  ],
  [
    'Gemma 3, whose layers see windows and everything',
    { architectures: ['Gemma3ForCausalLM'], model_type: 'gemma3_text', layer_types: repeat(['sliding_attention', 'full_attention'], 18) },
  ],
  [
    'Granite 4.0 1B, without state spaces',
    {
      architectures: ['GraniteMoeHybridForCausalLM'],
      model_type: 'granitemoehybrid',
      num_hidden_layers: 40,
      layer_types: repeat(['attention'], 40),
    },
  ],
  ['GPT-2', { architectures: ['GPT2LMHeadModel'], model_type: 'gpt2' }],
  ['an architecture that nobody here has heard of', { architectures: ['NovelForCausalLM'], model_type: 'novel' }],
]

describe('what config.json says of a model', () => {
  it.each(foreign)('%s is refused by name', (_, config, reason) => {
    expect(() => {
      check(config)
    }).toThrow(expect.objectContaining({ code: 'model/unsupported', message: expect.stringMatching(reason) as string }))
  })

  it.each(decoders)('%s is let through', (_, config) => {
    expect(() => {
      check(config)
    }).not.toThrow()
  })

  it('lets every model of the matrix through', () => {
    const folder = 'tests/goldens/matrix'
    const models = readdirSync(folder).filter((name) => !name.endsWith('.json'))
    expect(models.length).toBeGreaterThan(20)
    for (const model of models)
      expect(() => {
        requireDecoder(readFileSync(`${folder}/${model}/config.json`, 'utf8'), model)
      }).not.toThrow()
  })
})

/** A repository whose graph lies beside its weights; notes what of it is fetched. */
function repository(config: object, graph: readonly number[]): { readonly repo: ModelRepo; readonly fetched: string[] } {
  const fetched: string[] = []
  const file = (path: string, bytes: number): RepoFile => ({ path, bytes, oid: null, sha256: null })
  const contents: { readonly [path: string]: Uint8Array<ArrayBuffer> } = {
    'config.json': new TextEncoder().encode(JSON.stringify(config)),
    'tokenizer.json': new TextEncoder().encode('{}'),
    'onnx/model_q4.onnx': Uint8Array.from(graph),
  }
  const read = async ({ path }: RepoFile): Promise<Uint8Array<ArrayBuffer>> => {
    fetched.push(path)
    return Promise.resolve(contents[path] ?? new Uint8Array(8))
  }
  const files = [
    file('config.json', 900),
    file('tokenizer.json', 2),
    file('onnx/model_q4.onnx', graph.length),
    file('onnx/model_q4.onnx_data', 3e8),
  ]
  const repo: ModelRepo = {
    snapshot: { kind: 'model', id: 'someone/model', requestedRevision: 'main', commit: 'c'.repeat(40), license: null, files },
    fetch: read,
    fetchBlob: async (one) => new Blob([await read(one)]),
    readRange: () => Promise.reject(new Error('no range was expected')),
    openOther: (id) => Promise.reject(new Error(`${id} was asked for`)),
  }
  return { repo, fetched }
}

const surroundings = { device: 'auto', adapter: null, storageBytes: null } as const
const { signal } = new AbortController()

it('a model that can’t be scored is refused when it is looked up: of its files config.json alone is fetched', async () => {
  const { repo, fetched } = repository(foreign[0]?.[1] ?? {}, [])
  await expect(describeModel(repo, { format: null, dtype: null }, surroundings, signal)).rejects.toMatchObject({
    code: 'model/unsupported',
    message: expect.stringContaining('someone/model') as string,
  })
  expect(fetched).toEqual(['config.json'])
})

it('a graph that carries another state than keys and values is refused by that input’s name, before its weights are fetched', async () => {
  const parts = {
    nodes: [node('MatMul', [], []), node('Softmax', [], [])],
    inputs: [valueInfo('input_ids', int64, ['batch', 'tokens']), valueInfo('past_conv.0', float32, ['batch', 1024, 3])],
    outputs: [valueInfo('logits', float32, ['batch', 'tokens', 9]), valueInfo('present_conv.0', float32, ['batch', 1024, 3])],
  }
  const novel = { architectures: ['NovelForCausalLM'], model_type: 'novel', num_attention_heads: 4, hidden_size: 64 }
  const { repo, fetched } = repository(novel, [...model(parts)])
  const resolved = await resolveModel(repo, { format: null, dtype: null }, surroundings, signal)
  await expect(resolved.fetch('q4', () => undefined, signal)).rejects.toMatchObject({
    code: 'model/unsupported',
    message: expect.stringMatching(/"past_conv.0" of shape \[batch, 1024, 3\]/) as string,
  })
  expect(fetched).toContain('onnx/model_q4.onnx')
  expect(fetched).not.toContain('onnx/model_q4.onnx_data')
})
