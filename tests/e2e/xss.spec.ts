/** 300 hostile texts in every text field of every view: shown as text, and nothing of them is an element, runs, or asks anybody. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { packRun } from '../../src/app/export/run-file.ts'
import { maxPayloadChars, packResult } from '../../src/app/share/link.ts'
import { sharedResult } from '../../src/app/share/shared-result.ts'
import { formatHash } from '../../src/app/router.svelte.ts'
import { EvalError, toWire } from '../../src/core/errors.ts'
import type { ResultsRow, RunManifest, SampleView } from '../../src/core/types.ts'
import { toManifestRow } from '../../src/storage/rows.ts'
import { engineFacts, resultsRow, runManifest, runSettings, runSummary, sample } from '../app/builders.ts'
import { expect, test } from './fixtures.ts'
import { payloads } from './xss-payloads.ts'

const docsPerTask = 50
const folder = mkdtempSync(join(tmpdir(), 'yardstick-xss-'))
test.afterAll(() => rmSync(folder, { recursive: true }))

/** Text that survives UTF-8 on its way. */
const stored = (text: string): string => Buffer.from(text).toString()
const joined = stored(payloads.join('\n'))
const nameAt = (index: number): string => stored(payloads[index] ?? '').slice(0, 300)

/** A row of the table for each payload, in all its texts. */
const rows: readonly ResultsRow[] = payloads.map((_, index) =>
  resultsRow(nameAt(index), `${nameAt(index)} ${index}`, 0.5, {
    alias: nameAt(index),
    filter: nameAt(index).slice(0, 150),
    version: nameAt(index).slice(0, 40),
    nShot: nameAt(index).slice(0, 40),
    value: index % 3 === 0 ? nameAt(index).slice(0, 40) : 0.5,
  }),
)

const samples: readonly SampleView[] = payloads.map((payload, index) => {
  const text = stored(payload)
  return sample(index, {
    task: `${nameAt(Math.floor(index / docsPerTask))} ${Math.floor(index / docsPerTask)}`,
    filter: nameAt(Math.floor(index / docsPerTask)),
    prompt: text,
    target: text,
    choices: [text, `${text} `].map((own, at) => ({ text: own, logprob: -1 - at, isGreedy: at === 0, unconditional: -2 })),
    generated: [text],
    filterSteps: [{ name: text, outputs: [text] }],
    metrics: { [text]: text, [`${text}2`]: [text], acc: 1 },
    line: JSON.stringify({ doc: { [text]: text }, target: text }),
  })
})

function hostileManifest(runId: string): RunManifest {
  const text = joined
  const facts = engineFacts()
  const [origin] = Object.values(runManifest(runId).datasets)
  if (origin === undefined) throw new Error('no dataset')
  return runManifest(runId, {
    createdAt: text.slice(0, 200),
    app: { version: text, build: text },
    settings: runSettings({
      model: text,
      revision: text,
      dtype: text,
      tasks: [text, nameAt(3)],
      systemInstruction: text,
      applyChatTemplate: text,
      taskFiles: [{ path: text, text }],
      dataFiles: { [text]: text },
      modelArgs: { [text]: text },
      genKwargs: { [text]: text },
      metadata: { [text]: text },
      samples: { [text]: [0] },
    }),
    model: { id: text, revision: text, commit: text, license: text, files: [{ path: text, bytes: 1, sha256: 'a'.repeat(64) }] },
    engine: {
      ...facts,
      dtype: text,
      deviceReason: text,
      engine: text,
      numericClass: text,
      adapter: { vendor: text, architecture: text, description: text, isFallback: true },
      selfCheck: { ...facts.selfCheck, message: text },
    },
    tokenizer: { sha256: text, bos: [text, 1], eos: [text, 2], pad: [text, 3], chatTemplate: text, maxLength: 64 },
    datasets: {
      [text]: { ...origin, path: text, name: text, commit: text, warnings: [text], isRestricted: true },
      bench_facts: { ...origin, path: text },
    },
    tasks: { [text]: { config: { [text]: text }, sha256: text, warnings: [text] } },
    plan: { hash: text, requests: 1, batches: 1 },
  })
}

/** What the page's own code never makes: elements, handlers, addresses and names out of a payload. */
async function intruders(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
    const foreign =
      'script,iframe,object,embed,base,meta,link,style,img,picture,video,audio,track,form,math,marquee,template,portal,area,frameset,animate,set,use,image,foreignObject,noscript,b,keygen,isindex,dialog:not([aria-labelledby])'
    const found: string[] = [...document.body.querySelectorAll(foreign)]
      .filter((element) => !element.matches('body > noscript, form[novalidate][class^="svelte-"]'))
      .map((element) => element.outerHTML.slice(0, 200))
    for (const element of document.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        const isAddress = ['href', 'src', 'action', 'formaction', 'data', 'xlink:href', 'srcset', 'poster', 'background'].includes(name)
        const isOwn = !isAddress || /^(?:#|\.?\/|https?:\/\/127\.0\.0\.1|[\w./-]+$)/.test(value)
        if (/^on|xss|^srcdoc$/i.test(name) || !isOwn || (name === 'id' && /xss/i.test(value)))
          found.push(`${element.tagName} ${name}=${value.slice(0, 120)}`)
      }
    }
    if ('xssRan' in globalThis) found.push('code of a payload ran')
    return found
  })
}

test('no hostile text in any field of any view becomes more than text', async ({ page, context, app }) => {
  expect(payloads).toHaveLength(300)
  const dialogs: string[] = []
  const errors: string[] = []
  context.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    dialog.dismiss().catch(() => undefined)
  })
  context.on('weberror', (error) => errors.push(error.error().message))
  // What the policy has to stop was markup already.
  context.on('console', (message) => {
    if (/Content Security Policy|Refused to|foreign\.example/.test(message.text())) errors.push(message.text())
  })
  await context.addInitScript(() => {
    Object.defineProperty(globalThis, 'xss', { value: () => Object.defineProperty(globalThis, 'xssRan', { value: true }) })
  })
  const check = async (where: string): Promise<void> => {
    expect(await intruders(page), where).toEqual([])
    expect([dialogs, errors], where).toEqual([[], []])
  }

  // A whole run from a file: table, samples, provenance, downloads; then the list of opened runs.
  const manifest = hostileManifest('r1')
  async function* parts() {
    await Promise.resolve()
    yield samples
  }
  const summary = runSummary('r1', {
    table: { tasks: rows, groups: rows.slice(0, 40) },
    tableText: joined,
    resultsText: JSON.stringify({ 'n-samples': Object.fromEntries(samples.map(({ task }) => [task, {}])) }),
    warnings: payloads.map(stored),
  })
  const whole = join(folder, 'run<img src=x onerror=xss(1)>.yardstick.gz')
  writeFileSync(whole, Buffer.from(await (await packRun({ manifest, summary, samples: parts() })).arrayBuffer()))
  await page.goto(`${app.address}#/open?run=${encodeURIComponent(joined)}`)
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Choose files' }).click()])
  await chooser.setFiles(whole)
  await expect(page.getByText('Imported, not verified.')).toBeVisible()
  for (const task of new Set(samples.map((view) => view.task))) {
    await page.getByRole('combobox', { name: 'Task' }).selectOption(task)
    const first = samples.find((view) => view.task === task)
    await expect(page.locator('.list details').first()).toContainText(String(first?.docId))
    await check(`samples of ${task}`)
  }
  const text = await page.locator('main').evaluate((main) => main.textContent)
  // Shown whole, character by character, unless some of them can't be seen.
  const visible = payloads.filter((payload) => /^[\x20-\x7e]+$/.test(payload))
  expect(visible.length).toBeGreaterThan(250)
  expect(visible.filter((payload) => !text.includes(payload))).toEqual([])

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

  // History and a failed run's page, from a database that a stranger's settings were written into.
  await page.goto(`${app.address}#/runs`)
  await expect(page.getByText(/^No run yet/)).toBeVisible()
  const hostileRows = payloads.map((payload, index) => {
    const runId = `r-${index}`
    const own = stored(payload)
    const settings = runSettings({ model: own, tasks: [own], revision: own })
    return {
      manifest: toManifestRow(
        index === 0 ? hostileManifest(runId) : runManifest(runId, { settings, createdAt: own, model: { ...manifest.model, id: own } }),
      ),
      tail: {
        runId,
        status: 'failed',
        epoch: 1,
        updatedAt: own,
        docsDone: 1,
        docsTotal: 2,
        error: toWire(new EvalError('dataset/malformed', index === 0 ? joined : own, { details: { [own]: own } })),
      },
    }
  })
  await page.evaluate(async (text) => {
    // As JSON: the types of a whole manifest are too deep for an argument.
    const all = JSON.parse(text) as readonly { readonly manifest: object; readonly tail: object }[]
    const db = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('yardstick')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(new Error('no database'))
    })
    const transaction = db.transaction(['manifests', 'runs'], 'readwrite')
    for (const { manifest, tail } of all) {
      transaction.objectStore('manifests').put(manifest)
      transaction.objectStore('runs').put(tail)
    }
    await new Promise((resolve) => (transaction.oncomplete = resolve))
    db.close()
  }, JSON.stringify(hostileRows))
  await page.reload()
  await expect(page.locator('tbody tr')).toHaveCount(300)
  await check('the history')
  await page.goto(`${app.address}#/run/r-0`)
  await expect(page.getByRole('alert').first()).toBeVisible()
  await check('a failed run')

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
