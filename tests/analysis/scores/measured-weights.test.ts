/** What lm_eval is told of the weights that a run measured. */
import { expect, test } from 'vitest'
import { clusterCommands } from '../../../src/analysis/cluster/commands.ts'
import { settingsAsRun } from '../../../src/analysis/scores/measured-weights.ts'
import type { RunManifest } from '../../../src/contracts/runs.ts'
import type { RunSettings } from '../../../src/contracts/run-settings.ts'
import { lmEvalCommand } from '../../../src/settings/lm-eval-command.ts'
import { defaultSettings } from '../../support/default-settings.ts'

/** The settings of a run over a file, as lm_eval is told of them. */
function asRun(file: string, dtype: string, change: Partial<RunSettings> = {}): RunSettings {
  const settings = { ...defaultSettings, model: 'org/m', tasks: ['arc_easy'], ...change }
  const model = { files: [{ path: file, bytes: 1, sha256: '' }] }
  // Nothing else of a manifest is read.
  return settingsAsRun({ settings, model, engine: { dtype } } as unknown as RunManifest)
}

test.each<readonly [string, string, Partial<RunSettings>, string]>([
  ['m.Q8_0.gguf', 'Q8_0', {}, 'pretrained=org/m,gguf_file=m.Q8_0.gguf'],
  ['m.Q8_0.gguf', 'Q8_0', { dtype: 'Q8_0', modelFormat: 'gguf' }, 'pretrained=org/m,gguf_file=m.Q8_0.gguf'],
  ['q/m.Q4_K_M.gguf', 'Q4_K_M', { dtype: 'q/m.Q4_K_M.gguf' }, 'pretrained=org/m,gguf_file=q/m.Q4_K_M.gguf'],
  ['model.safetensors', 'fp32', {}, 'pretrained=org/m,dtype=float32'],
  ['onnx/model_q4.onnx', 'q4', { dtype: 'q4' }, 'pretrained=org/m'],
])('%s as %s (%j)', (file, dtype, change, wanted) => {
  const settings = asRun(file, dtype, change)
  expect(lmEvalCommand(settings, null)).toContain(`--model_args ${wanted} \\`)
})

test('vLLM, which has no gguf_file, is given the file as its model', () => {
  const settings = asRun('m.Q8_0.gguf', 'Q8_0')
  const model = { path: 'model', commit: null }
  const { hf, vllm } = clusterCommands({ settings, tasks: ['arc_easy'], model, parallelism: { tensor: 1, data: 1 } })
  expect(hf).toContain('pretrained=model,gguf_file=m.Q8_0.gguf')
  expect(vllm).toContain('pretrained=model/m.Q8_0.gguf,tensor_parallel_size=1')
})
