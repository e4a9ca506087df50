/** What the real Hub sends and our servers of local folders don't: headers by which a page of any origin may read the answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HubHandler } from '../../src/cli/browser/hub-server.ts'

export const openHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'ETag, Link, X-Error-Code, X-Repo-Commit, X-Linked-Size, X-Linked-Etag, Content-Range, Accept-Ranges, RateLimit, Retry-After',
}

/** The handler, open to every origin, as a stand-in for huggingface.co must be. */
export function openToAll(handler: HubHandler): HubHandler {
  return (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(openHeaders)) response.setHeader(name, value)
    if (request.method !== 'OPTIONS') return handler(request, response)
    response.writeHead(204, { 'Access-Control-Allow-Methods': 'GET, HEAD', 'Access-Control-Allow-Headers': 'Range, Authorization' }).end()
    return true
  }
}
