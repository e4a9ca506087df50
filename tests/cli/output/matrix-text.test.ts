import { expect, test } from 'vitest'
import { dtypeMatrix } from '../../../src/analysis/compare/series/dtype-matrix.ts'
import { promptFans } from '../../../src/analysis/compare/series/prompt-fan.ts'
import { dtypeText, fanText } from '../../../src/cli/output/matrix-text.ts'
import { madeRun } from '../../analysis/compare/made-runs.ts'

const [right, wrong] = [
  [-1, -5],
  [-5, -1],
]

test('the dtype matrix is a row for all tasks and one for each, with what was lost and gained', () => {
  const run = (dtype: string, last: readonly number[], acc: number) =>
    madeRun(dtype, { t: { acc: [1, acc], logprobs: [right ?? [], last] } }, { dtype })
  const matrix = dtypeMatrix([run('fp32', right ?? [], 1), run('q4', wrong ?? [], 0)])
  if (matrix === null) throw new Error('the runs differ in dtype only')
  const lines = dtypeText(matrix, ['A', 'B']).split('\n')
  expect(lines[0]).toBe('Dtypes of one model, beside fp32 (A):')
  expect(lines.slice(3, 5).map((line) => line.split('|').map((cell) => cell.trim()))).toEqual([
    ['', 'q4', 'all tasks', '2', '1', '1.93e+0', '1', '0', '-0.5000', '1.0000', ''],
    ['', 'q4', 't', '2', '1', '1.93e+0', '1', '0', '-0.5000', '1.0000 (Holm)', ''],
  ])
})

test('a prompt fan says its spread beside the sampling error, and its widest pair doc by doc', () => {
  const arm = (acc: readonly number[], prompt: string) => ({ acc, prompt, docs: 'd' })
  const text = fanText(promptFans([madeRun('A', { letters: arm([1, 1, 0, 1], 'l'), texts: arm([0, 1, 0, 0], 't') })]), ['A'])
  expect(text).toContain('2 prompts over the same 4 docs, acc: spread 0.5000, sd 0.3536, sampling error 0.2500')
  expect(text).toContain('A letters less A texts, doc by doc: +0.5000 ± 0.2887, p 0.5000 (Holm over 1)')
})
