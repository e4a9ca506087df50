import { describe, expect, it } from 'vitest'
import { compareRun, isPassed, type Comparison } from './compare.ts'
import type { JsonRecord } from './goldens.ts'
import { formatHead, formatOutcome } from './table.ts'

/** A scored doc: log-probabilities of choices of one, two, … letters. */
function choiceRow(logprobs: readonly number[], changes: JsonRecord = {}): JsonRecord {
  const letters = logprobs.map((_, index) => [`gen_args_${index}`, { arg_0: 'Q', arg_1: ` ${'x'.repeat(index + 1)}` }])
  return {
    doc_id: 0,
    filter: 'none',
    doc_hash: 'd',
    prompt_hash: 'p',
    target_hash: 't',
    arguments: Object.fromEntries(letters),
    resps: logprobs.map((logprob) => [[String(logprob), 'False']]),
    filtered_resps: logprobs.map((logprob) => [String(logprob), 'False']),
    metrics: ['acc', 'acc_norm'],
    acc: 1,
    acc_norm: 0,
    ...changes,
  }
}

function resultsOf(outputType: string, row: JsonRecord): JsonRecord {
  return { results: { t: row }, configs: { t: { output_type: outputType, target_delimiter: ' ' } } }
}

function compareRows(wanted: JsonRecord, found: JsonRecord, outputType = 'multiple_choice'): Comparison {
  const results = resultsOf(outputType, {})
  return compareRun([{ task: 't', wanted: [wanted], found: [found] }], results, results)
}

describe('compareRun', () => {
  it('passes equal rows, and gives the largest difference', () => {
    const comparison = compareRows(choiceRow([-1, -2]), choiceRow([-1.001, -2.004]))
    expect(comparison.largestDifference).toBeCloseTo(0.004, 10)
    expect(comparison.docs).toBe(1)
    expect(isPassed(comparison)).toBe(true)
  })

  it('fails a log-probability that is 6e-3 away, and one that is no number', () => {
    expect(isPassed(compareRows(choiceRow([-1, -2]), choiceRow([-1.006, -2])))).toBe(false)
    const broken = compareRows(choiceRow([-1, -2]), choiceRow([NaN, -2]))
    expect(broken.largestDifference).toBeNaN()
    expect(isPassed(broken)).toBe(false)
  })

  it('counts a doc whose best choice differs, and one whose best choice by length does', () => {
    expect(compareRows(choiceRow([-1, -1.001]), choiceRow([-1.001, -1])).picks).toEqual(['t doc 0: choice 1 instead of 0'])
    // By length: -1/1 against -2.002/2 = -1.001; then -1.0005/1 against -2/2.
    const close = compareRows(choiceRow([-1, -2.002]), choiceRow([-1.0005, -2]))
    expect(close.picks).toEqual(['t doc 0: choice by length 1 instead of 0'])
    expect(isPassed(close)).toBe(false)
  })

  it('counts a greedy flag and a 0/1 metric that differ as picks', () => {
    const greedy = compareRows(
      choiceRow([-1], { metrics: ['acc'] }),
      choiceRow([-1], { metrics: ['acc'], resps: [[['-1', 'True']]] }),
      'loglikelihood',
    )
    expect(greedy.picks).toEqual(['t doc 0: greedy True instead of False'])
    expect(compareRows(choiceRow([-1, -2]), choiceRow([-1, -2], { acc_norm: 1 })).picks).toHaveLength(1)
  })

  it('names docs whose prompt differs and docs that are missing', () => {
    expect(compareRows(choiceRow([-1]), choiceRow([-1], { prompt_hash: 'other' })).prompts).toEqual(['t doc 0: prompt_hash differs'])
    expect(compareRows(choiceRow([-1]), choiceRow([-1], { doc_id: 3 })).prompts).toEqual(['t doc 0 is missing'])
  })

  it('compares generated and filtered texts', () => {
    const row = (text: string, filtered: string): JsonRecord =>
      choiceRow([], { resps: [[text]], filtered_resps: [filtered], metrics: ['exact_match'], exact_match: 1 })
    expect(isPassed(compareRows(row('a b', 'b'), row('a b', 'b'), 'generate_until'))).toBe(true)
    expect(compareRows(row('a b', 'b'), row('a c', 'b'), 'generate_until').generations).toHaveLength(1)
    expect(compareRows(row('a b', 'b'), row('a b', 'c'), 'generate_until').generations).toHaveLength(1)
    expect(compareRows(row('a b', 'b'), row('a b', 'b'), 'generate_until').largestDifference).toBeNull()
  })

  it('gives a rolling log-likelihood room in proportion, and no other', () => {
    const rolling = (value: number) =>
      choiceRow([], { resps: [[String(value)]], metrics: ['word_perplexity'], word_perplexity: [value, 10] })
    expect(isPassed(compareRows(rolling(-3000.5), rolling(-3000.52), 'loglikelihood_rolling'))).toBe(true)
    expect(isPassed(compareRows(rolling(-3000.5), rolling(-3000.54), 'loglikelihood_rolling'))).toBe(false)
    expect(isPassed(compareRows(choiceRow([-3000.5]), choiceRow([-3000.52])))).toBe(false)
  })

  it('holds counted metrics to 1e-9 and measured ones to a thousandth', () => {
    const compareScores = (wanted: JsonRecord, found: JsonRecord, doc: JsonRecord): readonly string[] => {
      const rows = [choiceRow([-1], { ...doc, metrics: Object.keys(doc) })]
      return compareRun([{ task: 't', wanted: rows, found: rows }], resultsOf('loglikelihood', wanted), resultsOf('loglikelihood', found))
        .metrics
    }
    expect(compareScores({ 'acc,none': 0.5 }, { 'acc,none': 0.5 + 1e-12 }, { acc: 1 })).toEqual([])
    expect(compareScores({ 'acc,none': 0.5 }, { 'acc,none': 0.5 + 1e-8 }, { acc: 1 })).toHaveLength(1)
    expect(compareScores({ 'acc_stderr,none': 'N/A' }, { 'acc_stderr,none': 0 }, { acc: 1 })).toHaveLength(1)
    expect(compareScores({ 'perplexity,none': 40 }, { 'perplexity,none': 40.03 }, { perplexity: -1.5 })).toEqual([])
    expect(compareScores({ 'perplexity,none': 40 }, { 'perplexity,none': 40.05 }, { perplexity: -1.5 })).toHaveLength(1)
    expect(compareScores({ 'acc,none': 0.5 }, {}, { acc: 1 })).toEqual(['t acc,none: nothing instead of 0.5'])
  })
})

describe('formatOutcome', () => {
  it('prints a line under the head, and what differs below it', () => {
    const head = formatHead(5)
    const passed = formatOutcome('a', 5, 1.25, { comparison: compareRows(choiceRow([-1, -3]), choiceRow([-1.001, -3])) })
    const cells = (line: string): string[] => line.split(/ {2,}/)
    expect(cells(head)).toEqual(['id', 'docs', 'max |dlogprob|', 'picks', 'generations', 'metrics', 'seconds'])
    expect(cells(passed)).toEqual(['a', '1', '1.00e-3', '0', '0', '0', '1.3', 'passed'])
    expect(passed.indexOf('1.00e-3') + 7).toBe(head.indexOf('|dlogprob|') + 10)
    const failed = formatOutcome('b', 5, 0, { comparison: compareRows(choiceRow([-1, -1.001]), choiceRow([-1.001, -1])) })
    expect(failed).toContain('FAILED\n    pick: t doc 0: choice 1 instead of 0')
    expect(formatOutcome('c', 5, 0, { reason: 'why not' })).toMatch(/^c .*FAILED\n {4}why not$/)
  })
})
