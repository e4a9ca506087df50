/** The hashes that the harness keeps of its samples. lm_eval 0.4.13, `evaluator.py` and `loggers/evaluation_tracker.py`. */
import { sha256 } from '../base/sha256.ts'
import { jsonDumps, type PyDict } from '../python/value.ts'

/** The harness's `doc_hash`: over `json.dumps(doc, indent=2, ensure_ascii=False)`. */
export function hashDoc(doc: PyDict): string {
  return sha256(jsonDumps(doc, { indent: 2 }))
}

/** The harness's `task_hashes` entry: over the three hashes of every sample line, in file order. */
export function hashTask(lines: readonly { readonly docHash: string; readonly promptHash: string; readonly targetHash: string }[]): string {
  return sha256(lines.map(({ docHash, promptHash, targetHash }) => docHash + promptHash + targetHash).join(''))
}
