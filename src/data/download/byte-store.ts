/** Named bytes in folders: what the file store needs of the browser's private file system, and of a fake one in tests. */

export interface ByteStore {
  /** Fills `parts` in turn from the entry's bytes; true when the entry is exactly as long as they are together. */
  fill(folder: string, name: string, parts: readonly Uint8Array[]): Promise<boolean>
  /** The whole entry; null when there is none. For small ones. */
  read(folder: string, name: string): Promise<Uint8Array | null>
  /** The whole entry as a Blob that reads it where it lies; null when there is none. */
  blob(folder: string, name: string): Promise<Blob | null>
  /**
   * Replaces the entry. Not atomic: whoever reads must be able to tell a torn one. Rejects with the browser's error when there is no room;
   * what was written until then stays.
   */
  write(folder: string, name: string, parts: readonly Uint8Array[]): Promise<void>
  /** The entries of a folder; none when there is no such folder. */
  list(folder: string): Promise<readonly { readonly name: string; readonly bytes: number }[]>
  folders(): Promise<readonly string[]>
  remove(folder: string, name: string): Promise<void>
  removeFolder(folder: string): Promise<void>
  /** Removes everything. */
  clear(): Promise<void>
}
