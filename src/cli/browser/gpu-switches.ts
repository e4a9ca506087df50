/** The switches by which a browser offers its GPU: as an ordinary page's user has it, and what it takes where that isn't enough. */
import { existsSync, readdirSync } from 'node:fs'

/** Which WebGPU adapter a browser is started for: none that matters, the machine's own, or the software one where the machine has none. */
export type GpuUse = 'none' | 'hardware' | 'hardware-or-software'

/** What is asked of the browser's GPU. */
export interface GpuWish {
  readonly use: GpuUse
  /** Experimental features too, by which ONNX Runtime takes kernels that no ordinary page gets: `--unsafe_webgpu true`. */
  readonly unsafe: boolean
  /** A dtype of 16-bit floats was asked for by name. */
  readonly float16: boolean
}

/** What decides the switches of a machine. */
export interface GpuMachine {
  readonly platform: NodeJS.Platform
  readonly hasGpu: boolean
  readonly isNvidia: boolean
  readonly hasScreen: boolean
}

/** One way to start the browser; `note` says what it took beyond an ordinary start, or is null. */
export interface GpuStart {
  readonly switches: readonly string[]
  readonly note: string | null
}

/** Dawn's toggle behind `--enable-unsafe-webgpu`: with it off that switch only offers adapters that pages are denied. */
const experiments = 'allow_unsafe_apis'
const withoutExperiments = `--disable-dawn-features=${experiments}`

/**
 * With it off a shader zeroes its workgroup's memory by a loop of its own instead of the driver's doing. SwiftShader writes the driver's out for every
 * element: opening the embedded model took its process 18.6 s of processor time and takes 8.4, with the same bits.
 */
const zeroedByDriver = 'use_vulkan_zero_initialize_workgroup_memory_extension'

/** This machine: on Linux a GPU is what Vulkan can use, elsewhere browsers find theirs. */
export function describeMachine(): GpuMachine {
  const { platform, env } = process
  const isNvidia = existsSync('/dev/nvidiactl')
  const hasRenderer = existsSync('/dev/dri') && readdirSync('/dev/dri').some((name) => name.startsWith('renderD'))
  const hasGpu = platform !== 'linux' || isNvidia || existsSync('/dev/dxg') || hasRenderer
  return { platform, hasGpu, isNvidia, hasScreen: platform !== 'linux' || (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') !== '' }
}

/**
 * The ways to start a browser, to be tried in order until one offers an adapter; one at least. The last is worth keeping even without one.
 *
 * Chromium 156 offers its software adapter behind `--enable-unsafe-webgpu` alone (tried: the adapter switch by itself, with
 * `--enable-unsafe-swiftshader`, `--ignore-gpu-blocklist`, Vulkan on, WebGPU's developer features), and denies pages some drivers on Linux.
 */
export function gpuStarts({ use, unsafe, float16 }: GpuWish, machine: GpuMachine): readonly GpuStart[] {
  if (use === 'none') return [{ switches: [], note: null }]
  const withheld = unsafe ? ['--enable-unsafe-webgpu'] : ['--enable-unsafe-webgpu', withoutExperiments]
  if (!machine.hasGpu) {
    if (use === 'hardware') return [{ switches: [], note: null }]
    const note = unsafe ? unsafeNote : `the software adapter is offered behind --enable-unsafe-webgpu alone; ${experimentsStayOff}`
    // Chromium obeys the last of such switches alone, so both toggles stand in one.
    const off = [...(unsafe ? [] : [experiments]), zeroedByDriver].join()
    return [{ switches: ['--enable-unsafe-webgpu', `--disable-dawn-features=${off}`, '--use-webgpu-adapter=swiftshader'], note }]
  }
  if (machine.platform !== 'linux')
    return [unsafe ? { switches: ['--enable-unsafe-webgpu'], note: unsafeNote } : { switches: [], note: null }]
  const isShown = machine.isNvidia && (unsafe || float16)
  const linux = [
    '--enable-features=Vulkan',
    '--use-angle=vulkan',
    '--ignore-gpu-blocklist',
    ...(machine.hasScreen ? [] : ['--disable-vulkan-surface']),
    // Pages don't get it, and nothing of 16 bits runs without it.
    ...(isShown ? ['--enable-dawn-features=vulkan_enable_f16_on_nvidia'] : []),
  ]
  const f16Note = isShown ? 'shader-f16 is asked for, which Chromium hides from pages on NVIDIA under Linux' : null
  if (unsafe) return [{ switches: [...linux, ...withheld], note: f16Note === null ? unsafeNote : `${unsafeNote}; ${f16Note}` }]
  const denied = `this browser denies pages its GPU, so it was started again with --enable-unsafe-webgpu; ${experimentsStayOff}`
  return [
    { switches: linux, note: f16Note },
    { switches: [...linux, ...withheld], note: f16Note === null ? denied : `${denied}; ${f16Note}` },
  ]
}

const experimentsStayOff = `experimental features stay off (${withoutExperiments})`
const unsafeNote = 'experimental WebGPU features are on (--unsafe_webgpu): kernels may be others than a page gets'
