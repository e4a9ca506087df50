import { describe, expect, it } from 'vitest'
import { Catalogue } from '../../../src/app/setup/catalogue.svelte.ts'
import { configToFields } from '../../../src/app/setup/config-fields.ts'
import { LocalFiles } from '../../../src/app/setup/local-files.svelte.ts'
import { SetupForm } from '../../../src/app/setup/setup-form.svelte.ts'
import { freePath, setKey } from '../../../src/app/task/task-draft.ts'
import { readRunConfig } from '../../../src/settings/run-config.ts'
import { createFakeClient } from '../fake-client.ts'

const fieldsOf = (text: string) => configToFields(readRunConfig(text, 'c.yaml'))

describe('a configuration file as fields', () => {
  it('names the model by a key of its own, with our name of the dtype', () => {
    expect(fieldsOf('model_name: a/b\nrevision: r\ndtype: bfloat16\nmax_length: 512\nparallelize: true\n')).toEqual({
      fields: { model: 'a/b', revision: 'r', dtype: 'fp32', modelArgs: 'max_length=512' },
      ignored: ['parallelize'],
      refused: [],
    })
    expect(fieldsOf('model_name: a/b\nadd_bos_token: true\n').fields).toMatchObject({
      model: 'a/b',
      revision: 'main',
      modelArgs: 'add_bos_token=True',
    })
  })

  it('takes Meta’s eval_config.yaml: model, tasks and the length by its name here, and which evaluations', () => {
    const text = 'model_name: meta-llama/Llama-3.2-1B\nevals_dataset: meta-llama/Llama-3.2-1B-evals\ntasks: meta_pretrain\nlimit: 5\n'
    const { fields, ignored } = fieldsOf(text)
    expect(fields).toMatchObject({
      model: 'meta-llama/Llama-3.2-1B',
      tasks: ['meta_pretrain_3_2'],
      limit: '5',
      seed: '42',
      modelArgs: 'max_length=8192,add_bos_token=True',
    })
    expect(fields.metadata).toContain('meta-llama/Llama-3.2-1B-evals')
    expect(ignored).not.toContain('metadata')
  })

  it('takes everything that the form has', () => {
    const text = `tasks: a,b
num_fewshot: 0
limit: 0.25
seed: 7
apply_chat_template: rag
fewshot_as_multiturn: false
system_instruction: be brief
gen_kwargs: {temperature: 0}
metadata: {guess_seed: 3}
predict_only: true
device: wasm
`
    expect(fieldsOf(text)).toEqual({
      fields: {
        tasks: ['a', 'b'],
        numFewshot: '0',
        limit: '0.25',
        seed: '7',
        applyChatTemplate: true,
        chatTemplateName: 'rag',
        fewshotAsMultiturn: 'false',
        systemInstruction: 'be brief',
        genKwargs: 'temperature=0',
        metadata: 'guess_seed=3',
        predictOnly: true,
        device: 'wasm',
      },
      ignored: [],
      refused: [],
    })
  })

  it('leaves the model as it is where the file names none', () => {
    expect(fieldsOf('model: vllm\ntasks: [a]\n').fields).toEqual({ modelArgs: '', tasks: ['a'] })
  })
})

describe('an opened folder', () => {
  it('ticks none of its tasks, and gives a run the files behind the chosen ones', async () => {
    const client = createFakeClient()
    const form = new SetupForm(client, new Catalogue(client), new LocalFiles(client))
    await form.open({})
    await form.addTaskFiles([{ path: 'mine.yaml', text: 'task: mine' }])
    const settings = await form.read()
    if (settings === null) throw new Error('the form is complete')
    expect((await form.complete(settings)).taskFiles.map(({ path }) => path)).toEqual(['mine.yaml'])
    await form.openTaskFolder({ name: 'tasks', files: [] }, () => undefined)
    expect(form.fields.tasks).toEqual(['mine'])
    expect((await form.complete(settings)).taskFiles.map(({ path }) => path)).toEqual(['mine.yaml', 'folder/behind.yaml'])
    await form.closeTaskFolder()
    expect((await form.complete(settings)).taskFiles.map(({ path }) => path)).toEqual(['mine.yaml'])
  })
})

describe('a key of a draft', () => {
  it.each([
    ['a: 1\nb: 2\n', 'a: "x"\nb: 2\n'],
    ['c: 1', 'c: 1\na: "x"\n'],
    ['', 'a: "x"\n'],
    ['a: |\n  one\n\n  two\nb: 2\n', 'a: "x"\nb: 2\n'],
    ['a:\n- one\n- two\nb: 2\n', 'a: "x"\nb: 2\n'],
    ['"a": one\n  more\n# a: comment\nb: 2\n', 'a: "x"\n# a: comment\nb: 2\n'],
    ['  a: nested\nb:\n  a: 1\n', '  a: nested\nb:\n  a: 1\na: "x"\n'],
  ])('is set in %j', (text, expected) => {
    expect(setKey(text, 'a', 'x')).toBe(expected)
  })

  it('gets a path that is free', () => {
    const files = ['t.yaml', 't_2.yaml', 'x'].map((path) => ({ path, text: '' }))
    expect([freePath('t.yaml', files), freePath('x', files), freePath('new.yaml', files)]).toEqual(['t_3.yaml', 'x_2', 'new.yaml'])
  })
})
