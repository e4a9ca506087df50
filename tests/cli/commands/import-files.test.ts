import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { importFiles } from '../../../src/cli/commands/import-files.ts'
import { parseCommandLine } from '../../../src/cli/flags/args.ts'
import { UsageError } from '../../../src/cli/flags/flag-values.ts'

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

describe('import of a folder of folders', () => {
  test('finds the runs in it, as --output_path leaves them, each with its own samples', async () => {
    const place = mkdtempSync(join(tmpdir(), 'imports-'))
    for (const [model, value] of [
      ['a__one', 0.25],
      ['b__two', 0.75],
    ] as const) {
      mkdirSync(join(place, 'results', model), { recursive: true })
      const date = '2026-01-02T00-00-00'
      writeFileSync(join(place, 'results', model, `results_${date}.json`), `{"results": {"t": {"alias": "t", "acc,none": ${value}}}}`)
      writeFileSync(
        join(place, 'results', model, `samples_t_${date}.jsonl`),
        '{"doc_id": 0, "resps": [["x"]], "metrics": ["acc"], "acc": 1.0}\n',
      )
    }
    const { said, printed } = await run([place])
    expect(printed).toMatch(/0\.25[\s\S]*0\.75/)
    expect(said.match(/samples of 1 docs/g)).toHaveLength(2)
    rmSync(place, { recursive: true })
  })

  test('says of a printed list of accuracies what does not fit together, and keeps its areas', async () => {
    const list = [
      ...['astronomy', 'college_physics', 'conceptual_physics', 'high_school_physics'].map((name) => `Average accuracy 0.500 - ${name}`),
      ...['international_law', 'jurisprudence', 'professional_law'].map((name) => `Average accuracy 0.800 - ${name}`),
      'Average accuracy 0.500 - physics',
      'Average accuracy 0.750 - law',
      'Average accuracy 0.510 - STEM',
      'Average accuracy 0.760 - humanities',
      'Average accuracy: 0.650',
    ]
    writeFileSync(join(folder, 'printed.txt'), list.join('\n'))
    const { said, printed } = await run(['printed.txt'])
    expect(said).toContain('The overall number 0.65 is not the mean of the 7 subjects, 0.6286, each counting once')
    expect(said).toContain('The 2 categories, weighted by their subjects, come to 0.6171, the overall number is 0.65')
    expect(printed).toMatch(/mmlu: law\s*\|.*0\.75/)
    expect(printed).toMatch(/mmlu: STEM\s*\|.*0\.51/)
    writeFileSync(join(folder, 'fits.txt'), list.join('\n').replace('0.650', '0.629').replace('0.510', '0.500').replace('0.760', '0.800'))
    expect((await run(['fits.txt'])).said).not.toContain('Warning')
  })
})
