/** `--model FOLDER`: the folder as a repository of a Hub on our own origin. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHubHandler } from './hub-server.ts'
import { localModelId } from './settings.ts'

/** A handler for requests below `/local-hub`, or null when no folder is named. */
export function createLocalHub(modelFolder: string | null): ((request: IncomingMessage, response: ServerResponse) => void) | null {
  if (modelFolder === null) return null
  const answer = createHubHandler({ models: { [localModelId]: modelFolder } })
  return (request, response) => {
    if (answer(request, response)) return
    response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' })
    response.end('Not found\n')
  }
}
