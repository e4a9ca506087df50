/** Repositories of tiny models without ONNX files: safetensors with made weights, and the embedded model's tokenizer. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tinyModel, weightOf } from '../architectures/tiny-models.ts'
import { embeddedFolder } from '../e2e/hub-stand-in.ts'
import { floatsTensor, safetensorsFile } from './safetensors-file.ts'

/** Tokens of the embedded model's tokenizer. */
const vocabulary = 1920

/** Writes a tiny model of `tests/goldens/architectures` into `folder`, its vocabulary widened to the tokenizer's; another `seed` gives other weights. */
export function writeTinyRepository(folder: string, name: string, seed: string, change: object = {}): void {
  const { config, tensors } = tinyModel(name)
  const own = config['vocab_size']
  mkdirSync(folder, { recursive: true })
  for (const file of ['tokenizer.json', 'tokenizer_config.json', 'generation_config.json'])
    copyFileSync(join(embeddedFolder(), file), join(folder, file))
  const ids = { bos_token_id: 0, eos_token_id: 1, pad_token_id: 2 }
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, ...ids, vocab_size: vocabulary, ...change }))
  const made = tensors.names.map((tensor) => {
    const shape = tensors.read(tensor).shape.map((size) => (size === own ? vocabulary : size))
    return floatsTensor(tensor, shape, weightOf(`${seed}/${tensor}`, shape, /norm\.weight$/.test(tensor) ? 1 : 0, 0.3))
  })
  writeFileSync(join(folder, 'model.safetensors'), safetensorsFile(made))
}
