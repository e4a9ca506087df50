/** Models of real shapes with random weights, written without Python and network. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { checkpointFile } from '../../checkpoint-file.ts'
import { writeDecomposed } from './decomposed-graph.ts'
import { writeGroupQuery } from './gqa-graph.ts'
import { graphFileOf, graphNumbers, type MadeDtype } from './graph-weights.ts'
import type { MadeWeights } from './made-weights.ts'
import type { ShapeConfig } from './shapes.ts'

/** The graph families as exporters make them, and a checkpoint of which our own graph is written. */
export const madeForms = ['decomposed', 'gqa', 'own'] as const
export type MadeForm = (typeof madeForms)[number]

/** Writes a model's folder as the Hub has it; gives the names of the files below `onnx/`, the graph first, none for a checkpoint. */
export function writeModel(folder: string, form: MadeForm, dtype: MadeDtype, config: ShapeConfig, made: MadeWeights): readonly string[] {
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  writeTokenizer(folder, config)
  writeFileSync(join(folder, 'generation_config.json'), JSON.stringify({ bos_token_id: 1, eos_token_id: 2 }))
  if (form === 'own') {
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config, null, 1))
    writeCheckpoint(join(folder, checkpointFile), made)
    return []
  }
  const file = graphFileOf(dtype)
  const write = form === 'gqa' ? writeGroupQuery : writeDecomposed
  const external = write(join(folder, 'onnx'), file, config, made, graphNumbers[dtype])
  const format = { 'transformers.js_config': { use_external_data_format: { [file]: external.length } } }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, ...format }, null, 1))
  return [file, ...external]
}

/** Values that are made at once. */
const chunkValues = 2 ** 22

/** All tensors as bfloat16, in which checkpoints come. Source: the safetensors format, https://huggingface.co/docs/safetensors. */
function writeCheckpoint(path: string, made: MadeWeights): void {
  let end = 0
  const entries = made.tensors.map(({ name, rows, columns }) => {
    const begin = end
    end += rows * (columns ?? 1) * 2
    return [name, { dtype: 'BF16', shape: columns === null ? [rows] : [rows, columns], data_offsets: [begin, end] }] as const
  })
  const text = Buffer.from(JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(entries) }))
  const header = Buffer.concat([text, Buffer.alloc(-text.length & 7, ' ')])
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  const file = openSync(path, 'w')
  try {
    writeSync(file, length)
    writeSync(file, header)
    for (const { name, rows, columns } of made.tensors) {
      const step = Math.max(1, Math.floor(chunkValues / (columns ?? 1)))
      for (let row = 0; row < rows; row += step) writeSync(file, bfloats(made.rows(name, row, Math.min(rows, row + step))))
    }
  } finally {
    closeSync(file)
  }
}

/** The upper halves: made values have no more. */
function bfloats(values: Float32Array<ArrayBuffer>): Uint8Array {
  const words = new Uint16Array(values.buffer)
  const out = new Uint16Array(values.length)
  for (let at = 0; at < out.length; at += 1) out[at] = words[2 * at + 1] ?? 0
  return new Uint8Array(out.buffer)
}

/** A tokenizer of made words: works are given as ids, but the harness doesn't open a model without one. */
function writeTokenizer(folder: string, { vocab_size: size }: ShapeConfig): void {
  const vocabulary = Object.fromEntries(Array.from({ length: size }, (_, id) => [`t${id}`, id]))
  const tokenizer = {
    version: '1.0',
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: null,
    decoder: null,
    model: { type: 'WordLevel', vocab: vocabulary, unk_token: 't0' },
  }
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
  const config = { tokenizer_class: 'PreTrainedTokenizerFast', bos_token: 't1', eos_token: 't2', unk_token: 't0' }
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify(config))
}
