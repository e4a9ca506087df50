/** Which Hub serves which repository. */
import { EvalError } from '../../base/errors.ts'
import type { HubClient, RepoKind } from './hub.ts'

/** The ids that the bundled Hub holds, from its `embedded.json`. */
export interface BundledIds {
  readonly models: ReadonlySet<string>
  readonly datasets: ReadonlySet<string>
}

/** Reads `embedded.json`: models by their `id`, datasets by name. Throws `hub/corrupt` for anything else. */
export function readBundledIds(json: unknown): BundledIds {
  const lists = typeof json === 'object' && json !== null ? (json as { readonly models?: unknown; readonly datasets?: unknown }) : {}
  const { models, datasets } = lists
  if (!Array.isArray(models)) throw new EvalError('hub/corrupt', 'embedded.json has no list of models.')
  return { models: new Set(models.map(idOf)), datasets: new Set(Array.isArray(datasets) ? datasets.map(idOf) : []) }
}

function idOf(entry: unknown): string {
  const id: unknown = typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : entry
  if (typeof id !== 'string') throw new EvalError('hub/corrupt', 'embedded.json holds an entry without an id.')
  return id
}

/** The bundled Hub for what it holds, the remote one for everything else. */
export function routeHub(hubs: {
  readonly bundled: HubClient
  readonly ids: BundledIds
  readonly remote: HubClient
}): (kind: RepoKind, id: string) => HubClient {
  return (kind, id) => (hubs.ids[`${kind}s`].has(id) ? hubs.bundled : hubs.remote)
}
