/** What an exported folder says should come back: hashes of every doc, its prompt and its target, task by task. */
import { EvalError, type Json } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'

/** One doc, hashed as the harness does in its sample files. */
export interface DocHashes {
  readonly docId: number
  readonly docHash: string
  readonly promptHash: string
  readonly targetHash: string
}

export interface ExpectedTask {
  readonly task: string
  /** The entry of `task_hashes` in the results file. */
  readonly taskHash: string
  /** Commit of the dataset's repository; null for files. */
  readonly commit: string | null
  readonly docs: readonly DocHashes[]
}

export interface ExpectedRun {
  readonly model: string
  /** As the run was asked; null = the model's default. */
  readonly dtype: string | null
  readonly tasks: readonly ExpectedTask[]
}

const format = 'yardstick-cluster'
const version = 1

/** The name of the file below the exported folder. */
export const expectedFile = 'expected.json'

/** The file's text, one doc a line: id, then the hashes of doc, prompt and target. */
export function expectedText({ model, dtype, tasks }: ExpectedRun): string {
  const tasksText = tasks.map(({ task, taskHash, commit, docs }) => {
    const rows = docs.map(({ docId, docHash, promptHash, targetHash }) => JSON.stringify([docId, docHash, promptHash, targetHash]))
    return `{"task":${JSON.stringify(task)},"task_hash":"${taskHash}","commit":${JSON.stringify(commit)},"docs":[\n${rows.join(',\n')}\n]}`
  })
  return `{"format":"${format}","version":${version},"model":${JSON.stringify(model)},"dtype":${JSON.stringify(dtype)},"tasks":[\n${tasksText.join(',\n')}\n]}\n`
}

/** True when parsed JSON is such a file, of any version. */
export function isExpected(value: Json): boolean {
  return isRecord(value) && value['format'] === format
}

/** True when a file begins as one does, whatever its version. */
export function isExpectedBeginning(text: string): boolean {
  return new RegExp(`^\\{\\s*"format"\\s*:\\s*"${format}"`).test(text)
}

/** Reads the file. Throws `results/invalid`, naming `name` and what was wanted. */
export function readExpected(value: Json, name: string): ExpectedRun {
  const fail = (wanted: string): never => {
    throw new EvalError('results/invalid', `${name}: wanted ${wanted} in what an export of this program expects.`, {
      details: { file: name },
    })
  }
  if (!isRecord(value) || value['format'] !== format) return fail(`"format": "${format}"`)
  if (value['version'] !== version) return fail(`version ${version}`)
  const { model, dtype, tasks } = value
  if (typeof model !== 'string' || !Array.isArray(tasks)) return fail('a model and a list of tasks')
  return {
    model,
    dtype: typeof dtype === 'string' ? dtype : null,
    tasks: (tasks as readonly Json[]).map((entry): ExpectedTask => {
      if (!isRecord(entry)) return fail('an object for each task')
      const { task, task_hash: taskHash, commit, docs } = entry
      if (typeof task !== 'string' || typeof taskHash !== 'string' || !Array.isArray(docs))
        return fail('task, task_hash and docs of each task')
      return {
        task,
        taskHash,
        commit: typeof commit === 'string' ? commit : null,
        docs: (docs as readonly Json[]).map((row): DocHashes => {
          const [docId, docHash, promptHash, targetHash] = Array.isArray(row) ? (row as readonly Json[]) : []
          if (typeof docId !== 'number' || typeof docHash !== 'string' || typeof promptHash !== 'string' || typeof targetHash !== 'string')
            return fail('[doc_id, doc_hash, prompt_hash, target_hash] of each doc')
          return { docId, docHash, promptHash, targetHash }
        }),
      }
    }),
  }
}
