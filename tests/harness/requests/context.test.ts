/** Prompts as text and as chats. Expected texts are lm_eval 0.4.13's. */
import { describe, expect, it } from 'vitest'
import { buildContexts, maybeDelimit, type ContextSettings } from '../../../src/harness/requests/context.ts'
import { buildTask } from '../../../src/harness/requests/task.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../../src/ports/functions/functions.ts'
import { readYamlMapping } from '../../../src/python/yaml/parse.ts'
import { rowsOf, tableOf } from '../../support/tables.ts'

const [france, mali] = [rowsOf([{ country: 'France', capital: 'Paris' }]), rowsOf([{ country: 'Mali', capital: 'Bamako' }])]
const plain: ContextSettings = { systemInstruction: null, chat: null }
const chat = (fewshotAsMultiturn: boolean): ContextSettings => ({
  systemInstruction: null,
  chat: {
    fewshotAsMultiturn,
    render: (messages, { addGenerationPrompt }) => {
      const text = messages.map(({ role, content }) => `<|${role}|>${content}\n`).join('')
      return addGenerationPrompt ? `${text}<|assistant|>` : text.slice(0, -1)
    },
  },
})

function contextOf(extra: string, settings: ContextSettings, text = 'Q: {{country}}'): string | undefined {
  const yaml = `task: t\ntest_split: test\ntraining_split: train\ndescription: Desc.\ndoc_to_text: "${text}"\ndoc_to_target: capital\n${extra}`
  const task = buildTask(
    readTaskConfig(readYamlMapping(yaml, 't.yaml'), 't.yaml'),
    { test: tableOf(france), train: tableOf(mali) },
    { functions: functionTable() },
  )
  return buildContexts(task, france[0] ?? new Map(), task.fewshotPool, settings)[0]
}

describe('buildContexts', () => {
  it.each<[string, string, ContextSettings, string]>([
    ['plain text', '', plain, 'Desc.Q: Mali Bamako\n\nQ: France'],
    ['a system instruction', '', { ...plain, systemInstruction: 'SYS' }, 'SYS\n\nDesc.Q: Mali Bamako\n\nQ: France'],
    ['a prefix', 'gen_prefix: The answer is', plain, 'Desc.Q: Mali The answer is Bamako\n\nQ: France The answer is'],
    ['turns', '', chat(true), '<|system|>Desc.\n<|user|>Q: Mali\n<|assistant|>Bamako\n<|user|>Q: France\n<|assistant|>'],
    ['one turn', '', chat(false), '<|system|>Desc.\n<|user|>Q: Mali Bamako\n\nQ: France\n<|assistant|>'],
    [
      'one turn with a prefix',
      'gen_prefix: The answer is',
      chat(false),
      '<|system|>Desc.\n<|user|>Q: Mali The answer is Bamako\n\nQ: France\n<|assistant|>The answer is',
    ],
    ['a description that is a column', 'fewshot_delimiter: "|"', plain, 'Desc.Q: Mali Bamako|Q: France'],
  ])('words %s', (_what, extra, settings, expected) => {
    expect(contextOf(extra, settings)).toBe(expected)
  })

  it('glues the next question on where an example has an empty answer', () => {
    expect(contextOf('fewshot_config: {doc_to_target: ""}', plain)).toBe('Desc.Q: MaliQ: France')
  })

  it('refuses an example whose answer is a number without choices', () => {
    expect(() => contextOf('fewshot_config: {doc_to_target: 3}', plain)).toThrow(/wanted the answer of an example as text, found 3/)
  })
})

it('maybeDelimit adds the delimiter only where neither text has white space at the seam', () => {
  expect(maybeDelimit('a', 'b', '-')).toBe('a-b')
  expect(maybeDelimit('a\x1c', 'b', '-')).toBe('a\x1cb')
  expect(maybeDelimit('a', '\nb', '-')).toBe('a\nb')
  expect(maybeDelimit('', 'b', '-')).toBe('b')
  expect(maybeDelimit('a', '', '-')).toBe('a')
})
