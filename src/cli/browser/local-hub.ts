/** `--model FOLDER`, `--judge_model FOLDER`: the folders as repositories of a Hub on our own origin. */
import type { RequestListener } from 'node:http'
import { localJudgeId, localModelId, type LocalInputs } from '../commands/settings.ts'
import { listRepoFiles } from '../files/repo-files.ts'
import { createHubHandler, type HubFolders } from './hub-server.ts'

/** A handler for requests below `/local-hub`, or null when no folder is named. `say` is told of files that aren't served. */
export function createLocalHub(
  { modelFolder, judgeFolder }: Pick<LocalInputs, 'modelFolder' | 'judgeFolder'>,
  say: (line: string) => void,
): RequestListener | null {
  if (modelFolder === null && judgeFolder === null) return null
  for (const folder of new Set([modelFolder, judgeFolder])) {
    const refused = folder === null ? [] : listRepoFiles(folder).refused
    if (refused.length > 0)
      say(
        `Not served, because they are links that lead out of ${folder ?? ''} or nowhere: ${refused.slice(0, 5).join(', ')}${refused.length > 5 ? ', …' : ''}`,
      )
  }
  return hubBelow({
    models: {
      ...(modelFolder === null ? {} : { [localModelId]: modelFolder }),
      ...(judgeFolder === null ? {} : { [localJudgeId]: judgeFolder }),
    },
  })
}

/** A Hub over folders that answers whatever it is asked. */
export function hubBelow(folders: HubFolders): RequestListener {
  const answer = createHubHandler(folders)
  return (request, response) => {
    if (answer(request, response)) return
    response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' })
    response.end('Not found\n')
  }
}
