/**
 * The viewer's indexes beside the samples that they are made of: written with a run's results, made anew where they are missing (runs of
 * earlier versions) or of another version. Nothing is computed from them, so they need no checksum and no epoch.
 */
import { DocIndexBuilder, docIndexVersion, type DocIndex, type IndexedDocs, type SearchText } from '../analysis/viewer/doc-index.ts'
import { isRecord } from '../base/guards.ts'
import type { SampleView } from '../contracts/samples.ts'
import type { Database, Transaction } from './database.ts'
import type { IndexRow } from './rows.ts'

/** A page of a task's samples, as the store reads them. */
type ReadSamples = (task: string, offset: number, count: number) => Promise<readonly SampleView[]>

const samplesAtOnce = 500

export async function putIndexes(tx: Transaction<'readwrite'>, runId: string, tasks: readonly IndexedDocs[]): Promise<void> {
  const store = tx.objectStore('indexes')
  const rows = tasks.flatMap(({ index, search }): IndexRow[] => [
    { runId, task: index.task, part: 'index', value: index },
    { runId, task: index.task, part: 'search', value: search },
  ])
  await Promise.all(rows.map((row) => store.put(row)))
}

/** The index of every task of a run, in the order of the results; none while it has no results. */
export async function docIndexesOf(database: Database, runId: string, readSamples: ReadSamples): Promise<readonly DocIndex[]> {
  const { tasks, rows } = await readRows(database, runId, 'index')
  const kept = new Map(rows.flatMap((row) => (row.part === 'index' ? [[row.task, row.value] as const] : [])))
  const missing = tasks.filter((task) => !kept.has(task))
  for (const made of await rebuild(database, { runId, tasks: missing }, readSamples)) kept.set(made.index.task, made.index)
  return tasks.flatMap((task) => kept.get(task) ?? [])
}

/** The texts of every task of a run, as `docIndexesOf`. */
export async function searchTextsOf(database: Database, runId: string, readSamples: ReadSamples): Promise<readonly SearchText[]> {
  const { tasks, rows } = await readRows(database, runId, 'search')
  const kept = new Map(rows.flatMap((row) => (row.part === 'search' ? [[row.task, row.value] as const] : [])))
  const missing = tasks.filter((task) => !kept.has(task))
  for (const made of await rebuild(database, { runId, tasks: missing }, readSamples)) kept.set(made.search.task, made.search)
  return tasks.flatMap((task) => kept.get(task) ?? [])
}

/** The indexes of some tasks out of their samples, read a part at a time. */
async function indexSamples(tasks: readonly string[], readSamples: ReadSamples): Promise<readonly IndexedDocs[]> {
  const made: IndexedDocs[] = []
  for (const task of tasks) {
    const builder = new DocIndexBuilder(task)
    for (let offset = 0; ; offset += samplesAtOnce) {
      const samples = await readSamples(task, offset, samplesAtOnce)
      for (const sample of samples) builder.add(sample)
      if (samples.length < samplesAtOnce) break
    }
    made.push(builder.finish())
  }
  return made
}

async function readRows(
  database: Database,
  runId: string,
  part: IndexRow['part'],
): Promise<{ readonly tasks: readonly string[]; readonly rows: readonly IndexRow[] }> {
  return database.transact(['results', 'indexes'], 'readonly', async (tx) => {
    const [results, rows] = await Promise.all([
      tx.objectStore('results').get(runId),
      tx.objectStore('indexes').getAll(IDBKeyRange.bound([runId, part], [runId, part, []])),
    ])
    return { tasks: Object.keys(results?.sampleCounts ?? {}), rows: rows.filter(isCurrent) }
  })
}

async function rebuild(
  database: Database,
  { runId, tasks }: { readonly runId: string; readonly tasks: readonly string[] },
  readSamples: ReadSamples,
): Promise<readonly IndexedDocs[]> {
  if (tasks.length === 0) return []
  const made = await indexSamples(tasks, readSamples)
  await database.transact(['results', 'indexes'], 'readwrite', async (tx) => {
    // The run may have been deleted meanwhile.
    if ((await tx.objectStore('results').getKey(runId)) !== undefined) await putIndexes(tx, runId, made)
  })
  return made
}

function isCurrent({ value }: { readonly value: unknown }): boolean {
  return isRecord(value) && value['version'] === docIndexVersion
}
