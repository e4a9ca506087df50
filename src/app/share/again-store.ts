/** Which shared results were run again from this tab: kept in the session's storage, so that a reload of the run's page still compares. */
import * as v from 'valibot'
import type { RunManifest } from '../../contracts/runs.ts'
import { settingsAgain, type DocAgain } from './check-again.ts'
import { unpackResult } from './link.ts'
import type { SharedResult } from './payload.ts'

const key = 'yardstick.again'
const mostKept = 4

const entrySchema = v.object({
  payload: v.string(),
  docs: v.array(
    v.object({
      task: v.string(),
      docId: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
      pick: v.string(),
      logprob: v.nullable(v.number()),
    }),
  ),
})
type Entry = v.InferOutput<typeof entrySchema>

/** Remembers that these docs of a link are run again. Without session storage only the comparison is lost. */
export function rememberAgain(payload: string, docs: readonly DocAgain[]): void {
  try {
    sessionStorage.setItem(key, JSON.stringify([{ payload, docs }, ...readEntries()].slice(0, mostKept)))
  } catch {
    // Full or forbidden.
  }
}

/** The shared result that a run repeats in part, with the docs it repeats; null for any other run. */
export async function findAgain(
  manifest: RunManifest,
): Promise<{ readonly payload: string; readonly result: SharedResult; readonly docs: readonly DocAgain[] } | null> {
  if (manifest.settings.samples === null) return null
  for (const { payload, docs } of readEntries()) {
    const result = await unpackResult(payload).catch(() => null)
    const settings = result === null ? null : settingsAgain(result, docs)
    if (result === null || settings === null || settings.model !== manifest.settings.model) continue
    if (JSON.stringify(settings.samples) === JSON.stringify(manifest.settings.samples)) return { payload, result, docs }
  }
  return null
}

function readEntries(): readonly Entry[] {
  try {
    const parsed = v.safeParse(v.array(entrySchema), JSON.parse(sessionStorage.getItem(key) ?? '[]'))
    return parsed.success ? parsed.output : []
  } catch {
    return []
  }
}
