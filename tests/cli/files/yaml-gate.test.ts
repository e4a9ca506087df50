import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { includeOf, namedDataFiles } from '../../../src/cli/files/task-folder.ts'
import { requireReadable } from '../../../src/cli/files/yaml-gate.ts'
import { expandConfigs } from '../../../src/cli/flags/config-flags.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const names = 'dataset_kwargs: {data_files: rows.jsonl}\n'
/** Mappings as keys of mappings, which the `yaml` package prints again at every level: more than a minute for 10 kB. */
const endless = `${names}${'? '.repeat(5000)}x`
/** Deeper than the stack: once it is used up, V8 may end the process while it compiles a regular expression. */
const deep = `${names}a: ${'['.repeat(20_000)}`
/** A mapping of a mebibyte: half a second of work on a fast machine. */
const long = `${names}a: {${Array.from({ length: 45_000 }, (_, at) => `key_number_${at}: 1`).join(', ')}}`

describe('untrusted YAML in this process', () => {
  it('that would end or hold it up is refused by the parser’s own limits', () => {
    const texts = { endless, deep }
    const files = Object.entries(texts).map(([name, text]) => ({ path: `${name}.yaml`, text }))
    expect(() => requireReadable(files)).not.toThrow()
    for (const [name, text] of Object.entries(texts)) {
      const file = { path: `${name}.yaml`, text }
      expect(namedDataFiles(text)).toEqual([])
      expect(includeOf({ ...file, text: `include: a\n${text}` })).toBeNull()
      const folder = temporaryFolder('gate')
      writeFileSync(join(folder, file.path), `model: hf\n${text}`)
      expect(() => expandConfigs(['--config', file.path], folder)).toThrow(name)
    }
  })

  it('has a limit of time and of memory', () => {
    const files = Array.from({ length: 24 }, (_, at) => ({ path: `long-${at}.yaml`, text: long }))
    expect(() => requireReadable(files, { ms: 1000, heapMiB: 512 })).toThrow(/^long-\d+\.yaml: .* it takes longer than 1 s$/)
    expect(() => requireReadable(files.slice(0, 4), { ms: 60_000, heapMiB: 24 })).toThrow(/^long-\d\.yaml: .* more memory/)
  })

  it('is read as before where it is a task file, whatever the parser thinks of it', () => {
    const template = `doc_to_text: "${'{{question}} '.repeat(300)}?"\n`
    const files = [
      { path: 'a.yaml', text: `${template}include: base\n${names}` },
      { path: 'b.yaml', text: `x: &x {data_files: [y.csv]}\ndataset_kwargs: *x\n` },
      { path: 'broken.yaml', text: `${template}data_files: [unclosed` },
    ]
    expect(() => requireReadable(files)).not.toThrow()
    expect(files.map(({ text }) => namedDataFiles(text))).toEqual([['rows.jsonl'], ['y.csv'], []])
    expect(files.map((file) => includeOf(file))).toEqual(['base', null, null])
  })
})
