/** A folder that takes a run to a cluster: the run's own straight line up to its requests, written out instead of answered. */
import type { Parallelism } from '../../analysis/cluster/commands.ts'
import type { ExpectedTask } from '../../analysis/cluster/expected.ts'
import { browserFolder, dtypeNote, folderTexts } from '../../analysis/cluster/folder.ts'
import type { RowFiles } from '../../analysis/cluster/task-files.ts'
import { isEvalError, type Json } from '../../base/errors.ts'
import type { LeafTask } from '../../contracts/built-task.ts'
import type { ModelDescription, RepoFile } from '../../contracts/models.ts'
import type { DatasetReference, Table } from '../../contracts/rows.ts'
import type { RunSettings, TaskFile } from '../../contracts/run-settings.ts'
import { bytesFile } from '../../data/dataset/data-file.ts'
import { resolveDtype } from '../../engines/graph/dtypes.ts'
import { sanitizeModelName } from '../../harness/results/file-names.ts'
import { docsOfTable } from '../../python/cells.ts'
import { jsonDumps } from '../../python/value.ts'
import type { ClusterFolder } from '../../rpc/run-worker-api.ts'
import type { DataWorker } from '../inputs/data-worker.ts'
import type { ModelRepo } from '../model/model-source.ts'
import type { Evaluation, ResolvedModel } from '../ports.ts'
import { taskMetadata } from './task-metadata.ts'

export interface ClusterSources extends Pick<Evaluation, 'text' | 'data' | 'bundledTasks' | 'signal'> {
  readonly decoder: Pick<DataWorker, 'decode'>
  /** Whether a dataset's rows are the user's own files or lie beside the page: lm_eval can't fetch those. */
  readonly isHere: (dataset: DatasetReference) => Promise<boolean>
  readonly openModel: () => Promise<{
    readonly repo: ModelRepo
    readonly resolved: ResolvedModel
    readonly place: 'bundled' | 'own' | 'hub'
  }>
}

/** Most bytes of weights that go into the folder; larger ones aren't bundled anyway. */
const maxModelBytes = 64 * 1024 * 1024

/**
 * Everything but the browser's own results. Rows that only this machine has, and rows that are joined here, go along as JSON lines; so do
 * bundled models. Throws as a run does before its model is opened, and `task/unsupported` for what lm_eval can't run.
 */
export async function makeClusterFolder(asked: RunSettings, parallelism: Parallelism, sources: ClusterSources): Promise<ClusterFolder> {
  const { text, signal } = sources
  await text.loadTasks([await sources.bundledTasks(), { name: 'given', files: asked.taskFiles }], taskMetadata(asked))
  const leaves = await text.resolve(asked.tasks, asked.numFewshot)
  const model = await sources.openModel()
  const settings = asHarnessTakes(asked, model.resolved.description)
  await text.loadTokenizer(model.resolved.tokenizerFiles, settings.modelArgs)
  const expected: ExpectedTask[] = []
  const rowFiles: TaskFile[] = []
  const rows: { [task: string]: RowFiles } = {}
  const remote: { task: string; dataset: string; commit: string | null }[] = []
  const notes: string[] = []
  for (const leaf of leaves) {
    const isHere = (await sources.isHere(leaf.dataset)) || leaf.dataset.kwargs['join'] !== undefined
    const { tables, origin } = await loadForHarness(leaf, settings, isHere, sources)
    await text.build(leaf.name, tables, settings)
    const { taskHash, docs } = await text.docHashes(leaf.name)
    expected.push({ task: leaf.name, taskHash, commit: isHere ? null : origin.commit, docs })
    if (!isHere) {
      remote.push({ task: leaf.name, dataset: leaf.dataset.path, commit: origin.commit })
      continue
    }
    const own: { [split: string]: string } = {}
    for (const [split, table] of Object.entries(tables)) {
      const path = `rows/${sanitizeModelName(leaf.name)}/${sanitizeModelName(split)}.jsonl`
      const lines = docsOfTable(table)
        .map((doc) => `${jsonDumps(doc)}\n`)
        .join('')
      own[split] = path
      rowFiles.push({ path, text: lines })
      if (!(await readsBack(lines, table, sources.decoder)))
        notes.push(
          `${path} loses something as JSON lines (dates, nested or mixed types): docs of ${leaf.name} may not have the expected hashes.`,
        )
    }
    rows[leaf.name] = own
  }
  // Metadata of the run is given on the command line there, so the files must not hold it yet.
  await text.loadTasks([await sources.bundledTasks(), { name: 'given', files: settings.taskFiles }], {})
  await text.resolve(settings.tasks, settings.numFewshot)
  const { names, files } = await text.clusterTasks(rows)
  const weights = await modelOf(model.repo, model.place, signal)
  const note = dtypeNote(settings.dtype)
  return {
    files: folderTexts({
      settings,
      tasks: names,
      model: weights.model,
      parallelism,
      taskFiles: files,
      rowFiles,
      expected,
      remote,
      notes: [...(note === null ? [] : [note]), ...weights.notes, ...notes],
    }),
    binaries: weights.files,
    browserFolder,
  }
}

/** Of the repository's own weights lm_eval would take the stored dtype where none is named; of GGUF files it wants the name of one. Throws `model/unknown-dtype`. */
function asHarnessTakes(asked: RunSettings, { format, dtypes, defaultDtype }: ModelDescription): RunSettings {
  if (format === 'onnx') return asked
  if (format === 'safetensors') return { ...asked, dtype: asked.dtype ?? defaultDtype }
  return { ...asked, dtype: resolveDtype(asked.dtype, dtypes, defaultDtype).option.file }
}

/** The harness loads the split of few-shot examples even when it shows none. Where there is no such split it isn't needed here. */
async function loadForHarness(leaf: LeafTask, settings: RunSettings, isHere: boolean, { data, signal }: ClusterSources) {
  const load = (splits: readonly string[]) => data.load(leaf.dataset, splits, settings, () => undefined, signal)
  const pool = isHere ? poolOf(leaf.config) : null
  if (pool === null || leaf.splits.includes(pool)) return load(leaf.splits)
  try {
    return await load([...leaf.splits, pool])
  } catch (error) {
    if (isEvalError(error) && ['dataset/not-found', 'dataset/empty', 'local/missing'].includes(error.code)) return load(leaf.splits)
    throw error
  }
}

function poolOf(config: Json): string | null {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return null
  // Not a list, as just seen.
  const keys = config as { readonly [key: string]: Json }
  const named = ['fewshot_split', 'training_split', 'validation_split'].map((key) => keys[key]).find((split) => typeof split === 'string')
  return typeof named === 'string' ? named : null
}

/** Whether `datasets` makes the same table of the lines; our decoder infers types as it does. */
async function readsBack(lines: string, table: Table, decoder: Pick<DataWorker, 'decode'>): Promise<boolean> {
  const bytes = new TextEncoder().encode(lines)
  const read = await decoder.decode({ format: 'json', options: {}, files: [bytesFile('rows.jsonl', () => Promise.resolve(bytes))] })
  const [before, after] = [docsOfTable(table), docsOfTable(read)]
  return before.length === after.length && before.every((doc, index) => jsonDumps(doc) === jsonDumps(after[index] ?? null))
}

/** What `pretrained` says there. */
async function modelOf(repo: ModelRepo, place: 'bundled' | 'own' | 'hub', signal: AbortSignal) {
  const { id, commit, files } = repo.snapshot
  const hasWeights = files.some(({ path }) => /\.(?:safetensors|bin)$/.test(path) && !path.startsWith('onnx/'))
  const missing = `${id} at this revision has no weights that torch or vLLM load.`
  if (place === 'hub')
    return {
      model: { path: id, commit },
      files: [],
      notes: hasWeights ? [] : [`${missing} Put the repository that its ONNX files were made from in place of it in both commands.`],
    }
  const taken = place === 'bundled' && hasWeights ? files.filter(({ path }) => !path.startsWith('onnx/')) : []
  const bytes = taken.reduce((sum, file) => sum + file.bytes, 0)
  if (taken.length === 0 || bytes > maxModelBytes)
    return {
      model: { path: 'model', commit: null },
      files: [],
      notes: [
        `${place === 'own' || hasWeights ? `${id} lies on the machine that made this folder.` : missing} Put a folder \`model\` with its config, tokenizer and safetensors here.`,
      ],
    }
  const fetchOne = async (file: RepoFile) => ({ path: `model/${file.path}`, bytes: await repo.fetch(file, () => undefined, signal) })
  return { model: { path: 'model', commit: null }, files: await Promise.all(taken.map(fetchOne)), notes: [] }
}
