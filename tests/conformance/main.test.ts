import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { UsageError } from '../../src/cli/flags/flag-values.ts'
import { temporaryFolder } from '../cli/temporary-folder.ts'
import { checkConformance } from './check-conformance.ts'

const folder = temporaryFolder('conformance')
const drawn = { id: 'drawn', kind: 'pyrandom', input: { function: 'getrandbits', seed: '1', bits: [8] }, expected: { value: ['34'] } }
const endless = { ...drawn, id: 'endless', input: { function: 'random_after', seed: '1', skip: 1e15, count: 1 } }

function write(name: string, ...lines: readonly (string | object)[]): string {
  const path = join(folder, name)
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text)
  return path
}

function run(...args: readonly string[]): { readonly status: number | null; readonly lines: readonly string[]; readonly errors: string } {
  const main = join(projectFolder, 'tests/conformance/main.ts')
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', main, ...args], {
    cwd: projectFolder,
    encoding: 'utf8',
  })
  return { status, lines: stdout.trimEnd().split('\n'), errors: stderr }
}

/** The same in this process. */
async function check(...args: readonly string[]): Promise<{ readonly status: number; readonly lines: readonly string[] }> {
  const lines: string[] = []
  return { status: await checkConformance(args, (line) => lines.push(...line.split('\n'))), lines }
}

describe('npm run conformance', () => {
  it('counts what agrees, in plain and gzipped files; leaves out what is no corpus, such as the file that describes them, and says so', async () => {
    const readme = write('README.md', '# Corpora')
    const { status, lines, errors } = run(readme, write('a.jsonl', drawn), write('b.jsonl.gz', drawn, '', { ...drawn, id: 'again' }))
    expect({ status, lines }).toEqual({ status: 0, lines: ['3 passed, 0 failed'] })
    expect(errors).toContain('README.md is no .jsonl')
    await expect(check(readme)).rejects.toThrow(UsageError)
  })

  it('says of every line that fails where it is and why, and goes on behind one that loops', async () => {
    const file = write(
      'bad.jsonl',
      endless,
      { ...drawn, id: 'altered', expected: { value: ['35'] } },
      '{"id": ',
      { ...drawn, id: 'odd', kind: 'x' },
      { ...drawn, id: 'refused', expected: { error: 'ValueError' } },
      drawn,
    )
    const { status, lines } = await check('--deadline', '1', file)
    expect(lines[0]).toBe(`endless (${file}:1): not done within 1 s`)
    expect(lines[1]).toBe(`altered (${file}:2): [0]: wanted '35', found '34'`)
    expect(lines[2]).toMatch(/bad\.jsonl:3: malformed line/)
    expect(lines[3]).toBe(`odd (${file}:4): unknown kind x`)
    expect(lines[4]).toContain('wanted a refusal (ValueError)')
    expect(lines.at(-1)).toBe('1 passed, 5 failed')
    expect(status).toBe(1)
  })

  it('says in one sentence that no file was given or that one is not there', async () => {
    expect(run()).toMatchObject({ status: 1, errors: expect.stringMatching(/^No corpus file was given.*\n$/) as unknown })
    await expect(check(join(folder, 'none.jsonl'))).rejects.toThrow(/^[^\n]*none\.jsonl can't be read[^\n]*$/)
  })
})
