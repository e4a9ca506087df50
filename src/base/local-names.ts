/**
 * Names of what belongs to the user and is in no repository. Neither can be taken for a Hub id or an address: both contain a colon where
 * those have none, and nothing is ever fetched for them.
 */

const folderPrefix = 'folder:'
const givenPrefix = 'given:'

/** The id that a model from the user's own folder has in the settings. */
export function folderModelId(name: string): string {
  return folderPrefix + name
}

/** The folder's name in a model id of the settings; null for any other model. */
export function folderNameOf(model: string): string | null {
  return model.startsWith(folderPrefix) ? model.slice(folderPrefix.length) : null
}

/** The address in `RunSettings.dataFiles` of a file that the user handed over under `path`. */
export function givenAddress(path: string): string {
  return givenPrefix + path
}

/** The path of a handed-over file in an address of `RunSettings.dataFiles`; null for any other address. */
export function givenPathOf(address: string): string | null {
  return address.startsWith(givenPrefix) ? address.slice(givenPrefix.length) : null
}
