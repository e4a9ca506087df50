/** What is kept of downloads, and what checking it found. */

/** A place in a repository that a kept file was fetched from. */
export interface FileUse {
  readonly kind: 'model' | 'dataset'
  readonly id: string
  readonly commit: string
  readonly path: string
}

/** A file kept by the download layer. */
export interface KeptFile {
  /** By content where its hash is known. */
  readonly key: string
  readonly bytes: number
  /** Less than `bytes` while the download isn't whole. */
  readonly bytesKept: number
  /** Its length and hash were checked once it was whole. */
  readonly isComplete: boolean
  readonly uses: readonly FileUse[]
}

/** What this origin keeps; the first three are null where the browser doesn't tell. */
export interface StorageReport {
  readonly usedBytes: number | null
  readonly quotaBytes: number | null
  /** The browser promised not to evict. */
  readonly isPersistent: boolean | null
  readonly runs: number
  readonly responses: number
  readonly files: readonly KeptFile[]
}

/** What one pass over the rows of a data file found; nothing of them is kept. */
export interface DataScan {
  readonly rows: number
  /** UTF-16 units in all cells that are texts, nested ones aside. */
  readonly characters: number
  /** Of the file as it came, packed or not. */
  readonly bytes: number
  readonly sha256: string
  readonly milliseconds: number
}

/** A kept file, read whole and compared with the hash that it is named by. */
export interface FileVerdict {
  readonly key: string
  readonly isIntact: boolean
}
