import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildRegistry } from '../../src/harness/tasks/registry.ts'
import { temporaryFolder } from '../cli/temporary-folder.ts'
import { MissingPieceError, parsePythonJson, readGoldens, readGoldenSamples, type Golden } from './goldens.ts'
import { dataFilesOf, modelOf, settingsOf } from './run.ts'
import { findHarnessTasks, openTaskLibrary, taskSelector } from './tasks.ts'

function makeFolder(files: { readonly [path: string]: string }): string {
  const folder = temporaryFolder('parity')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const task = (name: string, more = ''): string => `task: ${name}\ndataset_path: x/y\ndoc_to_text: q\ndoc_to_target: a\n${more}`

const harness = makeFolder({
  'fam/_default': 'dataset_path: x/y\ndoc_to_text: q\ndoc_to_target: a\n',
  'fam/a.yaml': 'include: _default\ntask: fam_a\ntag: fam_tag\n',
  'fam/b.yaml': 'include: _default\ntask: fam_b\ntag: fam_tag\n',
  'fam/group.yaml': 'group: fam\ntask:\n  - group: inner\n    task: [fam_tag]\n  - other\n',
  'other/o.yaml': task('other'),
  'other/unneeded.yaml': task('unneeded'),
  'zz/copy.yaml': task('other', 'num_fewshot: 7\n'),
})

function golden(
  spec: { readonly [key: string]: unknown },
  specFolder = harness,
  results: { readonly [key: string]: unknown } = {},
): Golden {
  return { id: 'id', spec, specFolder, results, folder: harness }
}

const pathsFor = (spec: { readonly [key: string]: unknown }, specFolder?: string): string[] =>
  taskSelector(openTaskLibrary(harness))(golden(spec, specFolder)).files.map(({ path }) => path)

describe('taskSelector', () => {
  it('takes a task with its includes, and nothing else', () => {
    expect(pathsFor({ task: 'fam_a' })).toEqual(['fam/_default', 'fam/a.yaml'])
  })

  it('takes the members of groups and tags, inline groups too', () => {
    expect(pathsFor({ task: 'fam_tag' })).toEqual(['fam/_default', 'fam/a.yaml', 'fam/b.yaml'])
    expect(pathsFor({ task: 'fam' })).toEqual(['fam/_default', 'fam/a.yaml', 'fam/b.yaml', 'fam/group.yaml', 'other/o.yaml'])
  })

  it('resolves to the same tasks from the chosen files as from all of them', () => {
    const { files } = taskSelector(openTaskLibrary(harness))(golden({ task: 'fam' }))
    const namesFrom = (some: readonly { readonly path: string; readonly text: string }[]): string[] =>
      buildRegistry([{ name: 'given', files: some }])
        .resolve(['fam'])
        .tasks.map(({ name }) => name)
    expect(namesFrom(files)).toEqual(namesFrom(openTaskLibrary(harness).files))
    expect(namesFrom(files)).toEqual(['fam_a', 'fam_b', 'other'])
  })

  it('takes a YAML file beside the specs by the name it gives itself, and it wins over one of the harness', () => {
    const specs = makeFolder({ 'tasks/own.yaml': task('other', 'num_fewshot: 3\n') })
    const selection = taskSelector(openTaskLibrary(harness))(golden({ task: 'tasks/own.yaml' }, specs))
    expect(selection.tasks).toEqual(['other'])
    expect(selection.files.map(({ path }) => path)).toEqual(['own.yaml'])
  })

  it('puts overrides over a task and over a group', () => {
    const keyOf = (spec: { readonly [key: string]: unknown }): unknown[] => {
      const { files, tasks } = taskSelector(openTaskLibrary(harness))(golden(spec))
      const resolved = buildRegistry([{ name: 'given', files }]).resolve(tasks)
      return resolved.tasks.map(({ name, config }) => [name, config.get('doc_to_text')])
    }
    expect(keyOf({ task: 'fam_a', overrides: { doc_to_text: 'new' } })).toEqual([['fam_a', 'new']])
    expect(keyOf({ task: 'fam', overrides: { doc_to_text: 'new' } })).toEqual([
      ['fam_a', 'new'],
      ['fam_b', 'new'],
      ['other', 'new'],
    ])
    expect(() => keyOf({ task: 'fam_tag', overrides: { doc_to_text: 'new' } })).toThrow(/overrides of 'fam_tag'/)
  })

  it('says in a sentence that the task files are missing, for a task that needs them only', () => {
    const select = taskSelector(null)
    expect(() => select(golden({ task: 'arc_easy' }))).toThrow(MissingPieceError)
    const specs = makeFolder({ 'own.yaml': task('mine') })
    expect(select(golden({ task: 'own.yaml' }, specs)).tasks).toEqual(['mine'])
  })
})

describe('findHarnessTasks', () => {
  it('prefers the given folder, then LM_EVAL_TASKS, and names one that does not exist', () => {
    expect(findHarnessTasks(harness, { LM_EVAL_TASKS: '/no/such' })).toBe(harness)
    expect(findHarnessTasks(null, { LM_EVAL_TASKS: harness })).toBe(harness)
    expect(() => findHarnessTasks('/no/such', {})).toThrow(/no folder \/no\/such/)
    expect(() => findHarnessTasks(null, { LM_EVAL_TASKS: '/no/such' })).toThrow(/LM_EVAL_TASKS names \/no\/such/)
  })
})

describe('readGoldens', () => {
  const results = JSON.stringify({ configs: { t: {} }, spec: { tasks: ['from-results'] } })
  const folder = join(
    makeFolder({
      'specs.json': JSON.stringify([
        { id: 'b', task: 't' },
        { id: 'gone', task: 't' },
      ]),
      'runs/a/results.json': results,
      'runs/b/results.json': results,
      'runs/b/samples.jsonl': '{"doc_id": 0, "x": NaN, "text": "NaN"}\n',
    }),
    'runs',
  )

  it('gives the goldens in the order of the specs, one without a spec after them', () => {
    const goldens = readGoldens(folder, null)
    expect(goldens.map(({ id, spec }) => [id, spec['task']])).toEqual([
      ['b', 't'],
      ['a', 'from-results'],
    ])
    expect(goldens.flatMap((each) => (each.id === 'b' ? readGoldenSamples(each, 't') : []))).toEqual([{ doc_id: 0, x: 'NaN', text: 'NaN' }])
  })

  it('says which piece is missing', () => {
    expect(() => readGoldens('/no/such', null)).toThrow(/there is no folder \/no\/such/)
    expect(() => readGoldens(makeFolder({ x: '' }), null)).toThrow(MissingPieceError)
    expect(() => readGoldens(folder, ['a', 'nope'])).toThrow(/The golden nope is missing/)
  })
})

describe('settingsOf', () => {
  const wanted = { model: 'm/n', dtype: 'fp32', device: 'wasm', scoring: 'reference' } as const
  const selection = { tasks: ['t'], files: [], folders: new Map<string, string>() }
  const results = {
    config: { fewshot_seed: 7, bootstrap_iters: 10, model_args: { pretrained: 'org/name' } },
  }

  it('repeats the run without kept answers', () => {
    const spec = { task: 't', num_fewshot: 2, limit: 5, model_args: { max_length: 512, dtype: 'float32' }, gen_kwargs: 'max_gen_toks=8' }
    const settings = settingsOf(golden(spec, harness, results), wanted, selection, { 'a b.jsonl': '/local-files/0/a b.jsonl' })
    expect(settings).toMatchObject({
      useCache: false,
      numFewshot: 2,
      limit: 5,
      modelArgs: { max_length: 512 },
      genKwargs: { max_gen_toks: 8 },
      seeds: { random: 0, numpy: 1234, torch: 1234, fewshot: 7 },
      bootstrapIters: 10,
      applyChatTemplate: false,
      fewshotAsMultiturn: null,
    })
    expect(settings.modelArgs).toEqual({ max_length: 512 })
    expect(settings.dataFiles['a b.jsonl']).toMatch(/\/local-files\/0\/a%20b\.jsonl$/)
    expect(modelOf(golden(spec, harness, results))).toBe('org/name')
  })

  it('takes examples as turns of a chat unless the spec says no', () => {
    const chat = (spec: { readonly [key: string]: unknown }): unknown =>
      settingsOf(golden({ task: 't', apply_chat_template: true, ...spec }), wanted, selection, {}).fewshotAsMultiturn
    expect([chat({}), chat({ fewshot_as_multiturn: false }), chat({ fewshot_as_multiturn: true })]).toEqual([true, false, true])
  })
})

describe('dataFilesOf', () => {
  it('looks in the datasets folder, then beside the task file, and names a file that is nowhere', () => {
    const hub = makeFolder({ 'datasets/rows.jsonl': '{}' })
    const specs = makeFolder({
      'own.yaml': task('own', 'dataset_kwargs: {data_files: {test: datasets/rows.jsonl, train: near.jsonl}}\n'),
      'near.jsonl': '{}',
      'far/far.yaml': task('far', 'dataset_kwargs: {data_files: far.jsonl}\n'),
    })
    const own = taskSelector(null)(golden({ task: 'own.yaml' }, specs))
    expect([...dataFilesOf(own, hub)]).toEqual([
      ['datasets/rows.jsonl', join(hub, 'datasets/rows.jsonl')],
      ['near.jsonl', join(specs, 'near.jsonl')],
    ])
    const far = taskSelector(null)(golden({ task: 'far/far.yaml' }, specs))
    expect(() => dataFilesOf(far, hub)).toThrow(/far\.yaml names the data file far\.jsonl, which is in neither place/)
  })
})

it('reads the JSON that Python writes', () => {
  expect(parsePythonJson('{"a": NaN, "b": -Infinity, "c": "NaN \\" Infinity"}')).toEqual({ a: 'NaN', b: '-Infinity', c: 'NaN " Infinity' })
  expect(() => parsePythonJson('{')).toThrow(SyntaxError)
})
