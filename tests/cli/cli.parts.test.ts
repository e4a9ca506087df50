import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EvalError } from '../../src/base/errors.ts'
import { browserArguments, playwrightOptions } from '../../src/cli/browser/browser.ts'
import { lockProfile, profileFolder } from '../../src/cli/browser/profile.ts'
import { nameOutputs, writeSamples } from '../../src/cli/commands/result-files.ts'
import { likelyMeant } from '../../src/cli/flags/near-names.ts'
import { createProgress, formatBytes, formatSeconds, type ProgressOutput } from '../../src/cli/output/progress.ts'
import { describeError } from '../../src/cli/output/report-error.ts'
import { firstLoad, staticImports } from '../../tools/build/first-load.ts'
import { foreignAddresses } from '../../tools/build/foreign-addresses.ts'
import { temporaryFolder } from './temporary-folder.ts'

const makeFolder = (): string => temporaryFolder('parts')
const never = new AbortController().signal

describe('the profile', () => {
  it('is where the environment says, else in the cache folder', () => {
    expect(profileFolder({ YARDSTICK_PROFILE: '/p' })).toBe('/p')
    if (process.platform === 'linux') expect(profileFolder({ XDG_CACHE_HOME: '/c' })).toBe('/c/yardstick')
  })

  it('is held by one at a time; the next waits and says for whom', async () => {
    const folder = makeFolder()
    // A process that lives and isn't this one: the parent.
    writeFileSync(join(folder, 'yardstick.lock'), JSON.stringify({ pid: process.ppid, since: 'noon', command: '--tasks x' }))
    const said: string[] = []
    const abort = new AbortController()
    const waiting = lockProfile(folder, (text) => said.push(text), abort.signal)
    await new Promise((done) => setTimeout(done, 50))
    expect(said.join()).toContain(`process ${process.ppid} (--tasks x)`)
    abort.abort()
    await expect(waiting).rejects.toThrow()
  })

  it('is taken over from a process that is gone, and let go', async () => {
    const folder = makeFolder()
    const file = join(folder, 'yardstick.lock')
    writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, since: 'noon', command: '' }))
    const release = await lockProfile(folder, () => undefined, never)
    expect(readFileSync(file, 'utf8')).toContain(`"pid":${process.pid}`)
    release()
    expect(() => readFileSync(file)).toThrow('ENOENT')
  })
})

describe('the browser', () => {
  it('has no sandbox only as root', () => {
    expect(playwrightOptions('/x', 'hardware').chromiumSandbox).toBe(process.getuid?.() !== 0)
  })

  it('gets the software adapter only when WebGPU was asked for', () => {
    expect(browserArguments('hardware').join(' ')).not.toContain('swiftshader')
  })
})

describe('progress', () => {
  const collect = (isTerminal: boolean) => {
    let text = ''
    let nowMs = 0
    const output: ProgressOutput = { isTerminal, columns: 60, write: (part) => (text += part), now: () => (nowMs += 1000) }
    return { progress: createProgress(output), text: () => text }
  }
  const step = (done: number) =>
    ({
      type: 'progress',
      docsDone: done,
      docsTotal: 10,
      requestsDone: 4 * done,
      requestsTotal: 40,
      requestsKept: 0,
      runs: done,
      scores: [],
    }) as const

  it('is one line that is rewritten on a terminal', () => {
    const { progress, text } = collect(true)
    for (let done = 0; done <= 10; done++) progress.show(step(done))
    progress.end()
    expect(text().split('\n')).toHaveLength(2)
    expect(text()).toMatch(/docs 10\/10/)
  })

  it('is sparse elsewhere, with rate and rest', () => {
    const { progress, text } = collect(false)
    for (let done = 0; done <= 10; done++) progress.show(step(done))
    const lines = text().trimEnd().split('\n')
    expect(lines.length).toBeLessThan(6)
    expect(lines.at(-1)).toMatch(/docs 10\/10 · requests 40\/40 · [\d.]+ requests\/s/)
  })

  it('says once what it waits for, and counts down', () => {
    const { progress, text } = collect(true)
    for (const seconds of [3, 2, 1]) progress.show({ type: 'waiting', what: 'network', message: 'The Hub asks for a pause.', seconds })
    expect(text().match(/asks for a pause/g)).toHaveLength(1)
    expect(text()).toMatch(/going on in 3 s.*going on in 1 s/s)
    progress.show({ type: 'bytes', file: 'a', loaded: 1, total: 2 })
    progress.show({ type: 'waiting', what: 'network', message: 'The Hub asks for a pause.', seconds: 3 })
    expect(text().match(/asks for a pause/g)).toHaveLength(2)
  })

  it('prints sizes and times for people', () => {
    expect([formatBytes(999), formatBytes(1_500_000), formatSeconds(12.1), formatSeconds(600), formatSeconds(9000)]).toEqual([
      '999 B',
      '1.5 MB',
      '13 s',
      '10 min',
      '2.5 h',
    ])
  })
})

describe('result files', () => {
  const date = new Date(2026, 10, 21, 9, 5, 3, 7)

  it('have the names of the harness', () => {
    const names = nameOutputs('/out', 'org/na:me', date)
    expect([names.results, names.samples('arc_easy')]).toEqual([
      '/out/org__na__me/results_2026-11-21T09-05-03.007000.json',
      '/out/org__na__me/samples_arc_easy_2026-11-21T09-05-03.007000.jsonl',
    ])
    expect(nameOutputs('/out/my.json', 'm', date).results).toBe('/out/my_2026-11-21T09-05-03.007000.json')
  })

  it('stay in their folder whatever a task is called', () => {
    expect(nameOutputs('/out', 'm', date).samples('../../x')).toBe('/out/m/samples_.._.._x_2026-11-21T09-05-03.007000.jsonl')
  })

  it('get all samples, part by part', async () => {
    const names = nameOutputs(makeFolder(), 'm', date)
    await writeSamples(names, 't', async (offset, count) => {
      const next = Math.min(1200, offset + count)
      return { text: Array.from({ length: next - offset }, (_, i) => `${offset + i}\n`).join(''), next, total: 1200 }
    })
    const lines = readFileSync(names.samples('t'), 'utf8').trimEnd().split('\n')
    expect(lines.map(Number)).toEqual(Array.from({ length: 1200 }, (_, i) => i))
  })
})

describe('the first load', () => {
  it('follows tags and static imports, not dynamic ones', () => {
    const folder = makeFolder()
    mkdirSync(join(folder, 'assets'))
    writeFileSync(
      join(folder, 'index.html'),
      '<link rel="stylesheet" href="./assets/a.css"><script type="module" src="./assets/a.js"></script>',
    )
    writeFileSync(join(folder, 'assets', 'a.css'), '')
    writeFileSync(
      join(folder, 'assets', 'a.js'),
      'import{x as y}from"./b.js";import"./c.js";const z=()=>import("./late.js");export*from"./d.js"',
    )
    for (const name of ['b', 'c', 'd', 'late']) writeFileSync(join(folder, 'assets', `${name}.js`), '')
    expect(firstLoad(folder, 'index.html').map(({ path }) => path)).toEqual([
      'assets/a.css',
      'assets/a.js',
      'assets/b.js',
      'assets/c.js',
      'assets/d.js',
      'index.html',
    ])
  })

  it('finds imports in minified code', () => {
    expect(staticImports('var a=1;import n,{b as c}from"./x.js";import*as d from\'./y.js\';import(`./no.js`)')).toEqual([
      './x.js',
      './y.js',
    ])
  })
})

describe('foreign addresses', () => {
  it('lets the Hub and known names pass, and nothing else', () => {
    expect(
      foreignAddresses(
        'fetch("https://huggingface.co/x"); "https://cdn-lfs.hf.co"; `https://cdn.jsdelivr.net/npm/x/`; "wss://evil.example/y"; "http://www.w3.org/2000/svg"',
      ),
    ).toEqual(['https://cdn.jsdelivr.net/npm/x/', 'wss://evil.example/y'])
  })
})

describe('words', () => {
  it('suggests near names', () => {
    expect(likelyMeant('taks', ['tasks', 'models', 'task_x'])).toEqual(['tasks'])
    expect(likelyMeant('zzz', ['tasks'])).toEqual([])
  })

  it('tells an error with its code and the causes that add something', () => {
    const error = new EvalError('hub/unreachable', 'No answer from the Hub.', { cause: new Error('ECONNREFUSED') })
    expect(describeError(error)).toBe('No answer from the Hub. [hub/unreachable]\n  because: ECONNREFUSED')
  })
})
