/**
 * A judge behind an OpenAI-compatible address: `POST ADDRESS/chat/completions`, one prompt a request, greedy. What it wrote is kept in a file as it
 * comes, so that a judging that was cut off goes on. The key is sent to that origin alone; it stands in no file and no message.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EvalError } from '../../base/errors.ts'
import { sha256 } from '../../base/sha256.ts'

export interface JudgeServer {
  /** Up to and without `/chat/completions`. */
  readonly address: string
  readonly model: string
  /** Null for a server that wants none. */
  readonly key: string | null
  /** Where replies are kept; null to keep none. */
  readonly keptFile: string | null
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
  /** Between attempts, in milliseconds; as many attempts more. */
  readonly pausesMs?: readonly number[]
}

/** The file's name for the replies of one server and model. */
export function keptRepliesName(address: string, model: string): string {
  return `replies_${sha256(JSON.stringify([address, model])).slice(0, 16)}.jsonl`
}

/** What the server writes after each prompt, in their order. `onReply` hears how many there are. Throws `address/failed` and `run/stopped`. */
export async function askServer(
  prompts: readonly string[],
  server: JudgeServer,
  onReply: (done: number, total: number) => void = () => undefined,
): Promise<readonly string[]> {
  const kept = readKept(server.keptFile)
  const replies: string[] = []
  for (const prompt of prompts) {
    const key = sha256(prompt)
    let reply = kept.get(key)
    if (reply === undefined) {
      reply = await askWithRetries(prompt, server)
      kept.set(key, reply)
      keep(server.keptFile, key, reply)
    }
    replies.push(reply)
    onReply(replies.length, prompts.length)
  }
  return replies
}

/** Whether the server is asked again after it: too many requests, or a failure of its own. */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500
}

async function askWithRetries(prompt: string, server: JudgeServer): Promise<string> {
  for (const pauseMs of server.pausesMs ?? [1000, 5000, 20_000]) {
    const answer = await ask(prompt, server)
    if (typeof answer === 'string') return answer
    if (!isPassing(answer.status)) throw failed(server, `answered with status ${answer.status}`)
    await sleep(pauseMs)
  }
  const last = await ask(prompt, server)
  if (typeof last === 'string') return last
  throw failed(server, `answered with status ${last.status}, each time`)
}

async function ask(prompt: string, server: JudgeServer): Promise<string | { readonly status: number }> {
  if (server.signal.aborted) throw new EvalError('run/stopped', 'The judge was stopped.')
  let response: Response
  try {
    response = await server.fetch(`${server.address.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      // A redirect could take the question, or the key, to another host.
      redirect: 'error',
      signal: server.signal,
      headers: { 'Content-Type': 'application/json', ...(server.key === null ? {} : { Authorization: `Bearer ${server.key}` }) },
      body: JSON.stringify({
        model: server.model,
        messages: [{ role: 'user', content: prompt }],
        ...{ temperature: 0, max_tokens: 16, stop: ['\n'] },
      }),
    })
  } catch (cause) {
    if (server.signal.aborted) throw new EvalError('run/stopped', 'The judge was stopped.', { cause })
    throw failed(server, 'can’t be reached, or sent the request on to another one', cause)
  }
  if (!response.ok) return { status: response.status }
  const body: unknown = await response.json().catch(() => null)
  const text = textIn(body)
  if (text === null) throw failed(server, 'gave no choices[0].message.content')
  // A server that knows no stop strings writes on.
  return text.split('\n')[0] ?? ''
}

function textIn(body: unknown): string | null {
  const choices = member(body, 'choices')
  const content = member(member(Array.isArray(choices) ? choices[0] : null, 'message'), 'content')
  return typeof content === 'string' ? content : null
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : null
}

function failed({ address }: JudgeServer, what: string, cause?: unknown): EvalError {
  const { origin } = new URL(address)
  return new EvalError('address/failed', `The judge at ${origin} ${what}.`, {
    details: { origin },
    ...(cause === undefined ? {} : { cause }),
  })
}

function readKept(file: string | null): Map<string, string> {
  const kept = new Map<string, string>()
  if (file === null || !existsSync(file)) return kept
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const entry = parsed(line)
    const [key, reply] = [member(entry, 'prompt_sha256'), member(entry, 'reply')]
    if (typeof key === 'string' && typeof reply === 'string') kept.set(key, reply)
  }
  return kept
}

/** Null for a line that was cut off. */
function parsed(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return value
  } catch {
    return null
  }
}

function keep(file: string | null, key: string, reply: string): void {
  if (file === null) return
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, `${JSON.stringify({ prompt_sha256: key, reply })}\n`)
}
