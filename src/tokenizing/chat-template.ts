/**
 * A conversation as one text, as transformers 4.57.6 `apply_chat_template(tokenize=False)` writes it and lm_eval 0.4.13 HFLM calls it.
 */
import type { Json } from '../base/errors.ts'
import { EvalError, isEvalError } from '../base/errors.ts'
import { brief } from '../python/jinja/brief.ts'
import { filter } from '../python/jinja/filter.ts'
import { dumped } from '../python/jinja/metered.ts'
import type { Template } from '../python/jinja/render.ts'
import { compileTemplate } from '../python/jinja/render.ts'
import { Callable, plain } from '../python/jinja/values.ts'
import { rstrip, strip } from '../python/string.ts'
import type { PyValue } from '../python/value.ts'
import { fromJson } from '../python/value.ts'
import { formatDate } from './strftime.ts'
import type { Tokenizer } from './tokenizer.ts'

export interface ChatMessage {
  readonly role: string
  readonly content: string
}

export interface ChatOptions {
  /** Ends with the header of the assistant's turn. */
  readonly addGenerationPrompt: boolean
  /** Leaves the last message open. Not together with `addGenerationPrompt`. */
  readonly continueFinalMessage: boolean
  /** Further names for the template, such as `enable_thinking`. */
  readonly templateArgs: { readonly [name: string]: Json }
  /** The time that `strftime_now` tells. */
  readonly now: () => Date
}

const continueTag = 'CONTINUE_FINAL_MESSAGE_TAG '

/**
 * The conversation through the tokenizer's (default) template. When the template fails and there is a system message, it is left out
 * and the rest tried again, as the harness does. Throws `tokenizer/chat-template`.
 */
export function renderChat(
  tokenizer: Pick<Tokenizer, 'chatTemplate' | 'templateTokens'>,
  messages: readonly ChatMessage[],
  options: ChatOptions,
): string {
  const source = selectTemplate(tokenizer.chatTemplate)
  const render = (rest: readonly ChatMessage[]): string => {
    try {
      return renderMessages(compileChatTemplate(source, options.now), tokenizer.templateTokens, rest, options)
    } catch (error) {
      throw isEvalError(error) && error.code === 'tokenizer/chat-template'
        ? error
        : new EvalError('tokenizer/chat-template', `The chat template failed: ${error instanceof Error ? error.message : String(error)}`, {
            cause: error,
          })
    }
  }
  try {
    return render(messages)
  } catch (error) {
    const rest = messages.filter(({ role }) => role !== 'system')
    if (rest.length === messages.length || rest.length === 0) throw error
    return render(rest)
  }
}

/** The template that an unnamed call uses. Throws `tokenizer/chat-template` when there is none. */
function selectTemplate(chatTemplate: Tokenizer['chatTemplate']): string {
  const source = typeof chatTemplate === 'string' || chatTemplate === null ? chatTemplate : (chatTemplate['default'] ?? null)
  if (source === null) throw new EvalError('tokenizer/chat-template', 'The model has no chat template; run it without one.')
  return source
}

function renderMessages(
  template: Template,
  tokens: Tokenizer['templateTokens'],
  messages: readonly ChatMessage[],
  options: ChatOptions,
): string {
  if (!options.continueFinalMessage) return template.render(context(tokens, messages, options))
  const last = messages.at(-1)
  if (last === undefined) throw new EvalError('tokenizer/chat-template', 'There is no message to continue.')
  const tagged = [...messages.slice(0, -1), { ...last, content: last.content + continueTag }]
  const rendered = template.render(context(tokens, tagged, options))
  const at = rendered.lastIndexOf(strip(continueTag))
  if (at < 0 || !rendered.includes(strip(last.content)))
    throw new EvalError('tokenizer/chat-template', 'The chat template drops parts of the message that is to be continued.')
  // A template that trims messages has cut the tag's own space, and so the message's trailing one too.
  return rendered.startsWith(continueTag, at) ? rendered.slice(0, at) : rstrip(rendered.slice(0, at))
}

function context(
  tokens: Tokenizer['templateTokens'],
  messages: readonly ChatMessage[],
  options: ChatOptions,
): ReadonlyMap<string, PyValue> {
  return new Map<string, PyValue>([
    ...Object.entries(tokens),
    [
      'messages',
      messages.map(
        ({ role, content }) =>
          new Map<string, PyValue>([
            ['role', role],
            ['content', content],
          ]),
      ),
    ],
    ['tools', null],
    ['documents', null],
    ['add_generation_prompt', options.addGenerationPrompt],
    ...Object.entries(options.templateArgs).map(([name, value]): [string, PyValue] => [name, fromJson(value)]),
  ])
}

function formatOf(value: PyValue): string {
  return typeof value === 'string' ? value : brief(value)
}

function compileChatTemplate(source: string, now: () => Date): Template {
  // `generation` blocks mark the assistant's text for training; for plain rendering they are their body.
  const plainSource = source
    .replace(/\{%([-+]?)\s*generation\s*([-+]?)%\}/g, '{%$1 if true $2%}')
    .replace(/\{%([-+]?)\s*endgeneration\s*([-+]?)%\}/g, '{%$1 endif $2%}')
  return compileTemplate(plainSource, {
    name: 'chat template',
    trimBlocks: true,
    lstripBlocks: true,
    keepTrailingNewline: false,
    isStrict: false,
    filters: new Map([
      filter('tojson', ['ensure_ascii', 'indent', 'separators', 'sort_keys'], (value, args, { budget }) =>
        dumped(plain(value), args.has('indent') ? args.wholeOrNull('indent') : null, budget),
      ),
    ]),
    functions: new Map([
      [
        'raise_exception',
        new Callable('raise_exception', ({ positional }) => {
          throw new EvalError(
            'tokenizer/chat-template',
            `The chat template refuses the conversation: ${brief(plain(positional[0] ?? null), 500)}`,
          )
        }),
      ],
      ['strftime_now', new Callable('strftime_now', ({ positional }) => formatDate(now(), formatOf(plain(positional[0] ?? ''))))],
    ]),
  })
}
