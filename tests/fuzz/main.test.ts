/** Untrusted input, grown and damaged, through the code that reads it; `npm run fuzz` does the same at length, in threads. */
import { expect, it } from 'vitest'
import { isLong } from '../support/long.ts'
import { inputTargets, prepare } from './targets.ts'

// A few thousand inputs of those that take microseconds, fewer of the others: some seconds in all, of which the short form has a sixth.
const counts = { yaml: 800, template: 2500, regex: 3000, tokenizer: 1200, onnx: 500, run: 2000, safetensors: 6000, gguf: 6000 } as const
const times = Number(process.env['FUZZ_TIMES'] ?? (isLong ? 1 : 1 / 6))
/** The clock's inputs are the long form's: now and then one of them is a pattern that takes minutes. */
const more = process.env['FUZZ_SEED'] ?? (isLong ? String(Date.now()) : null)
const seeds = ['fixed', ...(more === null ? [] : [more])]

it.each(inputTargets)('%s: gives what it should, or an error that says what is wrong', { timeout: 300_000 }, async (target) => {
  const count = Math.round((counts[target] * times) / seeds.length) * seeds.length
  for (const seed of seeds) {
    let read = 0
    for (let index = 0; index < count / seeds.length; index++) {
      const { failure, wasRead } = await (await prepare(seed, target, index)).run()
      if (failure !== null) expect.fail(`input ${index} of seed '${seed}': ${failure}`)
      if (wasRead) read += 1
    }
    // Code that refuses everything would pass otherwise, and damage that is none would find nothing.
    expect(read).toBeGreaterThan(count / seeds.length / 50)
    expect(read).toBeLessThan(count / seeds.length)
  }
  console.info(`fuzz: ${target}, ${count} inputs of the seeds ${seeds.join(', ')}`)
})

it('makes the same inputs from the same seed', async () => {
  for (const target of inputTargets) {
    const [one, again, other] = await Promise.all([prepare('s', target, 7), prepare('s', target, 7), prepare('t', target, 7)])
    expect(again.bytes).toEqual(one.bytes)
    expect(other.bytes).not.toEqual(one.bytes)
  }
})
