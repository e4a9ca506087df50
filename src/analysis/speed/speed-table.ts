/** A device's speed as llama-bench prints it: a Markdown table of mean ± standard deviation, to paste elsewhere. */
import type { Json, JsonObject } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { DeviceSpeed } from '../../contracts/device-speed.ts'

/** Mean and sample standard deviation (n - 1), as llama-bench has them; the deviation of one sample is 0. */
export function meanAndDeviation(samples: readonly number[]): { readonly mean: number; readonly deviation: number } {
  const mean = samples.reduce((sum, each) => sum + each, 0) / samples.length
  const squares = samples.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  return { mean, deviation: samples.length < 2 ? 0 : Math.sqrt(squares / (samples.length - 1)) }
}

/** The table, one row a test. */
export function speedTable({ model, dtype, bytes, device, adapter, engine, threads, tests }: DeviceSpeed): string {
  const backend = device === 'wasm' ? 'WASM' : `WebGPU ${adapter ?? ''}`.trimEnd()
  const rows = tests.map(({ name, samples }) => {
    const { mean, deviation } = meanAndDeviation(samples)
    return [
      `${model} ${dtype}`,
      `${(bytes / 2 ** 20).toFixed(2)} MiB`,
      backend,
      engine,
      String(threads),
      name,
      `${mean.toFixed(2)} ± ${deviation.toFixed(2)}`,
    ]
  })
  const table = [
    ['model', 'size', 'backend', 'engine', 'threads', 'test', 't/s'],
    ['---', '---:', '---', '---', '---:', '---:', '---:'],
    ...rows,
  ]
  return table.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')
}

/** As the results file has it, under `yardstick.device_speed`. */
export function speedToJson({ model, dtype, bytes, device, adapter, engine, threads, tests }: DeviceSpeed): JsonObject {
  return {
    ...{ model, dtype, bytes, device, adapter, engine, threads },
    tests: tests.map(({ name, tokens, samples }) => {
      const { mean, deviation } = meanAndDeviation(samples)
      return { name, tokens, tokens_per_second: mean, standard_deviation: deviation, samples: [...samples] }
    }),
  }
}

/** The speed in a results file; null where there is none, or none that can be read. */
export function speedOf(resultsFile: { readonly [key: string]: Json }): DeviceSpeed | null {
  const own = resultsFile['yardstick']
  const told = isRecord(own) ? own['device_speed'] : undefined
  if (!isRecord(told) || !Array.isArray(told['tests'])) return null
  const text = (key: string): string => (typeof told[key] === 'string' ? told[key] : '')
  const tests = told['tests'].flatMap((one: unknown) =>
    isRecord(one) && typeof one['name'] === 'string' && Array.isArray(one['samples'])
      ? [{ name: one['name'], tokens: Number(one['tokens']), samples: one['samples'].map(Number) }]
      : [],
  )
  return {
    model: text('model'),
    dtype: text('dtype'),
    bytes: Number(told['bytes']),
    device: told['device'] === 'webgpu' ? 'webgpu' : 'wasm',
    adapter: typeof told['adapter'] === 'string' ? told['adapter'] : null,
    engine: text('engine'),
    threads: Number(told['threads']),
    tests,
  }
}
