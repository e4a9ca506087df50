/** Opened files and shared links: the harness's results and samples, runs of our own that were saved, predictions of others, links. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync, gunzipSync, gzipSync } from 'node:zlib'
import { chainLine, packRun } from '../../../src/app/export/run-file.ts'
import { openFiles } from '../../../src/app/open/open-files.ts'
import { chooseDocs, settingsAgain } from '../../../src/app/share/check-again.ts'
import { unpackResult } from '../../../src/app/share/link.ts'
import { sharedResult } from '../../../src/app/share/shared-result.ts'
import type { Json } from '../../../src/base/errors.ts'
import { runManifest, runSummary, sample } from '../../app/builders.ts'
import { mutateJson } from '../json-mutations.ts'
import { jsonTokens, mutate } from '../mutations.ts'
import type { Random } from '../random.ts'
import type { FuzzTarget } from '../target.ts'

interface Seeds {
  readonly results: Json
  readonly samples: readonly Json[]
  readonly runLines: readonly Json[]
  readonly shared: Json
}

const goldens = join(import.meta.dirname, '../../goldens/embedded/letters')
let loaded: Promise<Seeds> | null = null

/** Made by the harness over the project's own benchmark, and by the project itself. */
async function loadSeeds(): Promise<Seeds> {
  // JSON.parse gives JSON.
  const parse = (text: string): Json => JSON.parse(text) as Json
  const lines = (text: string): Json[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map(parse)
  const results = parse(readFileSync(join(goldens, 'results.json'), 'utf8'))
  const packed = gunzipSync(readFileSync(join(goldens, 'samples_yardstick_facts_letters.jsonl.gz')))
  const view = sample(0)
  const [manifest, summary] = [runManifest('r1'), runSummary('r1')]
  const file = await packRun({ manifest, summary, samples: inOnePart([view]) })
  const runText = gunzipSync(new Uint8Array(await file.arrayBuffer())).toString('utf8')
  const shared = parse(JSON.stringify(sharedResult(manifest, summary, new Map([[view.task, [view]]]))))
  return { results, samples: lines(packed.toString('utf8')).slice(0, 4), runLines: lines(runText), shared }
}

async function* inOnePart<T>(items: readonly T[]): AsyncGenerator<readonly T[], void> {
  yield items
}

interface File {
  readonly name: string
  readonly bytes: Uint8Array
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const print = (values: readonly Json[]): string => values.map((value) => JSON.stringify(value)).join('\n')
const published: Json = [
  {
    task_type: 'Generative',
    task_name: 'mmlu__details',
    input_question: 'q',
    output_parsed_answer: 'A',
    input_correct_responses: ['A'],
    is_correct: true,
  },
]
const predictions: Json = {
  '0': { origin_prompt: 'q', prediction: 'A', gold: 'A' },
  '1': { origin_prompt: 'q', prediction: 'B', gold: 'A' },
}
const accuracies: Json = [{ task: 'a', acc: 0.5 }]

/** The lines of a saved run with the checksum that belongs to them, so that what was changed is looked at. */
function chained(lines: readonly Json[]): string {
  const texts = lines.slice(0, -1).map((line) => JSON.stringify(line))
  const chain = texts.reduce((before, text) => chainLine(before, text), '')
  return [...texts, JSON.stringify({ end: { samples: Math.max(0, texts.length - 2), chain } })].join('\n')
}

function changedLines(random: Random, lines: readonly Json[]): readonly Json[] {
  const at = random.below(lines.length)
  return lines.map((line, index) => (index === at ? mutateJson(random, line) : line))
}

function make(random: Random, { results, samples, runLines, shared }: Seeds): Case {
  const samplesName = random.pick(['samples_yardstick_facts_letters_2026-11-21T09-12-35.572732.jsonl', 'samples_x.jsonl', 'x.json'])
  const file = (name: string, text: string): File => {
    const damaged = random.chance(25) ? mutate(random, encode(text), jsonTokens, encode(print(samples))) : encode(text)
    return {
      name,
      bytes: random.chance(10) ? new Uint8Array(gzipSync(damaged)).slice(0, random.chance(50) ? undefined : random.below(99)) : damaged,
    }
  }
  switch (random.below(8)) {
    case 0:
      return { files: [file('results.json', JSON.stringify(mutateJson(random, results)))], link: null }
    case 1:
      return {
        files: [
          file('results_2026-11-21T09-12-35.572732.json', JSON.stringify(mutateJson(random, results))),
          file(samplesName, print(changedLines(random, samples))),
        ],
        link: null,
      }
    case 2:
      return { files: [file(samplesName, print(changedLines(random, samples)))], link: null }
    case 3:
      return { files: [file('run.jsonl', chained(changedLines(random, runLines)))], link: null }
    case 4:
      return { files: [file('p.json', JSON.stringify(mutateJson(random, random.pick([published, predictions, accuracies]))))], link: null }
    case 5:
      return { files: [file(samplesName, JSON.stringify(mutateJson(random, samples)))], link: null }
    case 6:
      return { files: [], link: deflateRawSync(encode(JSON.stringify(mutateJson(random, shared))), { level: 1 }).toString('base64url') }
    default:
      return {
        files: [],
        link: deflateRawSync(mutate(random, encode(JSON.stringify(shared)), jsonTokens, encode('{'.repeat(random.below(3000))))).toString(
          'base64url',
        ),
      }
  }
}

interface Case {
  readonly files: readonly File[]
  readonly link: string | null
}

export const runTarget: FuzzTarget<Case> = {
  async make(random) {
    const data = make(random, await (loaded ??= loadSeeds()))
    const [first] = data.files
    return { data, name: first?.name ?? 'link.txt', bytes: first?.bytes ?? encode(data.link ?? '') }
  },
  async run({ files, link }) {
    if (link !== null) {
      const result = await unpackResult(link)
      settingsAgain(
        result,
        chooseDocs(result, () => 0.5),
      )
      return null
    }
    let ids = 0
    const runs = await openFiles(
      files.map(({ name, bytes }) => ({ name, file: new Blob([bytes.slice().buffer]) })),
      () => `run ${++ids}`,
    )
    for (const run of runs) {
      structuredClone({ summary: run.summary, samples: run.samples, notes: run.notes })
      for (const views of run.samples.values())
        if (views.some((view) => typeof view.prompt !== 'string')) return 'a sample without a prompt'
    }
    return runs.length === 0 ? 'opened nothing' : null
  },
}
