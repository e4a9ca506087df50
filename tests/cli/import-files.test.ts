import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseCommandLine, UsageError } from '../../scripts/lib/args.ts'
import { importFiles } from '../../scripts/lib/import-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'import-'))
writeFileSync(
  join(folder, 'results_2026-01-02T00-00-00.json'),
  '{"results": {"t": {"alias": "t", "acc,none": 0.5}, "u": {"acc,none": 1.0}}}',
)
writeFileSync(join(folder, 'samples_t_2026-01-02T00-00-00.jsonl'), '{"doc_id": 4, "resps": [["x"]], "metrics": ["acc"], "acc": 1.0}\n')
writeFileSync(join(folder, 'notes.txt'), 'no result')
afterAll(() => rmSync(folder, { recursive: true }))

async function run(paths: readonly string[], json = false) {
  const said: string[] = []
  const printed: string[] = []
  await importFiles(paths, { from: folder, json, say: (text) => said.push(text), print: (text) => printed.push(text) })
  return { said: said.join('\n'), printed: printed.join('\n') }
}

describe('import', () => {
  test('takes its files from the command line, and no other command does', () => {
    expect(parseCommandLine(['import', 'a.json', 'b.jsonl', '--json'])).toMatchObject({
      command: 'import',
      files: ['a.json', 'b.jsonl'],
      json: true,
    })
    expect(() => parseCommandLine(['run', 'a.json'])).toThrow(UsageError)
  })

  test('prints the table, says that nothing is verified, and which samples are missing', async () => {
    const { said, printed } = await run(['.'])
    expect(printed).toContain('|t    |')
    expect(printed).toContain('|acc   |')
    expect(said).toContain('not verified')
    expect(said).toContain('samples of 1 docs')
    expect(said).toContain('No samples came for u.')
  })

  test('prints an array with --json', async () => {
    expect(JSON.parse((await run(['results_2026-01-02T00-00-00.json'], true)).printed)).toMatchObject([
      {
        kind: 'harness',
        docs: {},
        notes: [{ kind: 'no-samples' }],
        table: {
          tasks: [
            { task: 't', value: 0.5 },
            { task: 'u', value: 1 },
          ],
        },
      },
    ])
  })

  test('refuses what is no result, what isn’t there, and nothing at all', async () => {
    await expect(run(['notes.txt'])).rejects.toMatchObject({ code: 'results/invalid' })
    await expect(run(['gone.json'])).rejects.toThrow('there is no file gone.json')
    await expect(run([])).rejects.toThrow(UsageError)
  })
})
