/** What this browser offers to a run: WebGPU, threads. Facts only; the page says what they mean. */

type WebGpuSupport =
  | { readonly state: 'unknown' }
  /** No `navigator.gpu`: the browser or the address (not https) has none. */
  | { readonly state: 'absent' }
  | { readonly state: 'no-adapter' }
  | { readonly state: 'software' | 'hardware'; readonly name: string; readonly hasShaderF16: boolean }

export class Environment {
  webgpu: WebGpuSupport = $state.raw({ state: 'unknown' })
  readonly isIsolated: boolean
  readonly cores: number

  constructor() {
    this.isIsolated = typeof crossOriginIsolated !== 'undefined' && crossOriginIsolated
    this.cores = typeof navigator === 'undefined' ? 1 : navigator.hardwareConcurrency
  }

  /** Asks for an adapter, makes no device. Never rejects: a browser that throws here has no WebGPU for us. */
  async probe(): Promise<void> {
    this.webgpu = await probeWebGpu()
  }
}

async function probeWebGpu(): Promise<WebGpuSupport> {
  // The type says `gpu` is always there; browsers without WebGPU, and pages without https, disagree.
  const gpu = navigator.gpu as GPU | undefined
  if (gpu === undefined) return { state: 'absent' }
  try {
    const adapter = await gpu.requestAdapter()
    if (adapter === null) return { state: 'no-adapter' }
    const { vendor, architecture, description, isFallbackAdapter } = adapter.info
    const name = [description === '' ? vendor : description, architecture].filter((part) => part !== '').join(', ')
    const isSoftware = isFallbackAdapter || /swiftshader|llvmpipe|software/i.test(`${name} ${architecture}`)
    return { state: isSoftware ? 'software' : 'hardware', name, hasShaderF16: adapter.features.has('shader-f16') }
  } catch {
    return { state: 'no-adapter' }
  }
}
