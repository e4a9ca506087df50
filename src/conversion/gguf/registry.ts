/** From a GGUF file's metadata to a config.json and to the architecture that it describes: one entry for each `general.architecture`. */
import type { Architecture } from '../../architectures/architecture.ts'
import { readArchitecture } from '../../architectures/registry.ts'
import { EvalError } from '../../base/errors.ts'
import { asHarness } from '../convert.ts'
import { inMetadataTerms } from './metadata-errors.ts'
import { MetadataKeys, type GgufFacts } from './metadata-keys.ts'
import { gemma2, gemma3 } from './models/gemma.ts'
import { gptNeox } from './models/gpt-neox.ts'
import { gpt2 } from './models/gpt2.ts'
import { lfm2 } from './models/lfm2.ts'
import { granite, llama, smollm3 } from './models/llama.ts'
import { olmo2 } from './models/olmo2.ts'
import { phi3 } from './models/phi3.ts'
import { qwen2, qwen3, qwen3Moe } from './models/qwen.ts'
import { starcoder2 } from './models/starcoder2.ts'
import type { GgufArchitecture } from './parts.ts'
import { readFromGguf } from './tensor-names.ts'

const known: { readonly [architecture: string]: GgufArchitecture } = {
  gemma2,
  gemma3,
  gpt2,
  gptneox: gptNeox,
  granite,
  lfm2,
  llama,
  olmo2,
  phi3,
  qwen2,
  qwen3,
  qwen3moe: qwen3Moe,
  smollm3,
  starcoder2,
}

/** The `general.architecture`s that are known, sorted. */
export const ggufArchitectures: readonly string[] = Object.keys(known).sort()

/** What makes a file no decoder, by its architecture or its type. */
const purposes: ReadonlyMap<string, string> = new Map([
  ...['clip', 'mmproj'].map((name) => [name, 'the part of a model that sees images or hears'] as const),
  ...[
    'bert',
    'nomic-bert',
    'nomic-bert-moe',
    'neo-bert',
    'modern-bert',
    'eurobert',
    'jina-bert-v2',
    'jina-bert-v3',
    'gemma-embedding',
    'llama-embed',
  ].map((name) => [name, 'a model of embeddings'] as const),
  ...['t5', 't5encoder'].map((name) => [name, 'an encoder'] as const),
  ...['qwen2vl', 'qwen3vl', 'qwen3vlmoe', 'chameleon', 'cogvlm'].map((name) => [name, 'a model that sees images'] as const),
  ['adapter', 'an adapter, not a whole model'],
  ['imatrix', 'a table of importances, not a model'],
  ['vocab', 'a vocabulary without weights'],
])

/** A GGUF file's model as it runs here. */
export interface GgufDecoder {
  /** As transformers would write its config.json, so far as sums depend on it. */
  readonly config: { readonly [key: string]: unknown }
  /** With the file's own names of tensors. What `rope-factors.ts` reads isn't in it. */
  readonly architecture: Architecture
  /** `rope_freqs.weight` is heeded. */
  readonly hasFactors: boolean
}

/**
 * The decoder of a file, of several parts joined. Throws `model/unsupported` for what is no decoder or none that is known, by its name, for a key or value that isn't computed here; `model/corrupt` for values that
 * can't be, tensors' sizes among them; `model/too-large` for sizes that no browser could hold.
 */
export function readGgufDecoder(facts: GgufFacts, keepsCap = false): GgufDecoder {
  const name = requireKnown(facts)
  const entry = known[name]
  if (entry === undefined) throw new EvalError('internal', `no entry for ${name}`)
  const keys = new MetadataKeys(facts, name)
  keys.only('attention.causal', true)
  // Models of embeddings say how they make one of many.
  keys.only('pooling_type', 0)
  const config = { architectures: [entry.className], ...entry.config(keys) }
  keys.ignore('vocab_size')
  keys.finish()
  const described = inMetadataTerms(name, () => readArchitecture(config))
  const architecture = readFromGguf(keepsCap ? described : asHarness(described), entry, facts.tensors)
  return { config, architecture, hasFactors: entry.hasFactors === true }
}

function requireKnown({ metadata }: GgufFacts): string {
  const text = (key: string): string | null => {
    const value = metadata.get(key)
    return typeof value === 'string' ? value.slice(0, 80) : null
  }
  const type = text('general.type') ?? 'model'
  const name = text('general.architecture')
  if (type === 'model' && name !== null && Object.hasOwn(known, name)) return name
  const purpose = purposes.get(type) ?? purposes.get(name ?? '')
  throw new EvalError(
    'model/unsupported',
    `wanted a GGUF file of one of the architectures ${ggufArchitectures.join(', ')}, found ${name === null ? 'none' : JSON.stringify(name)}${
      type === 'model' ? '' : ` of the type ${JSON.stringify(type)}`
    }${purpose === undefined ? '' : `: ${purpose}`}`,
    { details: { architecture: name } },
  )
}
