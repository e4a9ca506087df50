import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { packRun } from '../../../src/app/export/run-file.ts'
import { firstDocs, wholeRun, withheldTasks, type Taken } from '../../../src/app/export/take-away.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'
import { docsInReport, reportHtml } from '../../../src/ui/report/report.ts'
import { runManifest, runSummary, sample } from '../../app/builders.ts'

const attack = '</pre><script>alert(1)</script><img src=x onerror=alert(2)>"\'`\u202e'

function taken(views: readonly SampleView[], change: Partial<Taken> = {}): Taken {
  return {
    source: {
      samplesOf: (_runId, task, { offset, count }) =>
        Promise.resolve({ task, offset, total: views.length, samples: views.slice(offset, offset + count) }),
    },
    summary: runSummary('r'),
    manifest: runManifest('r'),
    tasks: ['bench_facts'],
    withText: false,
    ...change,
  }
}

async function report(change: Partial<Taken> = {}, views = [sample(0)]): Promise<string> {
  const all = taken(views, change)
  const manifest = all.manifest ?? runManifest('r')
  const samples = await firstDocs(all, docsInReport)
  return reportHtml({ manifest, summary: all.summary, samples, withheld: withheldTasks(all) })
}

describe('the HTML report', () => {
  test('stands alone: no script, no address, styles by the hash that its policy names', async () => {
    const text = await report()
    expect(text).not.toMatch(/<script|<link|<iframe|<img|\bsrc=|\bhref=|url\(|https?:|\bstyle=|\bon[a-z]+=/i)
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    expect(text).toContain(`default-src 'none'; style-src 'sha256-${hash}'`.replaceAll("'", '&#39;'))
  })

  test('shows scores, drawn, and what they rest on', async () => {
    const text = await report()
    for (const wanted of [
      'yardstick/pocket',
      '4f1c2ab90d7e5a3368c1f0b2d94e77a6b1c8d2e3',
      '<svg',
      'Bamako',
      'not verified',
      'lm_eval',
      'not the repository’s original weights',
    ])
      expect(text).toContain(wanted)
  })

  test('gives each line of a prompt and a reply the direction of its own text', async () => {
    const text = await report({}, [sample(0, { prompt: 'Question\nالسؤال', generated: ['الجواب'] })])
    expect(text).toContain('<pre dir="auto">Question\nالسؤال</pre>')
    expect(text).toContain('<pre dir="auto">الجواب</pre>')
  })

  test('holds a stranger’s text as text, wherever it stands', async () => {
    const manifest = runManifest('r')
    const hostile = {
      ...manifest,
      model: { ...manifest.model, id: attack, revision: attack, license: attack },
      settings: { ...manifest.settings, tasks: [attack], systemInstruction: attack },
    }
    const view = sample(0, {
      prompt: attack,
      target: attack,
      choices: [{ text: attack, logprob: -1, isGreedy: true, unconditional: null }],
      generated: [attack],
    })
    const text = await report({ manifest: hostile, tasks: [attack], summary: runSummary('r', { warnings: [attack] }) }, [view])
    expect(text).not.toMatch(/<script|<img|onerror=alert\(2\)>/)
    expect(text).not.toContain('\u202e')
    expect(text).toContain('\\u202e')
    expect(text.match(/&#60;script&#62;/g)?.length).toBeGreaterThan(8)
  })
})

describe('gated rows', () => {
  const manifest = runManifest('r')
  const origin = { path: 'secret/rows', name: null, commit: 'c'.repeat(40), files: [], isRestricted: true as const }
  const gated = { ...manifest, datasets: { bench_facts: origin } }
  const tokens = { ids: [7], texts: ['CANARY token'], logprobs: [-1] }
  const choices = [{ text: 'Bamako', logprob: -1, isGreedy: true, unconditional: null, tokens }]
  const views = [sample(0, { choices, prompt: 'CANARY prompt', target: 'CANARY target', line: '{"doc_id": 0, "doc": {"q": "CANARY"}}' })]
  const unpack = async (blob: Blob) => new Response(blob.stream().pipeThrough(new DecompressionStream('gzip'))).text()

  test('leave neither report nor run file with their text, unless it was asked for', async () => {
    const shy = taken(views, { manifest: gated })
    const { blob } = await wholeRun(shy, gated)
    for (const text of [await report({ manifest: gated }, views), await unpack(blob)]) {
      expect(text).not.toContain('CANARY')
      expect(text).not.toContain('Bamako')
    }
    const asked = taken(views, { manifest: gated, withText: true })
    const open = await wholeRun(asked, gated)
    expect(await unpack(open.blob)).toContain('CANARY target')
    expect(await report({ manifest: gated, withText: true }, views)).toContain('CANARY prompt')
  })

  test('of a run file are counted in its last line', async () => {
    async function* parts() {
      await Promise.resolve()
      yield views
      yield views
    }
    const text = await unpack(await packRun({ manifest, summary: runSummary('r'), samples: parts() }))
    const lines = text.trimEnd().split('\n')
    expect(lines).toHaveLength(5)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ end: { samples: 2 } })
  })
})
