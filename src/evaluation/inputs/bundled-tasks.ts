/** The task files that the app brings, as the one file that the build packs them into. */
import { EvalError } from '../../base/errors.ts'
import { bundledRoot, type TaskRoot } from '../../harness/tasks/task-files.ts'
import { check, taskPackSchema } from '../../rpc/checks.ts'

/**
 * Reads `tasks/pack.json` below the page. Throws `hub/unreachable` when nothing answers, `hub/not-found` when the app was deployed
 * without the file, and `hub/corrupt` when it is something else.
 */
export async function fetchBundledTasks(pageBase: string): Promise<TaskRoot> {
  const address = new URL('tasks/pack.json', pageBase).href
  const response = await fetch(address).catch((cause: unknown) => {
    throw new EvalError('hub/unreachable', `wanted the bundled tasks from ${address}, but nothing answered`, { cause })
  })
  if (!response.ok)
    throw new EvalError('hub/not-found', `wanted the bundled tasks from ${address}, found HTTP status ${response.status}`, {
      details: { status: response.status },
    })
  const json: unknown = await response.json().catch((cause: unknown) => {
    throw new EvalError('hub/corrupt', `wanted the bundled tasks as JSON from ${address}, found something else`, { cause })
  })
  const { files, listing } = check(taskPackSchema, json, address, 'hub/corrupt')
  return { name: bundledRoot, files: Object.entries(files).map(([path, text]) => ({ path, text })), listing }
}
