/** Models and data of the user's own: a folder, chosen or dropped files, one typed address. */
import type { Page } from '@playwright/test'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { violations } from './axe.ts'
import { slowModel } from './faults.ts'
import { expect, test, waitForEnd } from './fixtures.ts'

const rows = [
  { question: 'What is the capital of Kenya?', choices: ['Nairobi', 'Lagos'], answer: 0 },
  { question: 'What is the capital of Ghana?', choices: ['Cairo', 'Accra'], answer: 1 },
]
  .map((row) => JSON.stringify(row))
  .join('\n')

const taskText = (files: readonly string[]) =>
  [
    'task: local_mc',
    'dataset_path: json',
    `dataset_kwargs: {data_files: {test: ${JSON.stringify(files)}}}`,
    'output_type: multiple_choice',
    'test_split: test',
    'doc_to_text: "{{question}}"',
    'doc_to_choice: "{{choices}}"',
    'doc_to_target: "{{answer}}"',
  ].join('\n')

let folder = ''
/** Serves data files to whoever asks, with or without leave for other sites. */
let other: Server
let otherPort = 0
/** Another origin, which would answer. */
let away: Server
let awayPort = 0
const asked: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = []

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'yardstick-local-'))
  const resolved = join(projectFolder, 'public/hub/yardstick/pico/resolve')
  const source = join(resolved, readdirSync(resolved).sort()[0] ?? '')
  for (const file of ['config.json', 'tokenizer.json', 'tokenizer_config.json', 'onnx/model_q4.onnx']) {
    const target = join(folder, 'stick/models/pico copy', file)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(join(source, file), target)
  }
  mkdirSync(join(folder, 'empty'))
  writeFileSync(join(folder, 'empty/notes.txt'), 'no model here')
  writeFileSync(join(folder, 'rows.jsonl'), rows)
  other = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers })
    const open = { 'Access-Control-Allow-Origin': '*' }
    if (request.url?.startsWith('/closed') === true) response.writeHead(200).end(rows)
    else if (request.url?.startsWith('/away') === true)
      response.writeHead(302, { ...open, Location: `http://127.0.0.1:${awayPort}/rows.jsonl` }).end()
    else if (request.url?.startsWith('/page') === true) response.writeHead(200, { ...open, 'Content-Type': 'text/html' }).end('<p>')
    else if (request.url?.startsWith('/gone') === true) response.writeHead(404, open).end()
    else response.writeHead(200, { ...open, 'Content-Length': Buffer.byteLength(rows) }).end(rows)
  })
  away = createServer((request, response) => {
    asked.push({ url: `away${request.url ?? ''}`, headers: request.headers })
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end(rows)
  })
  otherPort = await listen(other)
  awayPort = await listen(away)
})

test.afterAll(() => {
  other.close()
  away.close()
  rmSync(folder, { recursive: true })
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  return bound !== null && typeof bound === 'object' ? bound.port : 0
}

/** Chromium's own picker can't be driven: without it the page uses its input. */
test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'showDirectoryPicker'))
})

async function chooseFolder(page: Page, button: string, path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: button }).first().click()
  await (await chooser).setFiles(path)
}

async function addTask(page: Page, ...files: readonly string[]): Promise<void> {
  await page.getByText('Add a task of your own (YAML)').click()
  await page.getByLabel('Task file').fill(taskText(files))
  await page.getByRole('button', { name: 'Add task' }).click()
  await expect(page.getByText(files.length === 1 ? '1 data file is missing' : `${files.length} data files are missing`)).toBeVisible()
}

/** Only the pasted task stays chosen. */
async function chooseOnly(page: Page, name: string): Promise<void> {
  const labels = await page
    .getByRole('list', { name: 'Chosen tasks' })
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? ''))
  for (const label of labels.filter((one) => !one.endsWith(` ${name}`)))
    await page.getByRole('button', { name: label, exact: true }).click()
}

async function askFor(page: Page, address: string): Promise<void> {
  await page.getByLabel('Or the address of a file').fill(address)
  await page.getByRole('button', { name: 'Fetch…' }).click()
}

const confirm = (page: Page) => page.getByRole('button', { name: /^Ask 127\.0\.0\.1/ }).click()

test('a model from a folder and data from files run without a request to anywhere', async ({ page, app }) => {
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(app.address)
  await page.getByRole('radio', { name: /A model from a folder/ }).check()
  expect(await violations(page)).toEqual([])

  await chooseFolder(page, 'Choose a folder…', join(folder, 'empty'))
  await expect(page.getByRole('alert').first()).toContainText(
    /Wanted config\.json and onnx\/model\.onnx.*'empty'.*found 1 file: notes\.txt/,
  )
  await chooseFolder(page, 'Choose a folder…', join(folder, 'stick'))
  await expect(page.getByText('4 files,')).toBeVisible()
  requests.length = 0

  await addTask(page, 'data/rows.jsonl')
  await chooseOnly(page, 'local_mc')
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByText('Choose files…').last().click()])
  await chooser.setFiles(join(folder, 'rows.jsonl'))
  await expect(page.getByText('from rows.jsonl')).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 900 })

  await page.getByLabel('Device', { exact: true }).selectOption('wasm')
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('folder:stick')
  expect(requests.filter((url) => /\.onnx|tokenizer|config\.json|local-hub/.test(url))).toEqual([])
  const own = new URL(app.address).origin
  expect(requests.filter((url) => !url.startsWith(own) && !url.startsWith('blob:'))).toEqual([])
})

test('a dropped data file is there, a missing one is refused by name, and a typed address is asked once, confirmed, with nothing of the user’s', async ({
  page,
  app,
}) => {
  asked.length = 0
  await page.goto(app.address)
  const address = `http://127.0.0.1:${otherPort}/typed.jsonl?v=1`
  await addTask(page, 'rows.jsonl', 'typed.jsonl')
  await chooseOnly(page, 'local_mc')
  const transfer = await page.evaluateHandle((text) => {
    const data = new DataTransfer()
    data.items.add(new File([text], 'rows.jsonl'))
    return data
  }, rows)
  await page.getByRole('group', { name: 'Data files of your own' }).dispatchEvent('drop', { dataTransfer: transfer })
  await expect(page.getByText('✓ there')).toHaveCount(1)
  await page.getByRole('button', { name: /^Run/ }).click()
  await expect(page.getByText('The task reads typed.jsonl, which isn’t here')).toBeVisible()
  await expect(page).toHaveURL(/#\/$|\/$/)

  await askFor(page, address)
  await expect(page.getByText(`This asks 127.0.0.1:${otherPort} for a file.`)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Ask 127/ })).toBeFocused()
  expect(await violations(page)).toEqual([])
  expect(asked).toEqual([])
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(asked).toEqual([])

  await page.getByRole('button', { name: 'Fetch…' }).click()
  await confirm(page)
  await expect(page.getByText('✓ there')).toHaveCount(2)
  expect(asked.map(({ url }) => url)).toEqual(['/typed.jsonl?v=1'])
  const headers = asked[0]?.headers
  expect([headers?.authorization, headers?.cookie, headers?.referer]).toEqual([undefined, undefined, undefined])
  expect(await page.locator('iframe').count()).toBe(0)

  await page.getByLabel('Device', { exact: true }).selectOption('wasm')
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')
  // Two docs of each file.
  await expect(page.locator('.viewer')).toHaveAttribute('data-docs', '4')
  expect(asked).toHaveLength(1)
})

test('an address that can’t be used is refused in words', async ({ page, app }) => {
  await page.goto(app.address)
  await page.getByText('Data files of your own').click()
  const here = `http://127.0.0.1:${otherPort}`
  for (const [address, says] of [
    ['data.jsonl', /Wanted an address such as/],
    ['http://foreign.example/x', /Wanted an https address/],
    ['https://me:secret@foreign.example/x', /nothing secret is ever sent/],
    ['file:///etc/passwd', /Wanted an https address/],
  ] as const) {
    await askFor(page, address)
    await expect(page.getByRole('alert')).toContainText(says)
  }
  asked.length = 0
  for (const [path, says] of [
    ['/closed.jsonl', /could not be read.*let other sites/],
    ['/away.jsonl', /redirects to another host/],
    ['/page', /sent a web page/],
    ['/gone.jsonl', /answered 404/],
  ] as const) {
    await askFor(page, here + path)
    await confirm(page)
    await expect(page.getByRole('alert')).toContainText(says)
  }
  // A redirect to another origin isn't followed, though that one would have answered.
  expect(asked.map(({ url }) => url)).toEqual(['/closed.jsonl', '/away.jsonl', '/page', '/gone.jsonl'])
})

for (const host of ['app', 'plainHost'] as const) {
  test(`the frame for typed addresses may do that alone (${host === 'app' ? 'with' : 'without'} headers)`, async ({
    page,
    app,
    plainHost,
  }) => {
    const { address } = host === 'app' ? app : plainHost
    asked.length = 0
    await page.goto(address)
    const server = `http://127.0.0.1:${otherPort}/`
    // The page itself may not ask the other server, nor show a frame of another origin.
    expect(
      await page.evaluate(
        (url) =>
          fetch(url).then(
            () => 'allowed',
            () => 'blocked',
          ),
        server,
      ),
    ).toBe('blocked')
    const foreignFrame = await page.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true })
          const frame = document.createElement('iframe')
          frame.src = url
          document.body.append(frame)
        }),
      server,
    )
    expect(foreignFrame).toBe('frame-src')
    expect(asked).toEqual([])

    await page.evaluate(
      (url) =>
        new Promise<void>((resolve) => {
          const frame = document.createElement('iframe')
          frame.addEventListener('load', () => resolve())
          frame.src = url
          document.body.append(frame)
        }),
      `${address}address.html`,
    )
    const frame = page.frames().find((one) => one.url().endsWith('/address.html'))
    if (frame === undefined) throw new Error('no frame')
    const violation = (act: string) =>
      frame.evaluate(
        (what) =>
          new Promise<string>((resolve) => {
            document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true })
            const add = (name: string, attributes: { readonly [key: string]: string }) => {
              const element = document.createElement(name)
              for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
              document.body.append(element)
            }
            if (what === 'image') add('img', { src: 'https://foreign.example/x.png' })
            if (what === 'script') add('script', { src: 'https://foreign.example/x.js' })
            if (what === 'frame') add('iframe', { src: 'https://foreign.example/' })
            if (what === 'worker') new Worker('data:text/javascript,1')
            if (what === 'http') fetch('http://foreign.example/').catch(() => undefined)
          }),
        act,
      )
    expect(await violation('image')).toBe('img-src')
    expect(await violation('script')).toBe('script-src-elem')
    expect(await violation('frame')).toBe('frame-src')
    expect(await violation('worker')).toBe('worker-src')
    expect(await violation('http')).toBe('connect-src')
    // It answers its own page's first message and no other; after that nothing but that origin can be asked.
    const answer = (target: string) =>
      page.evaluate(
        ([url, limit]) =>
          new Promise<string>((resolve) => {
            const { port1, port2 } = new MessageChannel()
            port1.onmessage = (event: MessageEvent<{ type: string; why?: string }>) => resolve(event.data.why ?? event.data.type)
            setTimeout(() => resolve('silence'), 1500)
            window.frames[window.frames.length - 1]?.postMessage({ address: url, limitBytes: limit }, location.origin, [port2])
          }),
        [target, 10] as const,
      )
    expect(await answer(`${server}rows.jsonl`)).toBe('too-large')
    expect(await answer(`${server}rows.jsonl`)).toBe('silence')
    expect(
      await frame.evaluate(
        (url) =>
          fetch(url).then(
            () => 'allowed',
            () => 'blocked',
          ),
        `http://127.0.0.1:${awayPort}/`,
      ),
    ).toBe('blocked')
    expect(asked.map(({ url }) => url)).toEqual(['/rows.jsonl'])
  })
}

test('an interrupted run over a folder asks for it after a reload, and goes on', async ({ page, app }) => {
  slowModel(page, 400)
  await page.goto(`${app.address}#/?limit=10&tasks=yardstick_facts`)
  await page.getByRole('radio', { name: /A model from a folder/ }).check()
  await chooseFolder(page, 'Choose a folder…', join(folder, 'stick'))
  await expect(page.getByText('4 files,')).toBeVisible()
  await page.getByLabel('Device', { exact: true }).selectOption('wasm')
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.waitForURL(/#\/run\/(?!starting)/)
  await page.getByRole('button', { name: 'Stop' }).click()
  await waitForEnd(page, 'interrupted')
  await page.reload()
  await expect(page.getByText('The model’s folder “stick”.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Resume' })).toBeDisabled()
  expect(await violations(page)).toEqual([])
  await chooseFolder(page, 'Choose a folder…', join(folder, 'stick/models/pico copy'))
  await page.getByRole('button', { name: 'Resume' }).click()
  await waitForEnd(page, 'complete')
})

test('a link that names a folder asks for it and reads nothing', async ({ page, app }) => {
  await page.goto(`${app.address}#/?model=${encodeURIComponent('folder:stick')}&limit=1&device=wasm&tasks=yardstick_facts`)
  await expect(page.getByText('The model is in the folder “stick” on this machine.')).toBeVisible()
  await page.getByRole('button', { name: /^Run/ }).click()
  await expect(page.getByText('Choose the folder first.')).toBeVisible()
  await chooseFolder(page, 'Choose a folder…', join(folder, 'stick'))
  await expect(page.getByText('4 files,')).toBeVisible()
  // That a folder's model runs to its end is held above.
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.waitForURL(/#\/run\/(?!starting)/)
})
