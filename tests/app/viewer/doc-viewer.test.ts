import { describe, expect, it } from 'vitest'
import { memoryDocSource, runDocSource, type DocSource } from '../../../src/app/viewer/doc-source.ts'
import { DocViewer } from '../../../src/app/viewer/doc-viewer.svelte.ts'
import { readSelection, selectionQuery } from '../../../src/app/viewer/selection.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'
import { rowsInSight } from '../../../src/ui/viewer/rows-in-sight.ts'
import { runManifest } from '../builders.ts'
import { createFakeClient, historyRows, manySamples } from '../fake-client.ts'

async function openViewer(query: { [name: string]: string }, docs = 120, source?: DocSource): Promise<DocViewer> {
  const client = createFakeClient({ rows: historyRows(), samples: manySamples(docs) })
  const viewer = new DocViewer(source ?? runDocSource(client, 'r-1', runManifest('r-1')))
  await viewer.read(query)
  await viewer.load()
  return viewer
}

const names = (viewer: DocViewer): string[] =>
  [...viewer.listed].map((position) => {
    const place = viewer.placeOf(position)
    return `${place?.index.task ?? ''}/${place?.index.docIds[place.entry] ?? ''}`
  })

describe('the list', () => {
  it('has the docs of all tasks, each under one filter, and of one task alone', async () => {
    const all = await openViewer({})
    expect([all.listed.length, all.counts.all, all.tasks]).toEqual([122, 122, ['bench_facts', 'bench_words', 'bench_problems']])
    expect(names(all).slice(-3)).toEqual(['bench_facts/119', 'bench_words/0', 'bench_problems/0'])
    const one = await openViewer({ task: 'bench_words' })
    expect(names(one)).toEqual(['bench_words/0'])
    expect((await openViewer({ task: 'no such task' })).listed.length).toBe(122)
  })

  it('holds 14,000 docs and filters as looking at each does', async () => {
    const samples = manySamples(14_000).filter(({ task }) => task === 'bench_facts')
    const at = (test: (sample: SampleView) => boolean) => samples.filter(test).map(({ docId }) => `bench_facts/${docId}`)
    const task = 'bench_facts'
    expect(names(await openViewer({ task, show: 'flipped' }, 14_000))).toEqual(at(({ picks }) => picks?.acc !== picks?.acc_norm))
    expect(names(await openViewer({ task, show: 'wrong' }, 14_000))).toEqual(at(({ metrics }) => metrics['acc'] === 0))
    const searched = await openViewer({ task, show: 'right', text: 'burkina' }, 14_000)
    expect(names(searched)).toEqual(at(({ prompt, metrics }) => prompt.includes('Burkina') && metrics['acc'] === 1))
    expect(searched.listed.length).toBeGreaterThan(100)
  })

  it('keeps the docs of each filter apart', async () => {
    const viewer = await openViewer({ task: 'bench_problems', filter: 'flexible' })
    expect([viewer.filters, viewer.filter, viewer.listed.length, viewer.counts.right]).toEqual([['strict', 'flexible'], 'flexible', 1, 1])
    await viewer.open(viewer.position)
    expect(viewer.sample?.filter).toBe('flexible')
  })

  it('has the texts fetched before the first letter, and lists the same docs meanwhile', async () => {
    const asked: string[] = []
    const memory = memoryDocSource(new Map([['bench_facts', manySamples(3).filter(({ task }) => task === 'bench_facts')]]))
    const source: DocSource = {
      ...memory,
      search: (text) => {
        asked.push(text)
        return memory.search(text)
      },
    }
    const viewer = await openViewer({}, 3, source)
    expect(asked).toEqual([])
    await viewer.prepareSearch()
    expect([asked, viewer.isSearching, viewer.listed.length]).toEqual([[''], false, 3])
  })

  it('shows what the last search found, whichever comes first', async () => {
    const slow: ((hits: readonly Uint8Array[]) => void)[] = []
    const samples = new Map([['t', manySamples(4).slice(0, 4)]])
    const source: DocSource = { ...memoryDocSource(samples), search: () => new Promise((resolve) => slow.push(resolve)) }
    const viewer = await openViewer({}, 4, source)
    const first = viewer.change({ text: 'a' })
    const second = viewer.change({ text: 'ab' })
    expect([viewer.isSearching, viewer.listed.length]).toEqual([true, 4])
    slow[1]?.([Uint8Array.of(0, 1, 0, 0)])
    slow[0]?.([Uint8Array.of(1, 1, 1, 1)])
    await Promise.all([first, second])
    expect([viewer.isSearching, [...viewer.listed]]).toEqual([false, [1]])
  })
})

describe('the doc that is read', () => {
  it('is the first of the list, then the next and the one before', async () => {
    const viewer = await openViewer({ show: 'flipped' })
    const listed = names(viewer)
    expect(viewer.selectedAt).toBe(0)
    viewer.move(1)
    viewer.move(1)
    expect([viewer.selectedAt, viewer.query()['doc']]).toEqual([2, listed[2]])
    viewer.move(-5)
    expect(viewer.selectedAt).toBe(0)
    viewer.choose(1e6)
    expect(viewer.selectedAt).toBe(listed.length - 1)
  })

  it('is the one that the address names, also where the list hasn’t got it', async () => {
    const viewer = await openViewer({ doc: 'bench_facts/77', show: 'flipped' })
    await viewer.open(viewer.position)
    expect([viewer.sample?.docId, viewer.selectedAt]).toEqual([77, 11])
    const other = await openViewer({ doc: 'bench_facts/78', show: 'flipped' })
    await other.open(other.position)
    expect([other.sample?.docId, other.selectedAt]).toEqual([78, -1])
    expect((await openViewer({ doc: 'bench_facts/9999' })).position).toBe(-1)
  })

  it('is the newest asked for', async () => {
    const samples = manySamples(4).slice(0, 4)
    const waiting: (() => void)[] = []
    const base = memoryDocSource(new Map([['t', samples]]))
    const sampleAt = async (task: string, entry: number) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return base.sampleAt(task, entry)
    }
    const source: DocSource = { ...base, sampleAt }
    const viewer = await openViewer({}, 4, source)
    const [first, second] = [viewer.open(0), viewer.open(2)]
    waiting[1]?.()
    waiting[0]?.()
    await Promise.all([first, second])
    expect(viewer.sample?.docId).toBe(2)
  })

  it('comes with its prompt’s tokens, or with the question whether to fetch the tokenizer', async () => {
    const viewer = await openViewer({})
    await viewer.open(0)
    expect([viewer.tokensState, viewer.tokens?.pieces.map(({ text }) => text).join('')]).toEqual(['ready', viewer.sample?.prompt])
    const asked: boolean[] = []
    const source: DocSource = {
      ...memoryDocSource(new Map([['t', manySamples(4).slice(0, 4)]])),
      promptTokens: async (_, mayAskHub) => {
        asked.push(mayAskHub)
        return mayAskHub ? { pieces: [], count: 0, maxLength: 1 } : null
      },
    }
    const remote = await openViewer({}, 4, source)
    await remote.open(0)
    expect(remote.tokensState).toBe('ask')
    await remote.allowTokens()
    expect(remote.tokensState).toBe('ready')
    await remote.open(1)
    expect([remote.tokensState, asked]).toEqual(['ready', [false, true, true]])
  })
})

describe('the address', () => {
  it.each([
    {},
    { task: 'a', doc: '12' },
    { doc: 'a/12', show: 'wrong' },
    { show: 'flipped', against: 'acc_bytes', text: 'x y', filter: 'strict-match' },
    { show: 'near-tie', near: '0.5' },
  ])('says all of a selection and nothing twice: %j', (query) => {
    expect(Object.fromEntries(Object.entries(selectionQuery(readSelection(query))).filter(([, value]) => value !== ''))).toEqual(query)
  })

  it('falls back where it says nothing that there is, and reads links of before', () => {
    expect(readSelection({ show: 'x', near: '-1', against: 'acc', doc: 'a/x' })).toEqual(readSelection({}))
    expect(readSelection({ show: 'differ' }).show).toBe('flipped')
  })

  it('that the viewer wrote itself changes nothing when it comes back', async () => {
    const viewer = await openViewer({})
    viewer.move(1)
    const written = Object.fromEntries(Object.entries(viewer.write()).filter(([, value]) => value !== ''))
    viewer.move(1)
    await viewer.read(written)
    expect(viewer.selectedAt).toBe(2)
    await viewer.read({ doc: 'bench_facts/5' })
    expect(viewer.selectedAt).toBe(5)
  })
})

it('rows in sight are few, whatever the list holds', () => {
  const box = { height: 400, rowHeight: 40, count: 14_000, spare: 3 }
  expect(rowsInSight({ ...box, scrolled: 0 })).toEqual({ first: 0, last: 13 })
  expect(rowsInSight({ ...box, scrolled: 400_010 })).toEqual({ first: 9997, last: 10_014 })
  expect(rowsInSight({ ...box, scrolled: 1e9 })).toEqual({ first: 14_000, last: 14_000 })
  expect(rowsInSight({ ...box, count: 2, scrolled: 0 })).toEqual({ first: 0, last: 2 })
})
