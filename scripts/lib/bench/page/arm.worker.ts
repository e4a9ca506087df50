/** One arm of the benchmark in its worker. */
import { exposeWorker } from '../../../../src/rpc/expose.ts'
import type { ArmApi, Usage } from './arm-api.ts'
import { openEngine } from './engine-arm.ts'
import { Meter } from './metered-ort.ts'
import { openTransformers, type OpenArm } from './transformers-arm.ts'

const meter = new Meter()
let open: OpenArm | null = null

async function measure<T>(work: (arm: OpenArm) => Promise<T>): Promise<{ readonly result: T; readonly usage: Usage }> {
  if (open === null) throw new Error('no model is open')
  meter.reset()
  const start = performance.now()
  const result = await work(open)
  return { result, usage: { ms: performance.now() - start, ...meter.read() } }
}

const api: ArmApi = {
  async open(model, options) {
    const isOurs = options.arm === 'reference' || options.arm === 'fast'
    open = await (isOurs ? openEngine : openTransformers)(model, options, meter)
    return open.build
  },
  async score(items) {
    const { result, usage } = await measure(async (arm) => arm.score(items))
    return { ...usage, sums: result }
  },
  async write(prompt, newTokens) {
    const { result, usage } = await measure(async (arm) => arm.write(prompt, newTokens))
    return { ...usage, written: result }
  },
}

exposeWorker(api)
