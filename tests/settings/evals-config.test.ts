/** Meta's eval_config.yaml (section A of docs/requirements.md): the command that it stands for, and the run that it is here. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../src/cli/flags/args.ts'
import { expandConfigs } from '../../src/cli/flags/config-flags.ts'
import { readRunConfig } from '../../src/settings/run-config.ts'
import { bundledRegistry } from '../tasks/bundled-goldens.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-evals-'))
afterAll(() => rmSync(folder, { recursive: true }))

const example = `model_name: "meta-llama/Llama-3.1-8B-Instruct" # the model
evals_dataset: "meta-llama/Llama-3.1-8B-Instruct-evals"
tasks: "meta_instruct"
tensor_parallel_size: 1
data_parallel_size: 4
gpu_memory_utilization: 0.9
max_model_len: 8192
batch_size: "auto"
output_path: "eval_results"
limit: null
verbosity: "INFO"
log_samples: true
work_dir: ./work_dir
template_dir: ./meta_template
show_config: false
`
const expand = (text: string, ...argv: readonly string[]) => {
  writeFileSync(join(folder, 'eval_config.yaml'), text)
  return expandConfigs([...argv, '--config', 'eval_config.yaml'], folder)
}

describe('eval_config.yaml', () => {
  it('A: Prints lm_eval command; --log_samples; output folder: the command that its README shows', () => {
    expect(expand(example, 'command').commands).toEqual([
      'lm_eval --model vllm --model_args pretrained=meta-llama/Llama-3.1-8B-Instruct,tensor_parallel_size=1,dtype=auto,gpu_memory_utilization=0.9,data_parallel_size=4,max_model_len=8192,add_bos_token=True,seed=42 --tasks meta_instruct --batch_size auto --output_path eval_results --include_path ./work_dir --seed 42 --log_samples',
    ])
  })

  it('follows every key: 70B on two GPUs a copy, some tasks, a limit, no samples', () => {
    const text = example
      .replaceAll('8B', '70B')
      .replace('meta_instruct', 'meta_ifeval,meta_gpqa_cot')
      .replace('size: 1', 'size: 2')
      .replace('size: 4', 'size: 1')
      .replace('limit: null', 'limit: 12')
      .replace('samples: true', 'samples: false')
      .replace('show_config: false', 'show_config: true')
      .replace('utilization: 0.9', 'utilization: 0.85')
    expect(readRunConfig(text, 'c.yaml').command).toBe(
      'lm_eval --model vllm --model_args pretrained=meta-llama/Llama-3.1-70B-Instruct,tensor_parallel_size=2,dtype=auto,gpu_memory_utilization=0.85,data_parallel_size=1,max_model_len=8192,add_bos_token=True,seed=42 --tasks meta_ifeval,meta_gpqa_cot --batch_size auto --output_path eval_results --include_path ./work_dir --seed 42 --limit 12 --show_config',
    )
    expect(parseCommandLine(expand(text).argv)).toMatchObject({ limit: 12, logSamples: false, showConfig: true })
  })

  it('is a run of the same tasks here, over the evaluations that it names', () => {
    const expanded = expand(example)
    expect(parseCommandLine(expanded.argv)).toMatchObject({
      command: 'run',
      model: 'meta-llama/Llama-3.1-8B-Instruct',
      modelArgs: { max_length: 8192, add_bos_token: true },
      tasks: ['meta_instruct'],
      seeds: { random: 42, numpy: 42, torch: 42, fewshot: 42 },
      metadata: { evals_dataset: 'meta-llama/Llama-3.1-8B-Instruct-evals' },
      outputPath: 'eval_results',
    })
    expect(expanded.notes).toHaveLength(1)
  })

  it('knows which tasks a group has for 3.2, and says when model and evaluations are of different kinds', () => {
    const text = example.replace('Llama-3.1-8B-Instruct-evals', 'Llama-3.2-3B-Instruct-evals')
    const { flags, notes, command } = readRunConfig(text, 'c.yaml')
    expect(command).toContain('--tasks meta_instruct ')
    const names = flags['tasks']
    expect(
      bundledRegistry()
        .resolve(Array.isArray(names) ? names.map(String) : [])
        .tasks.map(({ name }) => name),
    ).toEqual(['meta_mmlu', 'meta_math', 'meta_gpqa'])
    expect(notes[1]).toMatch(/what meta-llama\/Llama-3\.2-3B-Instruct had right/)
    const base = readRunConfig(text.replace('Llama-3.1-8B-Instruct', 'Llama-3.2-3B'), 'c.yaml')
    expect(base.notes[1]).toMatch(/an instruct model, which meta-llama\/Llama-3\.2-3B does not seem to be/)
  })

  it.each([
    ['evals_dataset', example.replace('Instruct-evals', 'Instruct-details'), /Llama-3\.2-3B-Instruct-evals.*found/],
    ['tasks', example.replace('meta_instruct', 'meta_bbh'), /meta_math_hard.*found meta_bbh/],
    ['tensor_parallel_size', example.replace('size: 1', 'size: none'), /a number above 0/],
    ['model_name', example.replace(/^model_name.*\n/, ''), /wanted one plain word/],
    ['output_path', example.replace('eval_results', 'x;rm'), /plain word.*x;rm/],
    ['batch_size', example.replace('auto', 'all'), /auto:N/],
    ['gpus', `${example}gpus: 3\n`, /unknown key/],
  ])('refuses a wrong %s by its name', (key, text, message) => {
    expect(() => readRunConfig(text, 'c.yaml')).toThrow(
      expect.objectContaining({
        code: 'settings/invalid',
        message: expect.stringMatching(message) as string,
        details: { file: 'c.yaml', key },
      }),
    )
  })
})
