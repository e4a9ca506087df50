/** Per-sample rows that Meta published: opened like any results, and held doc by doc against a run. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { verdictAgreements } from '../../../src/analysis/compare/agreement/verdict-agreement.ts'
import { comparedSample } from '../../../src/analysis/compare/compared-run.ts'
import { comparedRun } from '../../../src/app/compare/compared-run.ts'
import { openFiles } from '../../../src/app/open/open-files.ts'
import type { OpenedRun } from '../../../src/app/open/opened-run.ts'
import { sha256 } from '../../../src/base/sha256.ts'

const open = (name: string, content: BlobPart) => openFiles([{ name, file: new Blob([content]) }], () => 'opened')
const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
const head = '<|start_header_id|>user<|end_header_id|>\n\n'

/** A row of a task that has the model write. */
const written = (at: number, isCorrect: unknown, more: object = {}) => ({
  ...{ task_type: 'Generative', task_name: 'mmlu_pro', subtask_name: at < 2 ? 'math' : 'law' },
  ...{ input_question: `Question ${at}?`, input_choice_list: { A: 'yes', B: 'no' } },
  ...{ input_final_prompts: [`${head}Question ${at}?`], input_correct_responses: ['A'] },
  ...{ output_prediction_text: [`The best answer is ${at === 1 ? 'B' : 'A'}.`], output_parsed_answer: at === 1 ? 'B' : 'A' },
  ...{ output_choice_completions: null, output_choice_negative_log_likelihoods: null, output_metrics: null },
  ...{ is_correct: isCorrect, input_question_hash: 'f'.repeat(64), benchmark_label: 'MMLU-Pro', eval_config: {} },
  ...more,
})

function compared(run: OpenedRun | undefined, label: string) {
  if (run === undefined) throw new Error('nothing was opened')
  return comparedRun(run.summary, new Map([...run.samples].map(([task, views]) => [task, views.map(comparedSample)])), label)
}

describe('rows of Meta’s evals', () => {
  test('open as one run with the file’s own verdicts, packed or not, as lines or as a list', async () => {
    const rows = [written(0, true), written(1, false), written(2, 1)]
    for (const content of [lines(rows), new Uint8Array(gzipSync(lines(rows))), JSON.stringify(rows, null, 1)]) {
      const [run, ...more] = await open('details.jsonl', content)
      expect(more).toEqual([])
      expect(run?.notes).toEqual([{ kind: 'meta-evals' }])
      expect(run?.summary.table.tasks).toMatchObject([{ task: 'mmlu_pro', metric: 'is_correct', value: 2 / 3, n: 3 }])
      expect(run?.samples.get('mmlu_pro')?.[1]).toMatchObject({
        docId: 1,
        prompt: `${head}Question 1?`,
        target: 'A',
        generated: ['The best answer is B.'],
        filterSteps: [{ name: 'output_parsed_answer', outputs: ['B'] }],
        choices: [],
        metrics: { is_correct: 0 },
      })
    }
  })

  test('have their task from the rows, else from the configuration in the file’s name; several tasks stay apart', async () => {
    const [run] = await open('x.jsonl', lines([written(0, true), written(0, false, { task_name: 'bbh' })]))
    expect([...(run?.samples.keys() ?? [])]).toEqual(['mmlu_pro', 'bbh'])
    const [named] = await open('Llama-3.1-8B-Instruct-evals__gpqa__details.jsonl', lines([written(0, true, { task_name: null })]))
    expect([...(named?.samples.keys() ?? [])]).toEqual(['gpqa'])
  })

  test('show options that were scored with their log-likelihoods, and the prompt that they share', async () => {
    const row = written(0, true, {
      input_final_prompts: ['Q\nAnswer: A', 'Q\nAnswer: B'],
      output_choice_completions: ['A', 'B'],
      output_choice_negative_log_likelihoods: [0.25, 1.5],
      output_prediction_text: null,
    })
    const [run] = await open('x.jsonl', lines([row]))
    expect(run?.samples.get('mmlu_pro')?.[0]).toMatchObject({
      prompt: 'Q\nAnswer:',
      choices: [
        { text: 'A', logprob: -0.25, isGreedy: true },
        { text: 'B', logprob: -1.5, isGreedy: false },
      ],
      gold: [0],
      generated: [],
    })
  })

  test('agree doc by doc with a run that was asked the same prompts, whatever its order, names and number of docs', async () => {
    const [published] = await open('x.jsonl', lines([written(0, true), written(1, false), written(2, true), written(3, false)]))
    // A run of the first three in another order: doc 2 is wrong here and right there.
    const run = [2, 0, 1].map((at, docId) => ({
      ...{ doc_id: docId, doc: {}, target: 'A', arguments: { gen_args_0: { arg_0: `${head}Question ${at}?`, arg_1: {} } } },
      ...{ resps: [['x']], filtered_resps: ['x'], filter: 'strict_match', metrics: ['exact_match'] },
      ...{ doc_hash: sha256(`doc ${at}`), prompt_hash: sha256(`${head}Question ${at}?`), target_hash: sha256('A') },
      ...{ exact_match: at === 0 ? 1 : 0 },
    }))
    const [own] = await open('samples_meta_mmlu_pro_instruct_2026-11-21T09-12-35.572732.jsonl', lines(run))
    expect(verdictAgreements(compared(own, 'A'), compared(published, 'B'))).toMatchObject([
      {
        left: { task: 'meta_mmlu_pro_instruct', metric: 'exact_match' },
        right: { task: 'mmlu_pro', metric: 'is_correct' },
        pairedBy: 'prompt',
        agreement: { n: 3, agree: 2, lost: [0], gained: [] },
      },
    ])
  })

  test('of another form are refused by line and column', async () => {
    const wrong = expect.objectContaining({
      code: 'results/invalid',
      message: expect.stringMatching(/line 2.*is_correct/) as string,
    }) as unknown
    await expect(open('x.jsonl', lines([written(0, true), written(1, 'yes')]))).rejects.toEqual(wrong)
    await expect(open('x.jsonl', '{"output_metrics": {}}\n')).rejects.toMatchObject({ code: 'results/invalid' })
  })
})
