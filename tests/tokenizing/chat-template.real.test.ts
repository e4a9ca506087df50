import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/base/errors.ts'
import { renderChat, type ChatMessage } from '../../src/tokenizing/chat-template.ts'
import { foundTokenizers, openReal, readGzipped, short } from './real-tokenizers.ts'

interface Chats {
  /** Of tokenizers whose packages have none. */
  readonly templates: { readonly [tokenizer: string]: string }
  readonly chats: readonly {
    readonly messages: readonly ChatMessage[]
    /** Whether the assistant's turn is opened; otherwise the last message is continued. */
    readonly opens: boolean
    readonly args: { readonly [name: string]: Json }
  }[]
  readonly expected: {
    readonly [tokenizer: string]: readonly (readonly [text: string, ids: string] | { readonly error: string })[]
  }
}

const { templates, chats, expected } = readGzipped<Chats>('chats.json.gz')
/** When the goldens were made, by their clock. */
const now = () => new Date(2024, 1, 29, 7, 5, 9)

test.runIf(foundTokenizers().length === 0)('skipped: `npm run tokenizers` fetches what these tests need', () => undefined)

describe.each(foundTokenizers())('conversations of $name', (real) => {
  test('become the texts that transformers writes, and their ids', { timeout: 120_000 }, () => {
    const opened = openReal(real)
    const tokenizer = { ...opened, chatTemplate: templates[real.name] ?? opened.chatTemplate }
    const found = chats.map(({ messages, opens, args }) => {
      try {
        const text = renderChat(tokenizer, messages, { addGenerationPrompt: opens, continueFinalMessage: !opens, templateArgs: args, now })
        return [text, short(tokenizer.encode(text))]
      } catch {
        return 'refused'
      }
    })
    expect(found).toEqual(expected[real.name]?.map((one) => ('error' in one ? 'refused' : one)))
  })
})
