/** One arm of the benchmark in its worker. */
import { isGeneration } from '../../../src/contracts/items.ts'
import { describeAdapter } from '../../../src/engines/device.ts'
import { makePlan } from '../../../src/planning/plan.ts'
import { exposeWorker } from '../../../src/rpc/expose.ts'
import type { ArmApi, Usage } from './arm-api.ts'
import { leastTokensOf, makeMmlu } from '../gpu/mmlu-docs.ts'
import { openEngine } from './engine-arm.ts'
import { Meter } from './metered-ort.ts'
import { openTransformers, type OpenArm } from './transformers-arm.ts'

const meter = new Meter()
let open: OpenArm | null = null

async function measure<T>(work: (arm: OpenArm) => Promise<T>): Promise<{ readonly result: T; readonly usage: Usage }> {
  if (open === null) throw new Error('no model is open')
  const before = await open.counted?.()
  meter.reset()
  const start = performance.now()
  const result = await work(open)
  const ms = performance.now() - start
  const usage = { ms, ...meter.read() }
  const after = await open.counted?.()
  if (before === undefined || after === undefined) return { result, usage }
  if (after.runs - before.runs !== usage.runs || after.tokens - before.tokens !== usage.tokens)
    throw new Error(
      `the engine counts ${after.runs - before.runs} runs of ${after.tokens - before.tokens} tokens, ${usage.runs} of ${usage.tokens} were seen`,
    )
  // Rows of a rewritten graph have no output of their own to be seen by.
  return { result, usage: { ...usage, rows: after.rows - before.rows } }
}

const api: ArmApi = {
  async describeAdapter() {
    return describeAdapter(navigator.gpu)
  },
  async scoreMmlu(size) {
    const engine = open?.engine
    const layout = open?.facts?.fast?.layout
    if (engine === undefined || layout === undefined) throw new Error('wanted our engine on its fast path')
    const tasks = makeMmlu(size)
    const leastTokens = leastTokensOf(tasks)
    let planMs = 0
    const { usage } = await measure(async () => {
      const start = performance.now()
      const plan = makePlan(tasks, layout)
      planMs = performance.now() - start
      for (const { items, prefixes } of plan.batches)
        await engine.score(
          items.flatMap((index) => {
            const item = plan.items[index]
            return item === undefined || isGeneration(item) ? [] : [item]
          }),
          prefixes,
        )
    })
    return { ...usage, docs: tasks.reduce((sum, { docs }) => sum + docs, 0), leastTokens, planMs }
  },
  async open(model, options) {
    // One model at a time: the last one's memory is wanted for the next.
    await open?.engine?.close()
    open = null
    const isOurs = options.arm !== 'naive' && options.arm !== 'one_forward'
    open = await (isOurs ? openEngine : openTransformers)(model, options, meter)
    return open.facts
  },
  async score(items, prefixes) {
    const { result, usage } = await measure(async (arm) => arm.score(items, prefixes))
    return { ...usage, sums: result }
  },
  async write(prompts, newTokens, prefixes) {
    const { result, usage } = await measure(async (arm) => arm.write(prompts, newTokens, prefixes))
    return { ...usage, written: result }
  },
}

exposeWorker(api)
