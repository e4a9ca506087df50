/** The name that a file's bytes are kept under, and how its content is checked against that name. */
import { createSHA1, createSHA256, type IHasher } from 'hash-wasm'
import type { FileUse } from '../../contracts/kept-files.ts'
import type { RepoFile } from '../../contracts/models.ts'
import { sha256Hex } from '../digests.ts'

/**
 * By content where its hash is known, so that revisions, repositories and mirrors share a file: `sha256-…`, or `git-…` for what the Hub
 * names by git alone. Else by place: `at-…`, a hash over length-prefixed parts, so that no two places share a name.
 */
export async function fileKey(use: FileUse, file: RepoFile): Promise<string> {
  if (file.sha256 !== null) return `sha256-${file.sha256}`
  if (file.oid !== null) return `git-${file.oid}`
  const parts = [use.kind, use.id, use.commit, use.path, String(file.bytes)]
  return `at-${await sha256Hex(new TextEncoder().encode(parts.map((part) => `${part.length}:${part}`).join('')))}`
}

/** Hashes a file as its bytes come, in order. */
interface ContentCheck {
  update(bytes: Uint8Array): void
  /** Null when the content is what the key says (or the key says nothing about it); else what differs, for a message. */
  mismatch(): string | null
}

/** A check of a file of `bytes` bytes against its key. WebCrypto has no streaming digest and copies its input: a large file would need twice its size. */
export async function contentCheck(key: string, bytes: number): Promise<ContentCheck> {
  const [kind, wanted = ''] = key.split('-')
  if (kind === 'at') return { update: () => undefined, mismatch: () => null }
  const hasher: IHasher = kind === 'git' ? await createSHA1() : await createSHA256()
  hasher.init()
  if (kind === 'git') hasher.update(`blob ${bytes}\0`)
  return {
    update: (part) => {
      hasher.update(part)
    },
    mismatch: () => {
      const found = hasher.digest('hex')
      return found === wanted ? null : `hash ${found.slice(0, 12)}…, not ${wanted.slice(0, 12)}…`
    },
  }
}
