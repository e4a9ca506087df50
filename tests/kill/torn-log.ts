/** The log of a profile's IndexedDB as a browser leaves it that is killed in the middle of a write. */
import { appendFileSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export interface DatabaseFile {
  readonly path: string
  readonly bytes: number
}

/** All files of the databases in a profile's folder. */
export function databaseFiles(profile: string): readonly DatabaseFile[] {
  const root = join(profile, 'Default', 'IndexedDB')
  if (!existsSync(root)) return []
  const folders = readdirSync(root).filter((name) => name.endsWith('.leveldb'))
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => {
      const path = join(root, folder, name)
      return { path, bytes: statSync(path).size }
    }),
  )
}

/** The log that is being written; undefined where there is no database yet. */
export function newestLog(profile: string): DatabaseFile | undefined {
  const logs = databaseFiles(profile).filter(({ path }) => path.endsWith('.log'))
  return logs.sort((a, b) => b.path.localeCompare(a.path))[0]
}

/** A log is written in blocks of so many bytes (https://github.com/google/leveldb/blob/main/doc/log_format.md). */
const blockBytes = 32_768
const recordBytes = 500
const writtenBytes = 60

/**
 * Adds the beginning of a record to the newest log: checksum (4 bytes), length (2, little-endian), type (1: whole), and some of its bytes.
 * Nothing that was there is lost. Does nothing where the block has no room for the record.
 */
export function tearLog(profile: string): void {
  const log = newestLog(profile)
  if (log === undefined || (log.bytes % blockBytes) + 7 + recordBytes > blockBytes) return
  const record = Buffer.alloc(7 + writtenBytes, 0x5a)
  record.writeUInt16LE(recordBytes, 4)
  record[6] = 1
  appendFileSync(log.path, record)
}
