/** Files in use: as long as they are, nobody deletes them, in whatever tab. */
import { useLockName, type FileLocks } from './file-locks.ts'

export interface FileUses {
  /** From now on the file is in use, until `release`. */
  hold(key: string): Promise<void>
  /** Nothing that was held is in use any more. */
  release(): void
}

export function createFileUses(locks: FileLocks): FileUses {
  let held = new Map<string, Promise<() => void>>()
  return {
    hold: async (key) => {
      const lock = held.get(key) ?? locks.share(useLockName(key))
      held.set(key, lock)
      await lock
    },
    release: () => {
      const all = [...held.values()]
      held = new Map()
      for (const lock of all) {
        lock.then(
          (release) => release(),
          () => undefined,
        )
      }
    },
  }
}
