/** A run that is taken to lm_eval: what the folder holds, that lm_eval 0.4.13 runs it as it is, and that what comes back agrees. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readExpected } from '../../../src/analysis/cluster/expected.ts'
import { judgeReturned } from '../../../src/analysis/cluster/returned.ts'
import { openFiles } from '../../../src/app/open/open-files.ts'
import type { Json } from '../../../src/base/errors.ts'
import { readYaml } from '../../../src/python/yaml/parse.ts'
import type { ClusterFolder } from '../../../src/rpc/run-worker-api.ts'
import { bundledFolder } from '../bundled-folder.ts'

const textOf = (folder: ClusterFolder, path: string): string => folder.files.find((file) => file.path === path)?.text ?? ''
const readJson = (text: string): Json => JSON.parse(text) as Json // JSON.parse gives nothing but Json.

describe('the exported folder', () => {
  test('resolves includes and groups, and brings rows and model along', async () => {
    const folder = await bundledFolder({ tasks: ['yardstick'], limit: 2 })
    const paths = folder.files.map(({ path }) => path)
    expect(paths).toContain('tasks/yardstick.yaml')
    expect(paths).toContain('rows/yardstick_swahili/test.jsonl')
    expect(folder.files.filter(({ path }) => path.endsWith('.yaml')).some(({ text }) => text.includes('include:'))).toBe(false)
    expect(readYaml(textOf(folder, 'tasks/yardstick_swahili.yaml'), 't')).toEqual(
      expect.objectContaining({ size: expect.any(Number) as unknown }),
    )
    expect(textOf(folder, 'tasks/yardstick_swahili.yaml')).toContain('doc_to_text: "Swali: {{question}}\\nJibu:"')
    expect(textOf(folder, 'tasks/yardstick_swahili.yaml')).not.toContain('config_source')
    expect(textOf(folder, 'rows/yardstick_swahili/test.jsonl').trim().split('\n').length).toBeGreaterThan(50)
    expect(folder.binaries.map(({ path }) => path)).toContain('model/model.safetensors')
    expect(folder.binaries.some(({ path }) => path.includes('onnx'))).toBe(false)
    const { tasks } = readExpected(readJson(textOf(folder, 'expected.json')), 'expected.json')
    expect(tasks.map(({ docs }) => docs.length)).toEqual([2, 2, 2, 2, 2, 2])
  })

  test('has the commands with the model’s folder, the run’s flags and the parallel arguments', async () => {
    const folder = await bundledFolder(
      { tasks: ['yardstick_words'], numFewshot: 2, applyChatTemplate: true, modelArgs: { max_length: 512 } },
      { tensor: 2, data: 4 },
    )
    expect(textOf(folder, 'run_vllm.sh')).toMatchInlineSnapshot(`
      "#!/bin/sh
      # Paths in the task files start here.
      cd "$(dirname "$0")" || exit 1
      lm_eval \\
        --model vllm \\
        --model_args pretrained=model,dtype=float32,max_length=512,tensor_parallel_size=2,data_parallel_size=4 \\
        --tasks yardstick_words \\
        --include_path tasks \\
        --num_fewshot 2 \\
        --apply_chat_template \\
        --batch_size auto \\
        --log_samples \\
        --output_path results
      "
    `)
    expect(textOf(folder, 'run_hf.sh')).toContain('accelerate launch --num_processes 4 -m lm_eval \\\n  --model hf')
  })

  test('names the dtype that safetensors run in, and none where the ONNX files’ default was taken', async () => {
    const asked = { tasks: ['yardstick_words'], dtype: null }
    expect(textOf(await bundledFolder({ ...asked, modelFormat: 'safetensors' }), 'run_hf.sh')).toContain('pretrained=model,dtype=float32 ')
    expect(textOf(await bundledFolder(asked), 'run_hf.sh')).toContain('pretrained=model ')
  })

  test('says what can’t be repeated there, and refuses tasks that lm_eval can’t run', async () => {
    expect(textOf(await bundledFolder({ tasks: ['yardstick_words'], dtype: 'q4', limit: 1 }), 'README.md')).toContain('were q4')
    const own = {
      path: 'own.yaml',
      text: 'include: yardstick/yardstick_words.yaml\ntask: own\nyardstick:\n  choice_tokens: bare\n',
    }
    await expect(bundledFolder({ tasks: ['own'], taskFiles: [own], limit: 1 })).rejects.toMatchObject({ code: 'task/unsupported' })
  })
})

const python = process.env['YARDSTICK_PYTHON'] ?? '/opt/oracle/bin/python'
const bin = dirname(python)
const hasOracle = existsSync(join(bin, 'accelerate')) && existsSync(join(bin, 'lm_eval'))
if (!hasOracle) console.log('Skipped: no lm_eval beside the Python that YARDSTICK_PYTHON names, so no exported folder is run.')

describe.skipIf(!hasOracle)('lm_eval 0.4.13', () => {
  test('runs the folder as it is, and every hash and score comes back', { timeout: 280_000 }, async () => {
    const place = mkdtempSync(join(tmpdir(), 'cluster-'))
    try {
      const folder = await bundledFolder({ tasks: ['yardstick_facts', 'yardstick_wordproblems'], limit: 4, numFewshot: 1 })
      for (const { path, bytes } of [
        ...folder.binaries,
        ...folder.files.map(({ path, text }) => ({ path, bytes: new TextEncoder().encode(text) })),
      ]) {
        mkdirSync(dirname(join(place, path)), { recursive: true })
        writeFileSync(join(place, path), bytes)
      }
      const env = {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        HOME: place,
        HF_HUB_OFFLINE: '1',
        CUDA_VISIBLE_DEVICES: '',
        TOKENIZERS_PARALLELISM: 'false',
      }
      const parsed = spawnSync(python, ['tests/make-goldens/parse_cluster_commands.py', place], { encoding: 'utf8', env })
      expect(parsed.stderr).toBe('')
      expect(readJson(parsed.stdout)).toMatchObject({
        'run_hf.sh': { model: 'hf', tasks: ['yardstick_facts', 'yardstick_wordproblems'], limit: 4, num_fewshot: 1 },
        'run_vllm.sh': { model: 'vllm', model_args: { tensor_parallel_size: 1, data_parallel_size: 1, dtype: 'float32' } },
      })
      const run = spawnSync('sh', [join(place, 'run_hf.sh')], { encoding: 'utf8', env })
      expect(run.status, run.stderr.slice(-2000)).toBe(0)
      const [model = ''] = readdirSync(join(place, 'results'))
      const names = readdirSync(join(place, 'results', model))
      const files = names.map((name) => ({ name, file: new Blob([readFileSync(join(place, 'results', model, name))]) }))
      const [came] = await openFiles(files, () => 'came')
      const expected = readExpected(readJson(textOf(folder, 'expected.json')), 'expected.json')
      expect(judgeReturned(expected, came?.samples ?? new Map()).map(({ verdict, agree }) => [verdict, agree])).toEqual([
        ['green', 4],
        ['green', 4],
      ])
      expect(came?.summary.resultsFile['task_hashes']).toEqual(
        Object.fromEntries(expected.tasks.map(({ task, taskHash }) => [task, taskHash])),
      )
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  })
})
