/** The files of a folder that stands in for a repository. */
import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isListed } from '../../data/hub/folder-commit.ts'
import { blobsOf, insideOf } from '../browser/this-machine.ts'

interface RepoPaths {
  /** In the order of their names, folders' files after each other. */
  readonly listed: readonly string[]
  /** Links that lead out of the folder, or nowhere: a downloaded repository may hold any, so they aren't followed. */
  readonly refused: readonly string[]
}

/** The folder may be a link itself; so may files that lead into the store of the Hub's cache beside it. */
export function listRepoFiles(folder: string): RepoPaths {
  const listed: string[] = []
  const refused: string[] = []
  const stores = blobsOf(folder)
  const read = (prefix: string, above: readonly string[]): void => {
    const names = readdirSync(join(folder, prefix)).filter(isListed)
    for (const path of names.map((name) => (prefix === '' ? name : `${prefix}/${name}`)).sort()) {
      const place = insideOf(folder, path, stores)
      if (place === null || above.includes(place)) refused.push(path)
      else if (statSync(place).isDirectory()) read(path, [...above, place])
      else listed.push(path)
    }
  }
  read('', [realpathSync(folder)])
  return { listed: listed.sort(), refused }
}
