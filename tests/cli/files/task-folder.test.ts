import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeMissing, findDataFiles, namedDataFiles, readTaskFolder } from '../../../src/cli/files/task-folder.ts'
import { temporaryFolder } from '../temporary-folder.ts'

function makeFolder(files: { readonly [path: string]: string }): string {
  const folder = temporaryFolder('tasks')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

describe('readTaskFolder', () => {
  it('takes YAML, suffix-less templates and Python, at every depth, by path', () => {
    const folder = makeFolder({
      'b.yaml': 'b',
      'a/_default': 'd',
      'a/_default_yaml_0.5k': 'k',
      'a/x.yml': 'x',
      'a/utils.py': 'p',
      'README.md': 'no',
      LICENSE: 'no',
      '__pycache__/y.yaml': 'no',
      'rows.jsonl': 'no',
    })
    expect(readTaskFolder(folder)).toEqual([
      { path: 'a/_default', text: 'd' },
      { path: 'a/_default_yaml_0.5k', text: 'k' },
      { path: 'a/utils.py', text: 'p' },
      { path: 'a/x.yml', text: 'x' },
      { path: 'b.yaml', text: 'b' },
    ])
  })

  it('refuses what is no folder, and a task file of more than a mebibyte', () => {
    expect(() => readTaskFolder('/no/such/folder')).toThrow('/no/such/folder is no folder')
    expect(() => readTaskFolder(makeFolder({ 'big.yaml': 'x'.repeat(1024 * 1024 + 1) }))).toThrow(/big\.yaml has 1048577 bytes/)
  })
})

describe('namedDataFiles', () => {
  it.each([
    ['dataset_kwargs: {data_files: a.jsonl}', ['a.jsonl']],
    ['dataset_kwargs:\n  data_files:\n    test: [a.jsonl, b.jsonl]\n    train: a.jsonl', ['a.jsonl', 'b.jsonl']],
    ['dataset_kwargs: {data_files: {test: "https://example.org/a.jsonl"}}', []],
    ['doc_to_text: !function utils.f\ndataset_kwargs: {data_files: a.jsonl}', ['a.jsonl']],
    ['data_files: [unclosed', []],
    ['task: x', []],
  ])('%s', (text, expected) => {
    expect(namedDataFiles(text)).toEqual(expected)
  })
})

describe('findDataFiles', () => {
  const task = (path: string): string => `dataset_kwargs: {data_files: {test: ${path}}}`

  it('prefers the caller’s folder to the one of the task file', () => {
    const tasks = makeFolder({
      'sub/t.yaml': task('rows.jsonl'),
      'sub/rows.jsonl': '',
      'sub/u.yaml': task('only.jsonl'),
      'sub/only.jsonl': '',
    })
    const caller = makeFolder({ 'rows.jsonl': '' })
    const { found, missing } = findDataFiles(readTaskFolder(tasks), tasks, caller)
    expect([...found]).toEqual([
      ['rows.jsonl', join(caller, 'rows.jsonl')],
      ['only.jsonl', join(tasks, 'sub', 'only.jsonl')],
    ])
    expect(missing).toEqual([])
  })

  it('names both places of a file that is in neither', () => {
    const tasks = makeFolder({ 't.yaml': task('data/rows.jsonl') })
    const { missing } = findDataFiles(readTaskFolder(tasks), tasks, '/caller')
    expect(missing.map(describeMissing)).toEqual([
      `t.yaml names the data file data/rows.jsonl, which is in neither place: /caller/data/rows.jsonl nor ${join(tasks, 'data', 'rows.jsonl')}`,
    ])
  })

  it('names one place once: an absolute path, or a task file in the caller’s own folder', () => {
    const tasks = makeFolder({ 't.yaml': task('rows.jsonl'), 'u.yaml': task('/nowhere/rows.jsonl') })
    const { missing } = findDataFiles(readTaskFolder(tasks), tasks, tasks)
    expect(missing.map(describeMissing)).toEqual([
      `t.yaml names the data file rows.jsonl, which is not there: ${join(tasks, 'rows.jsonl')}`,
      'u.yaml names the data file /nowhere/rows.jsonl, which is not there',
    ])
  })

  it('takes an absolute path as it is', () => {
    const data = join(makeFolder({ 'rows.jsonl': '' }), 'rows.jsonl')
    const tasks = makeFolder({ 't.yaml': task(data) })
    expect([...findDataFiles(readTaskFolder(tasks), tasks, '/caller').found]).toEqual([[data, data]])
  })
})
