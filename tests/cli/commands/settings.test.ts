import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readEmbeddedModels } from '../../../src/app/setup/embedded.ts'
import { belowSecret } from '../../../src/cli/browser/origin.ts'
import { chooseModel, hubAccess, readLocalInputs, readSamples, runSettings } from '../../../src/cli/commands/settings.ts'
import { describeMissing } from '../../../src/cli/files/task-folder.ts'
import { parseCommandLine } from '../../../src/cli/flags/args.ts'
import { sameSettings } from '../../../src/settings/same-settings.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const line = (text: string) => parseCommandLine(text.split(' ').filter((word) => word !== ''))
const nothing = { modelFolder: null, judgeFolder: null, taskFiles: [], dataFiles: {}, servedFiles: new Map<string, string>(), missing: [] }
const embedded = readEmbeddedModels({
  models: [{ id: 'own/other' }, { id: 'own/pico', revisions: ['main', 'step-1'], default_dtype: 'q4' }],
  default: { model: 'own/pico', tasks: ['bench'] },
})

describe('what runs', () => {
  it('is the embedded default when nothing is named', () => {
    expect(chooseModel(line(''), embedded)).toEqual({ model: 'own/pico', revision: 'main', dtype: 'q4', tasks: ['bench'] })
  })

  it('is what is named otherwise', () => {
    expect(chooseModel(line('--model a/b --revision v1 --tasks x,y'), embedded)).toEqual({
      model: 'a/b',
      revision: 'v1',
      dtype: null,
      tasks: ['x', 'y'],
    })
  })

  it('is refused when there is nothing to run', () => {
    expect(() => chooseModel(line(''), [])).toThrow('--model')
    expect(() => chooseModel(line('--model a/b'), [])).toThrow('--tasks')
  })
})

describe('the Hub and the token', () => {
  const tokenFor = (text: string) => hubAccess(line(text), nothing, 'hf_secret').token

  it('is sent to the default Hub, and to another one only when that is said', () => {
    expect([
      tokenFor(''),
      tokenFor('--hub https://huggingface.co/'),
      tokenFor('--hub http://127.0.0.1:1'),
      tokenFor('--hub http://127.0.0.1:1 --hub_token true'),
      tokenFor('--hub http://127.0.0.1:1 --hub_token false'),
    ]).toEqual(['hf_secret', 'hf_secret', null, 'hf_secret', null])
  })

  it('never becomes part of the settings', () => {
    const settings = runSettings(line('--tasks a'), { model: 'a/b', revision: 'main', dtype: null, tasks: ['a'] }, nothing, null)
    expect(JSON.stringify(settings)).not.toContain('hf_secret')
  })
})

describe('folders', () => {
  const caller = temporaryFolder('caller')
  mkdirSync(join(caller, 'model'))
  mkdirSync(join(caller, 'tasks'))
  writeFileSync(join(caller, 'tasks', 't.yaml'), 'dataset_kwargs: {data_files: my rows.jsonl}')
  writeFileSync(join(caller, 'my rows.jsonl'), '')

  it('finds a model folder from where the command was typed, and serves it on our own origin', () => {
    const typed = line('--model ./model')
    const { modelFolder } = readLocalInputs(typed, caller)
    expect(modelFolder).toBe(join(caller, 'model'))
    expect(hubAccess(typed, { modelFolder, judgeFolder: null }, undefined).localModels).toEqual({
      './model': { base: 'http://yardstick.localhost/local-hub', id: 'local/model' },
    })
  })

  it('tells the page where folder and files are this time, and leaves the settings alone', () => {
    const typed = line('--model ./model --include_path tasks')
    const inputs = readLocalInputs(typed, caller)
    const secret = '/s3cr3t'
    expect(belowSecret(hubAccess(typed, inputs, undefined), secret)).toEqual({
      base: null,
      token: null,
      localModels: { './model': { base: 'http://yardstick.localhost/s3cr3t/local-hub', id: 'local/model' } },
      localFiles: { named: 'http://yardstick.localhost/local-files/', at: 'http://yardstick.localhost/s3cr3t/local-files/' },
    })
    const settings = runSettings(typed, { model: './model', revision: 'main', dtype: null, tasks: ['a'] }, inputs, null)
    expect(JSON.stringify(settings)).not.toContain('s3cr3t')
  })

  it('takes a name for an id when there is no such folder, but not a path', () => {
    expect(readLocalInputs(line('--model org/name'), caller).modelFolder).toBeNull()
    expect(() => readLocalInputs(line('--model ./none'), caller)).toThrow(join(caller, 'none'))
  })

  it('gives every data file an address and serves exactly those', () => {
    const { dataFiles, servedFiles } = readLocalInputs(line('--include_path tasks'), caller)
    expect(dataFiles).toEqual({ 'my rows.jsonl': 'http://yardstick.localhost/local-files/0/my%20rows.jsonl' })
    expect([...servedFiles]).toEqual([['/local-files/0/my rows.jsonl', join(caller, 'my rows.jsonl')]])
  })
})

describe('paths of task files that lead outside', () => {
  const caller = temporaryFolder('inside')
  const elsewhere = temporaryFolder('elsewhere')
  const secret = join(elsewhere, 'secret.jsonl')
  writeFileSync(secret, '{"q": "secret"}\n')
  const taskFolder = (name: string, files: { readonly [path: string]: string }) => {
    mkdirSync(join(caller, name))
    for (const [path, text] of Object.entries(files)) writeFileSync(join(caller, name, path), text)
    return name
  }
  const read = (name: string, more = '') => readLocalInputs(line(`--include_path ${name} ${more}`), caller)

  it.each([
    ['absolute', secret],
    ['climbing', relative(caller, secret)],
    ['linked', 'rows.jsonl'],
    ['folder', join('sub', 'secret.jsonl')],
  ])('are refused by name and served to nobody, unless that is allowed: %s', (name, path) => {
    taskFolder(name, { 't.yaml': `dataset_kwargs: {data_files: {test: "${path}"}}` })
    if (name === 'linked') symlinkSync(secret, join(caller, name, path))
    if (name === 'folder') symlinkSync(elsewhere, join(caller, name, 'sub'))
    const { servedFiles, missing } = read(name)
    expect([...servedFiles]).toEqual([])
    expect(missing.map(describeMissing)).toEqual([
      `t.yaml names the data file ${path}, which is ${secret}, outside the folder of the task files and the folder that the command was started in; --allow_outside true reads it all the same`,
    ])
    expect([...read(name, '--allow_outside true').servedFiles].map(([, file]) => realpathSync(file))).toEqual([secret])
  })

  it('of a task file itself are refused too, and relative ones inside ask nothing', () => {
    symlinkSync(secret, join(caller, taskFolder('link', {}), 't.yaml'))
    expect(() => read('link')).toThrow(`t.yaml is a link to ${secret}, outside the folder`)
    expect(read('link', '--allow_outside true').taskFiles).toEqual([{ path: 't.yaml', text: '{"q": "secret"}\n' }])
    mkdirSync(join(caller, taskFolder('fine', { 'base.yaml': 'task: base', 'rows.jsonl': '' }), 'sub'))
    writeFileSync(
      join(caller, 'fine', 'sub', 't.yaml'),
      'include: ../base.yaml\ndataset_kwargs: {data_files: {test: ../rows.jsonl, train: fine/rows.jsonl}}',
    )
    expect(read('fine')).toMatchObject({ missing: [], taskFiles: [{ path: 'base.yaml' }, { path: 'sub/t.yaml' }] })
    expect([...read('fine').servedFiles.values()].map((file) => relative(caller, file))).toEqual(['fine/rows.jsonl', 'fine/rows.jsonl'])
  })
})

describe('--samples', () => {
  it('is read from JSON and from a file', () => {
    const folder = temporaryFolder('samples')
    writeFileSync(join(folder, 's.json'), '{"a": [0, 2]}')
    expect(readSamples('{"a": [0, 2]}', folder)).toEqual({ a: [0, 2] })
    expect(readSamples('s.json', folder)).toEqual({ a: [0, 2] })
    expect(readSamples(null, folder)).toBeNull()
  })

  it.each([
    ['none.json', 'found none.json'],
    ['{"a": 1}', 'wanted a list of doc numbers'],
    ['{"a": [-1]}', 'found -1'],
    ['{"a": [1', '--samples:'],
  ])('refuses %s', (given, message) => {
    expect(() => readSamples(given, '/tmp')).toThrow(message)
  })
})

describe('the same settings', () => {
  const make = (text: string, dtype: string | null = null) =>
    runSettings(line(text), { model: 'a/b', revision: 'main', dtype, tasks: ['t'] }, nothing, null)

  it('is what resume looks for, whatever the cache and the order of keys', () => {
    expect(sameSettings(make('--gen_kwargs a=1,b=2', 'q4'), make('--gen_kwargs b=2,a=1 --no_cache'))).toBe(true)
    // It decides how much memory a run takes, not what it computes.
    expect(make('--keep_packed')).toMatchObject({ keepsPacked: true })
    expect(sameSettings(make('', 'q4'), make('--keep_packed', 'q4'))).toBe(true)
    expect(sameSettings(make('--limit 3'), make('--limit 4'))).toBe(false)
    expect(sameSettings(make('', 'q4'), make('', 'q8'))).toBe(false)
  })
})
