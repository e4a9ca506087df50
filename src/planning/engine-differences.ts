/** What differs between the engine that a run began on and the one that is here now, in words. */
import type { EngineFacts } from '../contracts/engine.ts'

const deviceNames = { webgpu: 'WebGPU', wasm: 'WebAssembly' } as const

/**
 * The differences that keep numbers of two engines apart, each as "the GPU (X, now Y)"; empty when their facts are equal. Versions and
 * kernel features that the facts don't name stand in the numeric class, which is given where nothing else differs.
 */
export function differencesOf(before: EngineFacts, now: EngineFacts): readonly string[] {
  const pairs: readonly (readonly [what: string, before: string, now: string])[] = [
    ['the device', deviceNames[before.device], deviceNames[now.device]],
    ...(before.device === 'webgpu' && now.device === 'webgpu' ? [['the GPU', adapterOf(before), adapterOf(now)] as const] : []),
    ...(before.device === 'webgpu' && now.device === 'webgpu' && before.adapter?.features !== undefined
      ? [['the GPU’s features', featuresOf(before), featuresOf(now)] as const]
      : []),
    ['the weights', before.dtype, now.dtype],
    ['the engine', before.engine, now.engine],
    ['attention', before.attention ?? 'without a cap', now.attention ?? 'without a cap'],
    ...(before.device === 'wasm' && now.device === 'wasm' ? [['the threads', String(before.threads), String(now.threads)] as const] : []),
    ['the length of a run', lengthOf(before), lengthOf(now)],
    ['the scoring path', before.scoring, now.scoring],
  ]
  const named = pairs.filter(([, old, fresh]) => old !== fresh).map(([what, old, fresh]) => `${what} (${old}, now ${fresh})`)
  if (named.length > 0 || before.numericClass === now.numericClass) return named
  return [`its numeric class (${before.numericClass}, now ${now.numericClass})`]
}

function adapterOf({ adapter }: EngineFacts): string {
  if (adapter === null) return 'none'
  const parts = [adapter.vendor, adapter.architecture, adapter.description].filter((part) => part !== '')
  return [...new Set(parts)].join(' ') || 'not named'
}

function featuresOf({ adapter }: EngineFacts): string {
  const features = adapter?.features ?? []
  return features.length === 0 ? 'none' : features.join(' ')
}

function lengthOf({ chunkTokens }: EngineFacts): string {
  return chunkTokens === null ? 'whole prompts' : `${chunkTokens} tokens`
}
