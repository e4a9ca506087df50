/** Which file of the Hub an address means, as its pages show it. Only for an address that the user typed. */
import type { HubFileRequest } from '../../rpc/run-worker-api.ts'

/**
 * The file behind `https://huggingface.co/[datasets/]owner/name/(resolve|blob|raw)/revision/path`; null for any other address. A revision with
 * a slash is written `%2F`, as the Hub itself does.
 */
export function readHubAddress(url: URL): HubFileRequest | null {
  if (url.origin !== 'https://huggingface.co') return null
  const match = /^\/(datasets\/)?([\w.-]+\/[\w.-]+)\/(?:resolve|blob|raw)\/([^/]+)\/(.+)$/.exec(url.pathname)
  if (match === null) return null
  const [, datasets, id = '', revision = '', path = ''] = match
  try {
    return {
      kind: datasets === undefined ? 'model' : 'dataset',
      id,
      revision: decodeURIComponent(revision),
      path: decodeURIComponent(path),
    }
  } catch {
    return null
  }
}
