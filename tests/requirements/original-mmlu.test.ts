/** Section B of docs/requirements.md: the original MMLU program: each test carries its item. Goldens: tests/make-goldens/make_original_mmlu_goldens.py. */
import { describe, expect, it } from 'vitest'
import { goldenFolder, originalRun, readOriginalGolden, type OriginalGolden } from './original-run.ts'

const golden = readOriginalGolden()

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a golden is missing')
  return value
}

const nameOf = (run: OriginalGolden['runs'][number]): string =>
  `${run.tokenizer}, ${run.ntrain} examples, at most ${run.max_tokens} tokens, ${run.fixed ? 'one blank' : 'two blanks'}, ${run.choice_tokens} letters`
const runs = golden.runs.map((run) => [nameOf(run), run] as const)

const start = (run: OriginalGolden['runs'][number]) =>
  originalRun({
    folder: goldenFolder(),
    tokenizer: must(golden.tokenizers[run.tokenizer]),
    tasks: [run.fixed ? 'mmlu_original_fixed' : 'mmlu_original'],
    model: run.model,
    numFewshot: run.ntrain,
    metadata: { max_prompt_tokens: run.max_tokens, choice_tokens: run.choice_tokens },
  })
const taskOf = (run: OriginalGolden['runs'][number], subject: string): string =>
  `${run.fixed ? 'mmlu_original_fixed' : 'mmlu_original'}_${subject}`

describe('the original MMLU program over its own csv files', () => {
  it.each(runs)('B: Original prompt, k-shot from dev, " about {subject}.": byte-equal prompts: %s', async (_, run) => {
    const made = await start(run)
    for (const [subject, docs] of Object.entries(run.subjects)) {
      expect(await made.prompts(taskOf(run, subject))).toEqual(docs.map(({ prompt }) => prompt))
      expect(docs[0]?.prompt).toContain(`) about${run.fixed ? ' ' : '  '}${subject.replaceAll('_', ' ')}.`)
    }
  })

  it.each(runs)('B: One forward, softmax over A–D last-token: the same token ids in and out: %s', async (_, run) => {
    const made = await start(run)
    for (const [subject, docs] of Object.entries(run.subjects)) {
      const { requests } = must(made.built.find(({ name }) => name === taskOf(run, subject)))
      const pieces = docs.map((_doc, docId) => requests.filter((request) => request.docId === docId).flatMap((request) => request.pieces))
      // Four letters after one and the same input: the plan makes one forward pass of them.
      expect(pieces.map((four) => four.map(({ target }) => [...target]))).toEqual(docs.map(({ ids }) => ids.map((id) => [id])))
      expect(pieces.map((four) => four.map(({ input }) => [...input]))).toEqual(docs.map(({ input_ids: ids }) => [ids, ids, ids, ids]))
    }
  })

  it.each(runs)('B: Drop shots until ≤2048 tokens: k of every doc: %s', async (_, run) => {
    const made = await start(run)
    const results = await made.finish((task, docId, idx) => -(docId + idx) - task.length / 100)
    for (const [subject, docs] of Object.entries(run.subjects)) {
      const views = must(results.samples[taskOf(run, subject)])
      expect(views.map(({ own }) => own?.shots)).toEqual(docs.map(({ k }) => k))
      expect(views.map(({ own }) => own?.fits)).toEqual(docs.map(({ input_ids: ids }) => ids.length <= run.max_tokens))
      const fewer = docs.filter(({ k }) => k < run.ntrain).length
      const warning = new RegExp(`${subject}: ${fewer} of ${docs.length} prompts show fewer examples than ${run.ntrain}`)
      expect(results.warnings.some((text) => warning.test(text))).toBe(fewer > 0)
      // The line of the samples file says it too, behind the harness's keys.
      const line = JSON.parse(must(views[0]).line) as { yardstick: { num_fewshot: number } }
      expect(Object.keys(line).at(-1)).toBe('yardstick')
      expect(line.yardstick.num_fewshot).toBe(docs[0]?.k)
    }
  })

  it.each(runs)('B: per-choice probabilities saved to CSV, accuracies JSON with cost_time: %s', async (_, run) => {
    const made = await start(run)
    const subjectOf = (task: string) => must(Object.keys(run.subjects).find((subject) => task.endsWith(subject)))
    const results = await made.finish((task, docId, idx) => must(run.subjects[subjectOf(task)]?.[docId]?.logprobs[idx]))
    const own = must(results.own)
    for (const [subject, wanted] of Object.entries(run.files)) {
      const { csv } = must(own.recipes.find(({ task }) => task.endsWith(subject)))
      const text = [csv?.header ?? '', ...must(results.samples[taskOf(run, subject)]).map((view) => view.own?.csv ?? '')].join('\n')
      expect(csv?.path).toBe(`${run.fixed ? 'mmlu_original_fixed' : 'mmlu_original'}/results_up-model/${subject}.csv`)
      const [ours, theirs] = [splitNumbers(`${text}\n`), splitNumbers(wanted)]
      expect(ours.text).toBe(theirs.text)
      ours.numbers.forEach((number, at) => expect(number).toBeCloseTo(theirs.numbers[at] ?? NaN, 6))
    }
    const [accuracies] = own.files
    expect(accuracies?.path).toBe(`${run.fixed ? 'mmlu_original_fixed' : 'mmlu_original'}/accuracies_made_up-model.json`)
    expect(accuracies?.text).toBe(run.accuracies)
  })
})

/** A csv's text without its probabilities, whose last of 32 bits may differ, and these. */
function splitNumbers(text: string): { readonly text: string; readonly numbers: readonly number[] } {
  const numbers: number[] = []
  // Four at the end of a line behind True or False.
  const rest = text.replace(/(?<=,(?:True|False)),([^,\n]+),([^,\n]+),([^,\n]+),([^,\n]+)(?=\n)/g, (_match, ...four: string[]) => {
    numbers.push(...four.slice(0, 4).map(Number))
    return ''
  })
  return { text: rest, numbers }
}

describe('letters and their tokens', () => {
  const [bare] = golden.runs
  const folder = goldenFolder()

  it('B: One forward, softmax over A–D last-token: both ids are shown where “A” and “ A” differ', async () => {
    const made = await originalRun({ folder, tokenizer: must(golden.tokenizers['byte-level']), tasks: ['mmlu_original'] })
    const spaced = must(golden.runs.find((run) => run.tokenizer === 'byte-level' && run.choice_tokens === 'spaced'))
    const ids = (run: OriginalGolden['runs'][number]) => must(run.subjects['world_religions']?.[0]).ids
    const warnings = made.built.flatMap((task) => task.warnings)
    expect(warnings).toHaveLength(1)
    for (const id of [...ids(must(bare)), ...ids(spaced)]) expect(warnings[0]).toContain(` ${id}`)
    const results = await made.finish(() => -3)
    expect(results.own?.recipes[0]?.tokens?.map(({ choice, bare: one, spaced: two }) => [choice, one, two])).toEqual(
      [...'ABCD'].map((letter, at) => [letter, ids(must(bare))[at], ids(spaced)[at]]),
    )
  })

  it('says nothing of tokens where “A” and “ A” are one', async () => {
    const made = await originalRun({ folder, tokenizer: must(golden.tokenizers['sentencepiece-like']), tasks: ['mmlu_original'] })
    expect(made.built.flatMap((task) => task.warnings)).toEqual([])
  })

  it('B: One forward, softmax over A–D last-token: less than 5% of the probability on the four letters warns, with how many docs', async () => {
    const made = await originalRun({ folder, tokenizer: must(golden.tokenizers['sentencepiece-like']), tasks: ['mmlu_original'] })
    // Doc 0 of each subject: 4 · 0.01 on the letters; the others: 4 · 0.2.
    const results = await made.finish((_task, docId) => Math.log(docId === 0 ? 0.01 : 0.2))
    const views = Object.values(results.samples).flat()
    expect(views.map(({ own }) => own?.mass?.toFixed(6))).toEqual(views.map(({ docId }) => (docId === 0 ? '0.040000' : '0.800000')))
    expect(views.every(({ own }) => own?.probabilities?.every((share) => Math.abs(share - 0.25) < 1e-12))).toBe(true)
    expect(results.warnings.filter((text) => /In 2 of 8 docs the model puts less than 5%/.test(text))).toHaveLength(1)
    expect(results.warnings.join()).toContain('(61.0% on average)')
    const fine = await made.finish(() => Math.log(0.2))
    expect(fine.warnings).toEqual([])
  })

  it('B: Drop shots until ≤2048 tokens: no more than the model can read', async () => {
    const tokenizer = must(golden.tokenizers['byte-level'])
    const made = await originalRun({ folder, tokenizer, tasks: ['mmlu_original'], modelArgs: { max_length: 100 } })
    const lengths = made.built.flatMap(({ requests }) => requests.flatMap(({ pieces }) => pieces.map(({ input }) => input.length)))
    expect(Math.max(...lengths)).toBe(100)
    expect(made.built.flatMap(({ warnings }) => warnings).join()).toMatch(/too long without any example and are cut at their beginning/)
  })
})

describe('a folder in the program’s layout', () => {
  const [bare] = golden.runs

  it('B: MMLU csv (no header; q,A-D,answer), dev/test folders, 57 subjects: two small subjects, and any other name', async () => {
    const folder = new Map([...goldenFolder(), ['dev/own_words_dev.csv', 'q?,1,2,3,4,A\n'], ['test/own_words_test.csv', 'w?,1,2,3,x,D\n']])
    const made = await originalRun({
      folder,
      tokenizer: must(golden.tokenizers['byte-level']),
      tasks: ['mmlu_original'],
      numFewshot: 1,
    })
    expect(made.leaves.map(({ name }) => name)).toEqual(
      ['high_school_statistics', 'world_religions', 'own_words'].map((subject) => `mmlu_original_${subject}`),
    )
    expect(await made.prompts('mmlu_original_own_words')).toEqual([
      'The following are multiple choice questions (with answers) about  own words.\n\nq?\nA. 1\nB. 2\nC. 3\nD. 4\nAnswer: A\n\nw?\nA. 1\nB. 2\nC. 3\nD. x\nAnswer:',
    ])
    expect(made.built.map(({ docs }) => docs)).toEqual([5, 3, 1])
    expect(must(bare).subjects['world_religions']).toHaveLength(3)
  })

  it('B: Dataset sizes: what is shown is counted', async () => {
    const made = await originalRun({ folder: goldenFolder(), tokenizer: must(golden.tokenizers['byte-level']), tasks: ['mmlu_original'] })
    const results = await made.finish((_task, docId) => -docId)
    expect(results.resultsFile['n-samples']).toEqual({
      mmlu_original_high_school_statistics: { original: 5, effective: 5 },
      mmlu_original_world_religions: { original: 3, effective: 3 },
    })
    const whole = must(results.own?.averages.find(({ group }) => group === 'mmlu_original'))
    expect([whole.tasks, whole.docs]).toEqual([2, 8])
  })
})
