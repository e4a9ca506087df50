import type { EngineFacts, FastScoring } from '../../contracts/engine.ts'
import type { AdapterFacts } from '../../contracts/model-session.ts'
import { asksForMore, kernelFeatures } from '../device.ts'
import type { OrtRuntime } from '../ort.ts'

/** Raised whenever our own way of running a graph changes its numbers. */
const rules = 1

/**
 * Everything numeric that decides an answer besides model files and tokens, as one string for the answer key.
 *
 * Adapter features and limits are in it where ONNX Runtime picks and cuts kernels by them; names and features identify a device no closer than
 * the browser allows. Of the browser's switches only the one counts that lets out more than an ordinary page gets: all others show as the adapter
 * and its features. Threads count on WASM: MatMulNBits splits its work by them, and one and two threads differ by 1e-6 nats (fp32 and q8 gave the same bits).
 */
export function numericClass(
  runtime: OrtRuntime,
  adapter: AdapterFacts | null,
  facts: Pick<EngineFacts, 'device' | 'dtype' | 'scoring' | 'chunkTokens' | 'fast' | 'attention' | 'switches'> & {
    /** A graph of our own has attention as its fused kernel; as operators where nothing is said. */
    readonly groupsAttention?: boolean
    /** A graph of our own has embedding and head in one weight, whose product sums in another order. */
    readonly sharesTable?: boolean
    /** A graph of our own parts a pass in groups of branches, so that weighted values are summed over other strips of keys. */
    readonly partsBranches?: boolean
  },
): string {
  const parts: readonly (readonly [string, string | number])[] = [
    ['rules', rules],
    ['ort', runtime.version],
    ['build', runtime.build],
    ['device', facts.device],
    ...(facts.device === 'webgpu' && adapter !== null
      ? [
          ['adapter', [adapter.vendor, adapter.architecture, adapter.device, adapter.description].join('/')] as const,
          ['features', kernelFeatures(adapter.features).join(',')] as const,
          ['limits', describeLimits(adapter)] as const,
          ...(asksForMore(facts.switches ?? []) ? [['unsafe_webgpu', 1] as const] : []),
        ]
      : []),
    ...(facts.device === 'wasm' ? [['threads', runtime.threads] as const] : []),
    ['dtype', facts.dtype],
    ['scoring', facts.scoring],
    ...(facts.attention === undefined ? [] : [['attention', facts.attention] as const]),
    ['chunk', facts.chunkTokens ?? 'whole'],
    ...(facts.groupsAttention === true ? [['attention_kernel', 'grouped'] as const] : []),
    ...(facts.sharesTable === true ? [['head', 'shared'] as const] : []),
    ...(facts.partsBranches === true ? [['branches', 'parted'] as const] : []),
    ...(facts.fast === undefined ? [] : [['layout', describeLayout(facts.fast)] as const]),
  ]
  return parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(';')
}

function describeLimits(adapter: AdapterFacts): string {
  const { maxBufferBytes, maxStorageBufferBindingBytes, maxWorkgroupStorageBytes, maxWorkgroupThreads, subgroupSizes } = adapter
  const subgroups = subgroupSizes === null ? '' : subgroupSizes.join('-')
  return [maxBufferBytes, maxStorageBufferBindingBytes, maxWorkgroupStorageBytes, maxWorkgroupThreads, subgroups].join('/')
}

function describeLayout({ layout, cut }: FastScoring): string {
  return [
    layout.tokens,
    layout.rows,
    layout.packs ? 'packed' : 'alone',
    layout.shares ? 'shared' : 'whole',
    layout.textTokens ?? 0,
    ...(layout.inPlace === true ? ['in-place'] : []),
    ...(layout.splitsAttention === true ? ['split-attention'] : []),
    cut,
  ].join('/')
}
