import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../cli/temporary-folder.ts'
import { MissingPieceError, readGoldens } from './goldens.ts'

function write(folder: string, path: string, task: string): void {
  mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, path, 'results.json'), JSON.stringify({ results: {}, spec: { id: task, task } }))
}

it('finds runs in the folder and those in the folder of each model, by the spec in their results', () => {
  const folder = temporaryFolder('goldens')
  write(folder, 'arc_easy', 'arc_easy')
  write(folder, 'gemma3/arc_easy', 'arc_easy')
  write(folder, 'qwen3/gsm8k_2shot', 'gsm8k')
  const all = readGoldens(folder, null)
  expect(all.map(({ id, spec }) => [id, spec['task']])).toEqual([
    ['arc_easy', 'arc_easy'],
    ['gemma3/arc_easy', 'arc_easy'],
    ['qwen3/gsm8k_2shot', 'gsm8k'],
  ])
  expect(readGoldens(folder, ['qwen3/gsm8k_2shot']).map(({ id }) => id)).toEqual(['qwen3/gsm8k_2shot'])
  expect(() => readGoldens(folder, ['qwen3/arc_easy'])).toThrow(MissingPieceError)
  expect(() => readGoldens(join(folder, 'qwen3', 'gsm8k_2shot'), null)).toThrow(/holds a results.json/)
})
