import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { csvLine, samplesCsv, scoresCsv } from '../../../src/app/export/csv.ts'
import { evalResultsYaml } from '../../../src/app/export/eval-results.ts'
import { restrictedTasks, withoutText } from '../../../src/app/export/restricted.ts'
import { resultsRow, runManifest, sample } from '../builders.ts'

/** A strict reader of RFC 4180, to hold the writer against. */
function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        if (at >= text.length) throw new Error('an open quote')
        if (text[at] === '"') at += 1
        cell += text[at] ?? ''
      }
      at += 1
    } else {
      while (at < text.length && text[at] !== ',' && text[at] !== '\r') cell += text[at++] ?? ''
      if (/["\n]/.test(cell)) throw new Error(`a bare quote or line feed in ${cell}`)
    }
    row.push(cell)
    if (text[at] === ',') at += 1
    else if (text.startsWith('\r\n', at)) {
      rows.push(row)
      row = []
      at += 2
    } else throw new Error(`neither comma nor line end at ${at}`)
  }
  return rows
}

describe('a CSV file', () => {
  test('reads back cell by cell, whatever the texts hold', () => {
    const cells = ['plain', 'a,b', 'say "hi"', 'two\nlines', 'two\r\nlines', '', ' blanks ', '日本語', '"', ',']
    expect(readCsv(csvLine(cells))).toEqual([cells])
  })

  test('has no text that a spreadsheet would take for a formula', () => {
    const attacks = ['=1+1', '+1', '-2', '@SUM(A1)', '\t=1', '\r=1', ' =1', '\u0000=1', '＝1', '\ufeff=cmd|calc!A1']
    for (const [cell = ''] of attacks.map((attack) => readCsv(csvLine([attack]))[0] ?? [])) expect(cell.startsWith("'")).toBe(true)
    expect(csvLine([-2.5, -Infinity, true, null, 'a=b', 'e-mail'])).toBe('-2.5,-Infinity,true,,a=b,e-mail\r\n')
  })

  test('has one line a score with what it rests on, and numbers in full', () => {
    const row = resultsRow('facts', 'acc', 1 / 3, { version: ' 1.0', stderr: 'N/A' })
    const [header = [], line = []] = readCsv(scoresCsv({ tasks: [row], groups: [] }, runManifest('r')))
    const cells = Object.fromEntries(header.map((name, index) => [name, line[index]]))
    expect(cells).toMatchObject({
      kind: 'task',
      task: 'facts',
      version: '1.0',
      value: '0.3333333333333333',
      stderr: 'N/A',
      higher_is_better: 'true',
      model: 'yardstick/pocket',
      created_at_utc: '2026-11-20T14:03:11.482Z',
    })
  })

  test('has one line a doc, docs of fewer choices and other metrics included', () => {
    const views = [
      sample(0),
      sample(1, { choices: [], picks: null, gold: [], metrics: { exact_match: 0, f1: [1, 0] }, generated: ['=HYPERLINK("x")'] }),
    ]
    const [header = [], ...lines] = readCsv(samplesCsv(views))
    expect(lines.map((line) => line.length)).toEqual([header.length, header.length])
    const of = (line: number, name: string) => lines[line]?.[header.indexOf(name)]
    expect([of(0, 'right'), of(0, 'logprob_1'), of(0, 'choice_1'), of(0, 'pick_acc_norm')]).toEqual(['true', '-2.81', 'Bamako', '2'])
    expect([of(1, 'right'), of(1, 'f1'), of(1, 'logprob_1'), of(1, 'generated')]).toEqual(['false', '[1,0]', '', '\'=HYPERLINK("x")'])
  })
})

/** `eval_results.yaml` of huggingface/hub-docs at 2be4979e with `evaluation_framework` of docs/hub/eval-results.md at 064c7548: keys, nesting, types. */
const hubResults = v.pipe(
  v.array(
    v.strictObject({
      dataset: v.strictObject({
        id: v.pipe(v.string(), v.regex(/^[\w.-]+\/[\w.-]+$/)),
        task_id: v.pipe(v.string(), v.nonEmpty()),
        revision: v.exactOptional(v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/))),
      }),
      value: v.pipe(v.number(), v.finite()),
      verifyToken: v.exactOptional(v.string()),
      date: v.exactOptional(v.pipe(v.string(), v.isoTimestamp())),
      source: v.exactOptional(
        v.strictObject({
          url: v.pipe(v.string(), v.url()),
          name: v.exactOptional(v.string()),
          user: v.exactOptional(v.string()),
          org: v.exactOptional(v.string()),
        }),
      ),
      evaluation_framework: v.exactOptional(v.string()),
      notes: v.exactOptional(v.string()),
    }),
  ),
  v.nonEmpty(),
)

describe('the Hub’s evaluation results', () => {
  const table = {
    tasks: [
      resultsRow('bench_facts', 'acc', 0.5),
      resultsRow('bench_facts', 'acc_norm', 0.25, { filter: 'none' }),
      resultsRow('own_rows', 'acc', 0.5),
      resultsRow('bench_words', 'perplexity', 1e-7),
    ],
    groups: [],
  }

  test('have an entry for each task with rows of the Hub, and none for others', () => {
    const text = evalResultsYaml(table, runManifest('r')) ?? ''
    expect(parse(text)).toMatchObject([
      {
        dataset: { id: 'yardstick/bench', task_id: 'facts', revision: 'b7d2c0ffee1234567890abcdef1234567890abcd' },
        value: 0.5,
        date: '2026-11-20T14:03:11.482Z',
      },
      { dataset: { task_id: 'words' }, value: 1e-7 },
    ])
    expect(text).toContain('also acc_norm 0.25')
    expect(text).not.toContain('verifyToken')
  })

  test('keep to the Hub’s specification, for readers of YAML 1.1 and 1.2 alike', () => {
    const text = evalResultsYaml(table, runManifest('r')) ?? ''
    expect(v.parse(hubResults, parse(text))).toHaveLength(2)
    expect(parse(text, { version: '1.1' })).toEqual(parse(text))
  })

  test('hold a hostile name as one text', () => {
    const manifest = runManifest('r')
    const hostile = { ...manifest, app: { ...manifest.app, version: '"\n- dataset: {id: evil/x}\u2028\n#' } }
    expect(evalResultsYaml(table, hostile)?.match(/^- /gm)).toHaveLength(2)
  })

  test('are none where no rows come from the Hub', () => {
    expect(evalResultsYaml({ tasks: [resultsRow('own', 'acc', 1)], groups: [] }, runManifest('r'))).toBeNull()
  })
})

describe('rows that are gated or private', () => {
  const canary = 'CANARY-7f3a'
  const line = JSON.stringify({
    doc_id: 3,
    doc: { question: canary, [canary]: 1 },
    target: canary,
    arguments: { gen_args_0: { arg_0: canary } },
    resps: [[['-1.5', 'False']], [[canary]]],
    filtered_resps: [['-1.5', 'False'], canary],
    filter: 'none',
    metrics: ['acc', 'bleu'],
    doc_hash: 'd0c',
    acc: 1.0,
    bleu: [canary, canary],
  })
  const view = sample(3, {
    prompt: canary,
    target: canary,
    choices: [{ text: canary, logprob: -1.5, isGreedy: false, unconditional: null }],
    generated: [canary],
    filterSteps: [{ name: 'take_first', outputs: [canary] }],
    metrics: { acc: 1, bleu: [canary, canary] },
    line,
    own: { shots: 0, fits: true, probabilities: null, mass: null, csv: canary },
  })

  test('leave no text behind, but scores, picks and hashes', () => {
    const bare = withoutText(view)
    expect(JSON.stringify(bare)).not.toContain(canary)
    expect(JSON.parse(bare.line)).toMatchObject({
      doc_id: 3,
      doc: {},
      resps: [[['-1.5', 'False']], [['']]],
      doc_hash: 'd0c',
      acc: 1,
      text_withheld: true,
    })
    expect(bare.choices[0]?.logprob).toBe(-1.5)
    expect(withoutText({ ...view, line: `{"doc": NaN, "x": "${canary}"` }).line).not.toContain(canary)
    expect(withoutText({ ...view, line: `{"doc_id": 1, "acc": NaN, "x": "${canary} NaN"}` }).line).toBe(
      '{"doc_id":1,"acc":"NaN","x":"","text_withheld":true}',
    )
  })

  test('are known by their dataset', () => {
    const manifest = runManifest('r')
    const [facts] = Object.values(manifest.datasets)
    if (facts === undefined) throw new Error('no dataset')
    const gated = { ...manifest, datasets: { ...manifest.datasets, bench_facts: { ...facts, isRestricted: true as const } } }
    expect(restrictedTasks(gated)).toEqual([{ task: 'bench_facts', dataset: 'yardstick/bench' }])
    expect([restrictedTasks(manifest), restrictedTasks(null)]).toEqual([[], []])
  })
})
