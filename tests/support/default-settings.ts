/** Run settings as nobody changed them; tests spread their own over these. */
import type { RunSettings } from '../../src/contracts/run-settings.ts'

export const defaultSettings: RunSettings = {
  model: 'made/model',
  revision: 'main',
  dtype: null,
  modelArgs: {},
  device: 'auto',
  scoring: 'fast',
  tasks: ['made'],
  taskFiles: [],
  dataFiles: {},
  numFewshot: null,
  limit: null,
  samples: null,
  applyChatTemplate: false,
  fewshotAsMultiturn: null,
  systemInstruction: null,
  genKwargs: {},
  seeds: { random: 0, numpy: 1234, torch: 1234, fewshot: 1234 },
  bootstrapIters: 100_000,
  predictOnly: false,
  metadata: {},
  useCache: true,
}
