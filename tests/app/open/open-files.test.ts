import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { packRun } from '../../../src/app/export/run-file.ts'
import { openFiles } from '../../../src/app/open/open-files.ts'
import { sourceOf, type OpenedRun } from '../../../src/app/open/opened-run.ts'
import type { NamedFile } from '../../../src/app/open/read-lines.ts'
import { isEvalError } from '../../../src/base/errors.ts'
import type { OwnResults } from '../../../src/contracts/yardstick-results.ts'
import { jsonDumps, str } from '../../../src/python/value.ts'
import { parsePythonJson } from '../../conformance/python-json.ts'
import { get } from '../../conformance/values.ts'
import { findShared } from '../../data/shared.ts'
import { asDict } from '../../support/make-task.ts'
import { resultsRow, runManifest, runSummary, sample } from '../builders.ts'

const file = (name: string, content: string | Uint8Array<ArrayBuffer> | Blob): NamedFile => ({ name, file: new Blob([content]) })

async function open(...files: NamedFile[]): Promise<readonly OpenedRun[]> {
  let next = 0
  return openFiles(files, () => `opened-${(next += 1)}`)
}

async function refusal(...files: NamedFile[]): Promise<string> {
  const error: unknown = await open(...files).catch((thrown: unknown) => thrown)
  return isEvalError(error) ? `${error.code}: ${error.message}` : `not refused: ${String(error)}`
}

const results = (change: object = {}) =>
  JSON.stringify({ results: { facts: { alias: 'facts', 'acc,none': 0.5, 'acc_stderr,none': 0.1 } }, versions: { facts: 1 }, ...change })
const line = (docId: number, change: object = {}) =>
  JSON.stringify({
    doc_id: docId,
    doc: { q: 'x' },
    target: '1',
    arguments: { gen_args_0: { arg_0: 'Q', arg_1: ' no' }, gen_args_1: { arg_0: 'Q', arg_1: ' yes' } },
    resps: [[['-3.5', 'False']], [['-1.25', 'True']]],
    filtered_resps: [
      ['-3.5', 'False'],
      ['-1.25', 'True'],
    ],
    filter: 'none',
    metrics: ['acc'],
    doc_hash: 'd',
    acc: 1.0,
    ...change,
  })

describe('the harness’s files', () => {
  test('of results print the table that the harness prints', async () => {
    const tables = readFileSync(new URL('../../goldens/table/tables.json', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n')
    expect(tables.length).toBeGreaterThan(3)
    for (const row of tables.map((text) => asDict(parsePythonJson(text)))) {
      const [run] = await open(
        file('results.json', jsonDumps(new Map([...asDict(get(row, 'results')), ['lm_eval_version', '0.4.13']]), { indent: 2 })),
      )
      const groups = get(row, 'groups')
      expect(run?.summary.tableText).toBe(`${str(get(row, 'tasks'))}${typeof groups === 'string' ? `\n${groups}` : ''}`)
    }
  })

  test('of a run and its samples are one run, read-only and by the page', async () => {
    const [run, ...others] = await open(
      file('samples_facts_2026-11-21T09-12-35.572732.jsonl', `${line(0)}\n${line(1)}\n`),
      file('results_2026-11-21T09-12-35.572732.json', results()),
    )
    expect(others).toEqual([])
    expect(run?.samples.get('facts')).toHaveLength(2)
    expect(run?.samples.get('facts')?.[0]).toMatchObject({
      docId: 0,
      prompt: 'Q',
      target: '1',
      gold: [1],
      choices: [
        { text: 'no', logprob: -3.5, isGreedy: false },
        { text: 'yes', logprob: -1.25, isGreedy: true },
      ],
      picks: { acc: 1, acc_norm: 1, acc_bytes: 1 },
      metrics: { acc: 1 },
      line: line(0),
    })
    if (run === undefined) throw new Error('nothing opened')
    const page = await sourceOf(run).samplesOf(run.id, 'facts', { offset: 1, count: 5 })
    expect([page.total, page.samples.length, page.samples[0]?.docId]).toEqual([2, 1, 1])
  })

  test('of several runs are told apart by their dates', async () => {
    const runs = await open(
      file('results_2026-01-01T00-00-00.json', results()),
      file('results_2026-01-02T00-00-00.json', results({ results: { facts: { 'acc,none': 0.25 } } })),
      file('samples_facts_2026-01-02T00-00-00.jsonl', line(7)),
    )
    expect(runs.map((run) => [run.summary.table.tasks[0]?.value, run.samples.get('facts')?.[0]?.docId])).toEqual([
      [0.5, undefined],
      [0.25, 7],
    ])
    expect(runs.map((run) => run.notes)).toEqual([[{ kind: 'no-samples' }], []])
  })

  test('of 0.4.2 are read: a list of samples, arguments as lists, numbers as numbers, filters by order', async () => {
    const old = (docId: number, acc: number) => ({
      doc_id: docId,
      doc: {},
      target: 1,
      arguments: [
        ['Q', ' no'],
        ['Q', ' yes'],
      ],
      resps: [[[-3.5, false]], [[-1.25, true]]],
      filtered_resps: [
        [-3.5, false],
        [-1.25, true],
      ],
      acc,
    })
    const [run] = await open(
      file(
        'results.json',
        results({
          results: { facts: { alias: '  - facts', 'acc,none': 0.5 }, all: { alias: 'all', ' ': ' ' } },
          configs: { facts: { filter_list: [{ name: 'first' }, { name: 'second' }] }, other: {} },
        }),
      ),
      file('pretrained__x_facts.jsonl', JSON.stringify([old(0, 1), old(1, 1), old(0, 0), old(1, 0)], null, 2)),
    )
    expect(run?.samples.get('facts')?.map(({ docId, filter, metrics }) => [docId, filter, metrics['acc']])).toEqual([
      [0, 'first', 1],
      [1, 'first', 1],
      [0, 'second', 0],
      [1, 'second', 0],
    ])
    expect(run?.samples.get('facts')?.[0]).toMatchObject({ gold: [1], picks: { acc: 1 }, choices: [{ text: 'no' }, { text: 'yes' }] })
    expect(run?.summary.table.tasks).toMatchObject([{ task: 'facts', alias: 'facts', value: 0.5 }])
  })

  test('of 0.3 are read: metrics without a filter', async () => {
    const [run] = await open(
      file(
        'old.json',
        JSON.stringify({ results: { piqa: { acc: 0.75, acc_stderr: 0.01, acc_norm: 0.5 } }, versions: { piqa: 0 }, config: {} }),
      ),
    )
    expect(run?.summary.table.tasks.map(({ metric, filter, value, stderr }) => [metric, filter, value, stderr])).toEqual([
      ['acc', 'none', 0.75, 0.01],
      ['acc_norm', 'none', 0.5, null],
    ])
  })

  test('with NaN and infinities, as Python writes them, keep them', async () => {
    const [run] = await open(
      file('results.json', '{"results": {"t": {"ppl,none": NaN, "x,none": -Infinity, "alias": "NaN, -Infinity \\"NaN\\""}}}'),
      file(
        'samples_t.jsonl',
        '{"doc_id": 0, "arguments": {}, "resps": [["NaN said"]], "filtered_resps": [], "ppl": NaN, "metrics": ["ppl"]}',
      ),
    )
    expect(run?.summary.table.tasks.map(({ value }) => value)).toEqual([NaN, -Infinity])
    expect(run?.summary.table.tasks[0]?.alias).toBe('NaN, -Infinity "NaN"')
    expect(run?.samples.get('t')?.[0]).toMatchObject({ generated: ['NaN said'], metrics: { ppl: 'NaN' } })
  })

  test('of samples alone give means, and it is said', async () => {
    const [run] = await open(file('samples_facts_2026-01-02T00-00-00.jsonl', `${line(0)}\n${line(1, { acc: 0.0 })}\n`))
    expect(run?.summary.table.tasks).toMatchObject([{ task: 'facts', metric: 'acc', value: 0.5, n: 2, stderr: null }])
    expect(run?.notes).toEqual([{ kind: 'no-results' }])
  })
})

/** Every golden run of the harness: each verdict of its samples must follow from the picks that are read here. */
const goldenFolders = ['tests/goldens/embedded', findShared('goldens/smollm2-135m-instruct')].flatMap((root) =>
  root === null
    ? []
    : readdirSync(root, { withFileTypes: true })
        .filter((entry) => entry.isDirectory() && existsSync(join(root, entry.name, 'results.json')))
        .map((entry) => join(root, entry.name)),
)

describe('verdicts of the harness follow from what is read of its samples', () => {
  test.each(goldenFolders)('%s', async (folder) => {
    const names = readdirSync(folder).filter((name) => name === 'results.json' || name.startsWith('samples'))
    const [run] = await open(...names.map((name) => file(name, new Uint8Array(readFileSync(join(folder, name))))))
    const views = [...(run?.samples.values() ?? [])].flat()
    expect(views.length).toBeGreaterThan(0)
    for (const { picks, gold, metrics, generated, choices } of views) {
      expect(choices.length + generated.length > 0 || Object.keys(metrics).some((name) => name.includes('perplexity'))).toBe(true)
      if (picks === null) continue
      for (const name of ['acc', 'acc_norm', 'acc_bytes'] as const)
        if (metrics[name] === 0 || metrics[name] === 1) expect(gold.includes(picks[name]) ? 1 : 0).toBe(metrics[name])
    }
  })
})

describe('a run that was saved as one file', () => {
  const choice = { text: 'a', logprob: -Infinity, isGreedy: false, unconditional: null }
  const samples = [
    sample(0, { choices: [{ ...choice, tokens: { ids: [3, 4], texts: ['', 'a'], logprobs: [-1, -Infinity] } }] }),
    sample(1, { choices: [choice] }),
  ]
  const manifest = runManifest('r')
  const summary = runSummary('r', { table: { tasks: [resultsRow('bench_facts', 'acc', NaN)], groups: [] }, warnings: ['careful'] })
  async function* parts() {
    await Promise.resolve()
    yield samples
  }
  const packed = () => packRun({ manifest, summary, samples: parts() })
  const unpacked = async () => new Response((await packed()).stream().pipeThrough(new DecompressionStream('gzip'))).text()

  test('gives back what went in', async () => {
    const [run] = await open(file('run.yardstick.gz', await packed()))
    expect(run?.manifest).toEqual(manifest)
    expect(run?.samples.get('bench_facts')).toEqual(samples)
    expect(run?.summary).toMatchObject({ table: summary.table, warnings: ['careful'], resultsText: summary.resultsText })
    expect(run?.summary.table.tasks[0]?.value).toBeNaN()
  })

  test('keeps what a score lost on its way, how fast it was, and scores of ours under their filters', async () => {
    const own: OwnResults = {
      scores: [{ task: 'bench_facts', metric: 'exact_match_within_0.002', filter: 'strict-match', value: 0.5, stderr: 'N/A', n: 2 }],
      averages: [],
      recipes: [],
      cuts: [{ task: 'bench_facts', docs: [1], mostTokens: 7 }],
      goldsOutside: [{ task: 'bench_facts', docs: [0], example: "'Z'" }],
      speed: { scored: { tokens: 10, seconds: 2 }, written: null },
      files: [],
    }
    const whole = await packRun({ manifest, summary: { ...summary, own }, samples: parts() })
    const [run] = await open(file('run.yardstick.gz', whole))
    expect(run?.summary.own).toEqual(own)
  })

  test('is refused when it was cut, changed, or is of a newer version', async () => {
    const text = await unpacked()
    expect(await refusal(file('a', text.slice(0, -40)))).toMatch(/^results\/invalid: a, line 5: .*JSON|was cut/)
    expect(await refusal(file('a', text.split('\n').slice(0, 3).join('\n')))).toContain('was cut')
    expect(await refusal(file('a', text.replace('"docId":1', '"docId":2')))).toContain('checksum')
    expect(await refusal(file('a', text.replace('"version":1', '"version":2')))).toContain('newer version')
    expect(await refusal(file('a', text.replace('"isGreedy":false', '"isGreedy":"yes"')))).toContain('isGreedy')
    expect(await refusal(file('a', text.replace('"device":"webgpu"', '"device":"abacus"')))).toContain('device')
    const bytes = new Uint8Array(await (await packed()).arrayBuffer())
    expect(await refusal(file('a', bytes.slice(0, bytes.length - 30)))).toContain('cut or damaged')
  })

  test('drops keys that it doesn’t know', async () => {
    const text = await unpacked()
    expect(await refusal(file('a', text.replace('"docId":0', '"docId":0,"evil":1')))).toContain('checksum')
  })
})

describe('what is no result is refused in one sentence', () => {
  test.each([
    ['an empty file', '', /empty/],
    ['other JSON', '{"a": 1}', /no results file.*'results'/],
    ['no JSON', '<html>', /wanted JSON/i],
    ['a results file without tasks', '{"results": {}}', /a task under/],
    ['a task that is no object', '{"results": {"t": 3}}', /for 't'/],
    ['deep nesting', `{"results": ${'['.repeat(5000)}${']'.repeat(5000)}}`, /nested/],
    ['a sample without responses', '{"doc_id": 0}', /resps/],
    ['a sample with a doc’s id that is none', '{"doc_id": -1, "resps": []}', /doc_id/],
    ['bytes that are no text', new Uint8Array([0x7b, 0xff, 0xfe]), /UTF-8/],
    ['a long name', JSON.stringify({ results: { ['x'.repeat(501)]: { 'acc,none': 1 } } }), /500 characters/],
  ] as const)('%s', async (_, content, says) => {
    expect(await refusal(file('given', content))).toMatch(says)
    expect(await refusal(file('given', content))).toMatch(/^results\/invalid/)
  })

  test('a bomb, as soon as it is larger than any result', async () => {
    const bomb = gzipSync(Buffer.alloc(300_000_000, ' '))
    expect(bomb.length).toBeLessThan(1_000_000)
    expect(await refusal(file('results.json', new Uint8Array(bomb)))).toMatch(/empty|larger than/)
    const long = gzipSync(Buffer.concat([Buffer.from('{"doc_id": 0, "x": "'), Buffer.alloc(40_000_000, 'x')]))
    expect(await refusal(file('samples.jsonl', new Uint8Array(long)))).toMatch(/larger than any result/)
    const wide = gzipSync(Buffer.concat([Buffer.from('{"results": "'), Buffer.alloc(200_000_000, 'x')]))
    expect(await refusal(file('results.json', new Uint8Array(wide)))).toMatch(/larger than any result/)
  })

  test('samples that belong to none of several runs, and a task’s samples twice', async () => {
    const two = [file('results_2026-01-01T00-00-00.json', results()), file('results_2026-01-02T00-00-00.json', results())]
    expect(await refusal(...two, file('samples_facts.jsonl', line(0)))).toContain('no date')
    expect(await refusal(file('results.json', results()), file('samples_facts.jsonl', line(0)), file('s2.jsonl', line(0)))).toContain(
      'twice',
    )
  })
})
