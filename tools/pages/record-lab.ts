/**
 * `npx tsx tools/pages/record-lab.ts`: asks the embedded model (fp32, WASM in this process) for every token of the lab's docs and writes
 * `public/lab/recorded.json`. The prompts are those of the bundled tasks, the docs their first ones.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LabAsked, LabChoice, LabDoc, LabSet, Recording } from '../../src/analysis/lab/recorded.ts'
import type { Json } from '../../src/base/errors.ts'
import type { TextRequest } from '../../src/contracts/requests.ts'
import { ModelEngine } from '../../src/engines/engine.ts'
import { pairwiseSum } from '../../src/harness/metrics/means.ts'
import { walkRequests } from '../../src/harness/requests/output-types.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { readTaskConfig } from '../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { fromJson, isDict, str, type PyDict } from '../../src/python/value.ts'
import { readYamlMapping } from '../../src/python/yaml/parse.ts'
import { encodeLoglikelihood } from '../../src/tokenizing/encode.ts'
import { loadTokenizer, type Tokenizer } from '../../src/tokenizing/tokenizer.ts'
import { embeddedFolder, readEmbedded } from '../../tests/engines/embedded.ts'
import { loadNodeOrt } from '../../tests/engines/node-runtime.ts'
import { tableOf } from '../../tests/support/tables.ts'

const model = 'pico'
const docsPerSet = 48
const sets = [
  { name: 'facts', language: 'en' },
  { name: 'swahili', language: 'sw' },
  { name: 'yoruba', language: 'yo' },
] as const

async function main(): Promise<void> {
  const folder = embeddedFolder(model)
  if (folder === null) throw new Error(`The model ${model} is not built; see tools/embedded-model/README.md.`)
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const tokenizer = loadTokenizer({
    tokenizerJson: read('tokenizer.json'),
    tokenizerConfig: read('tokenizer_config.json'),
    specialTokensMap: null,
    chatTemplate: null,
    generationConfig: null,
    config: read('config.json'),
  })
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  await engine.open(readEmbedded(folder, 'fp32'), { device: 'wasm', dtype: 'fp32', scoring: 'reference', threads: 1 })
  const ask = async (requests: readonly TextRequest[]) => {
    const items = requests.map((request) => {
      if (request.type !== 'loglikelihood') throw new Error(`wanted loglikelihood, found ${request.type}`)
      const { input, target } = encodeLoglikelihood(tokenizer, request.context, request.continuation)
      return { input: Int32Array.from(input), targets: [Int32Array.from(target)] }
    })
    const answers = await engine.score(items)
    return answers.map(({ tokenLogprobs: [logprobs] }, index) => ({
      target: items[index]?.targets[0] ?? [],
      logprobs: [...(logprobs ?? [])],
    }))
  }
  /** What a doc's requests answer, and what its choices are worth without the question. */
  const record = async ({ requests, texts }: ReturnType<typeof docsOf>[number]): Promise<LabAsked> => {
    const given = await ask(requests)
    const alone = await ask(requests.map((request) => ({ ...request, context: '' })))
    const [first] = requests
    return {
      prompt: first?.type === 'loglikelihood' ? first.context : '',
      choices: given.map(({ target: ids, logprobs }, place): LabChoice => {
        const request = requests[place]
        return {
          continuation: request?.type === 'loglikelihood' ? request.continuation : '',
          text: texts[place] ?? '',
          tokens: tokenTexts(tokenizer, ids),
          logprobs: logprobs.map(round),
          unconditional: round(pairwiseSum(alone[place]?.logprobs ?? [])),
        }
      }),
    }
  }
  const recorded: LabSet[] = []
  for (const { name, language } of sets) {
    const letters = docsOf(`yardstick_${name}_letters`, name)
    const docs: LabDoc[] = []
    for (const [index, doc] of docsOf(`yardstick_${name}`, name).entries()) {
      const lettered = letters[index]
      docs.push({
        docId: doc.docId,
        gold: Number(str(doc.target)),
        ...(await record(doc)),
        letters: lettered === undefined ? null : await record(lettered),
      })
    }
    recorded.push({ name, language, docs })
  }
  await engine.close()
  const recording: Recording = { model: `yardstick/${model}`, commit: folder.split('/').at(-1) ?? '', dtype: 'fp32', sets: recorded }
  mkdirSync('public/lab', { recursive: true })
  writeFileSync('public/lab/recorded.json', `${JSON.stringify(recording)}\n`)
  process.stdout.write(`public/lab/recorded.json: ${recorded.map(({ name, docs }) => `${docs.length} docs of ${name}`).join(', ')}\n`)
}

/** The first docs of a bundled task of ours with their requests. */
function docsOf(task: string, rowsOf: string) {
  const folder = 'public/tasks/yardstick'
  const own = readYamlMapping(readFileSync(join(folder, `${task}.yaml`), 'utf8'), `${task}.yaml`)
  const include = own.get('include')
  if (typeof include !== 'string') throw new Error(`${task}.yaml: wanted an include`)
  const base = readYamlMapping(readFileSync(join(folder, include), 'utf8'), include)
  const config = readTaskConfig(new Map([...base, ...[...own].filter(([key]) => key !== 'include')]), `${task}.yaml`)
  const data = 'public/hub/datasets/yardstick/bench/resolve'
  const rows = readFileSync(join(data, readdirSync(data)[0] ?? '', rowsOf, 'test.jsonl'), 'utf8')
    .trim()
    .split('\n')
  const built = buildTask(config, { test: tableOf(rows.slice(0, docsPerSet).map(readRow)) }, { functions: functionTable() })
  const settings = { numFewshot: 0, limit: null, samples: null, fewshotSeed: 1234, systemInstruction: null, chat: null }
  return [...walkRequests(built, settings)].map((doc) => ({ ...doc, texts: built.docToChoice(doc.doc).map(str) }))
}

function readRow(line: string): PyDict {
  // What JSON.parse gives is JSON.
  const parsed: unknown = JSON.parse(line)
  const row = fromJson(parsed as Json)
  if (!isDict(row)) throw new Error(`wanted an object, found ${line}`)
  return row
}

/** Each token as the text that it completes: decoded with what came before it; empty for one that only begins a character. */
function tokenTexts(tokenizer: Tokenizer, ids: Iterable<number>): string[] {
  const texts: string[] = []
  const before: number[] = []
  let text = ''
  for (const id of ids) {
    before.push(id)
    const longer = tokenizer.decode(before).replace(/\uFFFD+$/, '')
    texts.push(longer.slice(text.length))
    text = longer
  }
  return texts
}

/** To 0.0001 nats: finer than the differences between devices. */
function round(value: number): number {
  return Math.round(value * 1e4) / 1e4
}

await main()
