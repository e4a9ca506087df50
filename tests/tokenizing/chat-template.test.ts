import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ChatMessage, ChatOptions } from '../../src/tokenizing/chat-template.ts'
import { renderChat } from '../../src/tokenizing/chat-template.ts'

interface Golden {
  readonly tokens: { readonly [name: string]: string }
  readonly cases: readonly (Pick<ChatOptions, 'continueFinalMessage' | 'templateArgs'> & {
    readonly id: string
    readonly template: string
    readonly messages: readonly ChatMessage[]
    readonly expected: string | { readonly error: string }
  })[]
}

// Written by tests/make-goldens/make_chat_goldens.py.
const golden = JSON.parse(readFileSync(new URL('../goldens/chat/chat.json', import.meta.url), 'utf8')) as Golden

describe('goldens of transformers', () => {
  test.each(golden.cases)('$id', ({ template, messages, continueFinalMessage, templateArgs, expected }) => {
    const run = () =>
      renderChat({ chatTemplate: template, templateTokens: golden.tokens }, messages, {
        addGenerationPrompt: !continueFinalMessage,
        continueFinalMessage,
        templateArgs,
        now: () => new Date(0),
      })
    if (typeof expected === 'string') expect(run()).toBe(expected)
    else expect(run).toThrow(expect.objectContaining({ code: 'tokenizer/chat-template' }))
  })
})

const user: ChatMessage = { role: 'user', content: 'Hi ' }

function render(template: string, messages: readonly ChatMessage[], options: Partial<ChatOptions> = {}): string {
  const tokenizer = { chatTemplate: template, templateTokens: { bos_token: '<s>' } }
  return renderChat(tokenizer, messages, {
    addGenerationPrompt: true,
    continueFinalMessage: false,
    templateArgs: {},
    now: () => new Date(2026, 10, 21, 9, 5),
    ...options,
  })
}

describe('a conversation becomes the text that transformers writes', () => {
  test('a template that refuses everything is an error with its words', () => {
    const refuse = () => render("{{ raise_exception('never ' ~ messages[0].role) }}", [user])
    expect(refuse).toThrow(expect.objectContaining({ code: 'tokenizer/chat-template' }))
    expect(refuse).toThrow('never user')
  })

  test('a missing template is an error', () => {
    expect(() =>
      renderChat({ chatTemplate: null, templateTokens: {} }, [user], {
        addGenerationPrompt: true,
        continueFinalMessage: false,
        templateArgs: {},
        now: () => new Date(),
      }),
    ).toThrow(expect.objectContaining({ code: 'tokenizer/chat-template' }))
  })

  test('the clock, arguments, loop controls and generation blocks work', () => {
    const template = `{{ strftime_now('%d %b %Y') }}{% if enable_thinking is defined and enable_thinking is false %} fast{% endif %}{% for m in messages %}{% if loop.index0 == 1 %}{% break %}{% endif %}{% generation %} {{ m | tojson }}{% endgeneration %}{% endfor %}`
    expect(render(template, [user, user], { templateArgs: { enable_thinking: false } })).toBe(
      '21 Nov 2026 fast {"role": "user", "content": "Hi "}',
    )
  })

  test('an undefined name prints as nothing', () => {
    expect(render('{% if tools %}T{% endif %}[{{ nothing }}]', [user])).toBe('[]')
  })
})
