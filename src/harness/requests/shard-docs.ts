/** Which docs a shard of a run asks: split by what they hold, so that every machine splits alike, whatever its order or browser. */
import type { Shard } from '../../contracts/shard.ts'
import type { PyDict } from '../../python/value.ts'
import { hashDoc } from '../sample-hashes.ts'

/**
 * True for each doc that the shard asks, in the docs' order. A doc's place is its hash modulo the number of shards. A shard that no doc falls
 * to asks the one of lowest hash too, as a run without docs has no scores.
 */
export function shardDocs(docs: readonly PyDict[], { index, count, overlap }: Shard): readonly boolean[] {
  const hashes = docs.map(hashDoc)
  const shared = new Set([...hashes].sort().slice(0, overlap))
  // 48 bits: exact in a number.
  const asked = hashes.map((hash) => shared.has(hash) || Number.parseInt(hash.slice(0, 12), 16) % count === index - 1)
  if (asked.includes(true)) return asked
  const lowest = [...hashes].sort()[0]
  return hashes.map((hash) => hash === lowest)
}
