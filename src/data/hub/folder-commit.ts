/** What stands in for a commit where files lie in a plain folder: one rule for the page and for the command line's local Hub. */
import type { RepoFile } from '../../contracts/models.ts'

/** Files of at least this many bytes are named by their SHA-256, as the Hub's large files are; smaller ones by their git name. */
export const largeFileBytes = 1_000_000

/** Whether a file of a folder belongs to the repository: no part of its path begins with a dot. */
export function isListed(path: string): boolean {
  return !path.split('/').some((part) => part.startsWith('.'))
}

/**
 * The text whose SHA-1 is the folder's commit. It changes when and only when a file's path or content does; the order of `files` and the
 * folder's own name don't matter.
 */
export function commitText(files: readonly Pick<RepoFile, 'path' | 'oid' | 'sha256'>[]): string {
  return [...files]
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
    .map(({ path, oid, sha256 }) => `${path}\0${sha256 ?? oid ?? ''}\n`)
    .join('')
}

/** The licence that a model card's front matter names; null when it names none. */
export function licenseOf(readme: string): string | null {
  const front = /^---\r?\n([\s\S]*?)\r?\n---/.exec(readme)?.[1] ?? ''
  return /^license:\s*(\S+)\s*$/m.exec(front)?.[1] ?? null
}
