/** Our tokenizer and chat template beside transformers.js, which many conversions were tried with. */
import { PreTrainedTokenizer } from '@huggingface/transformers'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderChat } from '../../src/tokenizing/chat-template.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'

const resolved = 'public/hub/yardstick/pico-gqa/resolve'
const folder = join(resolved, readdirSync(resolved)[0] ?? '')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

const theirs = new PreTrainedTokenizer(JSON.parse(read('tokenizer.json')), JSON.parse(read('tokenizer_config.json')))
const ours = loadTokenizer({
  tokenizerJson: read('tokenizer.json'),
  tokenizerConfig: read('tokenizer_config.json'),
  specialTokensMap: null,
  chatTemplate: null,
  generationConfig: null,
  config: read('config.json'),
})

const texts = [
  'What is the capital of Kenya?',
  '  two spaces\n\nand lines ',
  'ọjà ilé ẹ̀kọ́ — 12 + 30 = 42',
  '',
  '😀 <s> </s>',
  'a\u00a0b\tc',
]

describe('the embedded tokenizer', () => {
  it.each(texts)('encodes %j as transformers.js does', (text) => {
    expect(ours.encode(text, { addSpecialTokens: false })).toEqual(theirs.encode(text, { add_special_tokens: false }))
  })

  it('renders a chat as transformers.js does', () => {
    const messages = [
      { role: 'user', content: 'What is 2 + 2?' },
      { role: 'assistant', content: '4' },
      { role: 'user', content: 'And 3 + 3?' },
    ]
    const options = { addGenerationPrompt: true, continueFinalMessage: false, templateArgs: {}, now: () => new Date(0) }
    expect(renderChat(ours, messages, options)).toBe(theirs.apply_chat_template(messages, { tokenize: false, add_generation_prompt: true }))
  })
})
