/** Where a run's time went, as its results file keeps it once its speed is measured. */
import type { Json, JsonObject } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { PassTimes } from '../../contracts/yardstick-results.ts'

/** As the results file has it, under `yardstick.pass_times`. Shares are of 1; that of dispatch is of the time inside passes, an estimate, null where it wasn't measured. */
export function passTimesToJson({ passes, insideSeconds, wallSeconds, fixedSeconds }: PassTimes): JsonObject {
  return {
    passes,
    inside_seconds: insideSeconds,
    wall_seconds: wallSeconds,
    inside_share: shareOf(insideSeconds, wallSeconds),
    dispatch_seconds: fixedSeconds,
    dispatch_share: fixedSeconds === null ? null : shareOf(fixedSeconds, insideSeconds),
  }
}

/** What stands under `yardstick.pass_times`; null where that isn't there or can't be read. */
export function passTimesOf(told: Json | undefined): PassTimes | null {
  if (!isRecord(told)) return null
  const { passes, inside_seconds: insideSeconds, wall_seconds: wallSeconds, dispatch_seconds: fixedSeconds = null } = told
  if (typeof passes !== 'number' || typeof insideSeconds !== 'number' || typeof wallSeconds !== 'number') return null
  if (fixedSeconds !== null && typeof fixedSeconds !== 'number') return null
  return { passes, insideSeconds, wallSeconds, fixedSeconds }
}

/** Clocks may put a part a hair above its whole. */
function shareOf(part: number, whole: number): number | null {
  return whole > 0 ? Math.min(1, part / whole) : null
}
