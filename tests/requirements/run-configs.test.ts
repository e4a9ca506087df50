/** Rows of docs/requirements.md about configuration files and commands of whole runs: each test carries its item. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseCommandLine, type CommandLine } from '../../src/cli/flags/args.ts'
import { expandConfigs } from '../../src/cli/flags/config-flags.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { formatModelConfig, formatRunConfig, formatTaskList } from '../../src/settings/run-config-write.ts'
import { readRunConfig } from '../../src/settings/run-config.ts'
import { defaultSettings } from '../support/default-settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-configs-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The command line over files by name. */
function parse(argv: readonly string[], files: { readonly [name: string]: string }): CommandLine {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return parseCommandLine(expandConfigs(argv, folder).argv)
}

const modelFile = `model_name: meta-org/Model-8B-Instruct
trust_remote_code: false
parallelize: true
add_bos_token: true
model_type: hf
languages_supported:
  - eng
`
const taskFile = `task_name: afrimmlu_direct
task_template: afrimmlu_direct_{{language}}
wandb_project: some-project
wandb_job_type: eval
languages:
  - amh
  - no
  - yor
`
const files = { 'model.yaml': modelFile, 'tasks.yaml': taskFile }
const theirs = ['--model-config-yaml', 'model.yaml', '--task-config-yaml', 'tasks.yaml', '--eval.num-fewshot', '0', '--eval.limit', '1']

describe('the African-language suite’s configuration files', () => {
  it('C: model config yaml + task config yaml: its own command line gives model, tasks and settings', () => {
    expect(parse([...theirs, '--eval.write-out'], files)).toMatchObject({
      command: 'run',
      model: 'meta-org/Model-8B-Instruct',
      modelArgs: { add_bos_token: true },
      tasks: ['afrimmlu_direct_amh', 'afrimmlu_direct_no', 'afrimmlu_direct_yor'],
      numFewshot: 0,
      limit: 1,
      writeOut: true,
      seeds: { random: 42, numpy: 42, torch: 42, fewshot: 42 },
    })
  })

  it('C: model config yaml + task config yaml: what is typed wins, and a false argument is not passed', () => {
    const line = parse([...theirs, '--tasks', 'piqa', '--seed', '7'], {
      ...files,
      'model.yaml': modelFile.replace('bos_token: true', 'bos_token: false'),
    })
    expect(line).toMatchObject({ tasks: ['piqa'], modelArgs: {}, seeds: { fewshot: 7 } })
  })

  const settings: RunSettings = {
    ...defaultSettings,
    model: 'org/model',
    revision: 'step-125000',
    dtype: 'fp16',
    modelArgs: { add_bos_token: true, max_length: 1024 },
  }

  it('C: model config yaml + task config yaml: a model round-trips', () => {
    const written = formatModelConfig(settings)
    expect(written).toContain('model_name: org/model\nmodel_type: hf\n')
    const line = parse(['--model_config_yaml', 'out.yaml'], { 'out.yaml': written })
    expect(line).toMatchObject({ model: 'org/model', revision: 'step-125000', dtypeAsked: 'float16', modelArgs: settings.modelArgs })
    expect(readRunConfig(written, 'out.yaml').flags).toEqual({
      model: 'hf',
      model_args: { pretrained: 'org/model', revision: 'step-125000', dtype: 'float16', ...settings.modelArgs },
    })
  })

  it.each([
    [['afrimmlu_direct_amh', 'afrimmlu_direct_yor'], 'afrimmlu_direct_{{language}}', ['amh', 'yor']],
    [['sib_a_p1', 'sib_a_p2', 'sib_yo_p1', 'sib_yo_p2'], 'sib_{{language}}_p1,sib_{{language}}_p2', ['a', 'yo']],
    [['mafand_en_amh_p', 'mafand_amh_en_p'], 'mafand_{{language}}_p', ['en_amh', 'amh_en']],
    [['piqa', 'arc_easy'], 'piqa,arc_easy', ['und']],
    [['hellaswag'], 'hellaswag', ['und']],
  ])('C: model config yaml + task config yaml: the tasks %j round-trip', (tasks, template, languages) => {
    const written = formatTaskList(tasks)
    expect(written).toContain(`task_template: `)
    expect(written).toContain(template)
    for (const language of languages) expect(written).toContain(`  - ${language}\n`)
    expect(readRunConfig(written, 'tasks.yaml').flags['tasks']).toEqual(tasks)
  })
})

describe('the harness’s --config', () => {
  const yaml = `model: hf
model_args: pretrained=org/model,dtype=bfloat16
tasks: [arc_easy, 'piqa,copa']
num_fewshot: 0
limit: 0.5
apply_chat_template: true
fewshot_as_multiturn: false
gen_kwargs: {temperature: 0}
seed: [1, 2, 3, 4]
log_samples: true
output_path: out
batch_size: 8
write_out: false
`

  it('C: model config yaml + task config yaml: lm_eval’s own file gives its flags, and typed ones replace them whole', () => {
    expect(parse(['--config', 'run.yaml', '--tasks', 'sciq'], { 'run.yaml': yaml })).toMatchObject({
      model: 'org/model',
      dtypeAsked: 'bfloat16',
      tasks: ['sciq'],
      numFewshot: 0,
      limit: 0.5,
      applyChatTemplate: true,
      fewshotAsMultiturn: false,
      genKwargs: { temperature: 0 },
      seeds: { random: 1, numpy: 2, torch: 3, fewshot: 4 },
      outputPath: 'out',
      writeOut: false,
    })
    expect(parse(['prompts', '-C', 'run.yaml'], { 'run.yaml': yaml })).toMatchObject({
      command: 'prompts',
      tasks: ['arc_easy', 'piqa', 'copa'],
    })
  })

  it('C: model config yaml + task config yaml: every setting of a run round-trips through it', () => {
    const settings: RunSettings = {
      ...defaultSettings,
      model: 'org/model',
      revision: 'step-5',
      dtype: 'fp32',
      modelArgs: { max_length: 512 },
      tasks: ['a_task', 'other'],
      numFewshot: 3,
      limit: 12,
      applyChatTemplate: 'tool_use',
      fewshotAsMultiturn: false,
      systemInstruction: 'Say “yes”: no\nmore.',
      genKwargs: { temperature: 0, until: ['\n\n', 'Q:'] },
      seeds: { random: 5, numpy: 6, torch: 7, fewshot: 8 },
      predictOnly: true,
      metadata: { step: 5 },
    }
    const line = parse(['--config', 'out.yaml'], { 'out.yaml': formatRunConfig(settings, 'my tasks') })
    const { model, revision, modelArgs, tasks, numFewshot, limit, applyChatTemplate, fewshotAsMultiturn, systemInstruction } = settings
    expect(line).toMatchObject({
      model,
      revision,
      modelArgs,
      tasks,
      numFewshot,
      limit,
      applyChatTemplate,
      fewshotAsMultiturn,
      systemInstruction,
    })
    expect(line).toMatchObject({ genKwargs: settings.genKwargs, seeds: settings.seeds, predictOnly: true, metadata: settings.metadata })
    expect(line).toMatchObject({ dtypes: ['fp32'], includePath: 'my tasks', logSamples: true, outputPath: 'results' })
  })

  it.each([
    ['taskz: [a]\nmodel: hf\n', /taskz: unknown key/],
    ['task: a\noutput_type: multiple_choice\n', /wanted a configuration/],
    ['model: hf\ntasks: [a\n', /line \d+, column \d+/],
    ['tasks: [{task: a, dataset_path: b}]\n', /wanted task names as text/],
  ])('refuses %j', (text, message) => {
    expect(() => parse(['--config', 'bad.yaml'], { 'bad.yaml': text })).toThrow(message)
  })

  it('refuses a file of another kind, and one that is not there, by its name', () => {
    expect(() => parse(['--config', 'model.yaml'], files)).toThrow('model.yaml is a file for --model_config_yaml')
    expect(() => parse(['--config', 'nowhere.yaml'], {})).toThrow(/nowhere\.yaml/)
    expect(() => parse(['--config'], {})).toThrow('--config wants a file')
  })
})
