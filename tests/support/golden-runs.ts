/** Runs of the real harness beside this repository: their results files and sample lines. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import type { PyDict } from '../../src/python/value.ts'
import { parsePythonJson } from '../conformance/python-json.ts'
import { asDict } from './make-task.ts'

export interface GoldenRun {
  readonly id: string
  readonly results: PyDict
  /** Lines of each task's samples file, as text. */
  readonly lines: ReadonlyMap<string, readonly string[]>
}

const folder = new URL('../../../shared/goldens/smollm2-135m-instruct/', import.meta.url)

/** Every golden run; empty, with a printed reason, when they are not there. */
export function readGoldenRuns(): readonly GoldenRun[] {
  if (!existsSync(folder)) {
    console.log('skipped: the golden runs of the harness are not beside this repository')
    return []
  }
  return readdirSync(folder).map((id) => {
    const results = asDict(parsePythonJson(readFileSync(new URL(`${id}/results.json`, folder), 'utf8')))
    const names = [...asDict(results.get('configs') ?? null).keys()]
    const fileOf = (name: string) => (names.length === 1 ? `${id}/samples.jsonl` : `${id}/samples_${name}.jsonl`)
    return {
      id,
      results,
      lines: new Map(
        names.map((name) => [
          name,
          readFileSync(new URL(fileOf(name), folder), 'utf8')
            .trimEnd()
            .split('\n'),
        ]),
      ),
    }
  })
}
