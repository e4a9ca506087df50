/** Section A of docs/requirements.md: prompts that hold special tokens, with the real text engine. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/base/errors.ts'
import type { TokenizerFiles } from '../../src/contracts/models.ts'
import type { Table } from '../../src/contracts/rows.ts'
import { TextEngine } from '../../src/text-worker/text-engine.ts'
import { defaultSettings } from '../support/default-settings.ts'

// Written by tests/make-goldens/make_encode_goldens.py.
const golden = JSON.parse(readFileSync(new URL('../goldens/encode/gpt2.json', import.meta.url), 'utf8')) as {
  readonly files: Pick<TokenizerFiles, 'tokenizerJson' | 'tokenizerConfig' | 'config'>
}
interface TokenizerJson {
  readonly added_tokens: readonly { readonly id: number }[]
  readonly model: { readonly vocab: { readonly [token: string]: number } }
}
const base = JSON.parse(golden.files.tokenizerJson) as TokenizerJson
const firstId = 1 + Math.max(...Object.values(base.model.vocab), ...base.added_tokens.map(({ id }) => id))
const specials = ['<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>']
const idOf = (token: string): number => firstId + specials.indexOf(token)
const bos = idOf('<|begin_of_text|>')

/** A byte-level tokenizer with Llama 3's special tokens, its BOS in front of every text, and its chat template in short. */
const files: TokenizerFiles = {
  tokenizerJson: JSON.stringify({
    ...base,
    added_tokens: [
      ...base.added_tokens,
      ...specials.map((content) => ({
        id: idOf(content),
        content,
        special: true,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
      })),
    ],
    post_processor: {
      type: 'TemplateProcessing',
      single: [{ SpecialToken: { id: '<|begin_of_text|>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
      pair: [{ Sequence: { id: 'A', type_id: 0 } }, { Sequence: { id: 'B', type_id: 1 } }],
      special_tokens: { '<|begin_of_text|>': { id: '<|begin_of_text|>', ids: [bos], tokens: ['<|begin_of_text|>'] } },
    },
  }),
  tokenizerConfig: JSON.stringify({
    tokenizer_class: 'PreTrainedTokenizerFast',
    bos_token: '<|begin_of_text|>',
    eos_token: '<|eot_id|>',
    chat_template:
      '{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n{{ m.content }}<|eot_id|>{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}',
  }),
  specialTokensMap: null,
  chatTemplate: null,
  generationConfig: null,
  config: JSON.stringify({ ...(JSON.parse(golden.files.config) as object), n_positions: 4096 }),
}

const rendered =
  '<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\n1+1?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n'
const task = `task: published
dataset_path: d
test_split: latest
output_type: multiple_choice
doc_to_text: "{{input_final_prompts[0]}}"
doc_to_choice: ["2", "3"]
doc_to_target: 0
target_delimiter: ""
metadata: {version: 1.0}
`
const tableOf = (prompt: string): Table => ({
  columns: [{ name: 'input_final_prompts', type: { list: 'string' } }],
  rows: [[[prompt]], [[prompt]]],
})

async function build(prompt: string, { chat = false, modelArgs = {} }: { chat?: boolean; modelArgs?: { [key: string]: Json } } = {}) {
  const engine = new TextEngine()
  await engine.loadTokenizer(files, modelArgs)
  await engine.loadTasks([{ name: 'given', files: [{ path: 'published.yaml', text: task }] }], {})
  await engine.resolve(['published'], null)
  const built = await engine.build('published', { latest: tableOf(prompt) }, { ...defaultSettings, applyChatTemplate: chat, limit: null })
  return { ids: [...(built.requests[0]?.pieces[0]?.input ?? [])], warnings: built.warnings }
}
const bosCount = (ids: readonly number[]): number => ids.filter((id) => id === bos).length

describe('A: Pre-rendered prompts with special tokens', () => {
  it.each([[{}], [{ add_bos_token: true }], [{ add_bos_token: false }]])(
    'are read as special tokens, with one BOS, under the model arguments %j',
    async (modelArgs) => {
      const { ids, warnings } = await build(rendered, { modelArgs })
      expect(ids.slice(0, 2)).toEqual([bos, idOf('<|start_header_id|>')])
      expect(bosCount(ids)).toBe(1)
      expect(ids.filter((id) => id === idOf('<|eot_id|>'))).toHaveLength(1)
      expect(warnings).toEqual([])
    },
  )

  it('get the BOS that they lack, or none with add_bos_token=False', async () => {
    const bare = rendered.replace('<|begin_of_text|>', '')
    expect((await build(bare, { modelArgs: { add_bos_token: true } })).ids.slice(0, 2)).toEqual([bos, idOf('<|start_header_id|>')])
    expect((await build(bare, { modelArgs: { add_bos_token: false } })).ids[0]).toBe(idOf('<|start_header_id|>'))
  })

  it('inside a chat template are warned of as a doubled template, by the token and the number of prompts', async () => {
    const { warnings } = await build(rendered, { chat: true })
    expect(warnings).toEqual([expect.stringMatching(/^published: doubled template: 2 prompts .*<\|begin_of_text\|>/)])
    expect((await build('1+1?', { chat: true })).warnings).toEqual([])
  })

  // Counted by HFLM._encode_pair of lm_eval 0.4.13 over this tokenizer: the template's, and one more where the prompt holds its own.
  it.each([[{}], [{ add_bos_token: true }], [{ add_bos_token: false }]])(
    'have, in a chat template, as many BOS as in the harness, under the model arguments %j',
    async (modelArgs) => {
      const plain = await build('1+1?', { chat: true, modelArgs })
      expect([bosCount(plain.ids), ...plain.ids.slice(0, 2)]).toEqual([1, bos, idOf('<|start_header_id|>')])
      const twice = await build(rendered, { chat: true, modelArgs })
      expect([bosCount(twice.ids), ...twice.ids.slice(0, 2)]).toEqual([2, bos, idOf('<|start_header_id|>')])
      expect(twice.warnings).toEqual([expect.stringContaining('doubled template')])
    },
  )

  it.each([
    ['a BOS written twice', `<|begin_of_text|>${rendered}`],
    ['white space before the BOS, which hides it', `\n${rendered}`],
  ])('are warned of as a doubled BOS: %s', async (_why, prompt) => {
    const { ids, warnings } = await build(prompt)
    expect(bosCount(ids)).toBe(2)
    expect(warnings).toEqual([expect.stringMatching(/^published: doubled BOS: 4 of 4 requests, first of doc 0/)])
  })
})
