/** Rotary embeddings: frequencies of the kinds that are computed here, and tables of sines and cosines. Source: transformers 4.57.6, modeling_rope_utils.py. */
import { isRecord } from '../base/guards.ts'
import type { Rope } from './architecture.ts'
import type { ConfigKeys } from './config-keys.ts'

const { fround } = Math

/** Frequencies in float32: 1 / base^(2i / size). */
function frequenciesOf(base: number, size: number): number[] {
  return Array.from({ length: size / 2 }, (_, i) => fround(1 / fround(fround(base) ** fround((2 * i) / size))))
}

/** The plain kind. `size`: values of a head that are rotated, even. */
export function plainRope(base: number, size: number): Rope {
  return { frequencies: frequenciesOf(base, size), magnitude: 1 }
}

/**
 * The rope that `rope_scaling` (null: the plain one) makes of base and size: linear and llama3, and their names of old (`type`). Throws `model/unsupported` for another kind or a
 * key that isn't known, `model/corrupt` for values that don't fit.
 */
export function readRope(config: ConfigKeys, base: number, size: number): Rope {
  const plain = plainRope(base, size)
  const scaling = config.value('rope_scaling')
  if (scaling === null) return plain
  if (!isRecord(scaling)) throw config.wrong('rope_scaling', 'an object or null')
  const kind = scaling.type ?? scaling.rope_type
  if (scaling.type !== undefined && scaling.rope_type !== undefined && scaling.type !== scaling.rope_type)
    throw config.wrong('rope_scaling', 'the same under "type" and "rope_type"')
  const number = (key: string): number => {
    const value = scaling[key]
    if (typeof value !== 'number' || !(value > 0 && value < 1e9)) throw config.wrong('rope_scaling', `a number above zero under "${key}"`)
    return value
  }
  const known = (...keys: readonly string[]): void => {
    const foreign = Object.keys(scaling).find((key) => !['type', 'rope_type', ...keys].includes(key))
    if (foreign !== undefined) throw config.unsupported('rope_scaling', `no key "${foreign.slice(0, 80)}"`)
  }
  switch (kind) {
    case 'default':
      known()
      return plain
    case 'linear': {
      known('factor')
      const factor = fround(number('factor'))
      return { ...plain, frequencies: plain.frequencies.map((one) => fround(one / factor)) }
    }
    case 'llama3': {
      known('factor', 'low_freq_factor', 'high_freq_factor', 'original_max_position_embeddings')
      return {
        ...plain,
        frequencies: llama3(plain.frequencies, {
          factor: number('factor'),
          low: number('low_freq_factor'),
          high: number('high_freq_factor'),
          positions: number('original_max_position_embeddings'),
        }),
      }
    }
    default:
      throw config.unsupported('rope_scaling', 'the type default, linear or llama3')
  }
}

/**
 * Phi-3's scaling, with the factors for sequences up to the `trained` window; `positions` is what the model stretches it to. Throws as `readRope`.
 */
export function longRope(
  config: ConfigKeys,
  base: number,
  size: number,
  { positions, trained }: { readonly positions: number; readonly trained: number },
): Rope {
  const scaling = config.value('rope_scaling')
  if (!isRecord(scaling)) throw config.wrong('rope_scaling', 'an object or null')
  const foreign = Object.keys(scaling).find((key) => !['type', 'rope_type', 'short_factor', 'long_factor'].includes(key))
  if (foreign !== undefined) throw config.unsupported('rope_scaling', `no key "${foreign.slice(0, 80)}"`)
  // Names of old for the same.
  if (
    ![scaling.type, scaling.rope_type].every((kind) => kind === undefined || kind === 'longrope' || kind === 'su') ||
    scaling.type === undefined
  )
    throw config.unsupported('rope_scaling', 'the type longrope')
  const factors: unknown = scaling.short_factor
  if (
    !Array.isArray(factors) ||
    factors.length !== size / 2 ||
    !factors.every((one): one is number => typeof one === 'number' && one > 0 && one < 1e9)
  )
    throw config.wrong('rope_scaling', `${size / 2} numbers above zero under "short_factor"`)
  const stretch = positions / trained
  return {
    frequencies: factors.map((factor, i) => fround(1 / fround(fround(factor) * fround(fround(base) ** fround((2 * i) / size))))),
    magnitude: stretch <= 1 ? 1 : fround(Math.sqrt(1 + Math.log(stretch) / Math.log(trained))),
  }
}

/** Step by step in float32, as torch does. */
function llama3(
  plain: readonly number[],
  { factor, low, high, positions }: { readonly factor: number; readonly low: number; readonly high: number; readonly positions: number },
): number[] {
  return plain.map((one) => {
    const wavelength = fround(fround(2 * Math.PI) / one)
    if (wavelength < positions / high) return one
    if (wavelength > positions / low) return fround(one / factor)
    const smooth = fround(fround(fround(positions / wavelength) - low) / (high - low))
    return fround(fround(fround(fround(1 - smooth) * one) / factor) + fround(smooth * one))
  })
}

/** Cosines or sines of positions 0 to `positions` - 1, row by row, [positions, frequencies]: angles and values in float32. */
export function rotaryTable({ frequencies, magnitude }: Rope, part: 'cos' | 'sin', positions: number): Float32Array<ArrayBuffer> {
  const table = new Float32Array(positions * frequencies.length)
  let at = 0
  for (let position = 0; position < positions; position += 1)
    for (const frequency of frequencies) {
      const angle = fround(position * frequency)
      table[at++] = fround(fround(part === 'cos' ? Math.cos(angle) : Math.sin(angle)) * magnitude)
    }
  return table
}
