/** Prompt and writing speed of a model on a device, by the very engine that scores with it. */
import { EvalError } from '../base/errors.ts'
import type { DeviceSpeed, SpeedTest } from '../contracts/device-speed.ts'
import { greedyItem } from '../contracts/items.ts'
import type { RunSettings } from '../contracts/run-settings.ts'
import { nameOf } from '../engines/device.ts'
import { resolveDtype } from '../engines/graph/dtypes.ts'
import type { Evaluation, OpenModel } from './ports.ts'
import { throwIfStopped } from './service/stopping.ts'

const promptTokens = 512
const writtenTokens = 128
/** As llama-bench has it. */
const rounds = 5

/**
 * Opens the model as a run with these settings would, and times prompts of 512 tokens and texts of 128, five each after one unmeasured. Only the last row of a prompt
 * is projected. A model with a shorter window gets what fits, and the tests' names say how much. Throws as a run does before its first answer.
 */
export async function measureSpeed(
  settings: RunSettings,
  evaluation: Evaluation,
  onRound: (test: string, done: number, total: number) => void,
): Promise<DeviceSpeed> {
  const { signal, clock } = evaluation
  const model = await evaluation.models.resolve(settings, signal)
  const { description } = model
  const { option } = resolveDtype(settings.dtype, description.dtypes, description.defaultDtype)
  if (option.refusal !== null)
    throw new EvalError('model/unsupported', `${description.id} can't run as ${option.dtype} here: ${option.refusal}`)
  const opened = await evaluation.opener.open(model, option.dtype, settings, {
    checkItems: [],
    asBefore: null,
    onBytes: () => undefined,
    onPhase: () => undefined,
    signal,
  })
  const prompt = Math.min(promptTokens, description.maxLength)
  const written = Math.min(writtenTokens, description.maxLength - 1)
  const repeat = async (name: string, tokens: number, once: (round: number) => Promise<number>): Promise<SpeedTest> => {
    const samples: number[] = []
    for (let round = 0; round <= rounds; round++) {
      throwIfStopped(signal)
      const milliseconds = await once(round)
      // The first makes the device's kernels and buffers.
      if (round > 0) samples.push((tokens * 1000) / milliseconds)
      onRound(name, round, rounds)
    }
    return { name, tokens, samples }
  }
  const { facts } = opened
  return {
    model: description.id,
    dtype: option.dtype,
    bytes: option.bytes,
    device: facts.device,
    adapter: facts.adapter === null ? null : nameOf(facts.adapter),
    engine: facts.engine,
    threads: facts.threads,
    tests: [
      await repeat(`pp${prompt}`, prompt, (round) => readPrompt(opened, prompt, round, clock)),
      await repeat(`tg${written}`, written, () => writeText(opened, written, clock)),
    ],
  }
}

async function readPrompt(model: OpenModel, tokens: number, round: number, clock: () => number): Promise<number> {
  // Other tokens each time, so that nothing of the one before can be kept; ids that every vocabulary has.
  const input = Int32Array.from({ length: tokens }, (_, at) => 1 + ((at * 31 + round * 17) % 120))
  const begin = clock()
  await model.score([{ input, targets: [Int32Array.of(1)] }])
  return clock() - begin
}

async function writeText(model: OpenModel, tokens: number, clock: () => number): Promise<number> {
  const item = greedyItem([1], tokens)
  let begin = clock()
  const [text] = await model.generate([item], {
    begin: () => {
      begin = clock()
    },
    look: async () => null,
  })
  const milliseconds = clock() - begin
  if (text?.tokens.length !== tokens)
    throw new EvalError('engine/failed', `wanted a text of ${tokens} tokens, found ${text?.tokens.length ?? 0}`)
  return milliseconds
}
