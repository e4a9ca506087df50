/** The results of a whole run out of those of its shards: the same numbers, bit by bit, as if one machine had asked every doc. */
import { EvalError } from '../../base/errors.ts'
import { buildResults, type TaskOutcome } from '../../harness/results/results-file.ts'
import type { MetricValues, SampleLine } from '../../harness/results/samples-file.ts'
import { hashTask } from '../../harness/sample-hashes.ts'
import { isDict, isList, pyEquals, str, toNumber, type PyDict, type PyValue } from '../../python/value.ts'
import { lineHashes } from '../cluster/line-hashes.ts'
import type { OwnValues } from '../scores/normalized-scores.ts'
import { ownBlock } from '../scores/yardstick-block.ts'
import { mergedOwn } from './merged-own.ts'
import { readShardBlock, type ShardBlock } from './shard-block.ts'

/** A shard's results file and its samples, by task. */
export interface ShardFiles {
  /** For messages. */
  readonly name: string
  readonly results: PyDict
  readonly samples: ReadonlyMap<string, readonly ShardLine[]>
}

/** A line of a samples file, as text and as `json.loads` reads it. */
export interface ShardLine {
  readonly text: string
  readonly row: PyDict
}

export interface MissingDocs {
  readonly task: string
  readonly docs: readonly number[]
}

interface MergedRun {
  /** Shards that didn't come, by number. */
  readonly missingShards: readonly number[]
  readonly missing: readonly MissingDocs[]
  /** Null while docs are missing. */
  readonly results: PyDict | null
  /** Lines of each task's samples file, in the whole run's order. */
  readonly samples: ReadonlyMap<string, readonly string[]>
}

/** Keys of the results file in which all shards of a run are alike. */
const sameKeys = [
  'configs',
  'versions',
  'n-shot',
  'chat_template_sha',
  'system_instruction_sha',
  'fewshot_as_multiturn',
  'model_name',
  'max_length',
]
const sameConfig = [
  'model_args',
  'limit',
  'gen_kwargs',
  'bootstrap_iters',
  'random_seed',
  'numpy_seed',
  'torch_seed',
  'fewshot_seed',
  'model_sha',
]

/**
 * Puts shards together. A doc that several have is taken from the lowest shard. Throws `results/invalid` for files that are no shards, are
 * shards of different runs, or have scores that only the task's own function can add up.
 */
export function mergeShards(files: readonly ShardFiles[]): MergedRun {
  const shards = files.map((file) => ({ ...file, block: blockOf(file) })).toSorted((a, b) => a.block.index - b.block.index)
  const [first] = shards
  if (first === undefined) throw new EvalError('results/invalid', 'Wanted results files of shards, found none.')
  for (const other of shards) refuseOthers(first, other)
  const merged = [...first.block.docs].map(([task, ids]) => mergeTask(task, ids, shards))
  const missing = merged.flatMap(({ task, lost }) => (lost.length === 0 ? [] : [{ task, docs: lost }]))
  const came = new Set(shards.map(({ block }) => block.index))
  return {
    missingShards: Array.from({ length: first.block.count }, (_, at) => at + 1).filter((index) => !came.has(index)),
    missing,
    results: missing.length > 0 ? null : wholeResults(first, shards, merged),
    samples: new Map(merged.map(({ task, lines }) => [task, lines.map(({ text }) => text)])),
  }
}

type OpenShard = ShardFiles & { readonly block: ShardBlock }

function blockOf(file: ShardFiles): ShardBlock {
  const block = readShardBlock(file.results)
  if (block === null)
    throw new EvalError('results/invalid', `${file.name}: wanted the results of a shard (--shard i/n), found those of a whole run.`)
  return block
}

function refuseOthers(first: OpenShard, other: OpenShard): void {
  const refuse = (key: string): never => {
    throw new EvalError('results/invalid', `${other.name} is no shard of the run that ${first.name} is one of: '${key}' differs.`, {
      details: { key },
    })
  }
  if (first.block.count !== other.block.count || first.block.overlap !== other.block.overlap) refuse('yardstick.shard')
  for (const key of sameKeys) if (!pyEquals(first.results.get(key) ?? null, other.results.get(key) ?? null)) refuse(key)
  for (const key of sameConfig) {
    const [a, b] = [first, other].map(({ results }) => dictAt(results, 'config').get(key) ?? null)
    if (!pyEquals(a ?? null, b ?? null)) refuse(`config.${key}`)
  }
}

interface JoinedTask {
  readonly task: string
  readonly lost: readonly number[]
  readonly lines: readonly ShardLine[]
  /** Lines under the first filter: one a doc. */
  readonly rows: readonly PyDict[]
  readonly values: OwnValues
}

/** All docs under the first filter, then all under the next, as one run writes them. */
function mergeTask(task: string, ids: readonly number[], shards: readonly OpenShard[]): JoinedTask {
  const byFilter = new Map<string, Map<number, ShardLine>>()
  for (const { samples } of shards)
    for (const line of samples.get(task) ?? []) {
      const filter = str(line.row.get('filter') ?? 'none')
      const docs = byFilter.get(filter) ?? new Map<number, ShardLine>()
      byFilter.set(filter, docs)
      const id = toNumber(line.row.get('doc_id') ?? null) ?? -1
      if (!docs.has(id)) docs.set(id, line)
    }
  const filters = [...byFilter.values()]
  return {
    task,
    lost: ids.filter((id) => filters.length === 0 || filters.some((docs) => !docs.has(id))),
    lines: filters.flatMap((docs) => ids.flatMap((id) => docs.get(id) ?? [])),
    rows: ids.flatMap((id) => filters[0]?.get(id)?.row ?? []),
    values: joinValues(task, ids, shards),
  }
}

/** Our own verdicts in the whole run's order; none where a shard has them not, as files of earlier versions. */
function joinValues(task: string, ids: readonly number[], shards: readonly OpenShard[]): OwnValues {
  const asking = shards.filter(({ samples }) => (samples.get(task) ?? []).length > 0)
  const metrics = [...(asking[0]?.block.values.get(task)?.keys() ?? [])]
  return new Map(
    metrics.flatMap((metric) => {
      const known = new Map<number, number>()
      for (const { samples, block } of asking) {
        const own = block.values.get(task)?.get(metric) ?? []
        for (const [at, id] of docIdsOf(samples.get(task) ?? []).entries()) {
          const verdict = own[at]
          if (verdict !== undefined && !known.has(id)) known.set(id, verdict)
        }
      }
      const all = ids.flatMap((id) => known.get(id) ?? [])
      return all.length === ids.length ? [[metric, all] as const] : []
    }),
  )
}

/** Each doc once, in the order of the file. */
function docIdsOf(lines: readonly ShardLine[]): readonly number[] {
  return [...new Set(lines.map(({ row }) => toNumber(row.get('doc_id') ?? null) ?? -1))]
}

function wholeResults(first: OpenShard, shards: readonly OpenShard[], merged: readonly JoinedTask[]): PyDict {
  const { results, block } = first
  const outcomes = merged.map(({ task, lines }) => outcomeOf(task, lines, first))
  const made = buildResults({
    tasks: outcomes,
    groups: block.groups,
    bootstrapIters: toNumber(dictAt(results, 'config').get('bootstrap_iters') ?? null) ?? 0,
    run: { ...noRun, config: dictAt(results, 'config') },
  })
  const taken = new Set(['results', 'groups', 'n-samples', 'task_hashes'])
  const tasks = merged.flatMap(({ rows, values }, at) => {
    const outcome = outcomes[at]
    return outcome === undefined ? [] : [{ outcome, rows, values }]
  })
  const own = ownBlock(
    mergedOwn({ tasks, groups: block.groups, results: made, blocks: shards.map((shard) => dictAt(shard.results, 'yardstick')) }),
  )
  return new Map(
    [...results].map(([key, value]): [string, PyValue] => {
      if (key === 'yardstick') return [key, new Map([...mergedBlock(shards), ...own])]
      return [key, taken.has(key) ? (made.get(key) ?? value) : value]
    }),
  )
}

function outcomeOf(task: string, lines: readonly ShardLine[], { name, results, block }: OpenShard): TaskOutcome {
  const values = new Map<string, { metric: string; filter: string; items: PyValue[] }>()
  for (const { row } of lines) {
    const filter = str(row.get('filter') ?? 'none')
    const metrics = row.get('metrics') ?? null
    for (const metric of isList(metrics) ? metrics.map(str) : []) {
      const known = values.get(`${metric}\0${filter}`) ?? { metric, filter, items: [] }
      known.items.push(row.get(metric) ?? null)
      values.set(`${metric}\0${filter}`, known)
    }
  }
  const directions = dictAt(dictAt(results, 'higher_is_better'), task)
  const aggregations = [...(block.aggregations.get(task) ?? [])]
  const metrics = aggregations.map(([metric, aggregation]) => {
    if (aggregation === null || aggregation === 'brier_score')
      throw new EvalError(
        'results/invalid',
        `${name}: ${metric} of ${task} is added up from more than its samples file holds, so shards can't be merged.`,
      )
    return { name: metric, aggregation, higherIsBetter: directions.get(metric) ?? null, kwargs: new Map(), score: null }
  })
  return {
    name: task,
    alias: str(dictAt(dictAt(results, 'results'), task).get('alias') ?? task),
    config: dictAt(dictAt(results, 'configs'), task),
    version: dictAt(results, 'versions').get(task) ?? 'Yaml',
    numFewshot: toNumber(dictAt(results, 'n-shot').get(task) ?? null) ?? 0,
    metrics,
    samples: {
      lines: lines.map(sampleLine),
      values: [...values.values()] satisfies readonly MetricValues[],
      hash: hashTask(lines.map(sampleLine)),
    },
    docsOriginal: toNumber(dictAt(dictAt(results, 'n-samples'), task).get('original') ?? null) ?? lines.length,
  }
}

function sampleLine({ text, row }: ShardLine): SampleLine {
  const filtered = row.get('filtered_resps') ?? null
  return {
    docId: toNumber(row.get('doc_id') ?? null) ?? 0,
    filter: str(row.get('filter') ?? 'none'),
    metrics: new Map(),
    filtered: isList(filtered) ? filtered : [],
    steps: [],
    ...lineHashes(text),
    text,
  }
}

/** What all shards say alike, and of each what it says for itself. */
function mergedBlock(shards: readonly OpenShard[]): PyDict {
  const blocks = shards.map(({ results }) => dictAt(results, 'yardstick'))
  const [first = new Map<string, PyValue>()] = blocks
  const told = ['schema_version', 'app', 'model', 'dtype', 'tokenizer', 'datasets', 'tasks', 'functions', 'trust']
  const alike = told.filter((key) => blocks.every((block) => pyEquals(block.get(key) ?? null, first.get(key) ?? null)))
  const own = ['app', 'model', 'dtype', 'device', 'device_reason', 'adapter', 'engine', 'threads', 'scoring', 'self_check', 'plan_hash']
  return new Map<string, PyValue>([
    ...alike.map((key): [string, PyValue] => [key, first.get(key) ?? null]),
    [
      'merged_from',
      shards.map(({ block }, at): PyDict => {
        const said = own.filter((key) => !alike.includes(key)).map((key): [string, PyValue] => [key, blocks[at]?.get(key) ?? null])
        return new Map<string, PyValue>([['shard', block.index], ['of', block.count], ...said])
      }),
    ],
  ])
}

/** What `buildResults` writes of a run is taken from the shards' own files. */
const noRun = {
  startedAtSeconds: 0,
  totalSeconds: 0,
  environment: '',
  transformersVersion: '',
  lmEvalVersion: '',
  tokenizer: { pad: null, eos: null, bos: null, maxLength: 0 },
  modelSource: '',
  modelName: '',
  systemInstruction: null,
  fewshotAsMultiturn: null,
  chatTemplate: null,
  provenance: new Map<string, PyValue>(),
}

function dictAt(value: PyDict, key: string): PyDict {
  const found = value.get(key) ?? null
  return isDict(found) ? found : new Map<string, PyValue>()
}
