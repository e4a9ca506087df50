/** Results that came back from a cluster, opened with the expected.json of the folder that went there. */
import { describe, expect, test } from 'vitest'
import { expectedText, type DocHashes } from '../../../src/analysis/cluster/expected.ts'
import { openFiles } from '../../../src/app/open/open-files.ts'
import { sha256 } from '../../../src/base/sha256.ts'

const docs: readonly DocHashes[] = [0, 1].map((docId) => ({
  docId,
  docHash: sha256(`doc ${docId}`),
  promptHash: sha256(`prompt ${docId}`),
  targetHash: sha256('target'),
}))
const expected = expectedText({ model: 'm', dtype: null, tasks: [{ task: 't', taskHash: sha256('t'), commit: null, docs }] })

function samples(change: (doc: DocHashes) => DocHashes): string {
  const rows = docs.map(change).map(({ docId, docHash, promptHash, targetHash }) => ({
    ...{ doc_id: docId, doc: {}, target: 'a', arguments: [['q', ' a']], resps: [[[-1, true]]], filtered_resps: [[-1, true]] },
    ...{ filter: 'none', metrics: ['acc'], doc_hash: docHash, prompt_hash: promptHash, target_hash: targetHash, acc: 1 },
  }))
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('')
}

const open = (...files: readonly (readonly [name: string, content: string])[]) =>
  openFiles(
    files.map(([name, content]) => ({ name, file: new Blob([content]) })),
    () => 'opened',
  )

describe('results opened with an expected.json', () => {
  test('are green where every doc, prompt and target is as expected', async () => {
    const [run] = await open(['expected.json', expected], ['samples_t.jsonl', samples((doc) => doc)])
    expect(run?.returned).toMatchObject([{ task: 't', verdict: 'green', expected: 2, agree: 2 }])
  })

  test('are red where another prompt was asked, and have no verdict without the file', async () => {
    const other = samples((doc) => (doc.docId === 1 ? { ...doc, promptHash: sha256('other') } : doc))
    const [run] = await open(['samples_t.jsonl', other], ['expected.json', expected])
    expect(run?.returned).toMatchObject([{ verdict: 'red', agree: 1, otherPrompts: [1] }])
    expect((await open(['samples_t.jsonl', other]))[0]?.returned).toBeUndefined()
  })

  test('are refused where nothing came back, or another version is expected', async () => {
    await expect(open(['expected.json', expected])).rejects.toMatchObject({ code: 'results/invalid' })
    const later = expected.replace('"version":1', '"version":2')
    await expect(open(['expected.json', later], ['samples_t.jsonl', samples((doc) => doc)])).rejects.toMatchObject({
      code: 'results/invalid',
    })
  })
})
