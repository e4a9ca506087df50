/** Reads a whole run that was saved as one file (`export/run-file.ts`), line by line, each checked before it is kept. */
import * as v from 'valibot'
import { EvalError, type Json } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { ResultsTable } from '../../contracts/results.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { runManifestSchema } from '../../rpc/checks.ts'
import { jsonSchema } from '../../rpc/handshake.ts'
import { namingArgs, refusalOf, withoutNaming } from '../../settings/model-args.ts'
import { chainLine, runFileFormat, runFileVersion } from '../export/run-file.ts'
import { parseLooseJson, parseNamed } from './loose-json.ts'
import { limits, type OpenedRun } from './opened-run.ts'
import { anyNumber, count, name, ownSchema } from './own-schema.ts'
import { readLines, type NamedFile } from './read-lines.ts'

const rowSchema = v.object({
  task: name,
  alias: name,
  version: name,
  filter: name,
  nShot: name,
  metric: name,
  direction: v.picklist(['↑', '↓', '']),
  value: v.union([anyNumber, name]),
  stderr: v.nullable(v.union([v.literal('N/A'), anyNumber])),
  n: count,
})
/** The page tells rows apart by task, filter and metric. */
const rows = v.pipe(
  v.array(rowSchema),
  v.maxLength(limits.rows),
  v.check(
    (all) => new Set(all.map(({ task, filter, metric }) => `${task} ${filter} ${metric}`)).size === all.length,
    'rows that differ by task, filter or metric',
  ),
)
const tableSchema: v.GenericSchema<unknown, ResultsTable> = v.object({ tasks: rows, groups: rows })

const headSchema = v.object({
  manifest: runManifestSchema,
  results: v.object({
    runId: name,
    resultsText: v.string(),
    table: tableSchema,
    tableText: v.string(),
    warnings: v.pipe(v.array(v.string()), v.maxLength(1000)),
    own: v.exactOptional(ownSchema),
  }),
})

const tokensSchema = v.pipe(
  v.object({ ids: v.array(v.number()), texts: v.array(v.string()), logprobs: v.array(anyNumber) }),
  v.check(({ ids, texts, logprobs }) => ids.length === texts.length && ids.length === logprobs.length, 'lists of one length'),
)
const index = v.pipe(v.number(), v.safeInteger(), v.minValue(-1))
const sampleSchema: v.GenericSchema<unknown, SampleView> = v.object({
  task: name,
  docId: count,
  filter: name,
  prompt: v.string(),
  target: v.string(),
  choices: v.pipe(
    v.array(
      v.object({
        text: v.string(),
        logprob: anyNumber,
        isGreedy: v.boolean(),
        unconditional: v.nullable(anyNumber),
        tokens: v.exactOptional(tokensSchema),
      }),
    ),
    v.maxLength(limits.choices),
  ),
  gold: v.array(count),
  picks: v.nullable(v.object({ acc: index, acc_norm: index, acc_bytes: index, acc_tok: v.exactOptional(index) })),
  generated: v.array(v.string()),
  filterSteps: v.exactOptional(v.array(v.object({ name: v.string(), outputs: v.array(v.string()) }))),
  metrics: v.record(v.string(), jsonSchema),
  line: v.string(),
  own: v.exactOptional(
    v.object({
      shots: v.number(),
      fits: v.boolean(),
      probabilities: v.nullable(v.array(anyNumber)),
      mass: v.nullable(anyNumber),
      csv: v.nullable(v.string()),
    }),
  ),
})
const endSchema = v.object({ end: v.object({ samples: count, chain: v.string() }) })

/** True when a file begins as ours do. */
export function isRunFile(beginning: string): boolean {
  return beginning.startsWith(`{"format":"${runFileFormat}"`)
}

/** Reads the run. Throws `results/invalid` for a newer version, a cut or changed file, and anything of another form, with the line. */
export async function readRunFile(file: NamedFile, id: string): Promise<OpenedRun> {
  const samples = new Map<string, SampleView[]>()
  let head: v.InferOutput<typeof headSchema> | null = null
  let end: v.InferOutput<typeof endSchema>['end'] | null = null
  let chain = ''
  let total = 0
  for await (const { number, text } of readLines(file)) {
    const where = `${file.name}, line ${number}`
    if (end !== null) throw new EvalError('results/invalid', `${where}: wanted nothing after the last line, found more.`)
    const value = parseNamed(parseLooseJson, text, where)
    if (number === 1) checkVersion(value, file.name)
    else if (head === null) head = matching(headSchema, value, where)
    else if (isRecord(value) && 'end' in value) end = matching(endSchema, value, where).end
    else {
      const { sample } = matching(v.object({ sample: sampleSchema }), value, where)
      total += 1
      if (total > limits.samples) throw new EvalError('results/invalid', `${where}: wanted at most ${limits.samples} samples, found more.`)
      const list = samples.get(sample.task)
      if (list === undefined) samples.set(sample.task, [sample])
      else list.push(sample)
    }
    if (end === null) chain = chainLine(chain, text)
  }
  if (head === null || end === null) throw new EvalError('results/invalid', `${file.name} was cut: its last line is missing.`)
  if (end.chain !== chain || end.samples !== total)
    throw new EvalError('results/invalid', `${file.name} was changed or damaged: its checksum isn't that of its content.`)
  const resultsFile = parseLooseJson(head.results.resultsText)
  if (!isRecord(resultsFile)) throw new EvalError('results/invalid', `${file.name}: wanted a results file in it, found something else.`)
  const { manifest, results } = head
  const { modelArgs, genKwargs, metadata } = manifest.settings
  const refused = [...namingArgs(modelArgs), ...namingArgs(genKwargs), ...namingArgs(metadata, 'metadata')]
  const settings = {
    ...manifest.settings,
    modelArgs: withoutNaming(modelArgs),
    genKwargs: withoutNaming(genKwargs),
    metadata: withoutNaming(metadata, 'metadata'),
  }
  const isWithheld = [...samples.values()].some((list) => list.some(({ line }) => line.endsWith('"text_withheld":true}')))
  return {
    id,
    files: [file.name],
    kind: 'whole-run',
    manifest: { ...manifest, settings },
    summary: {
      ...results,
      ...(refused.length === 0 ? {} : { warnings: [`${file.name}: ${refusalOf(refused)}`, ...results.warnings] }),
      runId: id,
      resultsFile,
    },
    samples,
    facts: [],
    notes: isWithheld ? [{ kind: 'text-withheld' }] : [],
  }
}

function checkVersion(value: Json, file: string): void {
  const version = isRecord(value) ? value['version'] : null
  if (version === runFileVersion) return
  const isNewer = typeof version === 'number' && version > runFileVersion
  throw new EvalError(
    'results/invalid',
    `${file}: wanted version ${runFileVersion} of the run file, found ${JSON.stringify(version)?.slice(0, 40) ?? 'none'}${isNewer ? ': a newer version of this page made it; reload the page' : ''}.`,
  )
}

function matching<T>(schema: v.GenericSchema<unknown, T>, value: Json, where: string): T {
  const parsed = v.safeParse(schema, value, { abortEarly: true })
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  throw new EvalError(
    'results/invalid',
    `${where}: wanted ${issue.expected ?? issue.message} for '${v.getDotPath(issue) ?? 'the whole'}', found ${issue.received.slice(0, 80)}.`,
  )
}
