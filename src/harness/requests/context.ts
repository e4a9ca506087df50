/** Builds the text that a model is shown: system text, examples, question. lm_eval 0.4.13, fewshot_context and build_qa_turn. */
import { append } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import { codePoints, isSpace } from '../../python/string.ts'
import { isList, repr, type PyDict, type PyValue } from '../../python/value.ts'
import { isInteger } from './doc-fields.ts'
import { itemAt, type DocWording, type PromptTask } from './task.ts'

/** A message of a chat as a template sees it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** How a model's chat template is applied. */
export interface ChatSettings {
  /** The chat as text. Without a generation prompt the last message is one to be continued. */
  render(messages: readonly ChatMessage[], options: { readonly addGenerationPrompt: boolean }): string
  /** true: examples are turns of their own; false: they are joined with the question into one user message. */
  readonly fewshotAsMultiturn: boolean
}

export interface ContextSettings {
  readonly systemInstruction: string | null
  /** null = plain text. */
  readonly chat: ChatSettings | null
}

interface Turn extends ChatMessage {
  /** What follows the message in plain text. */
  readonly delimiter: string
}

/**
 * The contexts of a doc: one, or one per choice for tasks with several inputs.
 * Throws `task/invalid` where a question or answer isn't text.
 */
export function buildContexts(task: PromptTask, doc: PyDict, examples: readonly PyDict[], settings: ContextSettings): readonly string[] {
  const { config } = task
  const genPrefix = textOrEmpty(task, 'gen_prefix', task.asked.genPrefix(doc))
  const description = textOrEmpty(task, 'description', task.asked.description(doc))
  const system = maybeDelimit(settings.systemInstruction ?? '', description, config.fewshotDelimiter)
  const before: Turn[] = system === '' ? [] : [{ role: 'system', content: system, delimiter: '' }]
  for (const example of examples) append(before, knownExampleTurns(task, example))
  const finish = (turns: readonly Turn[]): string => render([...before, ...turns], settings.chat, genPrefix)
  if (task.multipleInput > 0) {
    return task.docToChoice(doc).map((choice) => {
      return finish(questionTurns(questionText(task, choice), { genPrefix, targetDelimiter: '' }))
    })
  }
  return [finish(questionTurns(questionText(task, task.asked.text(doc)), { genPrefix, targetDelimiter: config.targetDelimiter }))]
}

/** Examples as they were worded before, by task and doc: the wording depends on nothing else, and a doc is drawn for many prompts. */
const worded = new WeakMap<PromptTask, WeakMap<PyDict, readonly Turn[]>>()

function knownExampleTurns(task: PromptTask, example: PyDict): readonly Turn[] {
  let ofTask = worded.get(task)
  if (ofTask === undefined) worded.set(task, (ofTask = new WeakMap()))
  const known = ofTask.get(example)
  if (known !== undefined) return known
  const turns = exampleTurns(task, example)
  ofTask.set(example, turns)
  return turns
}

function exampleTurns(task: PromptTask, example: PyDict): readonly Turn[] {
  const { fewshot } = task.config
  const wording: DocWording = task.example
  const question = wording.text(example)
  const choices = wording.choices(example)
  const answer = wording.target(example)
  const genPrefix = textOrEmpty(task, 'few-shot gen_prefix', wording.genPrefix(example))
  const isMulti = task.multipleInput > 0
  const text = questionText(task, isMulti ? choiceAt(task, choices, question) : question)
  if (answer === null || answer === '') return questionTurns(text, { genPrefix, targetDelimiter: fewshot.targetDelimiter })
  const answerText = readAnswer(task, answer, isMulti ? null : choices)
  const needsDelimiter = genPrefix === '' || requiresDelimiter(text, genPrefix)
  return [
    { role: 'user', content: text, delimiter: needsDelimiter ? fewshot.targetDelimiter : '' },
    { role: 'assistant', content: maybeDelimit(genPrefix, answerText, ' '), delimiter: fewshot.fewshotDelimiter },
  ]
}

/** The question, and the beginning of the reply where there is one. */
function questionTurns(question: string, { genPrefix, targetDelimiter }: { genPrefix: string; targetDelimiter: string }): readonly Turn[] {
  const needsDelimiter = genPrefix !== '' && requiresDelimiter(question, genPrefix)
  const user: Turn = { role: 'user', content: question, delimiter: needsDelimiter ? targetDelimiter : '' }
  return genPrefix === '' ? [user] : [user, { role: 'assistant', content: genPrefix, delimiter: '' }]
}

function readAnswer(task: PromptTask, answer: PyValue, choices: PyValue | null): string {
  const hasChoices = choices !== null && !(isList(choices) && choices.length === 0) && choices !== ''
  const text = hasChoices && isInteger(answer) ? choiceAt(task, choices, answer) : isList(answer) ? (answer[0] ?? null) : answer
  return typeof text === 'string'
    ? text
    : fail(task, 'few-shot doc_to_target', `wanted the answer of an example as text, found ${repr(answer)}`)
}

function choiceAt(task: PromptTask, choices: PyValue | null, index: PyValue): PyValue {
  const items = isList(choices) ? choices : typeof choices === 'string' ? codePoints(choices) : null
  const chosen = items !== null && isInteger(index) ? itemAt(items, Number(index)) : undefined
  return chosen ?? fail(task, 'few-shot doc_to_choice', `wanted choice ${repr(index)}, but the choices are ${repr(choices)}`)
}

function questionText(task: PromptTask, question: PyValue): string {
  return typeof question === 'string' ? question : fail(task, 'doc_to_text', `wanted a question as text, found ${repr(question)}`)
}

function textOrEmpty(task: PromptTask, key: string, value: PyValue): string {
  if (typeof value === 'string') return value
  return value === null || value === false || value === 0 ? '' : fail(task, key, `wanted text, found ${repr(value)}`)
}

function fail(task: PromptTask, key: string, problem: string): never {
  const { file } = task.config
  throw new EvalError('task/invalid', `${file}: task '${task.name}', ${key}: ${problem}`, { details: { file, task: task.name, key } })
}

function render(turns: readonly Turn[], chat: ChatSettings | null, genPrefix: string): string {
  if (chat === null) return turns.map(toText).join('')
  const messages = chat.fewshotAsMultiturn ? turns.map(toMessage) : joinTurns(turns)
  return chat.render(messages, { addGenerationPrompt: genPrefix === '' })
}

/** All turns as one user message, but for a system message before and the beginning of the reply after. */
function joinTurns(turns: readonly Turn[]): readonly ChatMessage[] {
  const system = turns[0]?.role === 'system' ? turns.slice(0, 1) : []
  const reply = turns.at(-1)?.role === 'assistant' ? turns.slice(-1) : []
  const rest = turns.slice(system.length, turns.length - reply.length)
  const content = rest.map((turn, index) => (index === rest.length - 1 ? turn.content : toText(turn))).join('')
  return [...system.map(toMessage), { role: 'user', content }, ...reply.map(toMessage)]
}

function toText({ content, delimiter }: Turn): string {
  return content + delimiter
}

function toMessage({ role, content }: Turn): ChatMessage {
  return { role, content }
}

/** The two joined, with the delimiter between them unless one is empty or brings white space to the seam. */
export function maybeDelimit(prefix: string, suffix: string, delimiter: string): string {
  return requiresDelimiter(prefix, suffix) && suffix !== '' ? prefix + delimiter + suffix : prefix + suffix
}

/** Whether neither text has white space at the seam; false when the first is empty. */
function requiresDelimiter(prefix: string, suffix: string): boolean {
  return prefix !== '' && !isSpace(codePoints(prefix).at(-1) ?? '') && !isSpace(codePoints(suffix)[0] ?? '')
}
