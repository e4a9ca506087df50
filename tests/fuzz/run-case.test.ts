import { expect, it } from 'vitest'
import { fuzzFormats, makeCase } from './cases.ts'
import { runCase } from './run-case.ts'

// The long form is `npm run fuzz`: in threads, so that a hang or a full heap is a failure and not the end.
const casesPerFormat = Number(process.env['FUZZ_CASES'] ?? 250)
const seeds = ['fixed-1', 'fixed-2', process.env['FUZZ_SEED'] ?? String(Date.now())]

it.each(fuzzFormats)('damaged %s files give the right rows or an error that says what is wrong', { timeout: 300_000 }, async (format) => {
  for (const seed of seeds) {
    let read = 0
    for (let index = 0; index < casesPerFormat; index++) {
      const { failure, wasRead } = await runCase(makeCase(seed, format, index))
      if (failure !== null) expect.fail(`case ${index} of seed '${seed}': ${failure}`)
      if (wasRead) read += 1
    }
    // A decoder that refuses everything would pass otherwise.
    expect(read).toBeGreaterThan(casesPerFormat / 20)
    expect(read).toBeLessThan(casesPerFormat)
  }
  console.info(`fuzz: ${format}, ${casesPerFormat} cases each of the seeds ${seeds.join(', ')}`)
})

it('makes the same cases from the same seed', () => {
  for (const format of fuzzFormats) expect(makeCase('s', format, 7).bytes).toEqual(makeCase('s', format, 7).bytes)
  expect(makeCase('s', 'jsonl', 7).bytes).not.toEqual(makeCase('t', 'jsonl', 7).bytes)
})
