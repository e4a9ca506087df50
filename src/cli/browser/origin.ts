import type { HubAccess } from '../../contracts/hub-access.ts'
import { localFilesPath, localHubPath } from './serve.ts'

/**
 * The origin of every command line. The browser maps the name to whatever port our server got, so storage, which belongs to an
 * origin, is always found again and no fixed port can be taken by somebody else. Names under `localhost` count as secure.
 */
export const commandLineHost = 'yardstick.localhost'
export const commandLineOrigin = `http://${commandLineHost}`

/**
 * What the page is told of local folders and files. Settings hold addresses without the secret path, which is another at each start: a later
 * command line finds its runs by them.
 */
export function belowSecret(access: HubAccess, secret: string): HubAccess {
  const own = commandLineOrigin + localHubPath
  const moved = (base: string): string => (base === own ? commandLineOrigin + secret + localHubPath : base)
  const localModels = Object.entries(access.localModels).map(([model, { base, id }]) => [model, { base: moved(base), id }] as const)
  return {
    ...access,
    base: access.base === null ? null : moved(access.base),
    localModels: Object.fromEntries(localModels),
    localFiles: { named: `${commandLineOrigin}${localFilesPath}/`, at: `${commandLineOrigin}${secret}${localFilesPath}/` },
  }
}
