/** Rows of docs/requirements.md about task files of one's own, from the text to the command that takes them elsewhere: each test carries its item. */
import { describe, expect, it } from 'vitest'
import { taskRows } from '../../src/app/task/task-tree.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { parseCommandLine } from '../../src/cli/flags/args.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { taskMetadata } from '../../src/evaluation/service/task-metadata.ts'
import { walkRequests } from '../../src/harness/requests/output-types.ts'
import { lintDocs, stripInTemplate, stripPrompt, type LintedDoc } from '../../src/harness/requests/prompt-lint.ts'
import { buildRegistry } from '../../src/harness/tasks/registry.ts'
import { fromJson } from '../../src/python/value.ts'
import { toPlain } from '../../src/python/yaml/yaml-value.ts'
import { lmEvalCommand } from '../../src/settings/lm-eval-command.ts'
import { defaultSettings } from '../support/default-settings.ts'
import { asDict } from '../support/make-task.ts'
import { rowsOf } from '../support/tables.ts'
import { plainSettings, taskFrom } from './run-task.ts'

const rows = rowsOf([{ q: 'a \n\n b ', options: ['x', 'y'], gold: 1 }])
const yaml = (docToText: string) => `test_split: test
output_type: multiple_choice
doc_to_text: ${JSON.stringify(docToText)}
doc_to_choice: options
doc_to_target: gold
`
const promptOf = (docToText: string): string => {
  const [doc] = walkRequests(taskFrom(yaml(docToText), rows), plainSettings)
  const [request] = doc?.requests ?? []
  return request?.type === 'loglikelihood' ? request.context : ''
}

describe('white space', () => {
  it.each([
    ['{{q}}', false],
    ['q', true],
  ])('C: whitespace stripping of prompts: %j stripped is "a\\nb", and its hash changes', (docToText, isColumn) => {
    expect(stripPrompt('a \n\n b ')).toBe('a\nb')
    expect(promptOf(docToText)).toBe('a \n\n b ')
    const stripped = promptOf(stripInTemplate(docToText, isColumn))
    expect(stripped).toBe('a\nb')
    expect(sha256(stripped)).not.toBe(sha256(promptOf(docToText)))
  })

  const plain: LintedDoc = { text: 'Q: x\nA:', answers: ['one', 'two'], answerKey: 'doc_to_choice', delimiter: ' ', isSeamElsewhere: false }
  const codes = (changes: Partial<LintedDoc>) => lintDocs([{ ...plain, ...changes }]).map(({ code, key }) => `${code} ${key}`)

  it.each<[string, Partial<LintedDoc>, readonly string[]]>([
    ['nothing', {}, []],
    ['a question that ends with a space', { text: 'A: ' }, ['double-space doc_to_text']],
    ['a question that ends with a line', { text: 'A:\n' }, ['text-trailing-newline doc_to_text']],
    ['a line before a line', { text: 'A:\n', delimiter: '\n' }, []],
    ['choices with a space of their own', { answers: ['one', ' two'] }, ['double-space-answer doc_to_choice']],
    ['choices with their own space after no delimiter', { answers: [' one', ' two'], delimiter: '' }, []],
    ['no space at all', { delimiter: '' }, ['no-space target_delimiter']],
    ['no space in a script without', { text: '問', answers: ['東', '西'], delimiter: '' }, []],
    ['a space after no delimiter', { text: 'A: ', delimiter: '' }, ['text-trailing-space doc_to_text']],
    ['a space before the question', { text: ' A:' }, ['text-leading-space doc_to_text']],
    ['a space before a line', { text: 'Q: x \nA:' }, ['space-before-newline doc_to_text']],
    ['two spaces', { text: 'about  algebra:' }, ['inner-spaces doc_to_text']],
    ['empty lines', { text: 'Q\n\n\nA:' }, ['blank-lines doc_to_text']],
    ['tabs', { text: 'Q\tA:', answers: ['a\tb'] }, ['tab doc_to_text', 'tab doc_to_choice']],
    ['a carriage return', { text: 'Q\r\nA:' }, ['carriage-return doc_to_text']],
    ['a space that is none', { text: 'Q\u00a0A:', answers: ['a\u200b'] }, ['unusual-space doc_to_text', 'unusual-space doc_to_choice']],
    ['a choice that ends with a space', { answers: ['a ', 'b'] }, ['answer-trailing-space doc_to_choice']],
    ['an empty choice and a double one', { answers: ['', 'b', 'b'] }, ['answer-empty doc_to_choice', 'same-choices doc_to_choice']],
    ['a chat', { text: 'A: ', isSeamElsewhere: true }, ['text-trailing-space doc_to_text']],
  ])('C: whitespace stripping of prompts: the lint finds %s', (_what, changes, expected) => {
    expect(codes(changes)).toEqual(expected)
  })

  it('C: whitespace stripping of prompts: a finding counts its docs and shows its first place', () => {
    const docs = [plain, { ...plain, text: 'The question is long enough to cut: ' }, { ...plain, text: 'A: ' }]
    expect(lintDocs(docs)).toEqual([{ code: 'double-space', key: 'doc_to_text', excerpt: '… enough to cut:  one', docs: 2 }])
  })
})

describe('a task of one’s own', () => {
  const dfir = (name: string) =>
    `task: ${name}\ndataset_path: json\ndataset_kwargs: {data_files: "data/validation.jsonl"}\nvalidation_split: train\nmetadata: {version: 1.0, revision: "{{model_args['revision']}}"}\n`
  const registry = buildRegistry([
    {
      name: 'folder',
      files: [
        { path: 'dfir/dfir.yaml', text: dfir('dfir_mcq_mod') },
        { path: 'piqa.yaml', text: 'task: piqa\n' },
      ],
    },
  ])

  it('E: --tasks list | grep: typing "dfir" finds the one task of that name', () => {
    const found = taskRows(registry.list(), { search: 'dfir', expanded: new Set(), chosen: [] })
    expect(found.map(({ listing }) => listing.name)).toEqual(['dfir_mcq_mod'])
  })

  it("E: metadata revision: \"{{model_args['revision']}}\": the model argument takes the template's place in the config", () => {
    const revisionFor = (revision: string) => {
      const given = taskMetadata({ ...defaultSettings, revision })
      const [task] = registry.resolve(['dfir_mcq_mod'], asDict(fromJson(given))).tasks
      return asDict(toPlain(task?.config.get('metadata') ?? null)).get('revision')
    }
    expect(revisionFor('step-125000')).toBe('step-125000')
    // lm_eval 0.4.13 writes `main` for `--model_args revision=main`, and leaves the template where no revision is named, which is `main` too.
    expect(revisionFor('main')).toBe('main')
  })

  const settings: RunSettings = {
    ...defaultSettings,
    model: 'HuggingFaceTB/SmolLM2-1.7B-intermediate-checkpoints',
    revision: 'step-125000',
    dtype: 'fp16',
    modelArgs: { add_bos_token: true },
    tasks: ['dfir_mcq_mod'],
    numFewshot: 5,
    limit: 10,
    applyChatTemplate: true,
    systemInstruction: "It's “fine”",
    genKwargs: { until: ['\n'] },
    seeds: { random: 1, numpy: 2, torch: 3, fewshot: 4 },
  }

  it('A: Prints lm_eval command; --log_samples; output folder: the command of a run', () => {
    expect(lmEvalCommand(settings, 'tasks')).toBe(`lm_eval \\
  --model hf \\
  --model_args pretrained=HuggingFaceTB/SmolLM2-1.7B-intermediate-checkpoints,revision=step-125000,dtype=float16,add_bos_token=True \\
  --tasks dfir_mcq_mod \\
  --include_path tasks \\
  --num_fewshot 5 \\
  --limit 10 \\
  --apply_chat_template \\
  --system_instruction 'It'\\''s “fine”' \\
  --gen_kwargs '{"until":["\\n"]}' \\
  --seed 1,2,3,4 \\
  --log_samples \\
  --output_path results`)
    expect(lmEvalCommand({ ...defaultSettings, model: 'm/n', tasks: ['a'] }, null)).toBe(
      'lm_eval \\\n  --model hf \\\n  --model_args pretrained=m/n \\\n  --tasks a \\\n  --log_samples \\\n  --output_path results',
    )
  })

  it('A: Prints lm_eval command; --log_samples; output folder: our own command line reads it as the same run', () => {
    const line = parseCommandLine(shellWords(lmEvalCommand(settings, 'my tasks')).slice(1))
    const { model, revision, modelArgs, tasks, numFewshot, limit, applyChatTemplate, systemInstruction, genKwargs, seeds } = settings
    expect(line).toMatchObject({
      model,
      revision,
      modelArgs,
      tasks,
      numFewshot,
      limit,
      applyChatTemplate,
      systemInstruction,
      genKwargs,
      seeds,
    })
    expect(line).toMatchObject({ includePath: 'my tasks', logSamples: true, outputPath: 'results' })
  })
})

/** The words of a command as a POSIX shell makes them, for what our own quoting uses. */
function shellWords(command: string): string[] {
  const words = command.replaceAll('\\\n', ' ').match(/(?:'[^']*'|\\'|[^\s'])+/g) ?? []
  return words.map((word) => word.replace(/'([^']*)'|\\'/g, (_whole, inner: string | undefined) => inner ?? "'"))
}
