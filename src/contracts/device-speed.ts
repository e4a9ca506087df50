/** How fast a model is on a device, as llama-bench measures it. */
import type { Device } from './engine.ts'

/** One kind of work, several times. */
export interface SpeedTest {
  /** `pp512`: a prompt of 512 tokens is read. `tg128`: 128 tokens are written, one by one, after a prompt of one. */
  readonly name: string
  readonly tokens: number
  /** Tokens a second of each time, in order. */
  readonly samples: readonly number[]
}

export interface DeviceSpeed {
  readonly model: string
  readonly dtype: string
  /** Of the weights that were fetched. */
  readonly bytes: number
  readonly device: Device
  /** The adapter's name; null on WASM. */
  readonly adapter: string | null
  /** ONNX Runtime's version and build. */
  readonly engine: string
  readonly threads: number
  readonly tests: readonly SpeedTest[]
}
