import { describe, expect, it } from 'vitest'
import { gpuStarts, type GpuMachine } from '../../../src/cli/browser/gpu-switches.ts'
import { asksForMore } from '../../../src/engines/device.ts'

const ordinary = { use: 'hardware-or-software', unsafe: false, float16: false } as const
const bare: GpuMachine = { platform: 'linux', hasGpu: false, isNvidia: false, hasScreen: false }
const nvidia: GpuMachine = { platform: 'linux', hasGpu: true, isNvidia: true, hasScreen: false }
const unsafeSwitch = '--enable-unsafe-webgpu'
const withoutExperiments = '--disable-dawn-features=allow_unsafe_apis'
const zeroedByDriver = 'use_vulkan_zero_initialize_workgroup_memory_extension'
const f16 = '--enable-dawn-features=vulkan_enable_f16_on_nvidia'

describe('the switches of a browser’s GPU', () => {
  it('are none where an ordinary start is enough, or no GPU is wanted', () => {
    expect(gpuStarts(ordinary, { platform: 'darwin', hasGpu: true, isNvidia: false, hasScreen: true })).toEqual([
      { switches: [], note: null },
    ])
    expect(gpuStarts({ ...ordinary, use: 'none' }, nvidia)).toEqual([{ switches: [], note: null }])
    expect(gpuStarts({ ...ordinary, use: 'hardware' }, bare)).toEqual([{ switches: [], note: null }])
  })

  it('keep experimental features off where the software adapter needs the switch that lets them out, and say so', () => {
    const [start] = gpuStarts(ordinary, bare)
    expect(start?.switches).toEqual([unsafeSwitch, `${withoutExperiments},${zeroedByDriver}`, '--use-webgpu-adapter=swiftshader'])
    expect(asksForMore(start?.switches ?? [])).toBe(false)
    expect(start?.note).toMatch(/behind --enable-unsafe-webgpu alone; experimental features stay off/)
  })

  it('on Linux are a page’s first; the switch that pages don’t have comes only where they get no adapter', () => {
    const [first, second, ...more] = gpuStarts(ordinary, nvidia)
    expect(more).toEqual([])
    expect(first?.note).toBeNull()
    expect(first?.switches).not.toContain(unsafeSwitch)
    expect(second?.switches).toEqual([...(first?.switches ?? []), unsafeSwitch, withoutExperiments])
    expect(second?.note).toMatch(/denies pages its GPU/)
  })

  it('leave a hardware driver what it zeroes', () => {
    for (const unsafe of [false, true])
      for (const { switches } of gpuStarts({ ...ordinary, unsafe }, nvidia)) expect(switches.join()).not.toContain(zeroedByDriver)
  })

  it('let out experimental features on request alone', () => {
    for (const machine of [bare, nvidia]) {
      const starts = gpuStarts({ ...ordinary, unsafe: true }, machine)
      expect(starts).toHaveLength(1)
      expect(starts[0]?.switches).toContain(unsafeSwitch)
      expect(starts[0]?.switches.join()).not.toContain('allow_unsafe_apis')
      expect(asksForMore(starts[0]?.switches ?? [])).toBe(true)
      expect(starts[0]?.note).toMatch(/experimental WebGPU features are on/)
    }
  })

  it('show NVIDIA’s 16-bit floats under Linux where they are asked for, and say so', () => {
    for (const start of gpuStarts(ordinary, nvidia)) expect(start.switches).not.toContain(f16)
    for (const start of gpuStarts({ ...ordinary, float16: true }, nvidia)) {
      expect(start.switches).toContain(f16)
      expect(start.note).toMatch(/shader-f16 is asked for/)
    }
    const other = gpuStarts({ ...ordinary, float16: true }, { ...nvidia, isNvidia: false })
    for (const start of other) expect(start.switches).not.toContain(f16)
  })

  it('draw to no surface where there is no screen', () => {
    const surface = '--disable-vulkan-surface'
    expect(gpuStarts(ordinary, nvidia)[0]?.switches).toContain(surface)
    expect(gpuStarts(ordinary, { ...nvidia, hasScreen: true })[0]?.switches).not.toContain(surface)
  })
})
