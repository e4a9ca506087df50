/** What came back from a cluster, held against what was expected: the same docs, prompts and targets, and all of them. */
import type { SampleView } from '../../contracts/samples.ts'
import type { ExpectedRun } from './expected.ts'
import { lineHashes } from './line-hashes.ts'

/** `green`: everything as expected. `amber`: docs are missing, those that came are right. `red`: something else was asked. */
export interface ReturnedTask {
  readonly task: string
  readonly verdict: 'green' | 'amber' | 'red'
  readonly expected: number
  /** Docs whose three hashes are as expected. */
  readonly agree: number
  /** Ids of docs, in the order of what was expected. */
  readonly missing: readonly number[]
  readonly otherDocs: readonly number[]
  readonly otherPrompts: readonly number[]
  readonly otherTargets: readonly number[]
  /** Docs that weren't asked for. */
  readonly unexpected: readonly number[]
}

/** A verdict for each expected task. `samples` holds what came back, by task. */
export function judgeReturned(
  { tasks }: Pick<ExpectedRun, 'tasks'>,
  samples: ReadonlyMap<string, readonly SampleView[]>,
): readonly ReturnedTask[] {
  return tasks.map(({ task, docs }) => {
    const found = new Map((samples.get(task) ?? []).map(({ docId, line }) => [docId, lineHashes(line)]))
    const idsWhere = (differs: (doc: (typeof docs)[number], came: ReturnType<typeof lineHashes>) => boolean) =>
      docs.flatMap((doc) => {
        const came = found.get(doc.docId)
        return came !== undefined && differs(doc, came) ? [doc.docId] : []
      })
    const missing = docs.flatMap(({ docId }) => (found.has(docId) ? [] : [docId]))
    const otherDocs = idsWhere((doc, came) => doc.docHash !== came.docHash)
    const otherPrompts = idsWhere((doc, came) => doc.promptHash !== came.promptHash)
    const otherTargets = idsWhere((doc, came) => doc.targetHash !== came.targetHash)
    const asked = new Set(docs.map(({ docId }) => docId))
    const unexpected = [...found.keys()].filter((docId) => !asked.has(docId))
    const wrong = new Set([...otherDocs, ...otherPrompts, ...otherTargets])
    const isRed = wrong.size > 0 || unexpected.length > 0
    return {
      task,
      verdict: isRed ? 'red' : whole(missing),
      expected: docs.length,
      agree: docs.length - missing.length - wrong.size,
      missing,
      otherDocs,
      otherPrompts,
      otherTargets,
      unexpected,
    }
  })
}

function whole(missing: readonly number[]): 'green' | 'amber' {
  return missing.length > 0 ? 'amber' : 'green'
}
