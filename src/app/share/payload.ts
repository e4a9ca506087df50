/**
 * What a shared link says of a run, and its check: a versioned schema in which every text is bounded and every number is in range. A
 * link comes from anybody, so nothing of it is trusted beyond this: unknown keys are dropped, and the view that shows it is read-only.
 */
import * as v from 'valibot'

const text = (longest: number) => v.pipe(v.string(), v.maxLength(longest))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const finite = v.pipe(v.number(), v.finite())
const listOf = <T extends v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>>(item: T, longest: number) =>
  v.pipe(v.array(item), v.maxLength(longest), v.readonly())

const rowSchema = v.pipe(
  v.object({
    task: text(300),
    alias: text(300),
    version: text(40),
    filter: text(200),
    nShot: text(40),
    metric: text(200),
    direction: v.picklist(['↑', '↓', '']),
    value: v.union([finite, text(40)]),
    stderr: v.nullable(v.union([finite, v.literal('N/A')])),
    n: count,
  }),
  v.readonly(),
)

/** Rows of a table; the page tells them apart by task, filter and metric, so no two may have the same. */
const rowsOf = (longest: number) =>
  v.pipe(
    v.array(rowSchema),
    v.maxLength(longest),
    v.check(
      (rows) => new Set(rows.map(({ task, filter, metric }) => `${task} ${filter} ${metric}`)).size === rows.length,
      'rows that differ by task, filter or metric',
    ),
    v.readonly(),
  )

const docsSchema = v.pipe(
  v.object({
    /** `doc_id`s; null for 0, 1, 2 … */
    ids: v.nullable(listOf(count, 200_000)),
    /** The choice with the largest summed log-probability, one base-36 digit a doc; `-` for a doc with more than 36 choices. */
    picks: v.pipe(v.string(), v.maxLength(200_000), v.regex(/^[0-9a-z-]*$/)),
    /** That choice's summed log-probability in hundredths of a nat, rounded; null where the link had no room. */
    logprobs: v.nullable(listOf(v.pipe(v.number(), v.safeInteger(), v.maxValue(0)), 200_000)),
  }),
  v.check(
    ({ ids, picks, logprobs }) => [ids, logprobs].every((list) => list === null || list.length === picks.length),
    'lists of one length',
  ),
  v.readonly(),
)

/** What was left out of a link, since it must stay short or isn't the sender's to give. */
const omissions = ['logprobs', 'picks', 'warnings', 'system-instruction'] as const

export const sharedResultSchema = v.pipe(
  v.object({
    v: v.literal(1),
    app: v.pipe(v.object({ version: text(40), build: text(80) }), v.readonly()),
    /** ISO 8601, UTC. */
    createdAt: v.pipe(text(40), v.isoTimestamp()),
    model: v.pipe(
      v.object({ id: text(300), revision: text(200), commit: text(80), license: v.nullable(text(100)), dtype: text(20) }),
      v.readonly(),
    ),
    engine: v.pipe(
      v.object({
        device: v.picklist(['webgpu', 'wasm']),
        /** Vendor and architecture of the GPU; null on WASM. Nothing that tells one machine from another. */
        adapter: v.nullable(v.pipe(v.object({ vendor: text(100), architecture: text(100) }), v.readonly())),
        scoring: v.picklist(['fast', 'reference']),
        selfCheck: v.pipe(
          v.object({
            status: v.picklist(['passed', 'limited', 'failed', 'skipped']),
            /** Nats a token. */
            maxAbsDiff: v.nullable(finite),
          }),
          v.readonly(),
        ),
      }),
      v.readonly(),
    ),
    /** The settings as the set-up page's link has them (`setup-fields.ts`), so that the same run can be set up again. */
    query: v.pipe(
      v.record(text(60), text(4000)),
      v.check((query) => Object.keys(query).length <= 40, 'at most 40 settings'),
      v.readonly(),
    ),
    tasks: rowsOf(4000),
    groups: rowsOf(1000),
    /** Per task: the hash of its config, and where its rows came from. */
    sources: listOf(
      v.pipe(v.object({ task: text(300), sha256: text(64), dataset: text(300), commit: v.nullable(text(80)) }), v.readonly()),
      1000,
    ),
    warnings: listOf(text(2000), 100),
    docs: listOf(v.pipe(v.object({ task: text(300), answers: docsSchema }), v.readonly()), 1000),
    /** True when tasks came from files of the sender's own, which the link doesn't hold. */
    hasOwnTasks: v.boolean(),
    omitted: listOf(v.picklist(omissions), omissions.length),
  }),
  v.readonly(),
)

export type SharedResult = v.InferOutput<typeof sharedResultSchema>
export type SharedDocs = v.InferOutput<typeof docsSchema>
