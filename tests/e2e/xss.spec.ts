/** 300 hostile texts in every text field of every view: shown as text, and nothing of them is an element, runs, or asks anybody. */
import type { Page } from '@playwright/test'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packRun } from '../../src/app/export/run-file.ts'
import { formatHash } from '../../src/app/router.svelte.ts'
import { maxPayloadChars, packResult } from '../../src/app/share/link.ts'
import { sharedResult } from '../../src/app/share/shared-result.ts'
import { EvalError, toWire } from '../../src/base/errors.ts'
import type { FileUse } from '../../src/contracts/kept-files.ts'
import type { RunSummary } from '../../src/contracts/results.ts'
import { toQueueRow } from '../../src/storage/queue.ts'
import { toManifestRow, type RunState, type SampleRow } from '../../src/storage/rows.ts'
import type { StoredResults } from '../../src/storage/store.ts'
import { runManifest, runSettings, runSummary } from '../app/builders.ts'
import { expect } from './fixtures.ts'
import { payloads } from './xss-payloads.ts'
import { hostileManifest, hostileSample, joined, nameAt, rows, samples, stored } from './xss-runs.ts'
import { test } from './xss-watch.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-xss-'))
test.afterAll(() => rmSync(folder, { recursive: true }))

const wholeId = 'r-whole'
const hostileSummary: Partial<RunSummary> = {
  table: { tasks: rows, groups: rows.slice(0, 40) },
  tableText: joined,
  resultsText: JSON.stringify({ 'n-samples': Object.fromEntries(samples.map(({ task }) => [task, {}])) }),
  warnings: payloads.map(stored),
}

/** Reads so many docs of the viewer one after another, as key `j` does: what each says, and what came of its texts. */
async function walkDocs(page: Page, count: number) {
  return page.evaluate(async (docs) => {
    // Tables of hundreds of rows would be laid out anew for each doc.
    const others = [...document.querySelectorAll<HTMLElement>('main section:not(.viewer, .viewer *)')]
    for (const other of others) other.style.display = 'none'
    const walked: { docId: number; text: string; found: readonly string[] }[] = []
    while (walked.length < docs) {
      const sinceMs = performance.now()
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 0))
        const shown = document.querySelector('#doc-heading')?.textContent.trim() ?? ''
        if (shown.startsWith(`Doc ${walked.length}${shown.includes(' of ') ? ' ' : ''}`)) break
        if (performance.now() - sinceMs > 10_000) throw new Error(`wanted doc ${walked.length}, found '${shown.slice(0, 100)}'`)
      }
      const viewer = document.querySelector('.viewer')
      const article = viewer?.querySelector('article')
      if (viewer == null || article == null) throw new Error('no doc is shown')
      for (const details of article.querySelectorAll('details')) details.open = true
      walked.push({ docId: walked.length, text: article.textContent, found: globalThis.findIntruders?.(viewer) ?? ['not looked'] })
      dispatchEvent(new KeyboardEvent('keydown', { key: 'j' }))
    }
    for (const other of others) other.style.display = ''
    return walked
  }, count)
}

/** Puts rows into the page's database, each under the name of its store. */
async function putRows(page: Page, rows: readonly object[]): Promise<void> {
  await page.evaluate(async (text) => {
    // As JSON: the types of a whole manifest are too deep for an argument.
    const all = JSON.parse(text) as readonly { readonly [store: string]: object | readonly object[] }[]
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('yardstick')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(new Error('no database'))
    })
    const transaction = db.transaction(['manifests', 'runs', 'results', 'samples', 'queue'], 'readwrite')
    for (const one of all) {
      for (const [store, row] of Object.entries(one)) for (const each of [row].flat()) transaction.objectStore(store).put(each)
    }
    await new Promise((resolve) => (transaction.oncomplete = resolve))
    db.close()
  }, JSON.stringify(rows))
}

/** Ten repositories with thirty files each, as the download layer describes what it keeps: `about`, then its hash. */
async function keepFiles(page: Page): Promise<void> {
  const files = payloads.map((payload, at) => {
    const id = stored(payloads.slice(at - (at % 30), at - (at % 30) + 30).join(' '))
    const use: FileUse = { kind: at % 60 < 30 ? 'model' : 'dataset', id, commit: id, path: stored(payload) }
    const about = JSON.stringify({ bytes: 3, uses: [use] })
    return { key: `file-${at}`, about, hash: [...createHash('sha256').update(about).digest()] }
  })
  await page.evaluate(async (all) => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('yardstick-files', { create: true })
    await Promise.all(
      all.map(async ({ key, about, hash }) => {
        const file = await (await root.getDirectoryHandle(key, { create: true })).getFileHandle('about', { create: true })
        const writable = await file.createWritable()
        await writable.write(new Blob([about, new Uint8Array(hash)]))
        await writable.close()
      }),
    )
  }, files)
}

test('no hostile text of an opened run becomes more than text, nor of the files made of it', async ({ page, app, check }) => {
  expect(payloads).toHaveLength(300)
  // A whole run from a file: table, samples, provenance, downloads; then the list of opened runs.
  const manifest = hostileManifest('r1')
  async function* parts() {
    await Promise.resolve()
    yield samples
  }
  const summary = runSummary('r1', hostileSummary)
  const whole = join(folder, 'run<img src=x onerror=xss(1)>.yardstick.gz')
  writeFileSync(whole, Buffer.from(await (await packRun({ manifest, summary, samples: parts() })).arrayBuffer()))
  await page.goto(`${app.address}#/open?run=${encodeURIComponent(joined)}`)
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Choose files' }).click()])
  await chooser.setFiles(whole)
  await expect(page.getByText('Imported, not verified.')).toBeVisible()
  await check('the opened run')
  const walked = await walkDocs(page, samples.length)
  expect(walked.flatMap(({ found }) => found)).toEqual([])
  expect(walked.map(({ docId }) => docId)).toEqual(samples.map(({ docId }) => docId))
  // Shown whole, character by character and in each of its places, unless some of them can't be seen.
  const visible = payloads.flatMap((payload, at) => (/^[\x20-\x7e]+$/.test(payload) ? [at] : []))
  expect(visible.length).toBeGreaterThan(250)
  const times = (at: number) => (walked[at]?.text ?? '').replaceAll('·', ' ').split(payloads[at] ?? '').length - 1
  // Prompt, two choices, their tokens, reply, step, what it made, target, two metrics' names and the value of one.
  expect(visible.filter((at) => times(at) < 12)).toEqual([])
  await page.getByRole('combobox', { name: 'Task' }).selectOption(samples.at(-1)?.task ?? '')
  await expect(page.locator('.viewer')).toHaveAttribute('data-docs', '50')
  await page.getByLabel('Text in question, choices or reply').fill(payloads.at(-1) ?? '')
  await expect(page.locator('.viewer')).toHaveAttribute('data-docs', '1')
  await check('a task of it, searched')

  // What leaves the page: the report, opened as a page of its own, without a policy that could hide anything.
  const take = async (name: string): Promise<string> => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()])
    return readFileSync(await download.path(), 'utf8')
  }
  const report = await take('Report (HTML)')
  const csv = await take('Scores (CSV)')
  expect(csv.split('\r\n').flatMap((line) => line.match(/(?:^|,)"?[=@+]/g) ?? [])).toEqual([])
  await page.goto('about:blank')
  await page.setContent(report.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ''))
  await expect(page.locator('main')).toBeVisible()
  await check('the report')
})

test('no hostile text of a shared link becomes more than text', async ({ page, app, check }) => {
  // A shared link: as many rows as a link has room for.
  const made = sharedResult(runManifest('r1'), runSummary('r1'), new Map())
  for (let from = 0; from < payloads.length; from += 150) {
    const some = payloads.slice(from, from + 150).map(stored)
    const link = await packResult({
      ...made,
      app: { version: some.join('').slice(0, 40), build: some.join('').slice(0, 80) },
      model: {
        id: some.join('').slice(0, 300),
        revision: some.join('').slice(0, 200),
        commit: some[0]?.slice(0, 80) ?? '',
        license: some[1]?.slice(0, 100) ?? '',
        dtype: some[2]?.slice(0, 20) ?? '',
      },
      engine: { ...made.engine, adapter: { vendor: some[3]?.slice(0, 100) ?? '', architecture: some[4]?.slice(0, 100) ?? '' } },
      query: { model: some.join('').slice(0, 4000), tasks: some.join('').slice(0, 4000) },
      tasks: rows.slice(from, from + 150).map((row) => ({ ...row, metric: row.metric.slice(0, 200) })),
      groups: [],
      warnings: some.slice(0, 100),
      sources: some.map((one) => ({
        task: one.slice(0, 300),
        sha256: one.slice(0, 64),
        dataset: one.slice(0, 300),
        commit: one.slice(0, 80),
      })),
    })
    expect(link.length).toBeLessThan(maxPayloadChars)
    await page.goto(`${app.address}#/r/${link}`)
    await expect(page.getByText('Reported by the sender, not verified.')).toBeVisible()
    await check(`the shared link from ${from}`)
  }
})

test('no hostile text of a stored run becomes more than text: the history, a failed run, a whole one, kept files', async ({
  page,
  app,
  check,
}) => {
  await page.goto(`${app.address}#/runs`)
  await expect(page.getByText(/^No run yet/)).toBeVisible()
  const { model } = hostileManifest('r-0')
  const failed = payloads.map((payload, index) => {
    const runId = `r-${index}`
    const own = stored(payload)
    const settings = runSettings({ model: own, tasks: [own], revision: own })
    const manifest = index === 0 ? hostileManifest(runId) : runManifest(runId, { settings, createdAt: own, model: { ...model, id: own } })
    const error = toWire(new EvalError('dataset/malformed', index === 0 ? joined : own, { details: { [own]: own } }))
    const tail: RunState = { runId, status: 'failed', epoch: 1, updatedAt: own, docsDone: 1, docsTotal: 2, error }
    return { manifests: toManifestRow(manifest), runs: tail }
  })
  // A whole one: docs with thirty of them at a time.
  const own = Array.from({ length: 10 }, (_, docId) =>
    hostileSample(docId, nameAt(0), payloads.slice(30 * docId, 30 * docId + 30).join(' ')),
  )
  const whole = {
    manifests: toManifestRow(hostileManifest(wholeId)),
    runs: { runId: wholeId, status: 'complete', epoch: 1, updatedAt: joined, docsDone: 10, docsTotal: 10, error: null } satisfies RunState,
    results: { ...runSummary(wholeId, hostileSummary), sampleCounts: { [nameAt(0)]: own.length } } satisfies StoredResults,
    samples: own.map((sample, position): SampleRow => ({ runId: wholeId, task: nameAt(0), position, sample })),
  }
  // The same docs again, asked of another commit: what a comparison shows.
  const otherId = `${wholeId}-other`
  const other = {
    ...whole,
    manifests: toManifestRow(hostileManifest(otherId)),
    runs: { ...whole.runs, runId: otherId },
    results: { ...whole.results, runId: otherId },
    samples: whole.samples.map((row) => ({ ...row, runId: otherId })),
  }
  await putRows(page, [...failed, whole, other])
  await page.reload()
  await expect(page.locator('tbody tr')).toHaveCount(302)
  await check('the history')
  await page.goto(`${app.address}#/run/r-0`)
  await expect(page.getByRole('alert').first()).toBeVisible()
  await check('a failed run')
  await page.goto(`${app.address}#/run/${wholeId}`)
  await expect(page.locator('.viewer')).toHaveAttribute('data-docs', '10')
  const walked = await walkDocs(page, own.length)
  expect(walked.flatMap(({ found }) => found)).toEqual([])
  await check('a whole run')
  await page.goto(`${app.address}#/compare?runs=${wholeId},${otherId}`)
  await expect(page.getByRole('heading', { name: 'Scores' })).toBeVisible()
  await check('a comparison')

  await keepFiles(page)
  await page.goto(`${app.address}#/storage`)
  await expect(page.locator('details')).toHaveCount(10)
  await check('the storage page')
  await page
    .getByRole('button', { name: /^Delete the files of/ })
    .first()
    .click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await check('the question before files are deleted')
})

test('no hostile text of a queue of runs, or of what a judge is to be asked, becomes more than text', async ({ page, app, check }) => {
  await page.goto(`${app.address}#/runs`)
  await expect(page.getByText(/^No run yet/)).toBeVisible()
  const queued = payloads.map((payload, at) => {
    const own = stored(payload)
    const row = toQueueRow(runSettings({ model: own, revision: own, dtype: own, tasks: [own, own] }))
    const error = toWire(new EvalError('dataset/malformed', own, { details: { [own]: own } }))
    return { queue: at % 2 === 0 ? { ...row, state: 'failed', error } : { ...row, state: 'done', runId: own } }
  })
  const config = { output_type: 'generate_until' }
  const manifest = hostileManifest('r-judged')
  const tasks = { [nameAt(0)]: { config, sha256: joined }, [nameAt(1)]: { config, sha256: joined } }
  const judged = {
    manifests: toManifestRow({ ...manifest, settings: { ...manifest.settings, metadata: {} }, tasks }),
    runs: { runId: 'r-judged', status: 'complete', epoch: 1, updatedAt: joined, docsDone: 1, docsTotal: 1, error: null } satisfies RunState,
    results: { ...runSummary('r-judged', hostileSummary), sampleCounts: {} } satisfies StoredResults,
  }
  await putRows(page, [...queued, judged])
  for (const [hash, where] of [
    ['#/runs', 'the queue in the history'],
    ['#/compare', 'the queue beside the checkpoints'],
    ['#/', 'the queue on the set-up page'],
  ] as const) {
    await page.goto('about:blank')
    await page.goto(app.address + hash)
    await expect(page.locator('.queue li')).toHaveCount(payloads.length)
    await check(where)
  }
  await page.goto(`${app.address}#/run/r-judged`)
  await page.getByText('Judge these answers').click()
  const part = page.locator('details', { has: page.getByText('Judge these answers') }).last()
  await expect(part.getByRole('combobox', { name: 'Task' }).getByRole('option')).toHaveCount(2)
  await part.getByLabel('Prompt', { exact: true }).fill(joined)
  await check('the judge’s part')
})

test('no hostile text of published rows or of a run’s parts becomes more than text', async ({ page, app, check }) => {
  const published = payloads.map((payload) => {
    const own = stored(payload)
    const texts = { input_question: own, input_final_prompts: [own], input_correct_responses: [own], output_prediction_text: [own] }
    return JSON.stringify({ task_name: own, subtask_name: own, ...texts, output_parsed_answer: own, is_correct: true })
  })
  const part = (index: number) => {
    const names = payloads.slice(0, 40).map((_, at) => `${nameAt(at)} ${at}`)
    return JSON.stringify({
      results: Object.fromEntries(names.map((name) => [name, { alias: name, 'acc,none': 1 }])),
      configs: Object.fromEntries(names.map((name) => [name, { task: name, metadata: { version: joined } }])),
      'n-samples': Object.fromEntries(names.map((name) => [name, { original: 4, effective: 2 }])),
      model_name: joined,
      config: { model: joined, model_args: joined },
      yardstick: {
        shard: { index, count: 2, overlap: 0, docs: Object.fromEntries(names.map((name) => [name, []])), aggregations: {}, groups: [] },
      },
    })
  }
  await page.goto(`${app.address}#/open`)
  const choose = async (name: string, content: string) => {
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) })
  }
  await choose('rows<img src=x onerror=xss(1)>.jsonl', published.join('\n'))
  await expect(page.getByText('Imported, not verified.')).toBeVisible()
  await check('published rows')
  for (const index of [1, 2]) {
    await page.goto(`${app.address}#/open`)
    await choose(`results_part-${index}<img src=x onerror=xss(1)>.json`, part(index))
    await expect(page.getByText('Imported, not verified.')).toBeVisible()
  }
  await page.goto(`${app.address}#/open`)
  await page.getByRole('button', { name: 'Merge 2 parts' }).click()
  await expect(page.getByRole('alert').or(page.locator('section .small[role=status] p')).first()).toBeVisible()
  await check('parts of a run')
})

test('no hostile text of the set-up page or of an address becomes more than text', async ({ page, app, check }) => {
  // The form filled in by a link, its errors, and an address that leads nowhere.
  const query = {
    model: joined,
    tasks: joined,
    limit: joined,
    dtype: joined,
    num_fewshot: joined,
    model_args: joined,
    gen_kwargs: joined,
    seed: joined,
    system_instruction: joined,
    revision: joined,
  }
  await page.goto(`${app.address}${formatHash('/', query)}`)
  await page.getByRole('button', { name: /^Run/ }).click()
  await expect(page.locator('[aria-invalid="true"]').first()).toBeVisible()
  await check('the form')
  await page.goto(`${app.address}#/${encodeURIComponent(joined)}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await check('an address that leads nowhere')
})

test('no hostile text of a task, of its docs or of its errors becomes more than text', async ({ page, app, check }) => {
  const docs = 10
  const perDoc = payloads.length / docs
  const textsOf = (doc: number) => payloads.slice(doc * perDoc, (doc + 1) * perDoc).map(stored)
  const docRows = Array.from({ length: docs }, (_, doc) => {
    const texts = textsOf(doc)
    return JSON.stringify({ q: texts.join(' '), options: texts, gold: 0, ...Object.fromEntries(texts.map((text) => [text, text])) })
  })
  const quoted = (text: string) => JSON.stringify(text)
  const task = [
    'task: hostile',
    'dataset_path: json',
    'dataset_kwargs: {data_files: rows.jsonl}',
    'test_split: train',
    'output_type: multiple_choice',
    'num_fewshot: 0',
    'doc_to_text: q',
    'doc_to_choice: options',
    'doc_to_target: gold',
    `tag: ${quoted(nameAt(0))}`,
    `task_alias: ${quoted(joined)}`,
    `metadata: {version: 1, ${quoted(nameAt(1))}: ${quoted(joined)}}`,
  ].join('\n')
  const asked = page.getByRole('region', { name: 'What the model is asked' })
  const editor = page.getByRole('textbox', { name: /^Text of/ })
  const problem = page.getByRole('alert').or(page.getByRole('button', { name: /^Line/ }))
  await page.goto(`${app.address}#/task`)
  await editor.fill(task)
  await expect(asked.getByText('missing', { exact: true })).toBeVisible()
  await asked
    .locator('input[type=file]')
    .setInputFiles({ name: 'rows.jsonl', mimeType: 'text/plain', buffer: Buffer.from(docRows.join('\n')) })
  for (let doc = 0; doc < docs; doc++) {
    const first = textsOf(doc).findIndex((text) => /^[\x20-\x7e]+$/.test(text))
    await expect(asked.getByRole('row')).toHaveCount(perDoc + 1)
    await expect(asked.getByRole('row').nth(first + 1)).toContainText(textsOf(doc)[first]?.replaceAll(' ', '·') ?? 'none can be seen')
    await check(`doc ${doc} of a task`)
    if (doc + 1 < docs) await page.getByRole('button', { name: 'Next doc' }).click()
  }
  // No YAML at all.
  await editor.fill(joined)
  await expect(problem.first()).toBeVisible()
  await check('a broken task')
  await editor.fill(task)
  await expect(problem).toHaveCount(0)
  await editor.fill(`task: ${quoted(joined)}\noutput_type: ${quoted(joined)}`)
  await expect(page.getByRole('alert').first()).toContainText('<script>xss(1)</script>')
  await check('a task of that name')
})
