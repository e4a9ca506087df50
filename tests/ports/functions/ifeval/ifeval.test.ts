/** IFEval against lm_eval 0.4.13, NLTK 3.10.4 and langdetect 1.0.9; `tests/make-goldens/make_ifeval_goldens.py` made the values. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { findProcessResults, functionTable, notesOf, prepareProcessResults } from '../../../../src/ports/functions/functions.ts'
import { ifevalData } from '../../../../src/ports/functions/ifeval/data.ts'
import { drawnInstructions, instructions, processIfeval } from '../../../../src/ports/functions/ifeval/process-results.ts'
import { splitSentences } from '../../../../src/ports/functions/ifeval/punkt.ts'
import { wordTokenize } from '../../../../src/ports/functions/ifeval/word-tokenizer.ts'
import { fromJson, isList, toJson, type PyDict } from '../../../../src/python/value.ts'
import { FunctionRef } from '../../../../src/python/yaml/yaml-value.ts'
import { parsePythonJson } from '../../../conformance/python-json.ts'
import { readGoldenRuns } from '../../../support/golden-runs.ts'
import { isLong } from '../../../support/long.ts'
import { asDict } from '../../../support/make-task.ts'

interface Row {
  readonly id: string
  readonly kwargs: { readonly [name: string]: string | number }
  /** For each response strict and loose, as digits. */
  readonly verdicts: string
}

interface Rows {
  readonly responses: readonly string[]
  readonly rows: readonly Row[]
}

function read<T>(name: string): T {
  // The script writes what the caller names.
  return JSON.parse(readFileSync(new URL(`../../../goldens/ifeval/${name}.json`, import.meta.url), 'utf8')) as T
}

function docOf(ids: readonly string[], kwargs: readonly Row['kwargs'][]): PyDict {
  return asDict(fromJson({ key: 1, prompt: 'Write it.', instruction_id_list: ids, kwargs }))
}

function verdictsOf({ id, kwargs }: Row, responses: readonly string[]): string {
  const doc = docOf([id], [kwargs])
  const digit = (scores: PyDict, name: string): string => {
    const verdicts = scores.get(name) ?? null
    return isList(verdicts) && verdicts.length === 1 && verdicts[0] === true ? '1' : '0'
  }
  return responses
    .map((response) => {
      const scores = processIfeval(doc, [response])
      return digit(scores, 'inst_level_strict_acc') + digit(scores, 'inst_level_loose_acc')
    })
    .join(' ')
}

const reference = new FunctionRef('utils.process_results', 'tasks/ifeval/ifeval.yaml')

beforeAll(() => prepareProcessResults(reference, { file: 'tasks/ifeval/ifeval.yaml' }))

describe('every check, strict and loose, is the harness’s', () => {
  const { responses, rows } = read<Rows>('checks')
  /** Finding a response's language takes most of the time: in the short form each row that does has another third of the responses. */
  const isTried = (place: number, { id }: Row, index: number): boolean =>
    isLong || id !== 'language:response_language' || index % 3 === place % 3
  it.each(rows.map((row, place) => [`${row.id} ${JSON.stringify(row.kwargs)}`, row, place] as const))('%s', (_title, row, place) => {
    const tried = responses.flatMap((response, index) => (isTried(place, row, index) ? [{ response, index }] : []))
    const found = verdictsOf(
      row,
      tried.map(({ response }) => response),
    ).split(' ')
    const wanted = row.verdicts.split(' ')
    expect(wanted).toHaveLength(responses.length)
    const differing = tried.flatMap(({ response, index }, at) =>
      wanted[index] === found[at] ? [] : [{ response, wanted: wanted[index], found: found[at] }],
    )
    expect(differing).toEqual([])
    expect(found).toHaveLength(tried.length)
  })
  it('covers all 25 instructions, each followed by some responses and not by others', () => {
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(Object.keys(instructions)))
    expect(Object.keys(instructions)).toHaveLength(25)
    for (const id of Object.keys(instructions)) {
      const all = rows.filter((row) => row.id === id).flatMap(({ verdicts }) => verdicts.split(' '))
      expect(all).toEqual(expect.arrayContaining(['11', '00']))
    }
  })
})

describe('what a doc leaves out is drawn as by a fresh run of the harness', () => {
  const { responses, rows } = read<Rows>('drawn')
  it.each(rows.map((row) => [`${row.id} ${JSON.stringify(row.kwargs)}`, row] as const))('%s', (_title, row) => {
    expect(verdictsOf(row, responses)).toBe(row.verdicts)
    expect(drawnInstructions(docOf([row.id], [row.kwargs]))).toEqual(isComplete(row) ? [] : [row.id])
  })
  const isComplete = ({ id, kwargs }: Row): boolean =>
    Object.keys(kwargs).length === instructions[id]?.parameters.length && kwargs['letter'] !== '!'
})

it('docs of several instructions, with nulls for the parameters of others, score and average as in the harness', () => {
  const { docs, average } = read<{ docs: readonly { doc: never; response: string; value: never }[]; average: number }>('several')
  for (const { doc, response, value } of docs) expect(toJson(processIfeval(asDict(fromJson(doc)), [response]))).toEqual(value)
  const items = docs.map(({ value }) => asDict(fromJson(value)).get('inst_level_loose_acc') ?? null)
  const aggregate = functionTable().aggregation(new FunctionRef('utils.agg_inst_level_acc', 'tasks/leaderboard/ifeval/ifeval.yaml'))
  expect(toJson(aggregate(items))).toBe(average)
})

it('sentences, words and word counts are NLTK’s', () => {
  const { punkt } = ifevalData()
  const texts = read<readonly { text: string; sentences: readonly string[]; words: readonly string[]; wordCount: number }[]>('splits')
  expect(texts.length).toBeGreaterThan(700)
  for (const { text, sentences, words, wordCount } of texts) {
    expect([text, splitSentences(text, punkt)]).toEqual([text, sentences])
    expect([text, wordTokenize(text, punkt)]).toEqual([text, words])
    const exactly = docOf(
      ['length_constraints:number_words', 'length_constraints:number_words'],
      [
        { num_words: wordCount, relation: 'at least' },
        { num_words: wordCount + 1, relation: 'less than' },
      ],
    )
    if (wordCount > 0)
      expect([text, toJson(processIfeval(exactly, [text]).get('inst_level_strict_acc') ?? null)]).toEqual([text, [true, true]])
  }
})

it('languages are langdetect’s under the same seed', () => {
  const { languages } = ifevalData()
  for (const { text, found } of read<readonly { text: string; found: readonly (string | null)[] }[]>('languages'))
    expect([text, ...found.map((_, seed) => languages.detect(text, seed))]).toEqual([text, ...found])
})

it('an instruction or a parameter that the harness refuses is an error that names it', () => {
  const score = (id: string, kwargs: Row['kwargs']) => () => processIfeval(docOf([id], [kwargs]), ['x'])
  const failure = (part: string): unknown =>
    expect.objectContaining({ code: 'metric/failed', message: expect.stringContaining(part) as string })
  expect(score('keywords:rhyme', {})).toThrow(failure("'keywords:rhyme'"))
  expect(score('punctuation:no_comma', { num_words: 3 })).toThrow(failure("'num_words'"))
  expect(score('length_constraints:number_words', { num_words: 3, relation: 'at most' })).toThrow(failure("'at most'"))
  expect(score('language:response_language', { language: 'xx' })).toThrow(failure('xx'))
  expect(score('combination:repeat_prompt', {})).toThrow(failure("'prompt_to_repeat'"))
  // As in the harness, parameters that are zero or empty count as left out.
  expect(score('punctuation:no_comma', { num_words: 0, keyword: '' })).not.toThrow()
})

it('what is drawn at random is said', () => {
  const port = findProcessResults(reference, { file: reference.file })
  const given = docOf(['keywords:letter_frequency'], [{ letter: 'q', let_frequency: 1, let_relation: 'at least' }])
  const strange = docOf(
    ['keywords:letter_frequency', 'change_case:english_capital'],
    [{ letter: '#', let_frequency: 1, let_relation: 'at least' }, {}],
  )
  expect(notesOf(port, [given])).toEqual([])
  expect(notesOf(port, [given, strange, strange])).toEqual([
    expect.stringContaining('2 instructions (keywords:letter_frequency)'),
    expect.stringContaining('responses to 2 docs'),
  ])
})

const runs = readGoldenRuns().filter(({ id }) => /^ifeval/.test(id))

describe.skipIf(runs.length === 0)('a golden run is scored from its responses', () => {
  it.each(runs.map((run) => [run.id, run] as const))('%s', (_id, { results, lines }) => {
    const metrics = ['prompt_level_strict_acc', 'inst_level_strict_acc', 'prompt_level_loose_acc', 'inst_level_loose_acc']
    const rows = (lines.get('ifeval') ?? []).map((line) => asDict(parsePythonJson(line)))
    expect(rows.length).toBeGreaterThan(0)
    const scored = rows.map((row) => {
      const filtered = row.get('filtered_resps') ?? null
      const response = isList(filtered) ? (filtered[0] ?? null) : filtered
      return { row, scores: processIfeval(asDict(row.get('doc') ?? null), [response]) }
    })
    for (const { row, scores } of scored)
      for (const metric of metrics) expect(toJson(scores.get(metric) ?? null)).toEqual(toJson(row.get(metric) ?? null))
    const aggregate = functionTable().aggregation(new FunctionRef('utils.agg_inst_level_acc', 'tasks/ifeval/ifeval.yaml'))
    const totals = asDict(asDict(results.get('results') ?? null).get('ifeval') ?? null)
    for (const metric of metrics.filter((name) => name.startsWith('inst')))
      expect(toJson(aggregate(scored.map(({ scores }) => scores.get(metric) ?? null)))).toEqual(
        toJson(totals.get(`${metric},none`) ?? null),
      )
  })
})
