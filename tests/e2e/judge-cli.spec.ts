/** The judge of the command line to its end: killed in its second stage and resumed, over files, and behind an address. */
import { expect, test } from '@playwright/test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeQuiz } from '../../src/analysis/judge/quiz.ts'
import { startCommandLine, type Started } from './command-line.ts'

test.skip(process.platform === 'win32', 'process groups are killed by signals')
// The second test's judge goes over the first one's run.
test.describe.configure({ mode: 'serial', timeout: 400_000 })

const folder = mkdtempSync(join(tmpdir(), 'yardstick-judge-cli-'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
writeFileSync(join(folder, 'prompt.txt'), 'Same?\n7/2 and 3.5: [Yes]\n7/2 and 4: [No]\n{obj_gold} and {prediction}: ')

const secrets = { YARDSTICK_JUDGE_KEY: 'key-of-the-judge', HF_TOKEN: 'hf_tokenOfTheHub' }
const docs = 4
const quizPairs = judgeQuiz.length

const start = (args: readonly string[], profile: string, onStderr?: (stderr: string, started: Started) => void): Started =>
  startCommandLine(args, { folder, profile, env: secrets, ...(onStderr === undefined ? {} : { onStderr }) })
const evaluate = (args: readonly string[], profile: string) => start(args, profile).ended

/** All files below a folder by their path without times, as texts without times. */
function filesIn(output: string): { readonly [path: string]: string } {
  const root = join(folder, output)
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => statSync(join(root, path)).isFile())
  return Object.fromEntries(
    paths.map((path) => [
      path.replace(/\d{4}-?\d\d-?\d\dT[\d-]+(?:\.\d+)?Z?/g, 'TIME'),
      readFileSync(join(root, path), 'utf8')
        .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| UTC)?/g, 'TIME')
        .replace(/\d{8}T\d{6}Z/g, 'TIME')
        .replace(/"(?:date|start_time|end_time|total_evaluation_time_seconds)": [^,\n]+/g, 'TIME'),
    ]),
  )
}

const judged = ['--judge_model', 'yardstick/pico', '--judge_dtype', 'q4', '--judge_template', 'prompt.txt']
const numbers = ['--judge_postprocess', 'number', '--judge_gold_postprocess', 'number']
const run = ['--tasks', 'yardstick_wordproblems', '--limit', String(docs), '--dtype', 'q4', '--device', 'wasm']

/** The run that nothing disturbed, in the profile `b` and below the folder `whole`. */
let wholeRun = ''

test('D: killed while it judges and resumed, a judged run writes the files of one that nothing disturbed', async () => {
  const command = [...run, ...judged, ...numbers, '--output_path']
  let kills = 0
  const { ended } = start([...command, 'killed'], 'a', (stderr, { kill }) => {
    if (kills > 0 || !/Judging the answers[^]*\n(?:Scoring|Writing)/.test(stderr)) return
    kills += 1
    kill()
  })
  expect([(await ended).code, kills]).toEqual([null, 1])
  expect(Object.keys(filesIn('killed')).filter((path) => path.startsWith('judge/'))).toEqual([])
  const resumed = await evaluate([...command, 'killed', '--resume'], 'a')
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringMatching(/has these results already[^]*Wrote 4 files below/)])
  const whole = await evaluate([...command, 'whole'], 'b')
  expect(whole.code).toBe(0)
  wholeRun = /Run ([\w-]{36}):/.exec(whole.stderr)?.[1] ?? ''
  expect(filesIn('killed')).toEqual(filesIn('whole'))
  expect(Object.keys(filesIn('whole')).sort()).toEqual([
    'judge/TIME/predictions/yardstick__pico/yardstick_wordproblems.json',
    'judge/TIME/results/yardstick__pico/yardstick_wordproblems.json',
    'judge/TIME/summary_TIME.csv',
    'judge/TIME/summary_TIME.md',
    'yardstick__pico/results_TIME.json',
    'yardstick__pico/samples_yardstick_wordproblems_TIME.jsonl',
  ])
})

test('a judge behind an address is asked on the explicit flag alone, with its own key alone, and goes on over a run or its files', async () => {
  const seen: { readonly prompt: string; readonly headers: string }[] = []
  let onPrompt: () => boolean = () => true
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { messages } = JSON.parse(Buffer.concat(parts).toString()) as { messages: readonly { content: string }[] }
      const prompt = messages[0]?.content ?? ''
      seen.push({ prompt, headers: JSON.stringify(request.headers) })
      const [, gold, prediction] = /\n([^\n]*) and ([^\n]*): $/.exec(prompt) ?? []
      if (onPrompt()) response.end(JSON.stringify({ choices: [{ message: { content: gold === prediction ? '[Yes]' : '[No]' } }] }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const bound = server.address()
  const origin = `http://127.0.0.1:${typeof bound === 'object' ? (bound?.port ?? 0) : 0}`
  const far = [
    '--judge_model',
    'far',
    '--judge_address',
    `${origin}/v1`,
    '--judge_template',
    'prompt.txt',
    ...numbers,
    '--output_path',
    'far',
  ]
  try {
    // The quiz and two answers are judged when it dies, waiting for the third.
    let replies = 0
    const dying = start(['judge', wholeRun, ...far], 'b')
    onPrompt = () => {
      replies += 1
      if (replies <= quizPairs + 2) return true
      dying.kill()
      return false
    }
    expect([(await dying.ended).code, replies]).toEqual([null, quizPairs + 3])
    onPrompt = () => true
    const asked = () => seen.splice(0).map(({ prompt }) => prompt)
    const [before, headers] = [seen.map((one) => one.prompt), new Set(seen.map((one) => one.headers))]
    seen.splice(0)
    const again = await evaluate(['judge', wholeRun, ...far, '--json'], 'b')
    expect([again.code, again.stderr.includes(`references and answers go to ${origin}.`)]).toEqual([0, true])
    // The third is asked again, what was answered isn't; equal prompts once.
    const rest = asked()
    expect(rest[0]).toBe(before.at(-1))
    expect([new Set(rest).size, rest.filter((prompt) => before.slice(0, -1).includes(prompt))]).toEqual([rest.length, []])
    // The same answers out of the run's files: nothing is left to ask.
    const overFiles = await evaluate(['judge', join('whole', 'yardstick__pico'), ...far, '--json'], 'b')
    expect([overFiles.code, asked()]).toEqual([0, []])
    const outcome = (stdout: string) =>
      (JSON.parse(stdout) as readonly { outcome: unknown; quiz: unknown; task: string }[]).map(({ outcome, quiz, task }) => ({
        outcome,
        quiz,
        task,
      }))
    expect(outcome(overFiles.stdout)).toEqual(outcome(again.stdout))
    expect(outcome(again.stdout)).toMatchObject([
      { task: 'yardstick_wordproblems', quiz: { n: quizPairs }, outcome: { judge: { n: docs } } },
    ])
    expect([...headers].every((one) => one.includes(`Bearer ${secrets.YARDSTICK_JUDGE_KEY}`) && !one.includes(secrets.HF_TOKEN))).toBe(true)
    const written = JSON.stringify(filesIn('far')) + again.stdout + again.stderr
    expect([written.includes(secrets.YARDSTICK_JUDGE_KEY), written.includes(secrets.HF_TOKEN)]).toEqual([false, false])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
