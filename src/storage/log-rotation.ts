/** Beginning a new log of the browser's database, so that half a record at the end of the old one does no harm. */
import { deleteDB, openDB } from 'idb'

const scratchName = 'yardstick-scratch'

/**
 * Chromium keeps IndexedDB in LevelDB, and a browser that starts goes on writing to the log of its last session. Where that log ends in half a
 * record (the browser was killed in the middle of a write, the power went, the disk was full), it is read up to there without complaint, but
 * all that is written from then on lies behind the half record: the next start finds a wrong checksum, throws the origin's whole database
 * away and begins an empty one. Deleting a database compacts LevelDB's memory, which moves all that is in the log into a table and begins a
 * new log. Found in Chromium 156; seen with `tests/kill/torn-log.ts`.
 *
 * Does nothing in browsers that keep IndexedDB otherwise. Never rejects: a database that can't be written tells so at its first write.
 */
export async function startNewLog(): Promise<void> {
  if (!isInLevelDB()) return
  try {
    const scratch = await openDB(scratchName, 1, { upgrade: (db) => void db.createObjectStore('nothing') })
    scratch.close()
    await new Promise<void>((done, fail) => {
      // Blocked: another tab is doing the same, for all of the origin.
      deleteDB(scratchName, { blocked: () => done() }).then(done, fail)
    })
  } catch {
    // See above.
  }
}

/** The event's attribute tells of databases that LevelDB lost, and no other engine has it. */
function isInLevelDB(): boolean {
  return typeof IDBVersionChangeEvent !== 'undefined' && 'dataLoss' in IDBVersionChangeEvent.prototype
}
