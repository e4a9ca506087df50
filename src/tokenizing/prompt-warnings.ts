/** Prompts that are wrapped twice: a BOS before a BOS, a chat template around a prompt that was rendered before. */
import type { EncodedRequest } from '../contracts/built-task.ts'
import type { TextRequest } from '../contracts/requests.ts'
import type { ChatMessage } from './chat-template.ts'
import type { Tokenizer } from './tokenizer.ts'

type MarkedTokenizer = Pick<Tokenizer, 'bos' | 'chatTemplate' | 'templateTokens' | 'specialTokens'>

/** Watches the messages of a task's chats for special tokens that its chat template writes itself. */
export class RenderedBefore {
  readonly #marks: readonly string[]
  #found: { readonly token: string; count: number } | null = null

  constructor(tokenizer: MarkedTokenizer) {
    const { chatTemplate, templateTokens, specialTokens } = tokenizer
    const source = chatTemplate === null || typeof chatTemplate === 'string' ? (chatTemplate ?? '') : Object.values(chatTemplate).join('\n')
    // Templates name these two by variables. Others, as `<unk>`, stand in ordinary texts.
    const named = [templateTokens['bos_token'], templateTokens['eos_token']]
    this.#marks = specialTokens.filter((token) => named.includes(token) || source.includes(token))
  }

  /** Counts a chat in which at least one message holds such a token. */
  look(messages: readonly ChatMessage[]): void {
    const token = this.#marks.find((mark) => messages.some(({ content }) => content.includes(mark)))
    if (token === undefined) return
    if (this.#found === null) this.#found = { token, count: 1 }
    else this.#found.count += 1
  }

  /** What the user should know, by the task's name; empty for nothing. */
  warnings(task: string): readonly string[] {
    if (this.#found === null) return []
    const { token, count } = this.#found
    return [
      `${task}: doubled template: ${count} prompts already hold special tokens such as ${token}, and the chat template was applied around them. Prompts that were rendered before want it off, with add_bos_token where the model needs a BOS.`,
    ]
  }
}

/** Warns when encoded requests begin with more than one BOS. Rolling requests are left aside: the harness scores their BOS on purpose. */
export function bosWarnings(
  task: string,
  { bos }: MarkedTokenizer,
  texts: readonly TextRequest[],
  encoded: readonly EncodedRequest[],
): readonly string[] {
  if (bos === null) return []
  const [text, id] = bos
  const doubled = encoded.filter(({ pieces: [piece], generations: [generation] = [] }, index) => {
    const request = texts[index]
    const input = (piece ?? generation)?.input
    if (input === undefined || request === undefined || request.type === 'loglikelihood_rolling') return false
    const [first, second] = input
    if (first !== id) return false
    // White space before a BOS in the text hides it from the tokenizer, which then adds one of its own.
    const begun = request.context.trimStart()
    return second === id || (begun.startsWith(text) && !request.context.startsWith(text))
  })
  const [example] = doubled
  if (example === undefined) return []
  return [
    `${task}: doubled BOS: ${doubled.length} of ${encoded.length} requests, first of doc ${example.docId}, begin with ${text} twice: once from the prompt or its template, once more from the tokenizer or the prompt itself. Models are trained with one.`,
  ]
}
