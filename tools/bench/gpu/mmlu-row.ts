import type { EngineFacts } from '../../../src/contracts/engine.ts'
import type { MmluUsage } from '../page/arm-api.ts'
import type { GpuModel } from './models/gpu-model.ts'
import { arithmeticFloorMs } from './peaks.ts'
import type { MmluRow } from './report.ts'

/** A whole MMLU as a row. `parameters` and `tflops` make the floor of arithmetic. */
export function mmluRowOf(
  { id, form, dtype }: GpuModel,
  usage: MmluUsage,
  { facts, parameters, tflops }: { readonly facts: EngineFacts | null; readonly parameters: number; readonly tflops: number | null },
): MmluRow {
  const costs = facts?.fast?.costs
  return {
    model: id,
    form,
    dtype,
    docs: usage.docs,
    ms: usage.ms,
    engine_ms: usage.engineMs,
    plan_ms: usage.planMs,
    runs: usage.runs,
    tokens: usage.tokens,
    least_tokens: usage.leastTokens,
    floor_ms: arithmeticFloorMs(parameters, usage.tokens, tflops),
    // Costs were fitted when the model was opened; a pass can't have cost more than it took.
    dispatch_share: costs === undefined ? null : Math.min(1, (usage.runs * costs.runMs) / usage.engineMs),
  }
}
