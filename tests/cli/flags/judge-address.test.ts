import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { askServer, keptRepliesName, type JudgeServer } from '../../../src/cli/flags/judge-address.ts'

const folder = mkdtempSync(join(tmpdir(), 'judge-address-'))
const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Seen {
  readonly path: string
  readonly key: string
  readonly prompt: string
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: string[] = []
  for await (const part of request) parts.push(String(part))
  return parts.join('')
}

/** Answers as `answer` says: a reply, or a status. */
async function judgeServer(answer: (prompt: string, turn: number) => string | number): Promise<{ address: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const answerOne = async (): Promise<void> => {
      const body = await bodyOf(request)
      const prompt = /"content":"([^"]*)"/.exec(body)?.[1] ?? ''
      seen.push({ path: request.url ?? '', key: request.headers.authorization ?? '', prompt })
      const reply = answer(prompt, seen.length)
      if (typeof reply === 'number') response.writeHead(reply, { Location: '/elsewhere' }).end()
      else response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content: reply } }] }))
    }
    answerOne().catch(() => response.destroy())
  })
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const bound = server.address()
  return { address: `http://127.0.0.1:${typeof bound === 'object' ? (bound?.port ?? 0) : 0}/v1/`, seen }
}

const ask = (prompts: readonly string[], change: Partial<JudgeServer> & Pick<JudgeServer, 'address'>) =>
  askServer(prompts, {
    model: 'm',
    key: 'secret-key',
    keptFile: null,
    fetch,
    signal: new AbortController().signal,
    pausesMs: [0, 0],
    ...change,
  })

it('asks each prompt once, in order, and reads the reply up to its first line end', async () => {
  const { address, seen } = await judgeServer((prompt) => (prompt === 'a' ? '[Yes]\nas both are 5' : '[No]'))
  expect(await ask(['a', 'b', 'a'], { address })).toEqual(['[Yes]', '[No]', '[Yes]'])
  expect(seen).toEqual([
    { path: '/v1/chat/completions', key: 'Bearer secret-key', prompt: 'a' },
    { path: '/v1/chat/completions', key: 'Bearer secret-key', prompt: 'b' },
  ])
})

it('goes on with the replies that were kept; the key is in no file', async () => {
  const keptFile = join(folder, keptRepliesName('http://x/v1', 'm'))
  const { address, seen } = await judgeServer((prompt) => (prompt === 'c' ? 400 : '[Yes]'))
  await expect(ask(['a', 'b', 'c'], { address, keptFile })).rejects.toMatchObject({ code: 'address/failed' })
  seen.length = 0
  const second = await judgeServer(() => '[No]')
  expect(await ask(['a', 'b', 'c'], { address: second.address, keptFile })).toEqual(['[Yes]', '[Yes]', '[No]'])
  expect(second.seen.map(({ prompt }) => prompt)).toEqual(['c'])
  expect(readFileSync(keptFile, 'utf8')).not.toContain('secret')
})

it('asks again after a passing failure, and gives up after the last pause', async () => {
  const { address, seen } = await judgeServer((_prompt, turn) => (turn < 3 ? 503 : '[Yes]'))
  expect(await ask(['a'], { address })).toEqual(['[Yes]'])
  expect(seen).toHaveLength(3)
  const never = await judgeServer(() => 429)
  await expect(ask(['a'], { address: never.address })).rejects.toThrow(/status 429, each time/)
  expect(never.seen).toHaveLength(3)
})

it('follows no redirect, and says nothing of the key', async () => {
  const { address, seen } = await judgeServer(() => 307)
  const error: unknown = await ask(['a'], { address }).catch((problem: unknown) => problem)
  expect(error).toMatchObject({ code: 'address/failed' })
  expect(error instanceof Error ? error.message + JSON.stringify(error) : '').not.toContain('secret')
  expect(seen.map(({ path }) => path)).toEqual(['/v1/chat/completions'])
})
