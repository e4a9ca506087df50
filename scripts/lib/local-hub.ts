/** `--model FOLDER`, `--judge_model FOLDER`: the folders as repositories of a Hub on our own origin. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createHubHandler } from './hub-server.ts'
import { localJudgeId, localModelId, type LocalInputs } from './settings.ts'

/** A handler for requests below `/local-hub`, or null when no folder is named. */
export function createLocalHub({
  modelFolder,
  judgeFolder,
}: Pick<LocalInputs, 'modelFolder' | 'judgeFolder'>): ((request: IncomingMessage, response: ServerResponse) => void) | null {
  if (modelFolder === null && judgeFolder === null) return null
  const models = {
    ...(modelFolder === null ? {} : { [localModelId]: modelFolder }),
    ...(judgeFolder === null ? {} : { [localJudgeId]: judgeFolder }),
  }
  const answer = createHubHandler({ models })
  return (request, response) => {
    if (answer(request, response)) return
    response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' })
    response.end('Not found\n')
  }
}
