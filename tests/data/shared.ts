/** The shared material beside the repository, where there is any. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** The folder of a piece of shared material, or null (with a printed reason) when it isn't there. */
export function findShared(path: string): string | null {
  const place = resolve('..', 'shared', path)
  if (existsSync(place)) return place
  console.warn(`skipped: there is no ../shared/${path}`)
  return null
}
