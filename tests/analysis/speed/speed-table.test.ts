import { expect, it } from 'vitest'
import { meanAndDeviation, speedOf, speedTable, speedToJson } from '../../../src/analysis/speed/speed-table.ts'
import type { DeviceSpeed } from '../../../src/contracts/device-speed.ts'

const speed: DeviceSpeed = {
  model: 'a/b|c',
  dtype: 'q4',
  bytes: 3 * 2 ** 20,
  device: 'webgpu',
  adapter: 'acme one',
  engine: 'onnxruntime-web 1.30.0 (jspi)',
  threads: 2,
  tests: [
    { name: 'pp512', tokens: 512, samples: [10, 12, 14] },
    { name: 'tg128', tokens: 128, samples: [5] },
  ],
}

it('gives the mean and the deviation of a sample, as llama-bench does', () => {
  expect(meanAndDeviation([10, 12, 14])).toEqual({ mean: 12, deviation: 2 })
  expect(meanAndDeviation([5])).toEqual({ mean: 5, deviation: 0 })
})

it('is a Markdown table whose cells no name can break', () => {
  expect(speedTable(speed).split('\n')).toEqual([
    '| model | size | backend | engine | threads | test | t/s |',
    '| --- | ---: | --- | --- | ---: | ---: | ---: |',
    '| a/b\\|c q4 | 3.00 MiB | WebGPU acme one | onnxruntime-web 1.30.0 (jspi) | 2 | pp512 | 12.00 ± 2.00 |',
    '| a/b\\|c q4 | 3.00 MiB | WebGPU acme one | onnxruntime-web 1.30.0 (jspi) | 2 | tg128 | 5.00 ± 0.00 |',
  ])
})

it('is read back from a results file, and from none that lacks it', () => {
  expect(speedOf({ yardstick: { device_speed: speedToJson(speed) } })).toEqual(speed)
  for (const file of [{}, { yardstick: {} }, { yardstick: { device_speed: { tests: 3 } } }]) expect(speedOf(file)).toBeNull()
})
