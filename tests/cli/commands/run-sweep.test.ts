import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { EvalError } from '../../../src/base/errors.ts'
import { runSweep, type Evaluate } from '../../../src/cli/commands/run-sweep.ts'
import { parseCommandLine } from '../../../src/cli/flags/args.ts'
import { UsageError } from '../../../src/cli/flags/flag-values.ts'
import { sweptRevisions } from '../../../src/cli/flags/swept-flags.ts'
import { createProgress } from '../../../src/cli/output/progress.ts'

const folder = mkdtempSync(join(tmpdir(), 'sweep-'))
afterAll(() => rmSync(folder, { recursive: true }))
const silent = createProgress({ isTerminal: false, columns: 80, write: () => undefined, now: () => 0 })

/** Scores that tell revisions apart; the task's own metadata names one revision for all, as a file written by hand may. */
function resultsOf(revision: string | null): string {
  const value = revision?.length ?? 0
  return JSON.stringify({
    results: { 'a<b': { 'acc,none': value / 100, 'acc_stderr,none': 0.01, 'acc_norm,none': value / 50, 'acc_norm_stderr,none': 'N/A' } },
    configs: { 'a<b': { metadata: { revision: 'fixed' } } },
    model_name: 'org/model',
  })
}

describe('a sweep over revisions', () => {
  test('runs one after the other and writes a table, a CSV file and a curve, by step as a number', async () => {
    const line = parseCommandLine(['--revision', 'step-1000000,step-9,main', '--output_path', folder])
    const asked: (string | null)[] = []
    const printed: string[] = []
    const evaluate: Evaluate = (one, _progress, print) => {
      asked.push(one.revision)
      print(resultsOf(one.revision))
      return Promise.resolve(0)
    }
    expect(await runSweep(line, sweptRevisions(line) ?? [], silent, (text) => printed.push(text), evaluate)).toBe(0)
    expect(asked).toEqual(['step-1000000', 'step-9', 'main'])
    const rows = printed.join('\n').split('\n')
    expect(
      rows.slice(2).map((row) =>
        row
          .split('|')
          .map((cell) => cell.trim())
          .slice(3, 8),
      ),
    ).toEqual([
      ['acc', 'step-9', '9', '0.0600', '0.0100'],
      ['acc', 'step-1000000', '1000000', '0.1200', '0.0100'],
      ['acc', 'main', '', '0.0400', '0.0100'],
      ['acc_norm', 'step-9', '9', '0.1200', 'N/A'],
      ['acc_norm', 'step-1000000', '1000000', '0.2400', 'N/A'],
      ['acc_norm', 'main', '', '0.0800', 'N/A'],
    ])
    const [place = ''] = readdirSync(join(folder, 'org__model'))
    expect(readdirSync(join(folder, 'org__model', place)).sort()).toEqual(['a_b.svg', 'scores.csv'])
    const csv = readFileSync(join(folder, 'org__model', place, 'scores.csv'), 'utf8').split('\r\n')
    expect(csv[0]).toBe('task,metric,filter,revision,step,value,stderr,low,high')
    expect(csv[1]).toMatch(/^a<b,acc,none,step-9,9,0\.06,0\.01,0\.0404\d*,0\.0795\d*$/)
    expect(csv).toHaveLength(8)
    const svg = readFileSync(join(folder, 'org__model', place, 'a_b.svg'), 'utf8')
    expect(svg).toContain('a&lt;b')
    expect(svg.match(/<polyline/g)).toHaveLength(2)
    // Two checkpoints with a step, on each of two lines.
    expect(svg.match(/<circle/g)).toHaveLength(4)
  })

  test('passes over a run that fails or never ends, says so, and shows the others', async () => {
    const line = parseCommandLine(['--revision', 'step-1,step-2,step-3,step-4', '--output_path', folder, '--json'])
    const said: string[] = []
    const heard = createProgress({ isTerminal: false, columns: 80, write: (text) => void said.push(text), now: () => 0 })
    const printed: string[] = []
    const asked: (string | null)[] = []
    const evaluate: Evaluate = (one, _progress, print) => {
      asked.push(one.revision)
      if (one.revision === 'step-2') return Promise.reject(new EvalError('engine/timeout', 'it was not done after 10 minutes'))
      if (one.revision === 'step-3') return Promise.resolve(1)
      print(resultsOf(one.revision))
      return Promise.resolve(0)
    }
    expect(await runSweep(line, sweptRevisions(line) ?? [], heard, (text) => printed.push(text), evaluate)).toBe(1)
    expect(asked).toEqual(['step-1', 'step-2', 'step-3', 'step-4'])
    expect(JSON.parse(printed.join(''))).toMatchObject({ revisions: ['step-1', 'step-4'] })
    expect(said.join('')).toMatch(/step-2: .*it was not done after 10 minutes[^]*Not complete: step-2, step-3/)
  })

  test('has nothing to show where every run fails, and ends at a wrong command line', async () => {
    const line = parseCommandLine(['--revision', 'a,b'])
    const printed: string[] = []
    const all: Evaluate = () => Promise.resolve(1)
    expect(await runSweep(line, ['a', 'b'], silent, (text) => printed.push(text), all)).toBe(1)
    expect(printed).toEqual([])
    const wrong: Evaluate = () => Promise.reject(new UsageError('said wrongly'))
    await expect(runSweep(line, ['a', 'b'], silent, () => undefined, wrong)).rejects.toThrow('said wrongly')
  })

  test('stops at a run that the user stops, with its exit code', async () => {
    const line = parseCommandLine(['--revision', 'a,b,c'])
    let runs = 0
    const evaluate: Evaluate = (one, _progress, print) => {
      runs += 1
      print(resultsOf(one.revision))
      return Promise.resolve(runs === 2 ? 130 : 0)
    }
    expect(await runSweep(line, ['a', 'b', 'c'], silent, () => undefined, evaluate)).toBe(130)
    expect(runs).toBe(2)
  })
})
