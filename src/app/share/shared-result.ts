/** A run as a link tells of it: scores, what they rest on, and each doc's pick; no prompt and no text of any doc. */
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import type { RunSummary } from '../../contracts/results.ts'
import { settingsToQuery } from '../setup/setup-fields.ts'
import { maxPayloadChars, packResult } from './link.ts'
import type { SharedDocs, SharedResult } from './payload.ts'

/** Builds the whole result, before anything is left out for room. `samples`: per task, in any order. */
export function sharedResult(
  manifest: RunManifest,
  summary: RunSummary,
  samples: ReadonlyMap<string, readonly SampleView[]>,
): SharedResult {
  const { model, engine, settings } = manifest
  const docs = [...samples].flatMap(([task, views]) => {
    const answers = answersOf(views)
    return answers === null ? [] : [{ task, answers }]
  })
  return {
    v: 1,
    app: { version: manifest.app.version, build: manifest.app.build },
    createdAt: manifest.createdAt,
    model: { id: model.id, revision: model.revision, commit: model.commit, license: model.license, dtype: engine.dtype },
    engine: {
      device: engine.device,
      adapter: engine.adapter === null ? null : { vendor: engine.adapter.vendor, architecture: engine.adapter.architecture },
      scoring: engine.scoring,
      selfCheck: { status: engine.selfCheck.status, maxAbsDiff: engine.selfCheck.maxAbsDiff },
    },
    query: settingsToQuery(settings),
    tasks: summary.table.tasks,
    groups: summary.table.groups,
    sources: Object.entries(manifest.tasks).map(([task, { sha256 }]) => ({
      task,
      sha256,
      dataset: manifest.datasets[task]?.path ?? '',
      commit: manifest.datasets[task]?.commit ?? null,
    })),
    warnings: summary.warnings,
    docs,
    hasOwnTasks: settings.taskFiles.length > 0,
    omitted: [],
  }
}

/** The picks of a multiple-choice task, by `doc_id`; null for another kind of task. Of several filters the first counts. */
export function answersOf(views: readonly SampleView[]): SharedDocs | null {
  const filter = views[0]?.filter
  const scored = views.filter((view) => view.filter === filter && view.picks !== null).sort((a, b) => a.docId - b.docId)
  if (scored.length === 0) return null
  const picked = scored.map(({ picks, choices }) => ({ pick: picks?.acc ?? -1, logprob: choices[picks?.acc ?? -1]?.logprob ?? 0 }))
  return {
    ids: scored.every(({ docId }, index) => docId === index) ? null : scored.map(({ docId }) => docId),
    picks: picked.map(({ pick }) => digitOf(pick)).join(''),
    logprobs: picked.every(({ logprob }) => Number.isFinite(logprob))
      ? picked.map(({ logprob }) => Math.min(0, Math.round(logprob * 100)) + 0)
      : null,
  }
}

/** One base-36 digit; `-` for what needs more. */
function digitOf(pick: number): string {
  return pick >= 0 && pick < 36 ? pick.toString(36) : '-'
}

export interface Shared {
  readonly payload: string
  readonly result: SharedResult
}

/**
 * The payload with as much as `maxChars` have room for, a link's unless told otherwise: log-probabilities go first, then picks, then warnings,
 * then the system instruction. Null when even the scores alone are too many.
 */
export async function fitPayload(whole: SharedResult, maxChars = maxPayloadChars): Promise<Shared | null> {
  let result = whole
  const smaller: readonly ((from: SharedResult) => SharedResult)[] = [
    (from) => ({
      ...from,
      docs: from.docs.map(({ task, answers }) => ({ task, answers: { ...answers, logprobs: null } })),
      omitted: [...from.omitted, 'logprobs'],
    }),
    (from) => ({ ...from, docs: [], omitted: [...from.omitted, 'picks'] }),
    (from) => ({ ...from, warnings: [], omitted: [...from.omitted, 'warnings'] }),
    (from) => ({ ...from, query: { ...from.query, system_instruction: '' }, omitted: [...from.omitted, 'system-instruction'] }),
  ]
  for (let step = 0; ; step++) {
    const payload = await packResult(result)
    if (payload.length <= maxChars) return { payload, result }
    const shrink = smaller[step]
    if (shrink === undefined) return null
    result = shrink(result)
  }
}
