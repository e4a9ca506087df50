/** Arguments of a link, a form or a file that would name another model or let its code run: refused by name, and in no file that leaves here. */
import { describe, expect, test } from 'vitest'
import { packRun } from '../../src/app/export/run-file.ts'
import { firstDocs, wholeRun, type Taken } from '../../src/app/export/take-away.ts'
import { openFiles } from '../../src/app/open/open-files.ts'
import { Catalogue } from '../../src/app/setup/catalogue.svelte.ts'
import { configToFields } from '../../src/app/setup/config-fields.ts'
import { LocalFiles } from '../../src/app/setup/local-files.svelte.ts'
import { readFields } from '../../src/app/setup/read-fields.ts'
import { defaultFields, settingsToQuery, type SetupFields } from '../../src/app/setup/setup-fields.ts'
import { SetupForm } from '../../src/app/setup/setup-form.svelte.ts'
import { refusedNames, settingsAgain } from '../../src/app/share/check-again.ts'
import { sharedResult } from '../../src/app/share/shared-result.ts'
import { checkSettings } from '../../src/rpc/checks.ts'
import { lmEvalCommand } from '../../src/settings/lm-eval-command.ts'
import { formatModelConfig, formatRunConfig } from '../../src/settings/run-config-write.ts'
import { readRunConfig } from '../../src/settings/run-config.ts'
import { reportHtml } from '../../src/ui/report/report.ts'
import { bundledFolder } from '../evaluation/bundled-folder.ts'
import { goldenFolder, originalRun, readOriginalGolden } from '../requirements/original-run.ts'
import { runManifest, runSettings, runSummary, sample } from './builders.ts'
import { createFakeClient } from './fake-client.ts'

const foreign = 'pretrained=evil/backdoor,trust_remote_code=True'
const foreignArgs = { pretrained: 'evil/backdoor', trust_remote_code: true }
const naming = ['pretrained', 'revision', 'dtype', 'gguf_file', 'trust_remote_code', 'tokenizer', 'peft', 'delta', 'lora_local_path']
const chosen = { ...defaultFields(), model: 'yardstick/pico', tasks: ['t'] }
const isClean = (text: string) => expect(text).not.toMatch(/evil|trust_remote_code|loud/)

function problems(change: Partial<SetupFields>) {
  const read = readFields({ ...chosen, ...change }, [])
  return read.ok ? [] : read.problems
}

describe('a form', () => {
  test.each(naming)('refuses the model argument %s by name', (name) => {
    expect(problems({ modelArgs: `max_length=9,${name}=x` })).toEqual([{ field: 'modelArgs', kind: 'naming', found: name }])
  })

  test('refuses them in generation arguments and metadata too, where transformers and lm_eval load by them', () => {
    expect(problems({ genKwargs: 'custom_generate=evil/x,trust_remote_code=True,temperature=0' })).toEqual([
      { field: 'genKwargs', kind: 'naming', found: 'custom_generate, trust_remote_code' },
    ])
    expect(problems({ metadata: '{"tokenizer": "evil/x", "note": 1}' })).toMatchObject([{ field: 'metadata', found: 'tokenizer' }])
    expect(problems({ modelArgs: '{" Pretrained": "evil/x"}' })).toMatchObject([{ field: 'modelArgs', kind: 'naming' }])
    expect(problems({ modelArgs: 'max_length=9,truncation=True', genKwargs: 'top_k=3', metadata: 'model=a,guess_seed=1' })).toEqual([])
  })

  test('reads vLLM’s name of the length as the harness’s', () => {
    const read = readFields({ ...chosen, modelArgs: 'max_model_len=9' }, [])
    expect(read.ok && read.settings.modelArgs).toEqual({ max_length: 9 })
  })
})

describe('a link', () => {
  test('that names another model by its arguments is refused as it opens, before anything starts', async () => {
    const client = createFakeClient()
    const form = new SetupForm(client, new Catalogue(client), new LocalFiles(client))
    await form.open({ model: 'yardstick/pocket', tasks: 'bench', model_args: foreign })
    expect(form.problems).toEqual([{ field: 'modelArgs', kind: 'naming', found: 'pretrained, trust_remote_code' }])
    expect(await form.read()).toBeNull()
  })

  test('that was shared is not run again with them', () => {
    const made = sharedResult(runManifest('r'), runSummary('r'), new Map([['bench_facts', [sample(0)]]]))
    expect(refusedNames(made)).toEqual([])
    const bad = { ...made, query: { ...made.query, model_args: foreign } }
    expect(refusedNames(bad)).toEqual(['pretrained, trust_remote_code'])
    expect(settingsAgain(bad, [])).toBeNull()
  })

  test('made here never holds them', () => {
    const query = settingsToQuery(runSettings({ modelArgs: { ...foreignArgs, max_length: 9 } }))
    expect(query['model_args']).toBe('max_length=9')
  })
})

describe('an opened file', () => {
  test('of a run’s configuration sets no model by its arguments, and says so by name', () => {
    const text = `model: hf\nmodel_args: ${foreign},dtype=float16,max_length=9,parallelize=True\ntasks: [t]\nmetadata: {tokenizer: evil/x, a: 1}\n`
    expect(configToFields(readRunConfig(text, 'c.yaml'))).toEqual({
      fields: { modelArgs: 'max_length=9', tasks: ['t'], metadata: 'a=1' },
      ignored: ['parallelize'],
      refused: ['tokenizer=evil/x', 'pretrained=evil/backdoor', 'trust_remote_code=true', 'dtype=float16'],
    })
  })

  test('of a model’s configuration sets the model by its own key, and nothing that runs code', () => {
    const text = 'model_name: a/b\nmodel_type: hf\nrevision: r\ntrust_remote_code: true\ntokenizer: evil/x\nadd_bos_token: true\n'
    expect(configToFields(readRunConfig(text, 'c.yaml'))).toEqual({
      fields: { model: 'a/b', revision: 'r', dtype: '', modelArgs: 'add_bos_token=True' },
      ignored: [],
      refused: ['trust_remote_code=true', 'tokenizer=evil/x'],
    })
  })

  test('of a whole run loses them, with a warning that names them', async () => {
    const manifest = runManifest('r')
    const settings = {
      ...manifest.settings,
      modelArgs: { ...foreignArgs, max_length: 9 },
      genKwargs: { custom_generate: 'evil/x' },
      metadata: { tokenizer: 'evil/x', a: 1 },
    }
    async function* parts() {
      await Promise.resolve()
      yield [sample(0)]
    }
    const blob = await packRun({ manifest: { ...manifest, settings }, summary: runSummary('r', { warnings: ['w'] }), samples: parts() })
    const [run] = await openFiles([{ name: 'a.gz', file: blob }], () => 'o')
    expect(run?.manifest?.settings).toMatchObject({ modelArgs: { max_length: 9 }, genKwargs: {}, metadata: { a: 1 } })
    isClean(JSON.stringify(run?.manifest))
    expect(run?.summary.warnings).toEqual([
      expect.stringMatching(/^a\.gz: Not taken: pretrained, trust_remote_code, custom_generate, tokenizer\. /),
      'w',
    ])
  })
})

test('the run worker takes no settings with them, whoever sends them', () => {
  const settings = runSettings({ model: 'yardstick/pico', tasks: ['t'] })
  expect(checkSettings(settings)).toEqual(settings)
  for (const name of naming)
    expect(() => checkSettings({ ...settings, modelArgs: { [name]: 'x' } })).toThrow(
      expect.objectContaining({ code: 'settings/invalid', message: expect.stringContaining(`model_args: Not taken: ${name}.`) as unknown }),
    )
  expect(() => checkSettings({ ...settings, genKwargs: { custom_generate: 'evil/x' } })).toThrow(/gen_kwargs: Not taken: custom_generate\./)
})

describe('of a run whose settings were kept with them before, nothing that leaves here names them', () => {
  const modelArgs = { ...foreignArgs, loud: true, max_length: 512 }

  test('neither the results', async () => {
    const tokenizer = readOriginalGolden().tokenizers['byte-level']
    if (tokenizer === undefined) throw new Error('a golden is missing')
    const run = await originalRun({ folder: goldenFolder(), tokenizer, tasks: ['mmlu_original_world_religions'], modelArgs })
    const { resultsText, resultsFile, warnings } = await run.finish(() => -1)
    isClean(resultsText)
    expect(resultsFile['config']).toMatchObject({ model_args: { pretrained: 'made/up-model', revision: 'main', max_length: 512 } })
    expect(resultsFile['model_name']).toBe('made/up-model')
    expect(warnings[0]).toBe('Model arguments without an effect here: pretrained, trust_remote_code, loud.')
  })

  test('nor the commands and configurations', () => {
    const settings = runSettings({ model: 'yardstick/pico', modelArgs })
    expect(lmEvalCommand(settings, null)).toContain('--model_args pretrained=yardstick/pico,max_length=512')
    for (const text of [lmEvalCommand(settings, null), formatRunConfig(settings), formatModelConfig(settings)]) isClean(text)
  })

  test('nor the folder for a cluster', async () => {
    const { files } = await bundledFolder({ tasks: ['yardstick_words'], limit: 1, modelArgs })
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(['run_hf.sh', 'run_vllm.sh', 'tasks/yardstick_words.yaml']))
    for (const { text } of files) isClean(text)
  })

  test('nor the report and the saved run', async () => {
    const manifest = runManifest('r', { settings: runSettings({ modelArgs }) })
    const taken: Taken = {
      source: { samplesOf: (_run, task, { offset }) => Promise.resolve({ task, offset, total: 0, samples: [] }) },
      summary: runSummary('r'),
      manifest,
      tasks: ['bench_facts'],
      withText: false,
    }
    isClean(reportHtml({ manifest, summary: taken.summary, samples: await firstDocs(taken, 1), withheld: [] }))
    const { blob } = await wholeRun(taken, manifest)
    isClean(await new Response(blob.stream().pipeThrough(new DecompressionStream('gzip'))).text())
  })
})
