/** Runs: started, resumed, stopped, listed, deleted. */
import { EvalError } from '../../base/errors.ts'
import type { RunRow } from '../../contracts/runs.ts'
import { checkSettings } from '../../rpc/checks.ts'
import type { RunsApi } from '../../rpc/run-worker-api.ts'
import { heldRunIds, isLockHeld, runLockName } from '../../storage/locks.ts'
import type { RunInputs } from '../inputs/run-inputs.ts'
import type { KeptStore } from './kept-store.ts'
import { busyElsewhere } from './run-lock.ts'
import type { Runner } from './runner.ts'

export function serveRuns(runner: Runner, inputs: RunInputs, kept: KeptStore): RunsApi {
  const rowOf = async (runId: string): Promise<RunRow> => {
    const row = await (await kept.open()).readRun(runId)
    if (row === null) throw new EvalError('run/not-found', `There is no run ${runId} in this browser.`)
    return row
  }
  return {
    start: async (settings, onEvent) =>
      runner.run({ settings: checkSettings(settings), resumeOf: null, excluded: [], runId: null }, onEvent, false),
    resume: async (runId, onEvent, takesOver = false) => {
      const row = await rowOf(runId)
      // Said at once; whoever else begins meanwhile is told when it comes to take the lock.
      if (!takesOver && (await isLockHeld(runLockName(runId)))) throw busyElsewhere(runId)
      return runner.run({ settings: row.manifest.settings, resumeOf: row, excluded: [] }, onEvent, takesOver)
    },
    stop: async () => runner.stop(),
    checkpoint: async () => (await kept.open()).checkpoint(),
    watchKeeping: (onChange) => kept.watch(onChange),
    listRuns: async () => {
      const runs = await (await kept.open()).listRuns()
      // A run that says it is running while nobody holds its lock was cut off.
      const states = await Promise.all(runs.map(async (row) => row.status !== 'running' || (await isLockHeld(runLockName(row.runId)))))
      return runs.map((row, index) => (states[index] === true ? row : { ...row, status: 'interrupted' }))
    },
    loadResults: async (runId) => (await kept.open()).loadResults(runId),
    secondOpinion: async (runId, docs, onDocs = () => undefined) => {
      if (!Number.isInteger(docs) || docs < 1) throw new EvalError('settings/invalid', `wanted a number of docs from 1 up, found ${docs}`)
      return runner.consult(await rowOf(runId), docs, onDocs)
    },
    measureSpeed: async (what, onRound = () => undefined) =>
      'runId' in what ? runner.measureRun(await rowOf(what.runId), onRound) : runner.measure(checkSettings(what), onRound),
    deleteRun: async (runId) => {
      if (await isLockHeld(runLockName(runId))) throw busyElsewhere(runId)
      await (await kept.open()).deleteRun(runId)
    },
    eraseAll: async () => {
      const [working] = await heldRunIds()
      if (working !== undefined) throw busyElsewhere(working)
      await (await kept.open()).eraseAll()
      await (await inputs.openFiles())?.clear()
    },
  }
}
