/**
 * Branches and tags of a model: `GET {base}/api/models/{id}/refs`, as huggingface_hub's `HfApi.list_repo_refs` asks it. Both lists hold objects with
 * `name`, `ref` and `targetCommit`.
 */
import { EvalError } from '../../base/errors.ts'
import type { ModelRefs } from '../../contracts/models.ts'
import { checkId, type HubClient } from './hub.ts'

/** Throws `hub/not-found` also where the Hub (a folder, a mirror) answers no such question, `hub/corrupt` for another answer, and as `snapshot`. */
export async function listRefs(hub: Pick<HubClient, 'readApi'>, id: string, signal?: AbortSignal): Promise<ModelRefs> {
  checkId(id)
  const what = `the branches and tags of model '${id}'`
  const json = await hub.readApi(`/api/models/${id}/refs`, { what, page: null, absent: `doesn't list ${what}` }, signal)
  const isObject = typeof json === 'object' && json !== null
  const branches = namesOf(isObject && 'branches' in json ? json.branches : null)
  const tags = namesOf(isObject && 'tags' in json ? json.tags : null)
  if (branches === null || tags === null)
    throw new EvalError('hub/corrupt', `The Hub's answer lists no branches and tags of model '${id}'.`)
  return { branches, tags }
}

function namesOf(list: unknown): readonly string[] | null {
  if (!Array.isArray(list)) return null
  const names = list.flatMap((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'name' in entry && typeof entry.name === 'string' ? [entry.name] : [],
  )
  return names.length === list.length ? names : null
}
