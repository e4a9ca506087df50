/** The hashes that a line of samples_*.jsonl carries. */
import type { DocHashes } from './expected.ts'

const key = /"(doc_hash|prompt_hash|target_hash)"\s*:\s*"([0-9a-f]{64})"/g

/**
 * Hashes of doc, prompt and target; '' for one that isn't there, as in files of older versions. The harness writes them behind the doc, whose
 * own text may hold such keys too: those from the last `doc_hash` on count.
 */
export function lineHashes(line: string): Omit<DocHashes, 'docId'> {
  const found = new Map<string, string>()
  for (const [, name = '', hash = ''] of line.slice(Math.max(0, line.lastIndexOf('"doc_hash"'))).matchAll(key)) found.set(name, hash)
  return {
    docHash: found.get('doc_hash') ?? '',
    promptHash: found.get('prompt_hash') ?? '',
    targetHash: found.get('target_hash') ?? '',
  }
}
