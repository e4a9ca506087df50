/** Repositories as they were listed, kept so that what was downloaded can be used without a network. */
import { isEvalError } from '../../base/errors.ts'
import type { RepoSnapshot } from '../../contracts/models.ts'
import type { FileStore } from '../download/file-store.ts'

type Kind = RepoSnapshot['kind']

interface SnapshotNotes {
  /** What a commit holds; it never changes. */
  readCommit(kind: Kind, id: string, commit: string): Promise<RepoSnapshot | null>
  /** What a branch or tag was when it was last asked for. */
  readRevision(kind: Kind, id: string, revision: string): Promise<RepoSnapshot | null>
  write(snapshot: RepoSnapshot): Promise<void>
  /** What the Hub said at a path of its API when it was last asked, as JSON text. */
  readAnswer(path: string): Promise<string | null>
  writeAnswer(path: string, json: string): Promise<void>
}

/** Notes of the Hub at `base`: another Hub may have other content under the same name. Without a store there are none. */
export function snapshotNotes(store: FileStore | null, base: string): SnapshotNotes {
  const nameOf = (what: 'commit' | 'revision', kind: Kind, id: string, revision: string): string =>
    JSON.stringify([what, base, kind, id, revision])
  const readCommit = async (kind: Kind, id: string, commit: string): Promise<RepoSnapshot | null> => {
    const text = (await store?.readNote(nameOf('commit', kind, id, commit))) ?? null
    // Written below, and read only when its own hash is right: its form is known.
    return text === null ? null : (JSON.parse(text) as RepoSnapshot)
  }
  const writeNote = async (name: string, text: string): Promise<void> => {
    try {
      await store?.writeNote(name, text)
    } catch (error) {
      // Without the note the Hub is asked again; nothing else is lost.
      if (!isEvalError(error) || !error.code.startsWith('storage/')) throw error
    }
  }
  return {
    readCommit,
    readRevision: async (kind, id, revision) => {
      const commit = (await store?.readNote(nameOf('revision', kind, id, revision))) ?? null
      const snapshot = commit === null ? null : await readCommit(kind, id, commit)
      return snapshot === null ? null : { ...snapshot, requestedRevision: revision }
    },
    write: async (snapshot) => {
      const { kind, id, commit, requestedRevision } = snapshot
      await writeNote(nameOf('commit', kind, id, commit), JSON.stringify(snapshot))
      if (requestedRevision !== commit) await writeNote(nameOf('revision', kind, id, requestedRevision), commit)
    },
    readAnswer: async (path) => (await store?.readNote(JSON.stringify(['answer', base, path]))) ?? null,
    writeAnswer: (path, json) => writeNote(JSON.stringify(['answer', base, path]), json),
  }
}
