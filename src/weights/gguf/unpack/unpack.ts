/** From a type's name to what unpacks it. */
import { unpackBfloats, unpackFloats, unpackHalves } from '../../convert/half.ts'
import type { Unpack } from './blocks.ts'
import { unpackMXFP4, unpackNVFP4 } from './fp4.ts'
import { unpackQ2_K, unpackQ3_K, unpackQ4_K, unpackQ5_K, unpackQ6_K } from './k-quants.ts'
import { unpackIQ4_NL, unpackIQ4_XS, unpackQ4_0, unpackQ4_1, unpackQ5_0, unpackQ5_1, unpackQ8_0 } from './simple.ts'
import { unpackTQ1_0, unpackTQ2_0 } from './ternary.ts'

const direct: ReadonlyMap<string, Unpack> = new Map([
  ['F32', unpackFloats],
  ['F16', unpackHalves],
  ['BF16', unpackBfloats],
  ['Q4_0', unpackQ4_0],
  ['Q4_1', unpackQ4_1],
  ['Q5_0', unpackQ5_0],
  ['Q5_1', unpackQ5_1],
  ['Q8_0', unpackQ8_0],
  ['Q2_K', unpackQ2_K],
  ['Q3_K', unpackQ3_K],
  ['Q4_K', unpackQ4_K],
  ['Q5_K', unpackQ5_K],
  ['Q6_K', unpackQ6_K],
  ['IQ4_NL', unpackIQ4_NL],
  ['IQ4_XS', unpackIQ4_XS],
  ['TQ1_0', unpackTQ1_0],
  ['TQ2_0', unpackTQ2_0],
  ['MXFP4', unpackMXFP4],
  ['NVFP4', unpackNVFP4],
])

/** Types whose tables are loaded first: 19 KB. */
const byTables = ['IQ1_S', 'IQ1_M', 'IQ2_XXS', 'IQ2_XS', 'IQ2_S', 'IQ3_XXS', 'IQ3_S'] as const

/** Every type that can be unpacked: those of safetensors (F32, F16, BF16) and all that `gguf.quants` 0.19 unpacks. */
export const unpackableTypes: readonly string[] = [...direct.keys(), ...byTables]

/** What unpacks a type, or null where nothing does: for whole numbers, for types that only stand within computations, and for names unknown. */
export async function unpackerOf(dtype: string): Promise<Unpack | null> {
  const known = direct.get(dtype)
  if (known !== undefined) return known
  const name = byTables.find((one) => one === dtype)
  if (name === undefined) return null
  const iq = await import('./iq.ts')
  return iq[`make${name}`]()
}
