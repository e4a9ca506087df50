/** Checks of what crosses a worker border. A message that fails one is a bug or a foreign sender: `worker/message`, never a guess. */
import * as v from 'valibot'
import { EvalError, type ErrorCode } from '../base/errors.ts'
import type { EngineFacts } from '../contracts/engine.ts'
import type { ForwardAnswer } from '../contracts/items.ts'
import { modelFormats } from '../contracts/models.ts'
import type { RunEvent } from '../contracts/progress.ts'
import type { RunSettings } from '../contracts/run-settings.ts'
import type { RunManifest } from '../contracts/runs.ts'
import type { TaskPack } from '../harness/tasks/task-files.ts'
import { refuseNaming } from '../settings/model-args.ts'
import { jsonSchema, wireErrorSchema } from './handshake.ts'

/** A value that was checked against `schema`; else an error with `code` that names the key at fault and what was found there. */
export function check<T>(schema: v.GenericSchema<unknown, T>, value: unknown, what: string, code: ErrorCode = 'worker/message'): T {
  const parsed = v.safeParse(schema, value, { abortEarly: true })
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  const key = v.getDotPath(issue) ?? ''
  const where = key === '' ? what : `${what}: '${key}'`
  throw new EvalError(code, `${where} must be ${issue.expected ?? 'valid'}, not ${issue.received}.`, {
    details: { what, key, expected: issue.expected, received: issue.received },
  })
}

/** The result of a call across a border, checked on arrival. */
export async function checked<T>(schema: v.GenericSchema<unknown, T>, result: Promise<unknown>, what: string): Promise<T> {
  return check(schema, await result, what)
}

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const jsonObject = v.record(v.string(), jsonSchema)
const hex64 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const runIdSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(200))

/** Settings as a page, a link or the command line gives them. */
const runSettingsSchema: v.GenericSchema<unknown, RunSettings> = v.strictObject({
  model: v.pipe(v.string(), v.minLength(1)),
  revision: v.pipe(v.string(), v.minLength(1)),
  dtype: v.nullable(v.string()),
  modelFormat: v.exactOptional(v.picklist(modelFormats)),
  modelArgs: jsonObject,
  device: v.picklist(['auto', 'webgpu', 'wasm']),
  scoring: v.picklist(['reference', 'fast']),
  tasks: v.pipe(v.array(v.string()), v.minLength(1)),
  taskFiles: v.array(v.strictObject({ path: v.string(), text: v.string() })),
  dataFiles: v.record(v.string(), v.string()),
  numFewshot: v.nullable(count),
  limit: v.nullable(v.pipe(v.number(), v.gtValue(0))),
  samples: v.nullable(v.record(v.string(), v.array(count))),
  applyChatTemplate: v.union([v.boolean(), v.string()]),
  fewshotAsMultiturn: v.nullable(v.boolean()),
  systemInstruction: v.nullable(v.string()),
  genKwargs: jsonObject,
  seeds: v.strictObject({ random: v.number(), numpy: v.number(), torch: v.number(), fewshot: v.number() }),
  bootstrapIters: count,
  predictOnly: v.boolean(),
  metadata: jsonObject,
  useCache: v.boolean(),
  keepsPacked: v.exactOptional(v.literal(true)),
  noiseItems: v.exactOptional(v.pipe(count, v.minValue(1))),
  shard: v.exactOptional(
    v.pipe(
      v.strictObject({ index: v.pipe(count, v.minValue(1)), count: v.pipe(count, v.minValue(1)), overlap: count }),
      v.check(({ index, count: of }) => index <= of, 'a shard from 1 to their number'),
    ),
  ),
})

/**
 * The settings, or `settings/invalid` with the key at fault. Whoever sent them, their arguments name no model and run no code: the command
 * line has moved those that were typed there to settings of their own.
 */
export function checkSettings(value: unknown): RunSettings {
  const settings = check(runSettingsSchema, value, 'Settings', 'settings/invalid')
  refuseNaming(settings.modelArgs, 'model_args')
  refuseNaming(settings.genKwargs, 'gen_kwargs')
  return settings
}

/** The file that the build packs the bundled tasks into. */
export const taskPackSchema: v.GenericSchema<unknown, TaskPack> = v.object({
  files: v.record(v.string(), v.string()),
  listing: v.array(
    v.object({
      name: v.string(),
      root: v.string(),
      kind: v.picklist(['task', 'group', 'tag']),
      outputType: v.nullable(v.picklist(['loglikelihood', 'loglikelihood_rolling', 'multiple_choice', 'generate_until'])),
      file: v.string(),
      members: v.array(v.string()),
      dataFiles: v.array(v.string()),
    }),
  ),
})

const trial = v.object({ runTokens: count, maxAbsDiff: v.number() })

export const engineFactsSchema: v.GenericSchema<unknown, EngineFacts> = v.object({
  device: v.picklist(['webgpu', 'wasm']),
  deviceReason: v.string(),
  dtype: v.string(),
  scoring: v.picklist(['reference', 'fast']),
  scoringReason: v.exactOptional(v.string()),
  fast: v.exactOptional(
    v.object({
      layout: v.object({
        tokens: count,
        rows: count,
        packs: v.boolean(),
        shares: v.boolean(),
        textTokens: v.optional(count),
        inPlace: v.optional(v.boolean()),
        splitsAttention: v.optional(v.boolean()),
      }),
      cut: v.picklist(['hidden', 'logits']),
      check: v.object({ sequences: count, tokens: count, maxAbsDiff: v.number(), maxSumDiff: v.number() }),
      costs: v.optional(v.object({ runMs: v.number(), tokenMs: v.number() })),
    }),
  ),
  family: v.picklist(['decomposed', 'gqa', 'other']),
  attention: v.exactOptional(v.literal('eager')),
  engine: v.string(),
  threads: count,
  adapter: v.nullable(
    v.object({
      vendor: v.string(),
      architecture: v.string(),
      description: v.string(),
      isFallback: v.boolean(),
      features: v.exactOptional(v.array(v.string())),
      limits: v.exactOptional(
        v.object({
          maxBufferBytes: count,
          maxStorageBufferBindingBytes: count,
          maxWorkgroupStorageBytes: count,
          maxWorkgroupThreads: count,
          subgroupSizes: v.nullable(v.tuple([count, count])),
        }),
      ),
    }),
  ),
  switches: v.exactOptional(v.array(v.string())),
  selfCheck: v.object({
    status: v.picklist(['passed', 'limited', 'failed', 'skipped']),
    maxAbsDiff: v.nullable(v.number()),
    tolerance: v.number(),
    maxRunTokens: v.nullable(count),
    reference: v.picklist(['wasm', 'self', 'none']),
    trials: v.array(trial),
    message: v.string(),
  }),
  chunkTokens: v.nullable(count),
  isDynamicallyQuantised: v.boolean(),
  unpackedProducts: v.exactOptional(v.object({ products: count, unpacked: count, bytes: count })),
  numericClass: v.string(),
})

const token = v.nullable(v.tuple([v.string(), count]))

export const runManifestSchema: v.GenericSchema<unknown, RunManifest> = v.object({
  schemaVersion: v.literal(1),
  runId: runIdSchema,
  createdAt: v.string(),
  app: v.object({ version: v.string(), build: v.string() }),
  settings: runSettingsSchema,
  model: v.object({
    id: v.string(),
    revision: v.string(),
    commit: v.string(),
    license: v.nullable(v.string()),
    files: v.array(v.object({ path: v.string(), bytes: count, sha256: hex64 })),
    tokenizerSource: v.exactOptional(
      v.union([
        v.object({ from: v.literal('base repository'), id: v.string(), commit: v.string() }),
        v.object({ from: v.literal('weights file') }),
      ]),
    ),
  }),
  tokenizer: v.object({ sha256: v.string(), bos: token, eos: token, pad: token, chatTemplate: v.nullable(v.string()), maxLength: count }),
  engine: engineFactsSchema,
  datasets: v.record(
    v.string(),
    v.object({
      path: v.string(),
      name: v.nullable(v.string()),
      commit: v.nullable(v.string()),
      files: v.array(v.object({ path: v.string(), bytes: count, sha256: hex64 })),
      warnings: v.exactOptional(v.array(v.string())),
      isRestricted: v.exactOptional(v.literal(true)),
    }),
  ),
  tasks: v.record(v.string(), v.object({ config: jsonSchema, sha256: v.string(), warnings: v.exactOptional(v.array(v.string())) })),
  plan: v.object({ hash: v.string(), requests: count, batches: count, parts: v.exactOptional(v.array(v.string())) }),
})

const runningScore = v.object({ task: v.string(), metric: v.string(), value: v.number(), n: count, low: v.number(), high: v.number() })

/** An event of a running evaluation. */
export const runEventSchema: v.GenericSchema<unknown, RunEvent> = v.variant('type', [
  v.object({ type: v.literal('phase'), phase: v.picklist(['tasks', 'data', 'model', 'self-check', 'score', 'results']) }),
  v.object({ type: v.literal('bytes'), file: v.string(), loaded: count, total: v.nullable(count) }),
  v.object({ type: v.literal('started'), runId: runIdSchema, manifest: runManifestSchema, docsTotal: count, requestsTotal: count }),
  v.object({ type: v.literal('engine'), facts: engineFactsSchema }),
  v.object({
    type: v.literal('progress'),
    docsDone: count,
    docsTotal: count,
    requestsDone: count,
    requestsTotal: count,
    requestsKept: count,
    runs: count,
    work: v.optional(v.object({ done: v.number(), total: v.number() })),
    scores: v.array(runningScore),
  }),
  v.object({
    type: v.literal('generating'),
    task: v.string(),
    docId: count,
    tail: v.string(),
    tokens: count,
    maxTokens: v.number(),
    tokensPerSecond: v.nullable(v.number()),
  }),
  v.object({ type: v.literal('note'), message: v.string() }),
  v.object({ type: v.literal('warning'), message: v.string() }),
  v.object({
    type: v.literal('waiting'),
    what: v.picklist(['gpu', 'network', 'worker']),
    message: v.string(),
    seconds: v.nullable(v.number()),
  }),
  v.object({
    type: v.literal('done'),
    runId: v.string(),
    status: v.picklist(['running', 'complete', 'interrupted', 'failed']),
    error: v.nullable(wireErrorSchema),
  }),
])

const response = v.object({ logprob: v.number(), isGreedy: v.boolean() })

/** One forward pass's answer: as many per-token lists as answers. NaN fails: `v.number()` refuses it. */
const forwardAnswerSchema: v.GenericSchema<unknown, ForwardAnswer> = v.pipe(
  v.object({ answers: v.array(response), tokenLogprobs: v.array(v.instance(Float32Array)) }),
  v.check((answer) => answer.answers.length === answer.tokenLogprobs.length, 'as many per-token lists as answers'),
)

/** The answers to a batch of forward passes, in their order. */
export const forwardAnswersSchema: v.GenericSchema<unknown, readonly ForwardAnswer[]> = v.array(forwardAnswerSchema)
