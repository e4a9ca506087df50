/** A canary token through the page and the command line: it may show up in one kind of place only, the header that the Hub gets. */
import { chromium, expect, test, type BrowserContext, type Page } from '@playwright/test'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser, playwrightOptions } from '../../src/cli/browser/browser.ts'
import { distFolder, projectFolder } from '../../src/cli/browser/build.ts'
import { serve, type RunningServer } from '../../src/cli/browser/serve.ts'
import { violations } from './axe.ts'
import { quickBrowser, quickCompiler } from './compiler.ts'
import { waitForEnd } from './fixtures.ts'
import { startTokenHub, type Recorded, type TokenHub } from './token-hub.ts'

const canary = 'hf_CANARY0123456789abcdefghijKLMN'
const rows = Array.from({ length: 40 }, (_, at) =>
  JSON.stringify({ question: `What is ${at}+1?`, choices: [`${at + 1}`, 'no'], answer: 0 }),
)
const task = [
  'task: gated_task',
  'dataset_path: gated/rows',
  'output_type: multiple_choice',
  'test_split: test',
  'doc_to_text: "{{question}}"',
  'doc_to_choice: "{{choices}}"',
  'doc_to_target: "{{answer}}"',
].join('\n')

let folder = ''
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'yardstick-token-'))
  for (const name of ['dataset', 'tasks']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'dataset/test.jsonl'), rows.join('\n'))
  writeFileSync(join(folder, 'tasks/gated.yaml'), task)
})
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Files below `root` whose bytes hold the text, as UTF-8 or as UTF-16. */
function filesWith(root: string, text: string): string[] {
  const forms = [Buffer.from(text), Buffer.from(text, 'utf16le')]
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(root, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isFile() !== true) return false
    const content = readFileSync(path)
    return forms.some((form) => content.includes(form))
  })
}

/** Where in the recorded requests the canary stands, as "host header" or "host url", each kind once. */
function sinks(requests: readonly Recorded[]): string[] {
  const found = requests.flatMap(({ host, url, headers }) => [
    ...(url.includes(canary) ? [`${host} url`] : []),
    ...Object.entries(headers).flatMap(([name, value]) => (value.includes(canary) ? [`${host} header ${name}`] : [])),
  ])
  return [...new Set(found)].sort()
}

/** Everything that the page's origin keeps, as one text. */
function dumpStorage(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const parts: string[] = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie]
    const asText = (value: unknown): string =>
      JSON.stringify(value, (_key, item: unknown) =>
        item instanceof ArrayBuffer || ArrayBuffer.isView(item)
          ? new TextDecoder('latin1').decode(item instanceof ArrayBuffer ? item : item.buffer)
          : item,
      ) ?? ''
    const wait = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(new Error(String(request.error)))
      })
    for (const { name } of await indexedDB.databases()) {
      const database = await wait(indexedDB.open(name ?? ''))
      for (const store of database.objectStoreNames) {
        const all = database.transaction(store).objectStore(store)
        parts.push(store, asText(await wait(all.getAll())), asText(await wait(all.getAllKeys())))
      }
      database.close()
    }
    for (const name of await caches.keys()) {
      const cache = await caches.open(name)
      for (const request of await cache.keys()) parts.push(request.url, (await (await cache.match(request))?.text()) ?? '')
    }
    const walk = async (directory: FileSystemDirectoryHandle): Promise<void> => {
      for await (const [name, handle] of directory.entries()) {
        parts.push(name)
        if (handle instanceof FileSystemDirectoryHandle) await walk(handle)
        else if (handle instanceof FileSystemFileHandle)
          parts.push(new TextDecoder('latin1').decode(await (await handle.getFile()).arrayBuffer()))
      }
    }
    await walk(await navigator.storage.getDirectory())
    return parts.join('\n')
  })
}

interface Session {
  readonly hub: TokenHub
  readonly server: RunningServer
  readonly context: BrowserContext
  readonly page: Page
  readonly profile: string
  /** Console, page errors, addresses of every request, and what was copied or downloaded. */
  readonly said: string[]
  close(): Promise<void>
}

/** The page as it ships, with servers of this machine in the place of huggingface.co and of the host for large files. */
async function openPage(name: string): Promise<Session> {
  const hub = await startTokenHub({
    token: canary,
    datasetFolder: join(folder, 'dataset'),
    isSecure: true,
    filesOrigin: 'https://cdn-lfs.hf.co',
  })
  const server = await serve({ folder: distFolder, port: 0 })
  const profile = join(folder, name)
  const { path } = findBrowser(() => undefined)
  const context = await chromium.launchPersistentContext(profile, {
    ...playwrightOptions(path, 'hardware-or-software', [
      ...quickCompiler,
      '--ignore-certificate-errors',
      `--host-resolver-rules=MAP huggingface.co 127.0.0.1:${hub.hubPort}, MAP cdn-lfs.hf.co 127.0.0.1:${hub.filesPort}`,
    ]),
    ignoreHTTPSErrors: true,
    viewport: { width: 1280, height: 900 },
  })
  const said: string[] = []
  context.on('console', (message) => said.push(message.text()))
  context.on('weberror', (error) => said.push(String(error.error())))
  context.on('request', (request) => said.push(request.url()))
  const page = context.pages()[0] ?? (await context.newPage())
  const close = async () => {
    await context.close()
    await server.close()
    await hub.close()
  }
  return { hub, server, context, page, profile, said, close }
}

async function lookUp(page: Page, id: string): Promise<void> {
  await page.getByLabel('Model id').fill(id)
  await page.getByRole('button', { name: 'Look up' }).click()
}

async function giveToken(page: Page, token: string): Promise<void> {
  const field = page.getByLabel('Access token')
  if (!(await field.isVisible())) await page.getByText('Gated or private: a Hub token').click()
  await field.fill(token)
  await page.getByRole('button', { name: 'Use this token' }).click()
}

test('a token opens gated and private repositories on the page, and is nowhere but in the header that the Hub gets', async () => {
  test.setTimeout(300_000)
  const session = await openPage('profile')
  const { hub, server, page, said } = session
  try {
    await page.goto(`${server.address}#/?model=gated/pico&tasks=yardstick_facts&device=wasm&dtype=q4&limit=5`)
    await lookUp(page, 'gated/pico')
    await expect(page.getByRole('alert').first()).toContainText('hub/gated')
    const link = page.getByRole('link', { name: 'Open its page on the Hub' })
    await expect(link).toHaveAttribute('href', 'https://huggingface.co/gated/pico')
    await expect(link).toHaveAttribute('rel', 'noreferrer noopener')
    expect(await violations(page)).toEqual([])
    await lookUp(page, 'private/pico')
    await expect(page.getByRole('alert').first()).toContainText(/hub\/(not-found|unauthorized)/)
    expect(sinks(hub.requests)).toEqual([])

    const before = hub.requests.length
    await giveToken(page, 'password123')
    await expect(page.getByText('This isn’t a whole Hub token')).toBeVisible()
    expect(hub.requests.length).toBe(before)
    hub.role = 'write'
    await giveToken(page, canary)
    await expect(page.getByText('This token has a permission to write.')).toBeVisible()
    await expect(page.getByLabel('Access token')).toHaveValue('')
    await lookUp(page, 'private/pico')
    await expect(page.getByRole('alert').first()).toContainText(/hub\/(not-found|unauthorized)/)

    hub.role = 'read'
    await giveToken(page, canary)
    await expect(page.getByText('The Hub token of ada is in use. It is gone when the page is closed.')).toBeVisible()
    expect(await violations(page)).toEqual([])
    // The model that was refused is asked for again by itself.
    await expect(page.getByText('LlamaForCausalLM').first()).toBeVisible()

    await lookUp(page, 'gated/pico')
    await expect(page.getByRole('alert').first()).toContainText('accepted its terms')
    hub.hasAccepted = true
    await lookUp(page, 'gated/pico')
    await expect(page.getByText('LlamaForCausalLM').first()).toBeVisible()

    await page.getByText('Add a task of your own (YAML)').click()
    await page.getByLabel('Task file').fill(task)
    await page.getByRole('button', { name: 'Add task' }).click()
    // It is chosen once the list has been made anew.
    await expect(page.getByRole('button', { name: 'Remove gated_task' })).toBeVisible()
    await page.getByRole('button', { name: 'Remove yardstick_facts' }).click()
    await page.getByRole('button', { name: /^Run/ }).click()
    await waitForEnd(page, 'complete')
    await expect(page.getByRole('table').first()).toContainText('acc')
    expect(hub.requests.some(({ host, url }) => host === 'files' && url.includes('gated/pico'))).toBe(true)
    expect(hub.requests.some(({ host, url }) => host === 'files' && url.includes('gated/rows'))).toBe(true)

    // One kind of sink: this header, at this host.
    expect(sinks(hub.requests)).toEqual(['hub header authorization'])
    const results = page.waitForEvent('download')
    await page.getByText('results.json').first().click()
    const exported = readFileSync(await (await results).path(), 'utf8')
    expect(exported).toContain('gated_task')
    expect(exported).not.toContain(canary)
    for (const hash of ['#/', '#/runs', '#/storage', '#/about']) {
      said.push(await page.content())
      await page.goto(server.address + hash)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    }
    expect(said.filter((text) => text.includes(canary))).toEqual([])
    const kept = await dumpStorage(page)
    // The dump sees what is kept: the run's settings and the model's own files.
    expect(kept).toContain('gated_task')
    expect(kept).toContain('LlamaForCausalLM')
    expect(kept).not.toContain(canary)

    // Taken back, nothing gated opens any more.
    await page.goto(`${server.address}#/`)
    await page.getByRole('button', { name: 'Forget the token' }).click()
    const sent = hub.requests.length
    await page.getByRole('radio', { name: /^Another model from the Hub/ }).check()
    await lookUp(page, 'private/pico')
    await expect(page.getByRole('alert').first()).toBeVisible()
    expect(sinks(hub.requests.slice(sent))).toEqual([])
  } finally {
    await session.close()
  }
  expect(filesWith(session.profile, canary)).toEqual([])
  // The search through the profile finds what is there.
  expect(filesWith(session.profile, 'gated_task').length).toBeGreaterThan(0)
})

test('remembering is off unless asked for; then it is on disk, said so, and forgotten on demand', async () => {
  test.setTimeout(200_000)
  const session = await openPage('remembering')
  const { server, page, hub } = session
  try {
    await page.goto(server.address)
    await page.getByText('Gated or private: a Hub token').click()
    const box = page.getByRole('checkbox', { name: /Remember it in this browser/ })
    await expect(box).not.toBeChecked()
    await box.check()
    await giveToken(page, canary)
    await expect(page.getByText('It is remembered in this browser.')).toBeVisible()
    const sent = hub.requests.length
    await page.reload()
    await expect(page.getByText('It is remembered in this browser.')).toBeVisible()
    // Opening the page sends it nowhere.
    expect(hub.requests.length).toBe(sent)
    expect(await dumpStorage(page)).toContain(canary)
    await page.getByRole('button', { name: 'Forget the token' }).click()
    await expect(page.getByText('Gated or private: a Hub token')).toBeVisible()
    expect(await dumpStorage(page)).not.toContain(canary)
    await giveToken(page, canary)
    await expect(page.getByText('It is gone when the page is closed.')).toBeVisible()
    await page.reload()
    await expect(page.getByText('Gated or private: a Hub token')).toBeVisible()
  } finally {
    await session.close()
  }
})

test('the command line hands HF_TOKEN over in memory: one header, no file, no output', async () => {
  test.setTimeout(300_000)
  const hub = await startTokenHub({ token: canary, datasetFolder: join(folder, 'dataset'), isSecure: false, filesOrigin: null })
  hub.hasAccepted = true
  const profile = join(folder, 'cli-profile')
  const output = join(folder, 'out')
  const args = ['--model', 'gated/pico', '--hub', `http://127.0.0.1:${hub.hubPort}`, '--include_path', join(folder, 'tasks')]
  const run = (extra: readonly string[]) =>
    new Promise<{ code: number | null; text: string }>((resolve) => {
      const child = spawn(
        process.execPath,
        [
          '--import',
          'tsx',
          'src/cli/main.ts',
          ...args,
          '--tasks',
          'gated_task',
          '--device',
          'wasm',
          '--limit',
          '3',
          '--log_samples',
          ...extra,
        ],
        {
          cwd: projectFolder,
          env: {
            ...process.env,
            HF_TOKEN: canary,
            YARDSTICK_CHROMIUM: quickBrowser(),
            YARDSTICK_PROFILE: profile,
            INIT_CWD: folder,
            YARDSTICK_DEBUG: '1',
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
      const watch = setInterval(() => descendantsWith(canary, child.pid ?? -1).forEach((name) => leaks.add(name)), 200)
      child.on('close', () => clearInterval(watch))
      let text = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()))
      child.on('close', (code) => resolve({ code, text }))
    })
  const leaks = new Set<string>()
  try {
    // Another Hub address gets no token unless that is said.
    const refused = await run(['--output_path', output])
    expect(refused.code).toBe(1)
    expect(refused.text).toMatch(/hub\/gated|accepted its terms/)
    expect(sinks(hub.requests)).toEqual([])
    const done = await run(['--output_path', output, '--hub_token', 'true'])
    expect([done.code, done.text]).toEqual([0, expect.stringContaining('gated_task')])
    expect(sinks(hub.requests)).toEqual(['hub header authorization'])
    expect(hub.requests.some(({ host }) => host === 'files')).toBe(true)
    expect(refused.text + done.text).not.toContain(canary)
    // Neither the browser nor any other program that was started has it in its environment.
    expect([...leaks]).toEqual([])
    expect(filesWith(output, 'gated_task').length).toBeGreaterThan(0)
    expect(filesWith(output, canary)).toEqual([])
    expect(filesWith(profile, canary)).toEqual([])
  } finally {
    await hub.close()
  }
})

/** Programs below process `root` whose environment holds `text`, by their command; esbuild is tsx's own, started before our code. Linux alone. */
function descendantsWith(text: string, root: number): readonly string[] {
  if (process.platform !== 'linux') return []
  const read = (pid: string, what: string) => {
    try {
      return readFileSync(`/proc/${pid}/${what}`, 'latin1')
    } catch {
      return ''
    }
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = new Map(pids.map((pid) => [pid, /\) \S (\d+)/.exec(read(pid, 'stat'))?.[1] ?? '']))
  const isBelow = (pid: string): boolean => {
    for (let at = parents.get(pid); at !== undefined && at !== ''; at = parents.get(at)) if (at === String(root)) return true
    return false
  }
  return (
    pids
      .filter((pid) => isBelow(pid) && read(pid, 'environ').includes(text))
      // Between fork and exec a child is still its parent's copy.
      .filter((pid) => read(pid, 'cmdline') !== read(parents.get(pid) ?? '', 'cmdline'))
      .map((pid) => read(pid, 'cmdline').split('\0')[0] ?? '')
      .filter((command) => !command.includes('esbuild'))
  )
}
